"""Nets of a cube, and which face lies beyond which edge after folding: found by rolling a die over the squares.

A net is kept as it is drawn: rows from top to bottom, a digit in each square, 0 where there is none. The digits are on
the outside of the cube. The die lies under the net and rolls along with it from square to square. What is beyond an
edge of a square is then what the die has at that side, and opposite faces are opposite sides of the die.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from srt.worlds.views.kernel.stacks import Heights, Place, canonical, places

Net = tuple[tuple[int, ...], ...]
Beyond = Mapping[int, Mapping[str, int]]
"""For each face, the faces beyond its upper, right, lower and left edge, as it is drawn in the net."""

EDGES: Mapping[str, Place] = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
"""The edges of a square, clockwise; the step to the next square, in rows and columns."""
_DIE = (*EDGES, "under", "over")
_ROLLED = {
    "up": ("over", "right", "under", "left", "up", "down"),
    "right": ("up", "over", "down", "under", "right", "left"),
    "down": ("under", "right", "over", "left", "down", "up"),
    "left": ("up", "under", "down", "over", "left", "right"),
}
"""Which side of the die comes to each of the places ``_DIE`` when it rolls that way."""


@lru_cache(maxsize=4096)
def folded(net: Net) -> Beyond | None:
    """What lies beyond each edge of each face; ``None`` if the squares do not fold to a cube."""
    start, *others = places(net)
    rolled = {start: dict(zip(_DIE, _DIE, strict=True))}
    reached = [start]
    while reached:
        y, x = reached.pop()
        for edge, (down, right) in EDGES.items():
            place = (y + down, x + right)
            if place in others and place not in rolled:
                die = rolled[y, x]
                rolled[place] = {there: die[here] for there, here in zip(_DIE, _ROLLED[edge], strict=True)}
                reached.append(place)
    face_on = {die["under"]: net[y][x] for (y, x), die in rolled.items()}
    if len(others) != 5 or len(face_on) != 6 or len(set(face_on.values())) != 6:
        return None
    return {net[y][x]: {edge: face_on[die[edge]] for edge in EDGES} for (y, x), die in rolled.items()}


def drawn_beside(net: Net) -> dict[int, dict[str, int]]:
    """For each face the faces that are drawn beside it, by the edge between them."""
    squares = set(places(net))
    return {
        net[y][x]: {
            edge: net[y + down][x + right] for edge, (down, right) in EDGES.items() if (y + down, x + right) in squares
        }
        for y, x in squares
    }


def next_edge(edge: str, turns: int = 1) -> str:
    """The edge after so many clockwise quarter turns; two lead to the opposite edge."""
    names = list(EDGES)
    return names[(names.index(edge) + turns) % 4]


def corners(beyond: Beyond) -> list[tuple[int, int, int]]:
    """The eight corners: three faces each, clockwise as seen from outside, the least digit first."""
    found = {(face, edges[edge], edges[next_edge(edge)]) for face, edges in beyond.items() for edge in EDGES}
    return sorted(corner for corner in found if corner[0] == min(corner))


@cache
def cube_nets() -> tuple[Heights, ...]:
    """All nets of a cube, turned and mirrored ones counted once; squares are 1."""
    grown: set[Heights] = {((1,),)}
    for _ in range(5):
        grown = {canonical(larger) for smaller in grown for larger in _one_square_more(smaller)}
    return tuple(sorted(shape for shape in grown if folded(numbered(shape, range(1, 7))) is not None))


def numbered(shape: Heights, digits: range | list[int]) -> Net:
    """``shape`` with the digits in its squares, row by row."""
    left = iter(digits)
    return tuple(tuple(next(left) if square else 0 for square in row) for row in shape)


def _one_square_more(shape: Heights) -> set[Heights]:
    depth, width = len(shape), len(shape[0])
    empty = [[0] * (width + 2), *([0, *row, 0] for row in shape), [0] * (width + 2)]
    found = set()
    for y in range(depth + 2):
        for x in range(width + 2):
            near = ((y + down, x + right) for down, right in EDGES.values())
            if not empty[y][x] and any(0 <= j < depth + 2 and 0 <= i < width + 2 and empty[j][i] for j, i in near):
                larger = [row.copy() for row in empty]
                larger[y][x] = 1
                rows = [row for row in larger if any(row)]
                used = [i for i, column in enumerate(zip(*rows, strict=True)) if any(column)]
                found.add(tuple(tuple(row[i] for i in used) for row in rows))
    return found
