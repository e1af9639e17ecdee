"""The claims of a trace as text, and back. ``docs/routes.md`` has the grammar.

A claim is a name and a value, ``at(3) = 3 east, 2 north``. The number in brackets is that of a sentence: ``turn``,
``walk`` and ``leg`` are what it says, the others are so after it.
"""

from __future__ import annotations

import re
from typing import NamedTuple, cast

from srt.worlds.routes.walk import Leg, Path, Position, Value, axes

_DIRECTION = "north|east|south|west"
_N = "[1-9][0-9]{0,8}"
_LEG = rf"{_N} (?:{_DIRECTION})"
_VALUES = {
    "facing": _DIRECTION,
    "turn": "left|right|around|none",
    "walk": rf"0|{_N}",
    "leg": _LEG,
    "at": rf"start|{_N} (?:east|west)(?:, {_N} (?:north|south))?|{_N} (?:north|south)",
    "back": rf"none|{_LEG}(?:, {_LEG})*",
    "steps": rf"0|{_N}",
    "square": rf"0|{_N}",
    "line": rf"0|{_N}",
    "options": r"\{[A-Z](?:, [A-Z])*\}",
    "answer": rf"0|{_N}",
}
_CLAIM = re.compile(r"([a-z]+)(?:\(([1-9][0-9]{0,3})\))? = (.+)")


class Claim(NamedTuple):
    """``number`` is that of the sentence; 0 for ``options`` and ``answer``, which have none."""

    name: str
    number: int
    value: str

    def __str__(self) -> str:
        return f"{self.subject} = {self.value}"

    @property
    def subject(self) -> str:
        """What is claimed about: ``at(3)``."""
        return f"{self.name}({self.number})" if self.number else self.name


def parse_claim(text: str) -> Claim:
    """The claim that ``text`` is; raises a :class:`ValueError` for anything else."""
    match = _CLAIM.fullmatch(text)
    if match and match[1] in _VALUES and re.fullmatch(_VALUES[match[1]], match[3]):
        claim = Claim(match[1], int(match[2] or 0), match[3])
        if (claim.number == 0) == (claim.name in ("options", "answer")):
            return claim
    raise ValueError(f"no claim: {text!r}")


def place_text(place: Position) -> str:
    """``3 east, 2 north``; ``start`` for the start."""
    return path_text(tuple(axes(place)), "start")


def path_text(path: Path, nothing: str = "none") -> str:
    """``2 west, 3 south``, in the order of the way."""
    return ", ".join(leg_text(leg) for leg in path) or nothing


def leg_text(leg: Leg) -> str:
    """``3 east``."""
    return f"{leg.steps} {leg.direction}"


def value_text(value: Value) -> str:
    """The value of a claim."""
    if isinstance(value, Position):
        return place_text(value)
    return path_text(cast("Path", value)) if isinstance(value, tuple) else str(value)
