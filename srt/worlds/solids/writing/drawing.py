"""A solved problem as line drawings: each solid with its measures written beside it, hidden edges dashed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from srt.worlds.solids.derivation.derive import Derivation
from srt.worlds.solids.statement import Measure, SolidStatement
from srt.worlds.solids.table import base_kind
from srt.worlds.solids.writing.problem_text import measure_text

Point = tuple[float, float, float]
_SIZE, _MARGIN, _TEXT = 150, 24, 170
"""Of a drawing, around it, and for the measures at its right, in pixels."""
_LINE, _ASKED, _INK = "#2563eb", "#d97706", "#334155"
FLAT = 0.28
"""How high a circle is drawn, as a part of its width."""
_SIDES = {"pyramid": 4, "hexpyramid": 6, "triprism": 3, "hexprism": 6, "tetrahedron": 3}


def draw_solids(statement: SolidStatement, known: Derivation) -> str:
    """The solids side by side as an SVG picture; what is asked is in orange, what is given is blue."""
    kinds = [kind for kind in statement.solids if kind != "solid"]
    measures = {name: step.measure for name, step in known.items() if step.measure is not None}
    width, height = len(kinds) * (_SIZE + _TEXT) + 2 * _MARGIN, _SIZE + 2 * _MARGIN + 20
    parts = []
    for place, kind in enumerate(kinds):
        size = {name[0]: float(m.number) for name, m in measures.items() if name[2:-1] == kind}
        labels = _labels(kind, statement, measures, last=place == len(kinds) - 1)
        x = _MARGIN + place * (_SIZE + _TEXT)
        parts.append(f'<g transform="translate({x} {_MARGIN})">{_drawn(base_kind(kind), size)}{labels}</g>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
    )


def _labels(kind: str, statement: SolidStatement, measures: Mapping[str, Measure], *, last: bool) -> str:
    given = {fact.name for fact in statement.facts if fact.measure is not None}
    shown = [name for name in (*sorted(given), statement.asked) if name[2:-1] == kind or (last and "(solid)" in name)]
    lines = []
    for n, name in enumerate(dict.fromkeys(shown)):
        colour = _ASKED if name == statement.asked else _LINE
        text = f"{name[0]} = {measure_text(measures[name], 'en')}" if name in measures else name[0]
        lines.append(f'<text x="{_SIZE + 12}" y="{20 + 20 * n}" fill="{colour}">{text}</text>')
    return "".join(lines)


def _drawn(kind: str, size: Mapping[str, float]) -> str:
    if kind in ("cylinder", "cone", "frustum", "sphere", "hemisphere"):
        return _round(kind, size)
    faces = faces_of(kind, size)
    flat = {point: flattened(point) for face in faces for point in face}
    low_x, low_y = (min(p[axis] for p in flat.values()) for axis in (0, 1))
    span = max(max(p[axis] for p in flat.values()) - low for axis, low in ((0, low_x), (1, low_y)))
    at = {p: ((x - low_x) / span * _SIZE, (y - low_y) / span * _SIZE) for p, (x, y) in flat.items()}
    return "".join(_line([at[point] for point in edge], hidden=hidden) for edge, hidden in visible_edges(faces, at))


def flattened(point: Point) -> tuple[float, float]:
    """A point in the drawing: x to the right, y down; depth goes up and to the right."""
    return point[0] + 0.45 * point[1], -point[2] - 0.32 * point[1]


def visible_edges(
    faces: Sequence[tuple[Point, ...]], at: Mapping[Point, tuple[float, float]]
) -> list[tuple[tuple[Point, Point], bool]]:
    """Each edge, with whether it is hidden: no face beside it is turned to us."""
    seen: dict[frozenset[Point], tuple[tuple[Point, Point], bool]] = {}
    for face in faces:
        visible = _is_turned_to_us([at[point] for point in face])
        for one, other in zip(face, (*face[1:], face[0]), strict=True):
            edge = frozenset((one, other))
            hidden = seen[edge][1] if edge in seen else True
            seen[edge] = ((one, other), hidden and not visible)
    return list(seen.values())


def faces_of(kind: str, size: Mapping[str, float]) -> list[tuple[Point, ...]]:
    """The faces, corners counterclockwise as seen from outside."""
    a = size.get("a", 1.0)
    h = size.get("h", a)
    if kind in ("cuboid", "cube", "wedge"):
        b = size.get("b", a)
        base: list[Point] = (
            [(0, 0, 0), (a, 0, 0), (a, b, 0), (0, b, 0)] if kind != "wedge" else [(0, 0, 0), (a, 0, 0), (0, b, 0)]
        )
        h = a if kind == "cube" else h
    else:
        n = _SIDES[kind]
        radius = a / (2 * math.sin(math.pi / n))
        turns = [2 * math.pi * k / n - math.pi / 2 + math.pi / n + (0.3 if n == 3 else 0) for k in range(n)]
        base = [(radius * math.cos(turn), radius * math.sin(turn), 0.0) for turn in turns]
    edges = list(zip(base, [*base[1:], base[0]], strict=True))
    if kind in ("pyramid", "hexpyramid", "tetrahedron"):
        return [tuple(reversed(base)), *((p, q, (0.0, 0.0, h)) for p, q in edges)]
    top = {p: (p[0], p[1], h) for p in base}
    return [tuple(reversed(base)), tuple(top.values()), *((p, q, top[q], top[p]) for p, q in edges)]


def _is_turned_to_us(corners: Sequence[tuple[float, float]]) -> bool:
    pairs = zip(corners, (*corners[1:], corners[0]), strict=True)
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairs) < 0  # y counts downwards.


def _round(kind: str, size: Mapping[str, float]) -> str:
    r = size.get("r", 1.0)
    low = size.get("R", r)
    h = size.get("h", 2 * r if kind == "sphere" else r)
    scale = _SIZE / max(2 * max(r, low), h + 2 * FLAT * low)
    middle, radius, bottom = _SIZE / 2, low * scale, _SIZE - FLAT * low * scale
    if kind in ("sphere", "hemisphere"):
        centre = bottom if kind == "hemisphere" else middle
        sweep = (
            f"M{middle - radius:.1f} {centre:.1f}A{radius:.1f} {radius:.1f} 0 0 1 {middle + radius:.1f} {centre:.1f}"
        )
        if kind == "sphere":
            sweep += f"A{radius:.1f} {radius:.1f} 0 0 1 {middle - radius:.1f} {centre:.1f}"
        return _path(sweep) + _circle(middle, centre, radius)
    top = bottom - h * scale
    upper = {"cylinder": radius, "cone": 0.0}.get(kind, r * scale)
    sides = [[(middle + s * radius, bottom), (middle + s * upper, top)] for s in (-1, 1)]
    arc = f"a{upper:.1f} {upper * FLAT:.1f} 0 1 0"
    lid = _path(f"M{middle - upper:.1f} {top:.1f}{arc} {2 * upper:.1f} 0{arc} {-2 * upper:.1f} 0")
    return (
        _circle(middle, bottom, radius) + "".join(_line(side, hidden=False) for side in sides) + (lid if upper else "")
    )


def _circle(x: float, y: float, radius: float) -> str:
    """A circle that lies flat: its front half, and its back half dashed."""
    ends = f"M{x - radius:.1f} {y:.1f}A{radius:.1f} {radius * FLAT:.1f} 0 0"
    return _path(f"{ends} 0 {x + radius:.1f} {y:.1f}") + _path(f"{ends} 1 {x + radius:.1f} {y:.1f}", hidden=True)


def _line(ends: Sequence[tuple[float, float]], *, hidden: bool) -> str:
    (x0, y0), (x1, y1) = ends
    return _path(f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}", hidden=hidden)


def _path(way: str, *, hidden: bool = False) -> str:
    dashes = ' stroke-dasharray="4 4"' if hidden else ""
    return f'<path d="{way}" fill="none" stroke="{_INK}"{dashes}/>'
