"""Views, plans and nets. Their boxes hold the squares exactly; lines reach over the edge by half their width."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from srt.worlds.kit.drawing.lettering import drawn_text
from srt.worlds.kit.drawing.raster import PIXEL, Mark, Path, Sketch, Stamp, face, stroke
from srt.worlds.views.drawing.style import Style
from srt.worlds.views.reading.figures import Line, ViewFigure

_DASHED = 10
"""The greatest width of a dashed line: a dashed edge of one small square still has four dashes."""


def view_drawing(view: ViewFigure, cell: int, style: Style) -> Sketch:
    """The view, with squares of ``cell`` pixels."""
    height = len(view.rows)
    marks = _squares([[square == "#" for square in row] for row in view.rows], cell, style, inner=view.lines is None)
    if view.lines is not None:
        marks += [_line(line, height, cell, min(style.inner, _DASHED), dashed=True) for line in view.hidden]
        marks += [_line(line, height, cell, style.outline) for line in view.lines]
    return Sketch(len(view.rows[0]) * cell, height * cell, tuple(marks))


def numbered_squares(rows: tuple[tuple[int, ...], ...], cell: int, style: Style) -> Sketch:
    """A plan or a net, with squares of ``cell`` pixels and a number in each; no square where the number is 0."""
    marks = _squares([[number > 0 for number in row] for row in rows], cell, style, inner=True)
    for y, row in enumerate(rows):
        for x, digit in enumerate(row):
            if digit:
                number = drawn_text(str(digit), cell * 9 // 20, style.pen + 1)
                corner = ((cell - number.width) // 2, (cell - number.height) // 2)
                marks += number.moved(x * cell + corner[0], y * cell + corner[1])
    return Sketch(len(rows[0]) * cell, len(rows) * cell, tuple(marks))


def has_hole(view: ViewFigure) -> bool:
    """Whether squares enclose an empty place, which would look like a square if squares were not shaded."""
    width = len(view.rows[0]) + 2
    free = {
        (x, y)
        for y, row in enumerate(("." * width, *(f".{row}." for row in view.rows), "." * width))
        for x, square in enumerate(row)
        if square == "."
    }
    reached = [(0, 0)]
    free.discard((0, 0))
    while reached:
        x, y = reached.pop()
        near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & free
        free -= near
        reached += near
    return bool(free)


def _squares(filled: list[list[bool]], cell: int, style: Style, inner: bool) -> list[Mark]:
    """The filled squares; with ``inner`` the lines between them, and around them the outline."""
    side = cell * PIXEL
    square = face(((0, 0), (side, 0), (side, side), (0, side)), style.inner, style.squares)
    if not inner:
        square = square._replace(ink=square.ink * 0)
    places = [(x, y) for y, row in enumerate(filled) for x, there in enumerate(row) if there]
    marks: list[Mark] = [(x * cell, y * cell, square) for x, y in places]
    if inner and style.outline != style.inner:
        marks += [(x * cell, y * cell, stamp) for x, y, stamp in _outline(set(places), side, style.outline)]
    return marks


def _outline(places: set[tuple[int, int]], side: int, width: int) -> Iterable[tuple[int, int, Stamp]]:
    """The edges between a square and what is none, in units of a square."""
    across, down = (stroke((((0, 0), end),), width) for end in ((side, 0), (0, side)))
    for x, y in places:
        for dx, dy, at, stamp in ((0, -1, (x, y), across), (0, 1, (x, y + 1), across)):
            if (x + dx, y + dy) not in places:
                yield *at, stamp
        for dx, dy, at, stamp in ((-1, 0, (x, y), down), (1, 0, (x + 1, y), down)):
            if (x + dx, y + dy) not in places:
                yield *at, stamp


def _line(line: Line, height: int, cell: int, width: int, dashed: bool = False) -> Mark:
    """A line of the view; its y counts up from the lower edge."""
    x, y, to_x, to_y = line
    left, top = min(x, to_x) * cell, (height - max(y, to_y)) * cell
    length = (abs(to_x - x) + abs(to_y - y)) * cell * PIXEL
    upright = x == to_x
    paths = _dashes(length, upright, width) if dashed else (_to(0, length, upright),)
    return left, top, stroke(paths, width)


@cache
def _dashes(length: int, upright: bool, width: int) -> tuple[Path, ...]:
    """Dashes of equal length, the first and the last at the ends; with their round ends they look longer than gaps."""
    dash, gap = 2 * width, 3 * width
    count = max(3, (length + gap) // (dash + gap))
    return tuple(
        _to(start, start + dash, upright) for start in (i * (length - dash) // (count - 1) for i in range(count))
    )


def _to(start: int, end: int, upright: bool) -> Path:
    return ((0, start), (0, end)) if upright else ((start, 0), (end, 0))
