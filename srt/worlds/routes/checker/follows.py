"""What follows from what: the rules of a walk, one for each kind of claim, by vectors on the grid.

``docs/routes.md`` has the same table. A rule reads the claims that it needs from those that are known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from srt.language.trace import Operation

Subject = tuple[str, int]
"""The name of a claim and the number of its sentence."""
Known = Mapping[Subject, str]
_AHEAD = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
_LEG = re.compile(r"(?<![0-9])([0-9]{1,9}) ([a-z]+)")
_NAMED = {vector: name for name, vector in _AHEAD.items()}


class Consequence(NamedTuple):
    """The value that a claim must have, the operation that derives it, and the claims that this takes."""

    value: str
    op: Operation
    uses: frozenset[Subject]


def consequence(subject: Subject, known: Known) -> Consequence | None:
    """What the rule for ``subject`` gives from ``known``; ``None`` where it lacks something."""
    name, n = subject
    rule = _RULES.get(name)
    return rule(n, known) if rule else None


def closure(known: Known) -> dict[Subject, str]:
    """``known``, and everything that follows from it in any number of steps."""
    found = dict(known)
    for n in sorted({n for _, n in known}):
        for name in _RULES:
            subject = (name, n)
            if subject not in found and (result := consequence(subject, found)):
                found[subject] = result.value
    return found


def _facing(n: int, known: Known) -> Consequence | None:
    before, turn = known.get(("facing", n - 1)), known.get(("turn", n))
    if before is None or turn is None:
        return None
    x, y = _AHEAD[before]
    vector = {"none": (x, y), "left": (-y, x), "right": (y, -x), "around": (-x, -y)}[turn]
    return Consequence(_NAMED[vector], "CONSTRAIN", frozenset({("facing", n - 1), ("turn", n)}))


def _leg(n: int, known: Known) -> Consequence | None:
    facing, steps = known.get(("facing", n)), known.get(("walk", n))
    if facing is None or steps in (None, "0"):
        return None
    return Consequence(f"{steps} {facing}", "CONSTRAIN", frozenset({("facing", n), ("walk", n)}))


def _at(n: int, known: Known) -> Consequence | None:
    x, y = 0, 0
    uses = _moved(n, "at", known)
    if uses is None:
        return None
    for steps, way in (*_legs(known.get(("at", n - 1), "")), *_legs(known.get(("leg", n), ""))):
        x, y = x + steps * _AHEAD[way][0], y + steps * _AHEAD[way][1]
    along = f"{abs(x)} {'east' if x > 0 else 'west'}" if x else ""
    up = f"{abs(y)} {'north' if y > 0 else 'south'}" if y else ""
    return Consequence(", ".join(filter(None, (along, up))) or "start", "CONSTRAIN", uses)


def _back(n: int, known: Known) -> Consequence | None:
    uses = _moved(n, "back", known)
    if uses is None:
        return None
    back = _legs(known.get(("back", n - 1), ""))
    for steps, way in _legs(known.get(("leg", n), "")):
        x, y = _AHEAD[way]
        opposite = _NAMED[-x, -y]
        if back and back[0][1] == opposite:
            steps += back.pop(0)[0]
        back.insert(0, (steps, opposite))
    return Consequence(", ".join(f"{steps} {way}" for steps, way in back) or "none", "INFER", uses)


def _moved(n: int, name: str, known: Known) -> frozenset[Subject] | None:
    """What tells how sentence ``n`` moves the walker on from where ``name`` says; nobody moves before sentence 2."""
    move = ("leg", n) if ("leg", n) in known else ("walk", n) if known.get(("walk", n)) == "0" else None
    if n < 2 or move is None or (n > 2 and (name, n - 1) not in known):
        return None
    return frozenset({move, (name, n - 1)} if n > 2 else {move})


def _steps(n: int, known: Known) -> Consequence | None:
    place = known.get(("at", n))
    if place is None:
        return None
    return Consequence(str(sum(steps for steps, _ in _legs(place))), "INFER", frozenset({("at", n)}))


def _square(n: int, known: Known) -> Consequence | None:
    place = known.get(("at", n))
    if place is None:
        return None
    return Consequence(str(sum(steps**2 for steps, _ in _legs(place))), "INFER", frozenset({("at", n)}))


def _line(n: int, known: Known) -> Consequence | None:
    square = int(known.get(("square", n), -1))
    if square < 0 or math.isqrt(square) ** 2 != square:
        return None
    return Consequence(str(math.isqrt(square)), "INFER", frozenset({("square", n)}))


def _legs(text: str) -> list[tuple[int, str]]:
    return [(int(steps), way) for steps, way in _LEG.findall(text)]


_RULES: dict[str, Callable[[int, Known], Consequence | None]] = {
    "facing": _facing,
    "leg": _leg,
    "at": _at,
    "back": _back,
    "steps": _steps,
    "square": _square,
    "line": _line,
}
"""In an order in which each rule needs only what stands before it, or a sentence before."""
