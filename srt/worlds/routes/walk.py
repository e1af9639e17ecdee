"""A walk on a grid, and what can be asked about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

Direction = Literal["north", "east", "south", "west"]
Turn = Literal["left", "right", "around", "none"]
Asked = Literal["facing", "end", "steps", "line", "back"]
"""Which way she faces, where she is, how far it is along the grid and in a straight line, which is the way back."""

CLOCKWISE: tuple[Direction, ...] = ("north", "east", "south", "west")
_QUARTERS: dict[Turn, int] = {"none": 0, "right": 1, "around": 2, "left": 3}
_TURNED = {
    (facing, turn): CLOCKWISE[(at + quarters) % 4]
    for at, facing in enumerate(CLOCKWISE)
    for turn, quarters in _QUARTERS.items()
}
STRIDE: dict[Direction, tuple[int, int]] = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
"""Steps east and steps north of one step in each direction."""


class Move(NamedTuple):
    """What one sentence says: a turn (``none``: straight on), then so many steps (0: a turn on the spot)."""

    turn: Turn
    steps: int


class Leg(NamedTuple):
    """A straight piece of a walk."""

    steps: int
    direction: Direction


class Position(NamedTuple):
    """Steps east and steps north of the start; negative to the west and the south."""

    east: int
    north: int


Path = tuple[Leg, ...]
Value = Direction | Position | Path | int
"""The answer to a question: a direction, a place, a way back, or a number of steps."""


class Walk(NamedTuple):
    """``start`` is the direction at the start, before the first move."""

    start: Direction
    moves: tuple[Move, ...]

    def stages(self) -> Iterator[tuple[Move, Direction, Position]]:
        """Each move, with the direction and the place after it."""
        facing, place = self.start, Position(0, 0)
        for move in self.moves:
            facing = turned(facing, move.turn)
            if move.steps:
                place = moved(place, Leg(move.steps, facing))
            yield move, facing, place


def turned(facing: Direction, turn: Turn) -> Direction:
    """The direction after a turn."""
    return _TURNED[facing, turn]


def moved(place: Position, leg: Leg) -> Position:
    """The place after a leg."""
    steps, direction = leg
    east, north = STRIDE[direction]
    return Position(place[0] + steps * east, place[1] + steps * north)


def axes(place: Position) -> list[Leg]:
    """A place as steps east or west, then north or south; what is 0 is left out."""
    along = Leg(abs(place.east), "east" if place.east > 0 else "west")
    up = Leg(abs(place.north), "north" if place.north > 0 else "south")
    return [leg for leg in (along, up) if leg.steps]


def way_back(legs: Path) -> Path:
    """The same way from the end to the start; legs that go on in one direction are one leg."""
    back: list[Leg] = []
    for steps, direction in reversed(legs):
        opposite = turned(direction, "around")
        if back and back[-1].direction == opposite:
            steps += back.pop().steps
        back.append(Leg(steps, opposite))
    return tuple(back)


def result(asked: Asked, walk: Walk) -> Value | None:
    """What is right; ``None`` where the straight line is no whole number of steps."""
    facing, place, legs = walk.start, Position(0, 0), []
    for move, facing, place in walk.stages():  # noqa: B007 (the last ones are needed)
        if move.steps:
            legs.append(Leg(move.steps, facing))
    match asked:
        case "facing":
            return facing
        case "end":
            return place
        case "back":
            return way_back(tuple(legs))
        case "steps":
            return abs(place.east) + abs(place.north)
        case "line":
            return whole_root(place.east**2 + place.north**2)


def whole_root(square: int) -> int | None:
    """The square root, if it is a whole number."""
    root = round(square**0.5)  # exact for walks: their numbers have four digits
    return root if root * root == square else None


def canonical_key(asked: Asked, walk: Walk) -> str:
    """The split key: one for all problems that ask the same about the same walk, turned or seen in a mirror.

    Turned and mirrored walks have answers that are turned and mirrored with them, so the direction at the start is not
    part of the key, and of a walk and its mirror image the first in the alphabet is. How far somebody walks does not
    change which way they face: only the turns are in that key.
    """
    if asked == "facing":
        words = [(move.turn[0], "") for move in walk.moves if move.turn != "none"]
    else:
        words = [(move.turn[0], str(move.steps)) for move in walk.moves]
    mirror = {"l": "r", "r": "l"}
    spelt = (" ".join(turn + steps for turn, steps in words), " ".join(mirror.get(t, t) + s for t, s in words))
    return f"{asked} {min(spelt)}"
