"""Where the figures of a problem stand: those of the question above, the options below, in rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srt.worlds.kit.drawing.lettering import drawn_text
from srt.worlds.kit.drawing.raster import Mark, Sketch
from srt.worlds.views.drawing.cube_figure import cube_drawing
from srt.worlds.views.drawing.flat_figures import has_hole, numbered_squares, view_drawing
from srt.worlds.views.drawing.solid_figure import solid_drawing
from srt.worlds.views.drawing.style import PATCH, SHADE, Style
from srt.worlds.views.reading.figures import CubeFigure, Figure, NetFigure, PlanFigure, SolidFigure, ViewFigure

_WIDEST = 21 * PATCH
"""A row of figures is broken before it is wider."""


def page(figures: Sequence[Figure], style: Style) -> Sketch:
    """All ``figures`` with their labels; sides are multiples of :data:`PATCH`.

    If one view has a hole, the squares of all are shaded, so that the hole is seen and no option stands out.

    Raises:
        ValueError: there is no figure.
    """
    if not figures:
        raise ValueError("no figure to draw")
    if any(isinstance(figure, ViewFigure) and has_hole(figure) for figure in figures):
        style = replace(style, squares=SHADE)
    shown = [figure for figure in figures if not _is_option(figure)]
    options = [figure for figure in figures if _is_option(figure)]
    parts = []
    if shown:
        parts.append(_question(shown, style))
    if options:
        parts.append(_options(options, style))
    body = _column(parts, style.gap, style, centred=True)
    width, height = (_up(side + 2 * style.margin, PATCH) for side in (body.width, body.height))
    corner = (_down((width - body.width) // 2, style.snap), _down((height - body.height) // 2, style.snap))
    return Sketch(width, height, tuple(body.moved(*corner)))


def _is_option(figure: Figure) -> bool:
    return len(figure.name) == 1


def _question(figures: Sequence[Figure], style: Style) -> Sketch:
    drawn = {figure.name: _labelled(figure, style.words.get(figure.name, ""), style) for figure in figures}
    if style.projection and set(drawn) == {"front", "left", "top"}:
        above = _row([drawn["front"], drawn["left"]], style.gap, style)
        return _column([above, drawn["top"]], style.gap * 2 // 3, style, centred=False)
    return _rows(list(drawn.values()), style)


def _options(figures: Sequence[Figure], style: Style) -> Sketch:
    drawn = [_labelled(figure, figure.name, style) for figure in figures]
    width, height = max(one.width for one in drawn), max(one.height for one in drawn)
    even = [
        Sketch(width, height, tuple(one.moved(_down((width - one.width) // 2, style.snap), height - one.height)))
        for one in drawn
    ]
    columns = style.option_columns
    if columns * (width + style.gap) > _WIDEST:
        columns = 2
    rows = [_row(even[i : i + columns], style.gap, style) for i in range(0, len(even), columns)]
    return _column(rows, style.gap * 2 // 3, style, centred=False)


def _labelled(figure: Figure, label: str, style: Style) -> Sketch:
    """A figure over its label, both in the middle."""
    drawing = _drawing(figure, style)
    if not label:
        return _boxed(drawing, drawing.height, style)
    text = drawn_text(label, style.letters, style.pen)
    width, height = _up(max(drawing.width, text.width), style.snap), _up(drawing.height, style.snap)
    left = _down((width - drawing.width) // 2, style.snap)
    words_left = max(0, left + (drawing.width - text.width) // 2)
    words = text.moved(words_left, height + (8 if style.snap == 1 else (style.snap - text.height) // 2))
    strip = _up(text.height + 8, style.snap)
    return Sketch(
        max(width, _up(words_left + text.width, style.snap)),
        height + strip,
        (*drawing.moved(left, height - drawing.height), *words),
    )


def _drawing(figure: Figure, style: Style) -> Sketch:
    option = _is_option(figure)
    match figure:
        case SolidFigure():
            return solid_drawing(figure, style.option_cube if option else style.cube, style)
        case ViewFigure():
            return view_drawing(figure, style.option_cell if option else style.cell, style)
        case PlanFigure():
            return numbered_squares(figure.heights, style.option_cell if option else style.cell, style)
        case NetFigure():
            return numbered_squares(figure.digits, style.option_cell if option else style.cell, style)
        case CubeFigure():
            return cube_drawing(figure, style.option_cube if option else style.cube, style)


def _boxed(drawing: Sketch, height: int, style: Style) -> Sketch:
    """The drawing in a box whose sides fit ``style.snap``, on its lower edge."""
    width, height = _up(drawing.width, style.snap), _up(height, style.snap)
    return Sketch(width, height, tuple(drawing.moved(0, height - drawing.height)))


def _rows(drawings: Sequence[Sketch], style: Style) -> Sketch:
    """As many in a row as fit."""
    rows: list[list[Sketch]] = [[]]
    for drawing in drawings:
        if rows[-1] and sum(one.width + style.gap for one in rows[-1]) + drawing.width > _WIDEST:
            rows.append([])
        rows[-1].append(drawing)
    return _column([_row(row, style.gap, style) for row in rows], style.gap, style, centred=True)


def _row(drawings: Sequence[Sketch], gap: int, style: Style) -> Sketch:
    """Side by side, on one base line."""
    height = max(drawing.height for drawing in drawings)
    gap, left, marks = _up(gap, style.snap), 0, list[Mark]()
    for drawing in drawings:
        marks += drawing.moved(left, height - drawing.height)
        left += drawing.width + gap
    return Sketch(left - gap, height, tuple(marks))


def _column(drawings: Sequence[Sketch], gap: int, style: Style, centred: bool) -> Sketch:
    """One below the other."""
    width = max(drawing.width for drawing in drawings)
    gap, top, marks = _up(gap, style.snap), 0, list[Mark]()
    for drawing in drawings:
        marks += drawing.moved(_down((width - drawing.width) // 2, style.snap) if centred else 0, top)
        top += drawing.height + gap
    return Sketch(width, top - gap, tuple(marks))


def _up(number: int, step: int) -> int:
    return -(-number // step) * step


def _down(number: int, step: int) -> int:
    return number // step * step
