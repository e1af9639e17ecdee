"""The seating world as the rest of the toolkit sees it (:class:`srt.worlds.world.World`)."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from srt.io.errors import UserError
from srt.io.records import Lang, Problem
from srt.language.trace import Trace, Truth
from srt.worlds.seating.claim_language import BLANK, Claim, RightOptions, names_of, parse_claim, said_of_others
from srt.worlds.seating.derivation.exact_teacher import make_trace
from srt.worlds.seating.derivation.free_derivation import derive_freely
from srt.worlds.seating.derivation.free_step import is_lookup
from srt.worlds.seating.derivation.lookups import CUTS, claims_of, spell_out_lookups
from srt.worlds.seating.derivation.solved_problem import placement_for, solved
from srt.worlds.seating.derivation.solver import SolvedPuzzle
from srt.worlds.seating.reading.problem_reader import Puzzle, names_a_scene, read_problem
from srt.worlds.seating.relations import asked_set, holds
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import keys_of, sample
from srt.worlds.seating.sampling.sampling_plan import plan_of
from srt.worlds.seating.seating_extras import EXTRAS
from srt.worlds.seating.writing.assertion import assertion
from srt.worlds.seating.writing.derivation_prose import explain
from srt.worlds.seating.writing.free_prose import free_prose, free_trace_steps
from srt.worlds.world import CLAIMS, NEEDED, FreeForm, Refused, Sampler, TextStyle, World

_FIRST_CLUE = re.compile(r"\s*[(（]1[)）]")
_BLANK = re.compile(r"[(（] *[)）]")
_LONGEST_SCENE = 4000
"""Characters of a scene text; no known one has half as many."""


class SeatingWorld(World):
    """Booths, hexagons and shelves: ``docs/seating.md``."""

    name = "seating"
    plans: Mapping[str, str] = {
        **World.plans,
        "running": "a plan of all seats, carried along from step to step",
        "read-as-turns": "the same; each clue is read right before it is used, around a ring down to one turn",
    }
    styles: Mapping[str, TextStyle] = {
        **World.styles,
        "anchored": TextStyle("claims, with the seats written out that a step looks up"),
        "lettered": TextStyle("anchored, and seats and options are gone through one by one", last_step_answers=True),
    }
    extras = EXTRAS

    def recognises(self, problem: Problem) -> bool:
        """Whether ``problem`` has numbered clues, a blank, options, and a scene of this world.

        The text must hold a sentence by which a booth, a hexagon or a shelf is known. Problems that this world sampled,
        and the spatial items of SpaCE2025, are claimed whatever their scene: a scene that is not known is refused by
        name.
        """
        lines = problem.question.rstrip().split("\n")
        first_clue = next((at for at in range(1, len(lines) - 1) if _FIRST_CLUE.match(lines[at])), None)
        if first_clue is None or not problem.choices or not _BLANK.search(lines[-1]):
            return False
        if problem.source == self.name or (problem.source, problem.category) == ("space2025", "SPR"):
            return True
        scene = " ".join(" ".join(lines[:first_clue]).split())
        return len(scene) <= _LONGEST_SCENE and names_a_scene(scene, problem.lang)

    def sampler(self, fields: Mapping[str, object]) -> Sampler:
        """The problems of a :class:`~srt.worlds.seating.sampling.sample_spec.SampleSpec`."""
        spec = SampleSpec.parse(fields)
        plan_of(spec)  # Names of scenes and relations are looked up now, and not at the first problem.
        return partial(sample, spec)

    def split_keys(self, problem: Problem) -> tuple[str, ...]:
        """The canonical key, and the key of its meaning, by which samples with ``split_by: meaning`` are grouped."""
        return keys_of(problem)

    def solve(self, problem: Problem, plan: str = NEEDED) -> Trace:
        """The exact trace of ``problem``: :mod:`srt.worlds.seating.derivation.exact_teacher`."""
        puzzle, solution = solved(problem)
        gold = problem.answer
        if gold is not None and (gold.kind != "choice_set" or gold.value != list(solution.letters)):
            raise Refused("disagrees_with_gold", f"solved: {', '.join(solution.letters)}; gold: {gold.value}")
        return make_trace(problem, puzzle, solution, plan)

    def explain(self, problem: Problem, trace: Trace, *, terse: bool = False, style: str = CLAIMS) -> str:
        """``trace`` as prose; raises :class:`~srt.worlds.world.Refused` where ``problem`` is not understood."""
        return explain(read_problem(problem), trace, terse=terse, lettered=style == "lettered")

    def free_form(self, problem: Problem, trace: Trace) -> FreeForm:
        """Of booths alone; :mod:`srt.worlds.seating.derivation.free_derivation`."""
        puzzle, solution = solved(problem)
        if puzzle.scene.kind != "booth":
            raise UserError(f"the world {self.name!r} has a free form of booths, and of no {puzzle.scene.kind}")
        chance = random.Random(hashlib.sha256(trace.id.encode()).digest())
        found = zip(trace.steps, claims_of(trace), strict=True)
        lookups = [claim for step, claim in found if step.op == "INFER" and is_lookup(claim)]
        steps = derive_freely(puzzle, solution, lookups, placement_for(puzzle, solution, trace), chance)
        return FreeForm(free_prose(puzzle, steps, chance), free_trace_steps(steps))

    def assertion(self, claim: str, lang: Lang) -> str:
        """``claim`` as a sentence."""
        return assertion(claim, lang)

    def respell(self, problem: Problem, trace: Trace, style: str) -> Iterable[Trace]:
        """``trace`` with its lookups written out: :mod:`srt.worlds.seating.derivation.lookups`."""
        options = read_problem(problem).options
        return (spell_out_lookups(trace, cut, options) for cut in CUTS[style])

    def truth(self, problem: Problem, trace: Trace | None = None) -> Callable[[str], Truth]:
        """Whether a claim is true in the solved problem; seats as the ``wlog`` step of ``trace`` chose them.

        A claim with ``?`` is true when it names exactly those who fill the blank of the question, and what it says of
        others (``Bob@S2`` of ``Bob@S2 & ? = none``) is right. The reading of the question says what the question does.
        """
        try:
            puzzle, solution = solved(problem)
        except Refused:
            return lambda claim: "unknown"
        placement = placement_for(puzzle, solution, trace)

        def truth_of(text: str) -> Truth:
            try:
                return "true" if _is_true(parse_claim(text), puzzle, solution, placement) else "false"
            except ValueError:  # A ClaimError among them.
                return "unknown"

        return truth_of


def _is_true(claim: Claim, puzzle: Puzzle, solution: SolvedPuzzle, placement: dict[str, str]) -> bool:
    match claim:
        case ((RightOptions(letters),),):
            return letters == solution.letters
    if BLANK in names_of(claim):
        filled = asked_set(claim, puzzle.scene, placement) == set(solution.filled)
        return filled and (claim == puzzle.question or holds(said_of_others(claim), puzzle.scene, placement))
    return holds(claim, puzzle.scene, placement)
