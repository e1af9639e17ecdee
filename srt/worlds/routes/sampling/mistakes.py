"""Mistakes that people make with turns and legs. Every wrong option comes from one of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import cast

from srt.worlds.routes.walk import Asked, Leg, Move, Path, Position, Turn, Value, Walk, result, turned

_OTHER: dict[Turn, Turn] = {"left": "right", "right": "left", "around": "around", "none": "none"}


def wrong_values(asked: Asked, walk: Walk, n: int, rng: random.Random) -> dict[Value, str]:
    """Up to ``n`` wrong answers to the question, each with the mistake that leads to it, exactly.

    They come from as many different mistakes as possible.
    """
    right = result(asked, walk)
    streams = {name: _wrong_answers(asked, mistake, walk, rng) for name, mistake in _IN_THE_WALK.items()}
    streams |= {name: mistake(walk) for name, mistake in _IN_THE_RESULT[asked].items()}
    order = list(streams)
    rng.shuffle(order)
    found: dict[Value, str] = {}
    while order and len(found) < n:
        for name in list(order):
            # Zero steps and an empty way back are never used as options: they give themselves away.
            value = next((one for one in streams[name] if one not in found and one not in (right, 0, ())), None)
            if value is None:
                order.remove(name)
            else:
                found[value] = name
                if len(found) == n:
                    break
    return found


def _wrong_answers(
    asked: Asked, mistake: Callable[[Walk], Iterator[Walk]], walk: Walk, rng: random.Random
) -> Iterator[Value]:
    """The answers for the walks that a mistake makes of ``walk``, in an order drawn with ``rng``."""
    walks = list(mistake(walk))
    rng.shuffle(walks)
    for wrong in walks:
        if (value := result(asked, wrong)) is not None:
            yield value


def _all_turns_mirrored(walk: Walk) -> Iterator[Walk]:
    """Left and right are mixed up throughout."""
    yield walk._replace(moves=tuple(Move(_OTHER[move.turn], move.steps) for move in walk.moves))


def _one_turn_mirrored(walk: Walk) -> Iterator[Walk]:
    """One turn is made to the other side."""
    return _each_turn(walk, lambda move: [move._replace(turn=_OTHER[move.turn])])


def _turn_missed(walk: Walk) -> Iterator[Walk]:
    """One turn is not made."""
    return _each_turn(walk, lambda move: [move._replace(turn="none")])


def _turn_doubled(walk: Walk) -> Iterator[Walk]:
    """One turn is made twice."""
    return _each_turn(walk, lambda move: [Move(move.turn, 0), move])


def _half_a_turn(walk: Walk) -> Iterator[Walk]:
    """Turning around is taken for a turn to one side."""
    sides: tuple[Turn, ...] = ("left", "right")
    for at, move in enumerate(walk.moves):
        if move.turn == "around":
            yield from (_with(walk, at, [move._replace(turn=side)]) for side in sides)


def _turn_late(walk: Walk) -> Iterator[Walk]:
    """A turn is made after the leg that it comes before."""
    return _each_turn(walk, lambda move: [Move("none", move.steps), Move(move.turn, 0)])


def _leg_left_out(walk: Walk) -> Iterator[Walk]:
    """One leg is not walked; its turn is made."""
    for at, move in enumerate(walk.moves):
        if move.steps:
            yield _with(walk, at, [move._replace(steps=0)])


def _one_step_off(walk: Walk) -> Iterator[Walk]:
    """One leg has a step too many, or too few."""
    for at, move in enumerate(walk.moves):
        if move.steps:
            yield _with(walk, at, [move._replace(steps=move.steps + 1)])
        if move.steps > 1:
            yield _with(walk, at, [move._replace(steps=move.steps - 1)])


def _start_reversed(walk: Walk) -> Iterator[Walk]:
    """The direction at the start is taken for the opposite one."""
    yield walk._replace(start=turned(walk.start, "around"))


def _each_turn(walk: Walk, change: Callable[[Move], list[Move]]) -> Iterator[Walk]:
    for at, move in enumerate(walk.moves):
        if move.turn != "none":
            yield _with(walk, at, change(move))


def _with(walk: Walk, at: int, moves: list[Move]) -> Walk:
    return walk._replace(moves=(*walk.moves[:at], *moves, *walk.moves[at + 1 :]))


_IN_THE_WALK: dict[str, Callable[[Walk], Iterator[Walk]]] = {
    "left and right mixed up": _all_turns_mirrored,
    "one turn to the other side": _one_turn_mirrored,
    "a turn missed": _turn_missed,
    "a turn made twice": _turn_doubled,
    "turned around by half": _half_a_turn,
    "a turn made after its leg": _turn_late,
    "a leg left out": _leg_left_out,
    "a leg off by one step": _one_step_off,
    "the start the other way round": _start_reversed,
}


def _swapped(walk: Walk) -> Iterator[Value]:
    place = cast("Position", result("end", walk))
    yield Position(place.north, place.east)


def _opposite_place(walk: Walk) -> Iterator[Value]:
    place = cast("Position", result("end", walk))
    yield Position(-place.east, -place.north)


def _order_kept(walk: Walk) -> Iterator[Value]:
    yield tuple(reversed(cast("Path", result("back", walk))))


def _directions_kept(walk: Walk) -> Iterator[Value]:
    back = cast("Path", result("back", walk))
    yield tuple(Leg(steps, turned(direction, "around")) for steps, direction in back)


def _way_there(walk: Walk) -> Iterator[Value]:
    yield from (tuple(reversed(cast("Path", path))) for path in _directions_kept(walk))


def _all_steps(walk: Walk) -> Iterator[Value]:
    yield sum(move.steps for move in walk.moves)


def _along_the_grid(walk: Walk) -> Iterator[Value]:
    yield cast("int", result("steps", walk))


def _one_axis(walk: Walk) -> Iterator[Value]:
    place = cast("Position", result("end", walk))
    yield from (abs(place.east), abs(place.north))


_IN_THE_RESULT: dict[Asked, dict[str, Callable[[Walk], Iterator[Value]]]] = {
    "facing": {},
    "end": {"east and north swapped": _swapped, "the start seen from the end": _opposite_place},
    "back": {
        "directions turned, order kept": _order_kept,
        "order turned, directions kept": _directions_kept,
        "the way there": _way_there,
    },
    "steps": {"all steps added up": _all_steps, "one axis left out": _one_axis},
    "line": {"all steps added up": _all_steps, "counted along the grid": _along_the_grid, "one axis": _one_axis},
}
