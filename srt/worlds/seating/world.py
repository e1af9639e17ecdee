"""The seating world as the rest of the toolkit sees it (:class:`srt.worlds.world.World`)."""

from __future__ import annotations

import re
from collections.abc import Callable

from srt.language.trace import Trace, Truth
from srt.records import Lang, Problem
from srt.worlds.seating.claims import BLANK, Claim, Options, names_of, parse_claim
from srt.worlds.seating.reader import Puzzle, read_problem
from srt.worlds.seating.relations import asked_set, holds
from srt.worlds.seating.solver import Solution, solve
from srt.worlds.seating.teacher import make_trace
from srt.worlds.world import Refused

_FIRST_CLUE = re.compile(r"\s*[(（]1[)）]")
_BLANK = re.compile(r"[(（] *[)）]")


class SeatingWorld:
    """Booths, hexagons and shelves: ``docs/seating.md``."""

    name = "seating"

    def recognises(self, problem: Problem) -> bool:
        """Whether ``problem`` has the shape of this world: a scene, numbered clues, a blank to fill, options."""
        _, *clues, last = ["", *problem.question.rstrip().split("\n")]
        return bool(problem.choices and _BLANK.search(last)) and any(map(_FIRST_CLUE.match, clues[1:]))

    def traits(self, problem: Problem) -> dict[str, str]:
        """``scene`` and ``compass`` of ``problem``, as its text says them; empty where it cannot be read."""
        try:
            scene = read_problem(problem).scene
        except Refused:
            return {}
        return {"scene": scene.kind, "compass": scene.compass}

    def solve(self, problem: Problem) -> Trace:
        """The exact trace of ``problem``; raises :class:`~srt.worlds.world.Refused`."""
        puzzle, solution = _solved(problem)
        _check_gold(problem, solution)
        return make_trace(problem, puzzle, solution)

    def explain(self, problem: Problem, trace: Trace, terse: bool) -> str:
        """``trace`` as prose; raises :class:`~srt.worlds.world.Refused` where ``problem`` is not understood."""
        from srt.worlds.seating.prose import explain

        return explain(read_problem(problem), trace, terse)

    def restate(self, trace: Trace) -> Trace:
        """``trace`` in a finer cut, its lookups written out: :mod:`srt.worlds.seating.restate`."""
        from srt.worlds.seating.restate import restate

        return restate(trace)

    def assertion(self, claim: str, lang: Lang) -> str:
        """``claim`` as a sentence."""
        from srt.worlds.seating.assertion import assertion

        return assertion(claim, lang)

    def truth(self, problem: Problem, trace: Trace | None = None) -> Callable[[str], Truth]:
        """Whether a claim is true in the solved problem; seats as the ``wlog`` step of ``trace`` chose them.

        A claim with ``?`` is true when it names those who fill the blank of the question, and no others.
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
        from srt.worlds.seating.picture import draw

        puzzle, solution = _solved(problem)
        return draw(puzzle, placement_for(puzzle, solution, make_trace(problem, puzzle, solution)))


def placement_for(puzzle: Puzzle, solution: Solution, trace: Trace | None) -> dict[str, str]:
    """The solved placement, moved by a symmetry of the scene onto the seats that the ``wlog`` step of ``trace`` chose.

    Where there is no such step, or no symmetry makes it true, it is the solver's own placement.
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


def _solved(problem: Problem) -> tuple[Puzzle, Solution]:
    puzzle = read_problem(problem)
    return puzzle, solve(puzzle)


def _check_gold(problem: Problem, solution: Solution) -> None:
    gold = problem.answer
    if gold is not None and (gold.kind != "choice_set" or gold.value != list(solution.letters)):
        raise Refused("disagrees_with_gold", f"solved: {', '.join(solution.letters)}; gold: {gold.value}")


def _is_true(claim: Claim, puzzle: Puzzle, solution: Solution, placement: dict[str, str]) -> bool:
    if len(claim) == 1 and len(claim[0]) == 1 and isinstance(claim[0][0], Options):
        return claim == ((Options(solution.letters),),)
    if BLANK in names_of(claim):
        return asked_set(claim, puzzle.scene, placement) == set(solution.filled)
    return holds(claim, puzzle.scene, placement)
