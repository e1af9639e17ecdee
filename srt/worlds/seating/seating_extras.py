"""What the seating world has besides problems and traces (:class:`srt.worlds.world.Extras`)."""

from __future__ import annotations

from pathlib import Path

from srt.io.records import Problem
from srt.worlds.kit.mutation import Faults
from srt.worlds.seating.derivation.exact_teacher import make_trace
from srt.worlds.seating.derivation.solved_problem import placement_for, solved
from srt.worlds.seating.reading.problem_reader import read_problem
from srt.worlds.seating.writing.scene_svg import draw
from srt.worlds.world import Extras, Figures, Refused


def _traits(problem: Problem) -> dict[str, str]:
    try:
        scene = read_problem(problem).scene
    except Refused:
        return {}
    return {"scene": scene.kind, "compass": scene.compass}


def _solved_scene(problem: Problem) -> str:
    """Seats as in the exact trace."""
    puzzle, solution = solved(problem)
    return draw(puzzle, placement_for(puzzle, solution, make_trace(problem, puzzle, solution)))


def _faults() -> Faults:
    from srt.worlds.seating.faults.mutation_subject import MUTATIONS, mutation_subject  # loads numpy

    return Faults(tuple(MUTATIONS), mutation_subject)


EXTRAS = Extras(
    dimensions=("scene", "compass"),
    traits=_traits,
    refusals={
        "unknown_scene": "the scene, or who sits in it, is not understood",
        "contradictory_clues": "no placement satisfies all clues, or no option is right",
    },
    figures=Figures(solved=_solved_scene),
    faults=_faults,
    prompts=Path(__file__).parent / "prompts",
    retired=dict.fromkeys(("read-as-used", "restated", "scanned"), "405b85f"),
)
