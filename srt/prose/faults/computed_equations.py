"""The computed equations of a text: an operation on one side at least, and a number as the other.

They are where errors are planted to test the prose checker, so they are found without it: by another reading
(:mod:`srt.prose.faults.source_tokens`) and another evaluation (:mod:`srt.prose.faults.source_values`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from srt.prose.faults.source_tokens import CLOSES, OPENS, Sign, signs_of
from srt.prose.faults.source_values import Names, Value, agree, same_values, value_of

Standing = Literal["true", "false", "condition", "unreadable"]
"""``condition``: it is true with values that are only stated later, ``x + y = 0`` before ``x = 1, y = -1``."""
_OPERATIONS = frozenset({"+", "*", "/", "^", "raised", "frac", "root", "func", "choose", "percent", "bar"})
_BREAKS = frozenset({"break", "line"})


@dataclass(frozen=True)
class WrittenSide:
    """One side of an equation: its signs, and its characters ``[start, end)``.

    ``value``: its number if it has no names, ``None`` otherwise; ``vector``: the same for coordinates.
    """

    signs: tuple[Sign, ...]
    value: Value | None
    vector: Value | None = None

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return self.signs[0].start

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.signs[-1].end

    @property
    def operations(self) -> int:
        """How many operations it has, products without a sign among them."""
        written = sum(sign.kind in _OPERATIONS for sign in self.signs)
        minus = sum(sign.kind == "-" for sign in self.signs[1:])
        factors = sum(
            a.kind in ("number", "close", "pi", "name") and b.kind in ("pi", "root", "frac", "open", "name")
            for a, b in itertools.pairwise(self.signs)
        )
        return written + minus + factors

    @property
    def named(self) -> bool:
        """Whether it has names in it."""
        return any(sign.kind in ("name", "vector", "opaque") for sign in self.signs)


@dataclass(frozen=True)
class Equation:
    """``computation relation result``, in either order in the text.

    ``standing``: whether it is true as it stands, by the independent evaluation with the values ``names``; those that
    are stated later count only if it cannot be evaluated otherwise.
    """

    computation: WrittenSide
    relation: str
    result: WrittenSide
    standing: Standing
    names: Names

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return min(self.computation.start, self.result.start)

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return max(self.computation.end, self.result.end)


def computed_equations(text: str, given: str = "") -> tuple[Equation, ...]:
    """The computed equations of ``text``, in order.

    In a chain ``V = 1/3 · 9π · 4 = 12π`` neighbours are an equation; so are two sides without names that others stand
    between. A name has the value that ``given`` or ``text`` states before the equation, if they state no other
    anywhere: ``2x = 6`` before ``x = 3`` is a condition, not a computation.
    """
    runs = list(_runs(text))
    chains = [list(_chain(run)) for run in runs]
    stated: dict[str, list[Value]] = {}
    for run in _runs(given):
        _state(stated, run, list(_chain(run)))
    known_before = []
    for run, chain in zip(runs, chains, strict=True):
        known_before.append(frozenset(stated))
        _state(stated, run, chain)
    values = {name: found[0] for name, found in stated.items() if all(same_values(one, found[0]) for one in found)}
    later = _with_arrows(values)
    return tuple(
        equation
        for chain, known in zip(chains, known_before, strict=True)
        for equation in _equations(chain, _with_arrows({name: values[name] for name in known & values.keys()}), later)
    )


def _runs(text: str) -> Iterator[list[Sign]]:
    """The stretches of signs in which nothing breaks off a formula."""
    run: list[Sign] = []
    depth = 0
    signs = signs_of(text)
    for at, sign in enumerate(signs):
        after = next((other.kind for other in signs[at + 1 :] if other.kind != "line"), "")
        joins = sign.kind == "line" and ((run and run[-1].kind in "=≈*+") or after in ("=", "≈"))
        if joins:
            continue
        if sign.kind in _BREAKS or (sign.kind == "comma" and depth == 0):
            if run:
                yield run
            run, depth = [], 0
            continue
        depth = max(0, depth + (sign.kind in OPENS) - (sign.kind in CLOSES))
        run.append(sign)
    if run:
        yield run


def _chain(run: Sequence[Sign]) -> Iterator[WrittenSide | str]:
    """Sides and relations by turns; a side that is empty or a remark in brackets is cut to what it can be."""
    for relation, group in itertools.groupby(run, key=lambda sign: sign.kind in "=≈"):
        signs = list(group)
        if relation:
            yield "≈" if any(sign.kind == "≈" for sign in signs) else "="
            continue
        while signs and signs[-1].kind == "open":
            signs.pop()
        while signs[:1] == list(run[:1]) and _numbering(signs):
            run = signs = signs[3:]
        if signs:
            value = value_of(signs, {})
            vector = isinstance(value, tuple)
            yield WrittenSide(tuple(signs), None if vector else value, value if vector else None)
        else:
            yield "|"


def _numbering(signs: Sequence[Sign]) -> bool:
    """Whether ``signs`` begin with the number of a part, ``(2) 3 × 4``."""
    if len(signs) < 4 or [sign.kind for sign in signs[:3]] != ["open", "number", "close"]:
        return False
    return len(signs[1].text) < 3 and signs[3].start > signs[2].end


def _state(stated: dict[str, list[Value]], run: Sequence[Sign], chain: Sequence[WrittenSide | str]) -> None:
    """Add the values that ``chain`` gives to names, ``AB = 2 · 3 = 6``, and ``run`` to points, ``A(0,1,2)``."""
    for name, point in _points(run):
        stated.setdefault(name, []).append(point)
    if "≈" in chain or "|" in chain:
        return
    sides = [part for part in chain if isinstance(part, WrittenSide)]
    values = [side.vector if side.value is None else side.value for side in sides]
    found = [value for value in values if value is not None]
    for side in sides:
        if len(side.signs) == 1 and side.signs[0].kind in ("name", "vector") and found:
            stated.setdefault(side.signs[0].text, []).append(found[-1])


def _points(run: Sequence[Sign]) -> Iterator[tuple[str, Value]]:
    for at, (name, after) in enumerate(itertools.pairwise(run)):
        if name.kind == "name" and name.text[0].isupper() and after.text == "(":
            close = next((end for end in range(at + 2, len(run)) if run[end].text == ")"), at)
            value = value_of(run[at + 1 : close + 1], {})
            if isinstance(value, tuple):
                yield f"({name.text})", value


def _with_arrows(names: Names) -> Names:
    """``names`` and, in front of them, the vectors between points whose coordinates are known."""
    points = {name[1:-1]: value for name, value in names.items() if name[0] == "("}
    arrows = {
        f"→{a}{b}": tuple(y - x for x, y in zip(points[a], points[b], strict=True))
        for a, b in itertools.permutations(points, 2)
        if len(points[a]) == len(points[b])
    }
    return {**arrows, **names}


def _equations(chain: Sequence[WrittenSide | str], names: Names, later: Names) -> Iterator[Equation]:
    last: WrittenSide | None = None
    before: WrittenSide | None = None
    relation = ""
    for part in chain:
        if isinstance(part, str):
            relation = "≈" if "≈" in (part, relation) else part
            if part == "|":
                last = before = None
            continue
        if before is not None and (before.value is not None or part.value is not None):
            yield from _equation(before, relation, part, names, later)
        if part.value is not None:
            if last is not None and last is not before:
                yield from _equation(last, relation, part, names, later)
            last = part
        before, relation = part, ""


def _equation(left: WrittenSide, relation: str, right: WrittenSide, names: Names, later: Names) -> Iterator[Equation]:
    computation, result = (left, right)
    if right.value is None or (left.value is not None and left.operations < right.operations):
        computation, result = right, left
    if computation.operations == 0:
        return
    holds = agree(left.signs, relation or "=", right.signs, names)
    standing: Standing = "true" if holds else "false"
    if holds is None:
        names, holds = later, agree(left.signs, relation or "=", right.signs, later)
        standing = "unreadable" if holds is None else "condition" if holds else "false"
    yield Equation(computation, relation or "=", result, standing, names)
