"""Solids made of stacks of unit cubes on a table: height maps, their cells, lines and views.

A height map is stored as it is drawn in a plan: rows from back to front, columns from left to right. Cells have names
as on a chess board seen from the front: ``a1`` is at the front left, letters go to the right, numbers to the back.

A view has columns, counted from the left of its picture. Column k of the view shows one line of cells, and its height
is that of the tallest stack in it::

    back        a3 b3 c3        the viewer of the left view stands at the left: its first column is the back row
                a2 b2 c2        the viewer of the right view stands at the right: its first column is the front row
    front       a1 b1 c1        the viewer of the back view has column c at the left
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal

Heights = tuple[tuple[int, ...], ...]
"""Rows from back to front; 0 is no cube."""
Side = Literal["front", "left", "right", "back"]
Direction = Literal["front", "left", "right", "back", "top"]
Place = tuple[int, int]
"""Row from the back and column from the left, both from 0."""

SIDES: tuple[Side, ...] = ("front", "left", "right", "back")
DIRECTIONS: tuple[Direction, ...] = (*SIDES, "top")
COLUMNS = "abcdefgh"


def size(heights: Heights) -> tuple[int, int]:
    """Depth (rows) and width (columns) of the plan."""
    return len(heights), len(heights[0])


def places(heights: Heights) -> list[Place]:
    """The places of all stacks, from back to front and from left to right."""
    return [(y, x) for y, row in enumerate(heights) for x, height in enumerate(row) if height]


def count(heights: Heights) -> int:
    """The number of cubes."""
    return sum(map(sum, heights))


def cell_name(place: Place, depth: int) -> str:
    """``a1`` for the front left place of a plan with ``depth`` rows."""
    y, x = place
    return f"{COLUMNS[x]}{depth - y}"


@cache
def line(side: Side, k: int, depth: int, width: int) -> tuple[Place, ...]:
    """The places that column ``k`` (from 1) of the view from ``side`` shows, the nearest to the viewer first."""
    match side:
        case "front":
            return tuple((y, k - 1) for y in reversed(range(depth)))
        case "back":
            return tuple((y, width - k) for y in range(depth))
        case "left":
            return tuple((k - 1, x) for x in range(width))
        case "right":
            return tuple((depth - k, x) for x in reversed(range(width)))


def view_width(side: Side, depth: int, width: int) -> int:
    """The number of columns of the view from ``side``."""
    return width if side in ("front", "back") else depth


def profile(heights: Heights, side: Side) -> tuple[int, ...]:
    """The heights of the columns of the view from ``side``, from the left of its picture."""
    columns = [max(column) for column in zip(*heights, strict=True)] if side in ("front", "back") else []
    match side:
        case "front":
            return tuple(columns)
        case "back":
            return tuple(reversed(columns))
        case "left":
            return tuple(max(row) for row in heights)
        case "right":
            return tuple(max(row) for row in reversed(heights))


def footprint(heights: Heights) -> Heights:
    """The top view: 1 where there is a stack."""
    return tuple(tuple(int(height > 0) for height in row) for row in heights)


def faces_seen(heights: Heights, side: Side, k: int) -> int:
    """The unit squares that face ``side`` in column ``k`` of its view, with those in dents, which nobody sees."""
    before = faces = 0
    for y, x in line(side, k, *size(heights)):
        faces += max(0, heights[y][x] - before)
        before = heights[y][x]
    return faces


def surface(heights: Heights) -> int:
    """The surface in unit squares, the bottom among it."""
    depth, width = size(heights)
    ends = sum(faces_seen(heights, side, k) for side in SIDES for k in range(1, view_width(side, depth, width) + 1))
    return ends + 2 * len(places(heights))


def is_trimmed(heights: Heights) -> bool:
    """Whether every row and every column has a stack."""
    return all(map(any, heights)) and all(map(any, zip(*heights, strict=True)))


@lru_cache(maxsize=4096)
def is_connected(heights: Heights) -> bool:
    """Whether the stacks hang together by faces; not so if there is none."""
    left = set(places(heights))
    if not left:
        return False
    reached = [left.pop()]
    while reached:
        y, x = reached.pop()
        near = {(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)} & left
        left -= near
        reached += near
    return not left


def quarter_turn(heights: Heights) -> Heights:
    """The solid after a quarter turn, clockwise as seen from above."""
    return tuple(zip(*heights[::-1], strict=True))


def mirrored(heights: Heights) -> Heights:
    """The mirror image, left and right swapped."""
    return tuple(row[::-1] for row in heights)


def turns(heights: Heights) -> Iterator[Heights]:
    """The solid in its four positions on the table."""
    for _ in range(4):
        yield heights
        heights = quarter_turn(heights)


def canonical(heights: Heights) -> Heights:
    """The least of the positions on the table, mirror images among them, with no more rows than columns."""
    lying = [form for form in (heights, quarter_turn(heights)) if len(form) <= len(form[0])]
    images = [image for form in lying for image in (form, mirrored(form))]
    return min(images + [image[::-1] for image in images])
