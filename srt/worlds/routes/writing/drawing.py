"""The solved walk as a picture: the grid, the legs in order, the start, the walker at the end, and what was asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from srt.worlds.routes.walk import CLOCKWISE, STRIDE, Asked, Direction, Leg, Position, Walk, turned

_CELL = 28
_MARGIN = 1.5
"""In steps: room around the walk for labels."""
_SMALLEST = 4
"""The drawing is at least so many steps wide and high."""
_WALK, _ASKED, _GRID, _TEXT = "#2563eb", "#d97706", "#e2e8f0", "#334155"
_LANE = 0.12
"""How far a leg is drawn to the right of its line, in steps, so that a way there and back is two lines."""


def draw_route(asked: Asked, walk: Walk) -> str:
    """The walk and the answer as an SVG picture, north at the top. Each leg bears its length in steps."""
    corners, legs, facing = [Position(0, 0)], [], walk.start
    for move, facing, place in walk.stages():
        if move.steps:
            corners.append(place)
            legs.append(Leg(move.steps, facing))
    frame = _Frame.around(corners)
    parts = [
        _grid(frame),
        _way(corners, legs, frame, _WALK),
        _answer(asked, corners, legs, frame),
        f'<circle r="6" transform="translate({frame.at(0, 0)})" fill="white" stroke="{_WALK}" stroke-width="3"/>',
        _walker(corners[-1], facing, frame, _ASKED if asked == "facing" else _WALK),
        f'<g transform="translate({frame.width - 16:g} 22)" fill="{_TEXT}"><path d="M0 -14L5 2L0 -2L-5 2Z"/>'
        '<text y="14" text-anchor="middle">N</text></g>',
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {frame.width:g} {frame.height:g}" '
        f'width="{frame.width:g}" height="{frame.height:g}" font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
    )


class _Frame(NamedTuple):
    """What the picture shows, in steps from the start."""

    west: float
    east: float
    south: float
    north: float

    @classmethod
    def around(cls, corners: Sequence[Position]) -> _Frame:
        """The walk with a margin, at least :data:`_SMALLEST` steps each way."""
        sides = []
        for values in zip(*corners, strict=True):
            more = max(0, _SMALLEST - (max(values) - min(values))) / 2
            sides += [min(values) - more - _MARGIN, max(values) + more + _MARGIN]
        return cls(*sides)

    @property
    def width(self) -> float:
        return (self.east - self.west) * _CELL

    @property
    def height(self) -> float:
        return (self.north - self.south) * _CELL

    def at(self, east: float, north: float) -> str:
        """A place as coordinates of the picture."""
        return f"{(east - self.west) * _CELL:g} {(self.north - north) * _CELL:g}"


def _grid(frame: _Frame) -> str:
    lines = [f"M{frame.at(x, frame.south)}V0" for x in range(math.ceil(frame.west), math.floor(frame.east) + 1)]
    lines += [
        f"M{frame.at(frame.west, y)}H{frame.width:g}"
        for y in range(math.ceil(frame.south), math.floor(frame.north) + 1)
    ]
    return f'<path d="{"".join(lines)}" stroke="{_GRID}"/>'


def _way(corners: Sequence[Position], legs: Sequence[Leg], frame: _Frame, colour: str, *, lengths: bool = True) -> str:
    """Legs from corner to corner, each a little to the right of its line, with an arrow head and its length."""
    ends, marks = [], []
    for (a, b), leg in zip(pairwise(corners), legs, strict=True):
        east, north = STRIDE[leg.direction]
        right = (_LANE * north, -_LANE * east)
        ends += [frame.at(a.east + right[0], a.north + right[1]), frame.at(b.east + right[0], b.north + right[1])]
        middle = ((a.east + b.east) / 2, (a.north + b.north) / 2)
        head = frame.at(middle[0] + right[0], middle[1] + right[1])
        angle = 90 * CLOCKWISE.index(leg.direction)
        marks.append(f'<path d="M0 -6L5 5H-5Z" fill="{colour}" transform="translate({head}) rotate({angle})"/>')
        if lengths:
            marks.append(_label(str(leg.steps), middle[0] + 4 * right[0], middle[1] + 4 * right[1], frame, colour))
    line = f'<path d="M{"L".join(ends)}" fill="none" stroke="{colour}" stroke-width="3" stroke-linejoin="round"/>'
    return line + "".join(marks) if ends else ""


def _answer(asked: Asked, corners: Sequence[Position], legs: Sequence[Leg], frame: _Frame) -> str:
    """What was asked: the way back, the straight line, or how far it is along the two axes."""
    end = corners[-1]
    match asked:
        case "facing":
            return ""
        case "back":
            back = [Leg(leg.steps, turned(leg.direction, "around")) for leg in reversed(legs)]
            return _way(corners[::-1], back, frame, _ASKED, lengths=False)
        case "line":
            places = [Position(0, 0), end]
        case _:
            places = [Position(0, 0), Position(end.east, 0), end]
    path = "L".join(frame.at(*place) for place in places)
    line = f'<path d="M{path}" fill="none" stroke="{_ASKED}" stroke-width="2.5" stroke-dasharray="6 5"/>'
    return line + "".join(_length(a, b, frame) for a, b in pairwise(places) if a != b)


def _length(a: Position, b: Position, frame: _Frame) -> str:
    """How long a dashed line is, to its left: what was walked has its lengths to the right."""
    east, north = b.east - a.east, b.north - a.north
    length = math.hypot(east, north)
    middle = ((a.east + b.east) / 2 - 0.45 * north / length, (a.north + b.north) / 2 + 0.45 * east / length)
    return _label(f"{length:g}", *middle, frame, _ASKED)


def _walker(place: Position, facing: Direction, frame: _Frame, colour: str) -> str:
    """An arrow that points where the walker looks at the end."""
    turn = f"translate({frame.at(*place)}) rotate({90 * CLOCKWISE.index(facing)})"
    return f'<path d="M0 -15L10 10L0 5L-10 10Z" fill="{colour}" stroke="white" stroke-width="1.5" transform="{turn}"/>'


def _label(text: str, east: float, north: float, frame: _Frame, colour: str) -> str:
    return (
        f'<text transform="translate({frame.at(east, north)})" y="4" text-anchor="middle" fill="{colour}" '
        f'stroke="white" stroke-width="3" paint-order="stroke">{text}</text>'
    )
