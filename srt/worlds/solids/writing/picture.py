"""The picture of a problem: a line drawing of one solid, hidden edges dashed, its lengths written beside their lines.

The drawing is not to scale, as in school books: proportions are drawn in toward the middle.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from srt.worlds.kit.drawing.lettering import drawn_text
from srt.worlds.kit.drawing.raster import PIXEL, Mark, Sketch, Stamp, painted, png, stroke
from srt.worlds.solids.statement import GivenFact, SolidStatement
from srt.worlds.solids.writing.drawing import faces_of, flattened, visible_edges

Spot = tuple[float, float]
"""x to the right and y down."""
_SIDE, _ROOM = 336, 190
"""Of the picture, and of the drawing in it, in pixels."""
_FLAT = 0.32
"""How high a circle that lies flat is drawn, as a part of its width."""
_PEN, _THIN, _CAPITAL = 16, 9, 11
"""Lines and measured lines in eighths of a pixel; letters in pixels."""
_WHITE, _INK = ((255, 255, 255),), (30, 41, 59)
_ROUND_KINDS = ("cylinder", "cone", "sphere", "hemisphere", "frustum")
_LABELLED = {
    "cuboid": "abh", "cube": "a", "cylinder": "rdh", "cone": "rdhl", "sphere": "rd", "hemisphere": "rd",
    "frustum": "Rrhl", "pyramid": "ahse", "hexpyramid": "ahe", "triprism": "ah", "hexprism": "ah", "wedge": "abch",
    "tetrahedron": "a",
}  # fmt: skip
"""The lengths of each kind that can stand in a picture."""


class MeasuredLine(NamedTuple):
    """A line whose length is written beside it; ``side`` is the direction from its middle to the label."""

    start: Spot
    end: Spot
    side: Spot
    drawn: bool = False
    """Whether it is no edge, and drawn for the label alone."""


class Outline(NamedTuple):
    """The lines of a solid, each with whether it is hidden, and the line of each letter."""

    lines: list[tuple[list[Spot], bool]]
    measured: dict[str, MeasuredLine]


def pictured(statement: SolidStatement) -> SolidStatement | None:
    """The statement with all its measures in the picture; ``None`` where one cannot be shown there."""
    (kind,) = statement.solids
    facts = []
    for fact in statement.facts:
        measure = fact.measure
        if measure is None or fact.name[0] not in _LABELLED.get(kind, "") or not str(measure.number).isdigit():
            return None
        facts.append(GivenFact(0, fact.name, measure))
    return statement._replace(facts=tuple(facts))


def solid_picture(statement: SolidStatement) -> bytes:
    """The solid with the labels of the picture as a PNG, 336 pixels wide and high.

    Raises:
        ValueError: a measure that cannot be shown.
    """
    given = [fact for fact in statement.facts if fact.measure is not None and fact.sentence == 0]
    if pictured(statement) is None:
        raise ValueError("diagram_description: it has a measure that cannot be drawn")
    kind = statement.solids[0]
    outline = _outline(kind, {fact.name[0]: float(fact.measure.number) for fact in given if fact.measure})
    scale, dx, dy = _fitted(outline)

    def at(spot: Spot) -> tuple[int, int]:
        return round((spot[0] * scale + dx) * PIXEL), round((spot[1] * scale + dy) * PIXEL)

    marks: list[Mark] = []
    labels: list[Mark] = []
    for line, hidden in outline.lines:
        points = [at(spot) for spot in line]
        marks += _dashed(points, _PEN) if hidden else [(0, 0, stroke((tuple(points),), _PEN))]
    for fact in given:
        shown = outline.measured[fact.name[0]]
        if shown.drawn:
            marks += _dashed([at(shown.start), at(shown.end)], _THIN)
        labels += _label(str(fact.measure), at(shown.start), at(shown.end), shown.side)
    marks += labels
    return png(painted(Sketch(_SIDE, _SIDE, tuple(marks))), _WHITE, _INK)


def _label(text: str, start: tuple[int, int], end: tuple[int, int], side: Spot) -> list[Mark]:
    """The text beside the middle of a line, as far from it as its own size asks for."""
    written = drawn_text(text, _CAPITAL, 13)
    size = math.hypot(*side) or 1.0
    right, down = side[0] / size, side[1] / size
    away = 5 + abs(right) * written.width / 2 + abs(down) * written.height / 2
    x = (start[0] + end[0]) / (2 * PIXEL) + right * away - written.width / 2
    y = (start[1] + end[1]) / (2 * PIXEL) + down * away - written.height / 2
    x, y = min(max(x, 2), _SIDE - written.width - 2), min(max(y, 2), _SIDE - written.height - 2)
    ground = np.ones((written.height + 2, written.width + 2), dtype=np.bool_)
    nothing = Stamp(-1, -1, np.zeros(ground.shape, dtype=np.uint8), ground)  # A line ends where a label stands on it.
    return [(round(x), round(y), nothing), *written.moved(round(x), round(y))]


def _dashed(points: list[tuple[int, int]], pen: int) -> list[Mark]:
    """Dashes of 6 pixels with gaps of 5 along a line."""
    marks: list[Mark] = []
    left, dash = 6.0 * PIXEL, True
    for (x0, y0), (x1, y1) in pairwise(points):
        length, done = math.hypot(x1 - x0, y1 - y0), 0.0
        while length - done > 1:
            step = min(left, length - done)
            if dash:
                ends = [(x0 + (x1 - x0) * t / length, y0 + (y1 - y0) * t / length) for t in (done, done + step)]
                marks.append((0, 0, stroke((tuple((round(x), round(y)) for x, y in ends),), pen)))
            done, left = done + step, left - step
            if left <= 0:
                dash = not dash
                left = (6.0 if dash else 5.0) * PIXEL
    return marks


def _fitted(outline: Outline) -> tuple[float, float, float]:
    """The scale and the shift that bring a drawing to the middle of the picture."""
    spots = [spot for line, _ in outline.lines for spot in line]
    (x0, x1), (y0, y1) = ((min(s[axis] for s in spots), max(s[axis] for s in spots)) for axis in (0, 1))
    scale = _ROOM / max(x1 - x0, y1 - y0)
    return scale, _SIDE / 2 - scale * (x0 + x1) / 2, _SIDE / 2 - scale * (y0 + y1) / 2


def _outline(kind: str, given: dict[str, float]) -> Outline:
    size = _proportions(kind, given)
    return _round(kind, size) if kind in _ROUND_KINDS else _cornered(kind, size)


def _proportions(kind: str, given: dict[str, float]) -> dict[str, float]:
    """The free sizes, of which none is much larger than another."""
    wide = given.get("r", given.get("d", 2.0) / 2)
    if kind in ("cone", "cylinder"):
        height = given.get("h", math.sqrt(max(given.get("l", 2 * wide) ** 2 - wide**2, wide**2 / 4)))
        return {"r": 1.0, "h": min(max(height / wide, 1.1), 1.8)}
    if kind == "frustum":
        return {"R": 1.5, "r": 0.8, "h": 1.7}
    if kind in ("cuboid", "wedge"):
        middle = math.prod(given.get(x, 1.0) for x in "abh") ** (1 / 3)
        return {x: min(max(given.get(x, middle) / middle, 0.65), 1.6) for x in "abh"}
    base = given.get("a", 1.0)
    usual = {"pyramid": 1.3, "hexpyramid": 2.2, "tetrahedron": 0.8165}.get(kind, 1.5)
    tall = given.get("h", usual * base) / base
    return {"a": 1.0, "h": usual if kind == "tetrahedron" else min(max(tall, 0.8 * usual), 1.4 * usual), "b": 1.0}


def _arc(x: float, y: float, radius: float, start: int, end: int, flat: float = _FLAT) -> list[Spot]:
    """A piece of a circle that lies flat (``flat`` 1: that faces us), from one angle to another, clockwise."""
    angles = [math.radians(start + (end - start) * k / 40) for k in range(41)]
    return [(x + radius * math.cos(angle), y + radius * flat * math.sin(angle)) for angle in angles]


def _round(kind: str, size: dict[str, float]) -> Outline:
    if kind in ("sphere", "hemisphere"):
        top = _arc(0, 0, 1, 180, 360, 1)
        lines = [(top, False), (_arc(0, 0, 1, 0, 180), False), (_arc(0, 0, 1, 180, 360), True)]
        if kind == "sphere":
            lines.append((_arc(0, 0, 1, 0, 180, 1), False))
        middle = {"r": MeasuredLine((0, 0), (1, 0), (0, -1), True), "d": MeasuredLine((-1, 0), (1, 0), (0, -1), True)}
        return Outline(lines, middle)
    low, h = size.get("R", size["r"]), size["h"]
    high = {"cone": 0.0, "cylinder": low}.get(kind, size["r"])
    lines = [(_arc(0, 0, low, 0, 180), False), (_arc(0, 0, low, 180, 360), True)]
    lines += [([(s * low, 0), (s * high, -h)], False) for s in (-1, 1)]
    if high:
        lines.append((_arc(0, -h, high, 0, 360), False))
    base = MeasuredLine((0, 0), (low, 0), (0, 1), True)
    measured = {
        "h": MeasuredLine((0, 0), (0, -h), (-1, 0.8 if kind == "cone" else 0), True),
        "l": MeasuredLine((low, 0), (high, -h), (1, -0.4)),
        "d": MeasuredLine((-low, 0), (low, 0), (0, 1), True),
        "R": base,
        "r": MeasuredLine((0, -h), (high, -h), (0.25, -1), True) if kind == "frustum" else base,
    }
    return Outline(lines, measured)


def _cornered(kind: str, size: dict[str, float]) -> Outline:
    faces = faces_of(kind, size)
    at = {point: flattened(point) for face in faces for point in face}
    lines = [([at[p] for p in edge], hidden) for edge, hidden in visible_edges(faces, at)]
    base = faces[0][::-1]
    edges = list(zip(base, [*base[1:], base[0]], strict=True))
    middle = _middle([at[p] for p in base])
    front = max(edges, key=lambda edge: _middle([at[p] for p in edge])[1])
    measured = {"a": _beside(at[front[0]], at[front[1]], middle)}
    if kind in ("cuboid", "wedge"):
        b = (base[1], base[2]) if kind == "cuboid" else (base[0], base[2])
        measured = {"a": _beside(at[base[0]], at[base[1]], middle), "b": _beside(at[b[0]], at[b[1]], middle)}
        measured["c"] = _beside(at[base[1]], at[base[2]], middle)
    if kind in ("pyramid", "hexpyramid", "tetrahedron"):
        apex, foot = flattened((0.0, 0.0, size["h"])), flattened((0.0, 0.0, 0.0))
        measured["h"] = MeasuredLine(apex, foot, (-1, 0), True)
        side = max(edges, key=lambda edge: _middle([at[p] for p in edge])[0])
        measured["s"] = MeasuredLine(apex, _middle([at[p] for p in side]), (1, -0.3), True)
        measured["e"] = _beside(apex, max((at[p] for p in base), key=lambda spot: spot[0]), foot)
    else:
        side_edges = [(p, (p[0], p[1], size["h"] if kind != "cube" else size["a"])) for p in base]
        left = min(side_edges, key=lambda edge: at[edge[0]][0])
        measured["h"] = MeasuredLine(at[left[0]], at[left[1]], (-1, 0))
    return Outline(lines, measured)


def _beside(start: Spot, end: Spot, inside: Spot) -> MeasuredLine:
    """The label of an edge lies at right angles to it, away from ``inside``."""
    across = (end[1] - start[1], start[0] - end[0])
    x, y = _middle([start, end])
    away = (x - inside[0]) * across[0] + (y - inside[1]) * across[1] > 0
    return MeasuredLine(start, end, across if away else (-across[0], -across[1]))


def _middle(spots: list[Spot]) -> Spot:
    return sum(x for x, _ in spots) / len(spots), sum(y for _, y in spots) / len(spots)
