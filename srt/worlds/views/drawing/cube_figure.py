"""A single cube with digits on its faces, in the projection of :mod:`srt.worlds.views.drawing.solid_figure`."""

from __future__ import annotations

from srt.worlds.kit.drawing.lettering import slanted_text
from srt.worlds.kit.drawing.raster import PIXEL, Mark, Point, Sketch
from srt.worlds.views.drawing.solid_figure import cube_faces, fitted
from srt.worlds.views.drawing.style import Style
from srt.worlds.views.reading.figures import CubeFigure

_TIMES = 2
"""Its edges are so many times as long as those of the cubes of a solid, so that the digits can be read."""


def cube_drawing(cube: CubeFigure, size: tuple[int, int, int], style: Style) -> Sketch:
    """The cube; ``size`` is that of a cube of a solid (:data:`srt.worlds.views.drawing.style.Style.cube`)."""
    across, down, high = (_TIMES * length for length in size)
    marks: list[Mark] = [(0, 0, stamp) for stamp in cube_faces(across, down, high, style.inner)]
    a, b, c = across * PIXEL, down * PIXEL, high * PIXEL
    faces: list[tuple[int, Point, Point, Point]] = [
        (cube.top, (0, b - c), (a, b), (a, -b)),
        (cube.front, (-a // 2, (3 * b - c) // 2), (a, b), (0, -c)),
        (cube.right, (a // 2, (3 * b - c) // 2), (a, -b), (0, -c)),
    ]
    for digit, centre, right, up in faces:
        marks.append((0, 0, slanted_text(str(digit), centre, right, up, style.pen + 1)))
    return fitted(marks)
