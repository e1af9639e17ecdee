"""The plans of the seats, and the meaning of every function and region of the claim language on them.

Nothing is tabulated by hand: a seat has a position in the plane and a direction that its occupant faces, both complex
numbers (east is +1, north is +i), and "left", "across", "northeast of" are computed from these. A shelf is drawn as its
viewer sees it: columns from left (east, 0) to right (west, 1), tiers upward.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

Kind = Literal["booth", "hexagon-out", "hexagon-in", "shelf"]
Compass = Literal["", "NS", "EW"]
Function = tuple[int | None, ...]
"""For each seat the seat that the function leads to, or ``None`` where there is nobody."""
Region = tuple[frozenset[int], ...]
"""For each seat the seats of the region around it, itself never among them."""

LEFT, RIGHT = 1j, -1j
CLOCKWISE = cmath.rect(1, -math.pi / 3)
_COMPASS_POINTS: dict[str, complex] = {"north": 1j, "east": 1, "south": -1j, "west": -1}
_EPSILON = 1e-6


@dataclass(frozen=True)
class Seat:
    """A seat: its name, where it lies, and where its occupant faces (no direction on a shelf)."""

    name: str
    at: complex
    facing: complex


Step = Callable[[Seat], complex]
"""From a seat to where a function leads, relative to it."""
Test = Callable[[Seat, complex], bool]
"""Whether what lies at an offset from a seat is in a region around it."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A scene: its seats, and its relations as tables over seat numbers.

    ``functions`` and ``regions`` are keyed as claims write them, with ``(name, k)``; ``k`` is ``""``, ``", 2"`` and so
    on. ``turn`` is the seat that each seat becomes under the smallest symmetry of the scene, ``None`` if it has none.
    ``faces`` is the compass direction that each seat's occupant faces, empty without a compass.
    """

    kind: Kind
    compass: Compass
    seats: tuple[str, ...]
    functions: dict[tuple[str, str], Function]
    regions: dict[tuple[str, str], Region]
    faces: tuple[str, ...]
    tiers: tuple[str, ...]
    columns: tuple[str, ...]
    turn: tuple[int, ...] | None


@cache
def plan(kind: Kind, compass: Compass) -> Plan:
    """The plan of a scene; a shelf has no compass."""
    if kind == "booth":
        return _booth(compass)
    if kind == "shelf":
        return _shelf()
    return _hexagon(kind, compass)


def _booth(compass: Compass) -> Plan:
    benches: dict[str, complex] = {"E": 1, "W": -1} if compass == "EW" else {"S": -1j, "N": 1j}
    # A sitter faces the other bench; the first of a bench is on its sitters' own left.
    seats = [
        Seat(f"{side}{number}", at + lateral * -at, -at)
        for side, at in benches.items()
        for number, lateral in ((1, LEFT), (2, RIGHT))
    ]
    steps: dict[str, Step] = {
        "left": lambda s: 2 * LEFT * s.facing,
        "right": lambda s: 2 * RIGHT * s.facing,
        "across": lambda s: 2 * s.facing,
        "front_left": lambda s: 2 * s.facing * (1 + LEFT),
        "front_right": lambda s: 2 * s.facing * (1 + RIGHT),
    }
    functions = {(name, ""): _function(seats, step) for name, step in steps.items()}
    functions["diag", ""] = tuple(
        a if a is not None else b
        for a, b in zip(functions["front_left", ""], functions["front_right", ""], strict=True)
    )
    return Plan(
        kind="booth",
        compass=compass,
        seats=tuple(seat.name for seat in seats),
        functions=functions,
        regions={("beside", ""): _region(seats, lambda y, d: _along(d, y.facing) == 0)},
        faces=tuple(_direction(seat.facing) for seat in seats) if compass else (),
        tiers=(),
        columns=(),
        turn=None if compass else _turned(seats, -1),
    )


def _hexagon(kind: Kind, compass: Compass) -> Plan:
    outward = 1 if kind == "hexagon-out" else -1
    first = CLOCKWISE**0.5 * 1j if compass == "EW" else 1j
    places = [first * CLOCKWISE**n for n in range(6)]
    names = [_direction(at) for at in places] if compass else [f"P{n}" for n in range(1, 7)]
    seats = [Seat(name, at, outward * at) for name, at in zip(names, places, strict=True)]
    functions: dict[tuple[str, str], Function] = {("across", ""): _function(seats, lambda s: -2 * s.at)}
    for k in range(1, 6):
        written = f", {k}" if k > 1 else ""
        functions["cw", written] = _function(seats, _round(lambda s: CLOCKWISE, k))
        functions["ccw", written] = _function(seats, _round(lambda s: 1 / CLOCKWISE, k))
        functions["left", written] = _function(seats, _round(lambda s: _way_round(s, LEFT), k))
        functions["right", written] = _function(seats, _round(lambda s: _way_round(s, RIGHT), k))
    tests: dict[str, Test] = {
        "beside": lambda y, d: abs(abs(d) - 1) < _EPSILON,
        "one_between": lambda y, d: abs(abs(d) - math.sqrt(3)) < _EPSILON,
        "left_side": lambda y, d: _along(d, LEFT * y.facing) > 0,
        "right_side": lambda y, d: _along(d, RIGHT * y.facing) > 0,
    }
    if compass:
        tests |= _compass_regions()
    return Plan(
        kind=kind,
        compass=compass,
        seats=tuple(names),
        functions=functions,
        regions={(name, ""): _region(seats, test) for name, test in tests.items()},
        faces=tuple(_direction(seat.facing) for seat in seats) if compass else (),
        tiers=(),
        columns=(),
        turn=None if compass else _turned(seats, CLOCKWISE),
    )


def _shelf() -> Plan:
    seats = [Seat(f"{tier}{column}", complex(x, tier), 0) for tier in (1, 2, 3) for x, column in ((0, "E"), (1, "W"))]
    functions: dict[tuple[str, str], Function] = {
        ("left", ""): _function(seats, lambda s: -1),
        ("right", ""): _function(seats, lambda s: 1),
        ("up", ""): _function(seats, lambda s: 1j),
        ("up", ", 2"): _function(seats, lambda s: 2j),
        ("down", ""): _function(seats, lambda s: -1j),
        ("down", ", 2"): _function(seats, lambda s: -2j),
    }
    tests: dict[tuple[str, str], Test] = {
        ("left", ""): lambda y, d: d == -1,
        ("right", ""): lambda y, d: d == 1,
        ("beside", ""): lambda y, d: d.imag == 0,
        ("above", ""): lambda y, d: d.imag > 0,
        ("below", ""): lambda y, d: d.imag < 0,
        ("tier_above", ""): lambda y, d: d.imag == 1,
        ("tier_below", ""): lambda y, d: d.imag == -1,
        ("tier_next", ""): lambda y, d: abs(d.imag) == 1,
        ("tier_apart", ""): lambda y, d: abs(d.imag) == 2,
        ("stacked", ""): lambda y, d: d.real == 0 and abs(d.imag) == 1,
        ("over", ""): lambda y, d: d.real == 0 and d.imag > 0,
        ("under", ""): lambda y, d: d.real == 0 and d.imag < 0,
        ("diag_above", ""): lambda y, d: d.real != 0 and d.imag > 0,
        ("diag_below", ""): lambda y, d: d.real != 0 and d.imag < 0,
        ("same_side", ""): lambda y, d: d.real == 0,
    }
    for up, rise in (("upper", 1), ("lower", -1)):
        for side, x in (("left", -1), ("right", 1)):
            one, two = complex(x, rise), complex(x, 2 * rise)
            tests[f"{up}_{side}", ""] = _among(one, two)
            tests[f"{up}_{side}", ", 1"] = _among(one)
            tests[f"{up}_{side}", ", 2"] = _among(two)
    return Plan(
        kind="shelf",
        compass="",
        seats=tuple(seat.name for seat in seats),
        functions=functions,
        regions={key: _region(seats, test) for key, test in tests.items()},
        faces=(),
        tiers=tuple(seat.name[0] for seat in seats),
        columns=tuple(seat.name[-1] for seat in seats),
        turn=None,
    )


def _compass_regions() -> dict[str, Test]:
    tests: dict[str, Test] = {}
    for name, point in _COMPASS_POINTS.items():
        tests[name] = _towards(point)
        tests[f"due_{name}"] = _due(point)
    for a in ("north", "south"):
        for b in ("east", "west"):
            tests[a + b] = _towards(_COMPASS_POINTS[a], _COMPASS_POINTS[b])
    return tests


def _round(way: Step, k: int) -> Step:
    """``k`` seats round the ring, by the turn that ``way`` gives."""
    return lambda s: s.at * way(s) ** k - s.at


def _towards(*points: complex) -> Test:
    return lambda y, d: all(_along(d, point) > 0 for point in points)


def _due(point: complex) -> Test:
    return lambda y, d: _along(d, point) > 0 and _along(d, 1j * point) == 0


def _among(*offsets: complex) -> Test:
    return lambda y, d: d in offsets


def _along(offset: complex, direction: complex) -> float:
    """How far ``offset`` leads in ``direction``; exactly 0 where it is square to it."""
    length = (offset * direction.conjugate()).real
    return 0.0 if abs(length) < _EPSILON else length


def _direction(vector: complex) -> str:
    """The compass direction of ``vector``: a cardinal if it lies on an axis, else the quadrant."""
    north_south, east_west = _along(vector, 1j), _along(vector, 1)
    return ("N" if north_south > 0 else "S" if north_south < 0 else "") + (
        "E" if east_west > 0 else "W" if east_west < 0 else ""
    )


def _way_round(seat: Seat, side: complex) -> complex:
    """The turn about the centre that takes the occupant of ``seat`` towards its own ``side``."""
    leads = _along(seat.at * CLOCKWISE - seat.at, side * seat.facing) > 0
    return CLOCKWISE if leads else 1 / CLOCKWISE


def _seat_at(seats: Sequence[Seat], place: complex) -> int | None:
    return next((n for n, seat in enumerate(seats) if abs(seat.at - place) < _EPSILON), None)


def _function(seats: Sequence[Seat], step: Step) -> Function:
    return tuple(_seat_at(seats, seat.at + step(seat)) for seat in seats)


def _region(seats: Sequence[Seat], test: Test) -> Region:
    return tuple(
        frozenset(n for n, other in enumerate(seats) if other is not seat and test(seat, other.at - seat.at))
        for seat in seats
    )


def _turned(seats: Sequence[Seat], turn: complex) -> tuple[int, ...]:
    found = (_seat_at(seats, seat.at * turn) for seat in seats)
    return tuple(n for n in found if n is not None)
