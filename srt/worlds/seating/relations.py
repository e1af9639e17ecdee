"""What the claims of the seating world mean: tables from seat to seat, and whether a claim holds in a placement.

A placement maps each name to its own seat. The meanings are those of ``docs/seating.md``; the benchmark's wordings were
fitted to them (facing outward, right is clockwise; on a shelf, east is the viewer's left; and so on).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache

from srt.worlds.seating.claim_language import (
    BLANK,
    Apply,
    Atom,
    Attribute,
    Claim,
    Equal,
    Meet,
    Member,
    Nobody,
    Place,
    Region,
    RightOptions,
    Term,
)
from srt.worlds.seating.scenes import Scene

Placement = Mapping[str, str]
_OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E", "NE": "SW", "SW": "NE", "NW": "SE", "SE": "NW"}
_BEARINGS = {
    **{"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)},
    **{"northeast": (1, 1), "southeast": (1, -1), "southwest": (-1, -1), "northwest": (-1, 1)},
}
"""The signs of a step to the east and to the north; 0: any, but with ``due`` none."""
_RING_REGIONS = {"beside": (1, 5), "one_between": (2, 4), "left_side": (4, 5), "right_side": (1, 2)}
"""How many places to the right on a ring."""
_SHELF_REGIONS: dict[str, Callable[[int, bool], bool]] = {
    "beside": lambda rise, same_column: rise == 0,
    "above": lambda rise, same_column: rise > 0,
    "below": lambda rise, same_column: rise < 0,
    "tier_above": lambda rise, same_column: rise == 1,
    "tier_below": lambda rise, same_column: rise == -1,
    "tier_next": lambda rise, same_column: abs(rise) == 1,
    "tier_apart": lambda rise, same_column: abs(rise) == 2,
    "stacked": lambda rise, same_column: same_column and abs(rise) == 1,
    "over": lambda rise, same_column: same_column and rise > 0,
    "under": lambda rise, same_column: same_column and rise < 0,
    "diag_above": lambda rise, same_column: not same_column and rise > 0,
    "diag_below": lambda rise, same_column: not same_column and rise < 0,
    "same_side": lambda rise, same_column: same_column,
}
"""By how many tiers the other is higher, and whether it is in the same column."""


def holds(claim: Claim, scene: Scene, placement: Placement, asked: str | None = None) -> bool:
    """Whether ``claim`` holds in ``placement``; ``asked`` is the name that ``?`` stands for.

    Raises:
        ValueError: a relation that means nothing in this scene, a name without a seat, a ``?`` without ``asked``, or
            ``options``, which no placement decides alone.
    """
    at = placement if asked is None else {**placement, BLANK: _seat(placement, asked)}
    return any(all(_atom_holds(atom, scene, at, asked) for atom in atoms) for atoms in claim)


def asked_set(claim: Claim, scene: Scene, placement: Placement) -> frozenset[str]:
    """The names that fill the blank of ``claim`` in ``placement``; raises as :func:`holds` does."""
    return frozenset(name for name in placement if holds(claim, scene, placement, name))


def neighbour(scene: Scene, function: str, seat: str, k: int = 1) -> str | None:
    """The seat that ``function(.., k)`` leads to from ``seat``, or ``None`` where there is none.

    Raises:
        ValueError: the function means nothing in this scene.
    """
    return function_table(scene, function, k)[seat]


def region_seats(scene: Scene, region: str, seat: str, k: int = 0) -> frozenset[str]:
    """The seats of ``region`` around ``seat``, which is never among them; raises as :func:`neighbour` does."""
    return region_table(scene, region, k)[seat]


def attribute(scene: Scene, function: str, seat: str) -> str:
    """The value of ``faces``, ``tier`` or ``column`` at ``seat``; raises as :func:`neighbour` does."""
    if scene.kind == "shelf" and function in ("tier", "column"):
        return seat[0] if function == "tier" else seat[1]
    if scene.kind != "shelf" and scene.compass != "none" and function == "faces":
        side = seat.rstrip("12")
        return side if scene.kind == "hexagon-out" else _OPPOSITE[side]
    raise _unknown(scene, function)


@cache
def function_table(scene: Scene, function: str, k: int = 1) -> dict[str, str | None]:
    """``seat -> seat`` of a function in a scene; raises as :func:`neighbour` does."""
    seats = scene.seats
    if scene.kind == "booth" and k == 1:
        return {seat: _booth(seats, i, function, scene) for i, seat in enumerate(seats)}
    if scene.kind == "shelf" and (k == 1 or (k == 2 and function in ("up", "down"))):
        return {seat: _shelf(seats, seat, function, k, scene) for seat in seats}
    if scene.kind.startswith("hexagon"):
        turn = _turn(scene, function, k)
        return {seat: seats[(i + turn) % 6] for i, seat in enumerate(seats)}
    raise _unknown(scene, f"{function}(.., {k})")


@cache
def region_table(scene: Scene, region: str, k: int = 0) -> dict[str, frozenset[str]]:
    """``seat -> seats`` of a region in a scene; raises as :func:`neighbour` does."""
    seats = scene.seats
    return {of: frozenset(seat for seat in seats if seat != of and _inside(scene, region, of, seat, k)) for of in seats}


def _atom_holds(atom: Atom, scene: Scene, at: Placement, asked: str | None) -> bool:
    match atom:
        case Place(name, seat):
            return _seat(at, name) == seat
        case Equal(left, right, negated):
            first, second = _term_seat(left, scene, at), _term_seat(right, scene, at)
            if first is None or second is None:
                return False
            return first != second and not _of_itself(left, right, at) if negated else first == second
        case Member(name, region, negated):
            seat, of = _seat(at, name), _seat(at, region.of)
            inside = seat in region_seats(scene, region.name, of, region.k)
            return not inside and seat != of if negated else inside
        case Meet(first_region, second_region):
            return bool(_region(first_region, scene, at) & _region(second_region, scene, at))
        case Attribute(function, name, value):
            return attribute(scene, function, _seat(at, name)) == value
        case Nobody():
            if asked is None:
                raise ValueError("'? = none' needs someone who is asked about")
            return False
        case RightOptions():
            raise ValueError("a placement alone does not say which options are right")


def _of_itself(left: Term, right: Term, at: Placement) -> bool:
    """Whether one side is a name and the other a function of the same one, as in ``across(Mary) != Mary``."""
    if isinstance(left, str):
        left, right = right, left
    if not isinstance(left, Apply) or not isinstance(left.argument, str) or not isinstance(right, str):
        return False
    return _seat(at, left.argument) == _seat(at, right)


def _term_seat(term: Term, scene: Scene, at: Placement) -> str | None:
    if isinstance(term, str):
        return _seat(at, term)
    seat = _term_seat(term.argument, scene, at)
    return None if seat is None else neighbour(scene, term.function, seat, term.k)


def _region(region: Region, scene: Scene, at: Placement) -> frozenset[str]:
    return region_seats(scene, region.name, _seat(at, region.of), region.k)


def _seat(at: Placement, name: str) -> str:
    if name not in at:
        raise ValueError(f"{name!r} has no seat")
    return at[name]


def _unknown(scene: Scene, relation: str) -> ValueError:
    compass = "" if scene.compass == "none" else f" with compass {scene.compass}"
    return ValueError(f"{relation!r} means nothing in a {scene.kind}{compass}")


def _booth(seats: tuple[str, ...], i: int, function: str, scene: Scene) -> str | None:
    """Seats 0 1 on one bench, 2 3 on the other, each from its sitters' left: 0 faces 3, 1 faces 2."""
    beside, opposite, diagonal = seats[i ^ 1], seats[3 - i], seats[(i + 2) % 4]
    on_left = i % 2 == 0
    table = {
        "left": None if on_left else beside,
        "right": beside if on_left else None,
        "across": opposite,
        "diag": diagonal,
        "front_left": None if on_left else diagonal,
        "front_right": diagonal if on_left else None,
    }
    if function not in table:
        raise _unknown(scene, function)
    return table[function]


def _turn(scene: Scene, function: str, k: int) -> int:
    """How many places clockwise a function leads on a ring."""
    outward = scene.kind == "hexagon-out"
    if function == "across" and k == 1:
        return 3
    if function in ("cw", "ccw", "left", "right") and 1 <= k <= 5:
        clockwise = function == "cw" or (function == "right" and outward) or (function == "left" and not outward)
        return k if clockwise else -k
    raise _unknown(scene, function)


def _shelf(seats: tuple[str, ...], seat: str, function: str, k: int, scene: Scene) -> str | None:
    tier, column = int(seat[0]), seat[1]
    match function:
        case "left":
            other = f"{tier}E" if column == "W" else ""
        case "right":
            other = f"{tier}W" if column == "E" else ""
        case "up" | "down":
            other = f"{tier + (k if function == 'up' else -k)}{column}"
        case _:
            raise _unknown(scene, function)
    return other if other in seats else None


def _inside(scene: Scene, region: str, of: str, other: str, k: int) -> bool:
    if scene.kind == "shelf":
        return _inside_shelf(scene, region, of, other, k)
    if k:
        raise _unknown(scene, f"{region}(.., {k})")
    if scene.kind == "booth":
        if region != "beside":
            raise _unknown(scene, region)
        return of[0] == other[0]
    around = (scene.seats.index(other) - scene.seats.index(of)) % 6
    rightward = around if scene.kind == "hexagon-out" else 6 - around
    if region in _RING_REGIONS:
        return rightward in _RING_REGIONS[region]
    return _inside_compass(scene, region, of, other)


def _inside_compass(scene: Scene, region: str, of: str, other: str) -> bool:
    if scene.compass == "none":
        raise _unknown(scene, region)
    (x0, y0), (x1, y1) = _point(scene, of), _point(scene, other)
    east, north = _sign(x1 - x0), _sign(y1 - y0)
    wanted = _BEARINGS.get(region.removeprefix("due_"))
    if wanted is None:
        raise _unknown(scene, region)
    if region.startswith("due_"):
        return (east, north) == wanted
    return all(sign == found for sign, found in zip(wanted, (east, north), strict=True) if sign)


def _point(scene: Scene, seat: str) -> tuple[float, float]:
    start = 0 if scene.compass == "NS" else 30
    degrees = math.radians(start + 60 * scene.seats.index(seat))
    return math.sin(degrees), math.cos(degrees)


def _sign(value: float) -> int:
    return 0 if abs(value) < 1e-9 else 1 if value > 0 else -1


def _inside_shelf(scene: Scene, region: str, of: str, other: str, k: int) -> bool:
    rise = int(other[0]) - int(of[0])
    same_column = other[1] == of[1]
    vertical, _, side = region.partition("_")
    if vertical in ("upper", "lower") and side in ("left", "right"):
        distance = rise if vertical == "upper" else -rise
        on_side = not same_column and other[1] == ("E" if side == "left" else "W")
        return on_side and (distance == k if k else distance > 0)
    if k:
        raise _unknown(scene, f"{region}(.., {k})")
    if region in ("left", "right"):
        return rise == 0 and other[1] == ("E" if region == "left" else "W")
    if region not in _SHELF_REGIONS:
        raise _unknown(scene, region)
    return _SHELF_REGIONS[region](rise, same_column)
