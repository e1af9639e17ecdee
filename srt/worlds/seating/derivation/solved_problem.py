"""A problem read and solved, with the seats that a trace of it chose."""

from __future__ import annotations

from srt.io.records import Problem
from srt.language.trace import Trace
from srt.worlds.seating.claim_language import parse_claim
from srt.worlds.seating.derivation.solver import SolvedPuzzle, solve
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.seating.relations import holds


def solved(problem: Problem) -> tuple[Puzzle, SolvedPuzzle]:
    """``problem`` as it reads, and its solution; raises :class:`~srt.worlds.world.Refused`."""
    puzzle = read_problem(problem)
    return puzzle, solve(puzzle)


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
