"""A solid of cubes in parallel projection, from the front right and above, and the arrow that points at its front.

Cubes are painted from back to front; each cube brings the faces that no neighbour covers, and hides what is behind. In
this order no cube is painted before one that it hides: what is hidden has no greater layer, row and column.
"""

from __future__ import annotations

from functools import cache

from srt.worlds.kit.drawing.lettering import drawn_text
from srt.worlds.kit.drawing.raster import PIXEL, Mark, Sketch, Stamp, face, solid_area, stroke
from srt.worlds.views.drawing.style import Style
from srt.worlds.views.reading.figures import SolidFigure

Cube = tuple[int, int, int]
"""Layer from the bottom, row from the back, column from the left."""


def solid_drawing(solid: SolidFigure, cube: tuple[int, int, int], style: Style) -> Sketch:
    """The solid, its cubes of the size ``cube`` (:data:`srt.worlds.views.drawing.style.Style.cube`)."""
    across, down, high = cube
    cubes = [
        (z, y, x)
        for z, layer in enumerate(solid.layers)
        for y, row in enumerate(layer)
        for x, there in enumerate(row)
        if there == "#"
    ]
    filled = set(cubes)
    top, front, right = cube_faces(across, down, high, style.inner)
    marks: list[Mark] = []
    for z, y, x in cubes:
        place = ((x - y) * across, (x + y) * down - z * high)
        for neighbour, stamp in (((z + 1, y, x), top), ((z, y + 1, x), front), ((z, y, x + 1), right)):
            if neighbour not in filled:
                marks.append((*place, stamp))
    if solid.arrow:
        marks = [*_arrow(filled, cube, style), *marks]
    return fitted(marks)


@cache
def cube_faces(across: int, down: int, high: int, width: int) -> tuple[Stamp, Stamp, Stamp]:
    """The upper, the front and the right face of a cube, from the projection of its back left lower corner."""
    a, b, c = across * PIXEL, down * PIXEL, high * PIXEL
    back, left, right, near = (0, -c), (-a, b - c), (a, b - c), (0, 2 * b - c)
    return (
        face((back, right, near, left), width, 1),
        face((left, near, (0, 2 * b), (-a, b)), width, 2),
        face((near, right, (a, b), (0, 2 * b)), width, 3),
    )


def _arrow(filled: set[Cube], cube: tuple[int, int, int], style: Style) -> list[Mark]:
    """On the table before the middle of the front, with its word below the tail."""
    across, down, _ = cube
    columns = [x for _, _, x in filled]
    middle, rows = min(columns) + max(columns) + 1, max(y for _, y, _ in filled) + 1

    def place(forward: int) -> tuple[int, int]:
        """In eighths of a pixel; ``forward`` in eighths of a cube from the front."""
        return (
            (middle * across * PIXEL - 2 * (rows * PIXEL + forward) * across) // 2,
            (middle * down * PIXEL + 2 * (rows * PIXEL + forward) * down) // 2,
        )

    tip, tail = place(3), place(11)
    run = (tip[0] - tail[0], tip[1] - tail[1])
    length = max(abs(run[0]), abs(run[1]))
    head = 7 * PIXEL
    neck = (tip[0] - run[0] * head // length, tip[1] - run[1] * head // length)
    side = (-run[1] * head * 3 // (8 * length), run[0] * head * 3 // (8 * length))
    corners = (tip, (neck[0] + side[0], neck[1] + side[1]), (neck[0] - side[0], neck[1] - side[1]))
    word = drawn_text(style.front, style.letters - 1, style.pen)
    at = (tail[0] // PIXEL - word.width // 2, tail[1] // PIXEL + 5)
    return [(0, 0, stroke(((tail, neck),), style.inner)), (0, 0, solid_area(corners)), *word.moved(*at)]


def fitted(marks: list[Mark]) -> Sketch:
    """The marks in the smallest box that holds them."""
    left = min(x + stamp.x for x, _, stamp in marks)
    top = min(y + stamp.y for _, y, stamp in marks)
    right = max(x + stamp.x + stamp.ink.shape[1] for x, _, stamp in marks)
    bottom = max(y + stamp.y + stamp.ink.shape[0] for _, y, stamp in marks)
    return Sketch(right - left, bottom - top, tuple((x - left, y - top, stamp) for x, y, stamp in marks))
