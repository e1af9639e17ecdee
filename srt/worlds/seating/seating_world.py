"""The seating world as the rest of the toolkit sees it (:class:`srt.worlds.world.World`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from srt.io.records import Lang, Problem
from srt.language.trace import Trace, Truth
from srt.worlds.mutation import MutationSubject
from srt.worlds.seating.claim_language import BLANK, Claim, RightOptions, names_of, parse_claim, said_of_others
from srt.worlds.seating.derivation.exact_teacher import make_trace
from srt.worlds.seating.derivation.lookups import spell_out_lookups
from srt.worlds.seating.derivation.solver import SolvedPuzzle, solve
from srt.worlds.seating.reading.problem_reader import Puzzle, names_a_scene, read_problem
from srt.worlds.seating.relations import asked_set, holds
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import key_of, keys_of, sample
from srt.worlds.seating.writing.assertion import assertion
from srt.worlds.seating.writing.derivation_prose import explain
from srt.worlds.seating.writing.scene_svg import draw
from srt.worlds.world import LookupStyle, Plan, Refused, Sampler, World

_FIRST_CLUE = re.compile(r"\s*[(（]1[)）]")
_BLANK = re.compile(r"[(（] *[)）]")
_LONGEST_SCENE = 4000
"""Characters of a scene text; no known one has half as many."""


class SeatingWorld(World):
    """Booths, hexagons and shelves: ``docs/seating.md``."""

    name = "seating"
    dimensions = ("scene", "compass")
    prompts = Path(__file__).parent / "prompts"

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

    def traits(self, problem: Problem) -> dict[str, str]:
        """``scene`` and ``compass`` of ``problem``, as its text gives them; empty where it cannot be read."""
        try:
            scene = read_problem(problem).scene
        except Refused:
            return {}
        return {"scene": scene.kind, "compass": scene.compass}

    def sampler(self, fields: Mapping[str, object]) -> Sampler:
        """The problems of a :class:`~srt.worlds.seating.sampling.sample_spec.SampleSpec`."""
        return partial(sample, SampleSpec.parse(fields))

    def split_key(self, problem: Problem) -> str | None:
        """The canonical key: :mod:`srt.worlds.seating.canonical_key`."""
        return key_of(problem)

    def group_keys(self, problem: Problem) -> set[str]:
        """The canonical key, and the key of its meaning, by which samples with ``split_by: meaning`` are grouped."""
        return keys_of(problem)

    def solve(self, problem: Problem) -> Trace:
        """The exact trace of ``problem``; raises :class:`~srt.worlds.world.Refused`."""
        return make_trace(problem, *_agreeing(problem))

    def solve_with_running_plan(self, problem: Problem, plan: Plan = "running") -> Trace:
        """As :meth:`solve`: :mod:`srt.worlds.seating.derivation.running_plan`."""
        return make_trace(problem, *_agreeing(problem), plan)

    def explain(self, problem: Problem, trace: Trace, terse: bool) -> str:
        """``trace`` as prose; raises :class:`~srt.worlds.world.Refused` where ``problem`` is not understood."""
        return explain(read_problem(problem), trace, terse)

    def explain_lookups(self, problem: Problem, trace: Trace, style: LookupStyle) -> str:
        """As :meth:`explain`; whoever sits on a seat, and their letter, are found as in the text style ``style``."""
        return explain(read_problem(problem), trace, terse=False, style=style)

    def spell_out_lookups(self, problem: Problem, trace: Trace, style: LookupStyle = "restated") -> Trace:
        """``trace`` with its lookups written out: :mod:`srt.worlds.seating.derivation.lookups`."""
        options = read_problem(problem).options if style == "lettered" else None
        return spell_out_lookups(trace, style, options)

    def assertion(self, claim: str, lang: Lang) -> str:
        """``claim`` as a sentence."""
        return assertion(claim, lang)

    def truth(self, problem: Problem, trace: Trace | None = None) -> Callable[[str], Truth]:
        """Whether a claim is true in the solved problem; seats as the ``wlog`` step of ``trace`` chose them.

        A claim with ``?`` is true when it names exactly those who fill the blank of the question, and what it says of
        others (``Bob@S2`` of ``Bob@S2 & ? = none``) is right. The reading of the question says what the question does.
        """
        try:
            puzzle, solution = _solved(problem)
        except Refused:
            return lambda claim: "unknown"
        placement = placement_for(puzzle, solution, trace)

        def truth_of(text: str) -> Truth:
            try:
                return "true" if _is_true(parse_claim(text), puzzle, solution, placement) else "false"
            except ValueError:  # A ClaimError among them.
                return "unknown"

        return truth_of

    def draw(self, problem: Problem) -> str:
        """The solved scene as SVG, seats as in the exact trace; raises :class:`~srt.worlds.world.Refused`."""
        puzzle, solution = _solved(problem)
        return draw(puzzle, placement_for(puzzle, solution, make_trace(problem, puzzle, solution)))

    def mutation_subject(self, problem: Problem, trace: Trace) -> MutationSubject:
        """``trace`` in parsed form, with its oracle: :mod:`srt.worlds.seating.faults`."""
        from srt.worlds.seating.faults.mutation_subject import mutation_subject  # numpy: no other command needs it

        return mutation_subject(problem, trace)


def placement_for(puzzle: Puzzle, solution: SolvedPuzzle, trace: Trace | None) -> dict[str, str]:
    """The solved placement, moved by a symmetry of the scene onto the seats that the ``wlog`` step of ``trace`` chose.

    Without such a step, or if no symmetry makes it true, it is the solver's own placement.
    """
    chosen = next((step.claim for step in trace.steps if "wlog" in step.args), None) if trace else None
    seats = puzzle.scene.seats
    for symmetry in puzzle.scene.symmetries if chosen else ():
        moved = {name: seats[symmetry[seats.index(seat)]] for name, seat in solution.placement.items()}
        try:
            if chosen and holds(parse_claim(chosen), puzzle.scene, moved):
                return moved
        except ValueError:
            break
    return solution.placement


def _solved(problem: Problem) -> tuple[Puzzle, SolvedPuzzle]:
    puzzle = read_problem(problem)
    return puzzle, solve(puzzle)


def _agreeing(problem: Problem) -> tuple[Puzzle, SolvedPuzzle]:
    """``problem`` as it reads and is solved; refused where its gold answer is another."""
    puzzle, solution = _solved(problem)
    gold = problem.answer
    if gold is not None and (gold.kind != "choice_set" or gold.value != list(solution.letters)):
        raise Refused("disagrees_with_gold", f"solved: {', '.join(solution.letters)}; gold: {gold.value}")
    return puzzle, solution


def _is_true(claim: Claim, puzzle: Puzzle, solution: SolvedPuzzle, placement: dict[str, str]) -> bool:
    match claim:
        case ((RightOptions(letters),),):
            return letters == solution.letters
    if BLANK in names_of(claim):
        filled = asked_set(claim, puzzle.scene, placement) == set(solution.filled)
        return filled and (claim == puzzle.question or holds(said_of_others(claim), puzzle.scene, placement))
    return holds(claim, puzzle.scene, placement)
