"""Derivations for a solid that is shown, in a picture or by a numbered plan: its views, its surface."""

from __future__ import annotations

from srt.worlds.views.claim_language import ViewClaim
from srt.worlds.views.derivation.from_views import count_shown
from srt.worlds.views.derivation.steps import Derivation
from srt.worlds.views.kernel.stacks import Side, count, faces_seen, profile, view_width


def column(derivation: Derivation, side: Side, k: int) -> int:
    """The height of a column of a view, from the stacks that it shows."""
    bound = derivation.bind(side, k)
    read = [derivation.read_stack(cell) for cell in derivation.cells(side, k)]
    height = profile(derivation.problem.heights, side)[k - 1]
    return derivation.say(ViewClaim("column", word=side, k=k, numbers=(height,)), steps=[bound, *read])


def side_view(derivation: Derivation, side: Side) -> ViewClaim:
    """A whole side view; says it, and returns what was said."""
    heights = profile(derivation.problem.heights, side)
    columns = [column(derivation, side, k) for k in range(1, len(heights) + 1)]
    claim = ViewClaim("profile", word=side, numbers=heights)
    derivation.say(claim, derivation.covering(), columns)
    return claim


def top_view(derivation: Derivation) -> ViewClaim:
    """The whole top view; says it, and returns what was said."""
    problem = derivation.problem
    bound = [derivation.bind("front", k) for k in range(1, problem.size[1] + 1)]
    claim = ViewClaim("footprint", cells=tuple(sorted(map(problem.cell, problem.places))))
    derivation.say(claim, derivation.covering(), bound)
    return claim


def missing(derivation: Derivation) -> int:
    """The cubes that are missing from the smallest cuboid around the solid."""
    problem = derivation.problem
    depth, width = problem.size
    whole, there = depth * width * max(map(max, problem.heights)), count(problem.heights)
    box = derivation.say(ViewClaim("quantity", word="box", numbers=(whole,)), derivation.covering())
    counted = count_shown(derivation)
    return derivation.say(ViewClaim("quantity", word="missing", numbers=(whole - there,)), steps=[box, counted])


def faces(derivation: Derivation) -> int:
    """The surface, or the part of it that does not lie on the table."""
    problem = derivation.problem
    ends = {side: _faces_towards(derivation, side) for side in ("front", "left")}
    ground = len(problem.places)
    top = derivation.say(ViewClaim("view_faces", word="top", numbers=(ground,)), derivation.covering())
    around = 2 * sum(number for number, _ in ends.values())
    total = around + (2 * ground if problem.asked.word == "surface" else ground)
    claim = ViewClaim("quantity", word=problem.asked.word, numbers=(total,))
    return derivation.say(claim, steps=[*(step for _, step in ends.values()), top])


def _faces_towards(derivation: Derivation, side: Side) -> tuple[int, int]:
    """How many unit squares face ``side``, and the step that says so."""
    problem = derivation.problem
    parts, total = [], 0
    for k in range(1, view_width(side, *problem.size) + 1):
        read = [derivation.read_stack(cell) for cell in derivation.cells(side, k)]
        number = faces_seen(problem.heights, side, k)
        claim = ViewClaim("column_faces", word=side, k=k, numbers=(number,))
        parts.append(derivation.say(claim, steps=[derivation.bind(side, k), *read]))
        total += number
    return total, derivation.say(ViewClaim("view_faces", word=side, numbers=(total,)), derivation.covering(), parts)
