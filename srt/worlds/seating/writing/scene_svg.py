"""The seating plan of a problem as an SVG, seen from above (a shelf: from the front).

Where the scene has a compass, north is up and a rose says so. A small mark on a seat's rim shows which way its sitter
faces. The picture has a background of its own, so it reads the same on a light and on a dark page; the same puzzle
gives the same bytes; names are escaped, and characters that XML cannot hold are replaced.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from srt.io.records import Lang
from srt.worlds.seating.reading.problem_reader import Puzzle
from srt.worlds.seating.scenes import Scene

_PAPER, _INK, _MUTED = "#fcfbf8", "#22262b", "#767b82"
_WOOD, _WOOD_EDGE, _TABLE = "#e6d8be", "#b9a27b", "#f3ecde"
_SEAT, _SEAT_EDGE, _EMPTY = "#ffffff", "#2f6690", "#f2f4f6"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', sans-serif"
_RADIUS, _WIDTH = 40, 520
_WORDS: dict[Lang, dict[str, str]] = {
    "en": {
        **{"N": "N", "E": "E", "S": "S", "W": "W", "tier": "tier {}", "column E": "east", "column W": "west"},
        "booth": "Booth seen from above",
        "hexagon-out": "Ring of six facing outward, seen from above",
        "hexagon-in": "Ring of six facing inward, seen from above",
        "shelf": "Shelf seen from the front",
    },
    "zh": {
        **{"N": "北", "E": "东", "S": "南", "W": "西", "tier": "第{}层", "column E": "东", "column W": "西"},
        "booth": "卡座俯视图",
        "hexagon-out": "六人面朝外环坐俯视图",
        "hexagon-in": "六人面朝内环坐俯视图",
        "shelf": "花架正视图",
    },
}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def draw(puzzle: Puzzle, placement: Mapping[str, str] | None = None) -> str:
    """The plan of ``puzzle`` as one SVG element: names at their seats, or the bare seats without ``placement``.

    ``placement`` maps each name to its seat; a seat that it does not mention stays empty.
    """
    scene, words = puzzle.scene, _WORDS[puzzle.lang]
    at = {seat: name for name, seat in (placement or {}).items()}
    if scene.kind == "shelf":
        height, parts = 440, _shelf(scene, at, words)
    elif scene.kind == "booth":
        height, parts = 400, _booth(scene, at)
    else:
        height, parts = 460, _hexagon(scene, at)
    if scene.compass != "none":
        parts.append(_rose(_Point(_WIDTH - 38, 52), words))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" font-family="{_FONT}"><title>{_safe(words[scene.kind])}</title>'
        f'<rect width="{_WIDTH}" height="{height}" rx="12" fill="{_PAPER}"/>{"".join(parts)}</svg>'
    )


@dataclass(frozen=True)
class _Point:
    x: float
    y: float


def _booth(scene: Scene, at: Mapping[str, str]) -> list[str]:
    """Benches above and below the table, or to its sides; sitters' left follows from the side that they face."""
    if scene.compass == "EW":
        boxes = ((80, 70, 100, 260, 16, _WOOD), (340, 70, 100, 260, 16, _WOOD), (200, 70, 120, 260, 8, _TABLE))
        seats = {"W1": (130, 130, 90), "W2": (130, 270, 90), "E2": (390, 130, 270), "E1": (390, 270, 270)}
    else:
        boxes = ((130, 35, 260, 100, 16, _WOOD), (130, 265, 260, 100, 16, _WOOD), (130, 152, 260, 96, 8, _TABLE))
        seats = {"N2": (190, 85, 180), "N1": (330, 85, 180), "S1": (190, 315, 0), "S2": (330, 315, 0)}
    placed = ((seat, *seats[seat]) for seat in scene.seats)
    marks = [_seat(_Point(x, y), seat, at.get(seat), facing) for seat, x, y, facing in placed]
    return [*(_box(*box) for box in boxes), *marks]


def _hexagon(scene: Scene, at: Mapping[str, str]) -> list[str]:
    centre = _Point(260, 230)
    start = 30 if scene.compass == "EW" else 0
    angles = {seat: start + 60 * i for i, seat in enumerate(scene.seats)}
    points = {seat: _away(centre, angle, 160) for seat, angle in angles.items()}
    turn = 0 if scene.kind == "hexagon-out" else 180
    return [
        f'<polygon points="{_corners(points.values())}" fill="{_TABLE}" stroke="{_WOOD_EDGE}" stroke-width="1.5"/>',
        f'<circle cx="{centre.x:g}" cy="{centre.y:g}" r="4" fill="{_WOOD_EDGE}"/>',
        *(_seat(points[seat], seat, at.get(seat), (angles[seat] + turn) % 360) for seat in scene.seats),
    ]


def _shelf(scene: Scene, at: Mapping[str, str], words: Mapping[str, str]) -> list[str]:
    """Tier 3 on top; east is the viewer's left."""
    columns = {"E": 185, "W": 355}
    floors = {tier: 44 + (4 - tier) * 120 for tier in (3, 2, 1)}
    parts = [_box(x, 44, 8, 376, 2, _WOOD) for x in (92, 440)]
    parts += [_label(_Point(x, 28), words[f"column {column}"], 15, _MUTED) for column, x in columns.items()]
    for tier, floor in floors.items():
        parts.append(_box(92, floor, 356, 12, 2, _WOOD))
        parts.append(_label(_Point(52, floor - 44), words["tier"].format(tier), 15, _MUTED))
    for seat in scene.seats:
        parts.append(_seat(_Point(columns[seat[1]], floors[int(seat[0])] - 42), seat, at.get(seat), None))
    return parts


def _seat(centre: _Point, seat: str, name: str | None, facing: float | None) -> str:
    """A round seat: its sitter's name over the seat's name, or that alone; ``facing`` in degrees from the top."""
    fill = _EMPTY if name is None else _SEAT
    dash = ' stroke-dasharray="5 4"' if name is None else ""
    parts = [
        f'<circle cx="{_number(centre.x)}" cy="{_number(centre.y)}" r="{_RADIUS}" fill="{fill}" '
        f'stroke="{_SEAT_EDGE}" stroke-width="2"{dash}/>'
    ]
    if facing is not None:
        tip = _away(centre, facing, _RADIUS + 12)
        sides = (_away(centre, facing - 13, _RADIUS + 1), _away(centre, facing + 13, _RADIUS + 1))
        parts.append(f'<polygon points="{_corners((tip, *sides))}" fill="{_SEAT_EDGE}"/>')
    if name is None:
        parts.append(_label(centre, seat, 15, _MUTED))
    else:
        parts.append(_name(_Point(centre.x, centre.y - 6), name))
        parts.append(_label(_Point(centre.x, centre.y + 20), seat, 11, _MUTED))
    return "".join(parts)


def _name(centre: _Point, name: str) -> str:
    """A name inside a seat: on two lines where it has two words and is long, and no larger than fits."""
    lines = [name]
    if _width(name) > 9 and " " in name:
        words = name.split(" ")
        cut = min(range(1, len(words)), key=lambda i: abs(_width(" ".join(words[:i])) - _width(" ".join(words[i:]))))
        lines = [" ".join(words[:cut]), " ".join(words[cut:])]
    lines = [line if _width(line) <= 24 else _cut(line, 23) + "…" for line in lines]
    size = min(16.0, 2 * (_RADIUS - 6) / (0.66 * max(map(_width, lines))))
    first = centre.y - (len(lines) - 1) * (size * 0.55 + 2)
    return "".join(
        _label(_Point(centre.x, first + i * size * 1.1), line, size, _INK, weight=600) for i, line in enumerate(lines)
    )


def _width(text: str) -> int:
    """Roughly how wide a text is, in Latin letters: East Asian characters count twice."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text) or 1


def _cut(text: str, width: int) -> str:
    while _width(text) > width:
        text = text[:-1]
    return text


def _rose(centre: _Point, words: Mapping[str, str]) -> str:
    north = f"{centre.x:g},{centre.y - 22:g} {centre.x - 6:g},{centre.y:g} {centre.x + 6:g},{centre.y:g}"
    south = f"{centre.x:g},{centre.y + 22:g} {centre.x - 6:g},{centre.y:g} {centre.x + 6:g},{centre.y:g}"
    return (
        f'<polygon points="{north}" fill="{_INK}"/>'
        f'<polygon points="{south}" fill="{_PAPER}" stroke="{_INK}" stroke-width="1"/>'
        + _label(_Point(centre.x, centre.y - 32), words["N"], 13, _INK, weight=600)
        + _label(_Point(centre.x, centre.y + 33), words["S"], 11, _MUTED)
        + _label(_Point(centre.x + 18, centre.y + 1), words["E"], 11, _MUTED)
        + _label(_Point(centre.x - 18, centre.y + 1), words["W"], 11, _MUTED)
    )


def _box(x: float, y: float, width: float, height: float, corner: float, fill: str) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner:g}" '
        f'fill="{fill}" stroke="{_WOOD_EDGE}" stroke-width="1.5"/>'
    )


def _label(centre: _Point, text: str, size: float, colour: str, weight: int = 400) -> str:
    return (
        f'<text x="{_number(centre.x)}" y="{_number(centre.y)}" font-size="{_number(size)}" font-weight="{weight}" '
        f'fill="{colour}" text-anchor="middle" dominant-baseline="central">{_safe(text)}</text>'
    )


def _corners(points: Iterable[_Point]) -> str:
    return " ".join(f"{_number(point.x)},{_number(point.y)}" for point in points)


def _away(centre: _Point, degrees: float, distance: float) -> _Point:
    """The point at ``distance`` from ``centre``, ``degrees`` clockwise from the top of the picture."""
    angle = math.radians(degrees)
    return _Point(centre.x + distance * math.sin(angle), centre.y - distance * math.cos(angle))


def _number(value: float) -> str:
    """Two decimals at most: the same text on every machine."""
    return f"{round(value, 2) + 0.0:g}"


def _safe(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
