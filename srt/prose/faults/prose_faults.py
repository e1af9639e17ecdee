"""Errors planted in the computed equations of a text: what the prose checker is measured on.

An error changes a few characters of an equation that is true as it stands (:mod:`srt.prose.faults.computed_equations`),
whether the checker proved it or not. Some leave it true by accident (``2 × 1`` for ``2 ÷ 1``); the evaluation that
found the equation recognises them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from srt.prose.faults.computed_equations import Equation, Standing, WrittenSide
from srt.prose.faults.source_tokens import TWO_POINTS, UNIT_BASES, Sign, signs_of
from srt.prose.faults.source_values import agree

Kind = Literal["result digit", "operand", "operator", "root", "unit", "condition", "named length"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Effect = Literal["false", "true", "unknown"]

_OTHER_SIGNS = {"+": "-", "-": "+", "*": "/+", "/": "*"}
_WRITTEN = {"*": r"\times ", "/": r"\div "}
_PLAIN = {"*": "×", "/": "÷"}
_LATEX_COMMAND = re.compile(r"(?<!\\)\\++[a-z]+")
_POWER_AFTER = r"\^\s*(?:\{\s*[23]\s*\}|[23])|[²³]"
_POWER_BEFORE = r"立方|平方|(?:cubic|square)\s+"
_POWER = re.compile(f"{_POWER_AFTER}|{_POWER_BEFORE}")
"""The power of a unit, after it (``cm^{2}``, ``cm²``) or before it (平方厘米, ``square metres``)."""
_SWAPPED = {"2": "3", "3": "2", "²": "³", "³": "²", "立": "平", "平": "立", "square": "cubic", "cubic": "square"}
_SWAPPED_POWER = re.compile("|".join(_SWAPPED))
_NEAR_BASES = {"mm": "cm", "cm": "m", "dm": "cm", "m": "cm", "km": "m", "毫米": "厘米", "厘米": "米", "分米": "厘米",
               "米": "厘米", "千米": "米"}  # fmt: skip
_POINT = re.compile(r"[A-Z]\d*['’′]*")
_STANDINGS: dict[Kind, tuple[Standing, ...]] = {
    "condition": ("condition",),
    "named length": ("true", "condition", "unreadable"),
}
_PATIENCE = 500
"""So many draws in a row that give nothing new end a search for different errors."""


@dataclass(frozen=True)
class Planted:
    """``text`` with one error; ``[start, end)``: the characters of the new text that the error spans (where it takes
    some away: the one before them); ``place``: where it begins in the old text.

    ``effect``: whether the equation is still true: ``false``, ``true`` (by accident), or ``unknown`` where a name has
    no stated value. A wrong unit is false, whatever the numbers: the same number of another unit is another quantity.
    """

    text: str
    kind: Kind
    equation: Equation
    start: int
    end: int
    place: int
    change: str
    effect: Effect


@dataclass(frozen=True)
class _Edit:
    """Characters ``[start, end)`` of the text and what stands in their place."""

    start: int
    end: int
    new: str


def has_place(text: str, equation: Equation, kind: Kind) -> bool:
    """Whether ``equation`` of ``text`` has a place for an error of ``kind``.

    An equation that is not known to be true has none, but for a wrong name: there the values of names may be unknown.
    """
    return equation.standing in _STANDINGS.get(kind, ("true",)) and any(_EDITS[kind](text, equation, random.Random(0)))


def plant(text: str, equation: Equation, kind: Kind, rng: random.Random) -> Planted | None:
    """``text`` with one error of ``kind`` in ``equation``, drawn at random; ``None`` where it has no place for one."""
    if not has_place(text, equation, kind):
        return None
    # All edits are drawn before one is chosen, so that each place is as likely as any other.
    edit = rng.choice(list(_EDITS[kind](text, equation, rng)))
    changed = text[: edit.start] + edit.new + text[edit.end :]
    return Planted(
        text=changed,
        kind=kind,
        equation=equation,
        start=edit.start if edit.new else edit.start - 1,
        end=edit.start + len(edit.new),
        place=edit.start,
        change=f"{text[edit.start : edit.end]} -> {edit.new}",
        effect="false" if kind == "unit" else _effect(changed, equation, edit),
    )


def different(
    places: Sequence[tuple[str, str, Equation]], kind: Kind, rng: random.Random, most: int | None = None
) -> Iterator[tuple[int, Planted]]:
    """Different errors of ``kind``, each with the index of its place, drawn evenly from the equations that have one.

    Args:
        places: the name of a text, the text, and one of its equations.
        kind: the kind of error.
        rng: decides the draws.
        most: no more than so many.
    """
    fit = [at for at, (_, text, equation) in enumerate(places) if has_place(text, equation, kind)]
    seen: set[tuple[str, str]] = set()
    failures = 0
    while fit and failures < _PATIENCE + 2 * len(fit) and (most is None or len(seen) < most):
        at = rng.choice(fit)
        name, text, equation = places[at]
        planted = plant(text, equation, kind, rng)
        if planted is None or (name, planted.text) in seen:
            failures += 1
            continue
        seen.add((name, planted.text))
        failures = 0
        yield at, planted


def _effect(changed: str, equation: Equation, edit: _Edit) -> Effect:
    # The new text is read again from its signs: a changed digit may join its neighbours into another number, and the
    # value of the old signs with one replaced would not be what a reader sees.
    longer = len(edit.new) - (edit.end - edit.start)
    signs = signs_of(changed)
    computation, result = (
        [sign for sign in signs if _moved(side.start, edit, longer) <= sign.start < _moved(side.end, edit, longer)]
        for side in _sides(equation)
    )
    holds = agree(computation, equation.relation, result, equation.names)
    if holds is None:  # A name without a value, or no real number: a division by zero, a root of a negative number.
        known = all(
            sign.kind != "opaque" and (sign.kind not in ("name", "vector") or sign.text in equation.names)
            for sign in computation
        )
        return "false" if known else "unknown"
    return "true" if holds else "false"


def _moved(place: int, edit: _Edit, longer: int) -> int:
    """Where a place of the old text is in the new one; one at the edit itself stays before it."""
    return place + longer if place >= edit.end and place > edit.start else place


def _sides(equation: Equation) -> tuple[WrittenSide, WrittenSide]:
    return equation.computation, equation.result


def _result_digit(text: str, equation: Equation, rng: random.Random) -> Iterator[_Edit]:
    for sign, power in _numbers(equation.result):
        if power:
            continue  # A wrong exponent is an "operand" error.
        for place, digit in enumerate(text[sign.start : sign.end]):
            if digit.isdigit():
                # No number begins with 0, unless it is 0: a solver would not write 025.
                leading = place == 0 and len(sign.text) > 1
                new = rng.choice([other for other in "0123456789"[leading:] if other != digit])
                yield _Edit(sign.start + place, sign.start + place + 1, new)


def _operand(text: str, equation: Equation, rng: random.Random) -> Iterator[_Edit]:
    for sign, _ in _numbers(equation.computation):
        if sign.kind == "raised":
            yield _Edit(sign.start, sign.end, "³" if sign.text == "²" else "²")
        elif len(sign.text) == 1:
            yield _Edit(sign.start, sign.end, rng.choice([other for other in "123456789" if other != sign.text]))
        elif sign.text.isdigit() and len(sign.text) == sign.end - sign.start:
            # Near misses: one or two too many or too few, or a ten that is not carried.
            value = int(sign.text)
            yield _Edit(sign.start, sign.end, str(value + rng.choice((-10, -2, -1, 1, 2, 10))))
        else:  # A decimal, or digits in groups (1,000): another last digit keeps the way in which it is written.
            last = sign.end - 1
            yield _Edit(last, sign.end, rng.choice([other for other in "0123456789" if other != sign.text[-1]]))


def _operator(text: str, equation: Equation, rng: random.Random) -> Iterator[_Edit]:
    for sign in equation.computation.signs:
        if sign.kind in _OTHER_SIGNS:
            other = rng.choice(_OTHER_SIGNS[sign.kind])
            yield _Edit(sign.start, sign.end, (_WRITTEN if _in_latex(text) else _PLAIN).get(other, other))


def _root(text: str, equation: Equation, rng: random.Random) -> Iterator[_Edit]:
    """A root dropped, added, with another index or another radicand: each way as often as the others."""
    ways: list[list[_Edit]] = [[], [], [], []]
    for side in _sides(equation):
        for at, sign in enumerate(side.signs):
            if sign.kind != "root":
                continue
            inside = _argument(side.signs, at + 1)
            if not inside:
                continue
            # The root goes, but what it covers stays together: \sqrt{2+3} becomes (2+3).
            first, last = inside[0], inside[-1]
            if first.text == "{":
                ways[0].append(_Edit(sign.start, last.end, "(" + text[first.end : last.start] + ")"))
            elif first.text != "(":
                ways[0].append(_Edit(sign.start, last.end, f"({text[first.start : first.end]})"))
            if len(sign.text) > 1:
                ways[1].append(_Edit(sign.start, sign.end, r"\sqrt[3]" if sign.text == "√2" else r"\sqrt"))
            ways[2] += [
                _Edit(number.start, number.end, _another(number, rng))
                for number in inside
                if number.kind == "number" and number.text.isdigit()
            ]
    root = (r"\sqrt{", "}") if _in_latex(text) else ("√", "")
    for side in _sides(equation):
        ways[3] += [
            _Edit(sign.start, sign.end, root[0] + text[sign.start : sign.end] + root[1])
            for sign, power in _numbers(side)
            if sign.kind == "number" and not power and sign.text not in ("0", "1") and not _argued(side.signs, sign)
        ]
    # First the way, then the place: a text has many more numbers to put under a root than roots to drop.
    found = [way for way in ways if way]
    if found:
        yield rng.choice(rng.choice(found))


def _unit(text: str, equation: Equation, rng: random.Random) -> Iterator[_Edit]:
    """Another power of the same unit, or another unit of the same kind."""
    for sign in (sign for side in _sides(equation) for sign in side.signs if sign.kind == "unit"):
        # The unit alone: the m of \mathrm is no metre.
        bare = _POWER.sub("", _LATEX_COMMAND.sub(lambda command: " " * len(command[0]), sign.text))
        base = next(word for word in sorted(UNIT_BASES, key=len, reverse=True) if word in bare)
        at = sign.text.rindex(base)
        if base in _NEAR_BASES:
            yield _Edit(sign.start + at, sign.start + at + len(base), _NEAR_BASES[base])
        power = _POWER.search(sign.text)
        if power is None:
            # As the unit is written: 平方厘米, "square metres"; but an abbreviation has its power behind it, "cm²".
            kept = ("平方", "立方") if not base.isascii() else ("square ", "cubic ") if len(base) > 2 else None
            raised = ("^{2}", "^{3}") if "\\" in sign.text else ("²", "³")
            place = sign.start + at if kept else sign.end
            yield _Edit(place, place, rng.choice(kept or raised))
            continue
        low, high = sign.start + power.start(), sign.start + power.end()
        yield _Edit(low, high, "")
        yield _Edit(low, high, _SWAPPED_POWER.sub(lambda said: _SWAPPED[said[0]], power[0]))


def _condition(text: str, equation: Equation, rng: random.Random) -> Iterator[_Edit]:
    """A wrong number in a condition, on either side."""
    yield from _operand(text, equation, rng)
    yield from _result_digit(text, equation, rng)


def _named_length(text: str, equation: Equation, rng: random.Random) -> Iterator[_Edit]:
    """Another point in the name of a length, taken from the names of the equation and those with a value."""
    sides = _sides(equation)
    names = [name for name in equation.names if TWO_POINTS.fullmatch(name)]
    names += [sign.text for side in sides for sign in _lengths(side)]
    known = {point for name in names for point in _POINT.findall(name)}
    for sign in (sign for side in sides for sign in _lengths(side)):
        own = _POINT.findall(sign.text)
        # In sorted order: a set of strings has another order in each process, and draws must come again.
        others = sorted(known - set(own))
        if others and sign.end - sign.start == len(sign.text):
            yield _Edit(sign.start, sign.end, rng.choice(own) + rng.choice(others))


_EDITS: dict[Kind, Callable[[str, Equation, random.Random], Iterator[_Edit]]] = {
    "result digit": _result_digit,
    "operand": _operand,
    "operator": _operator,
    "root": _root,
    "unit": _unit,
    "condition": _condition,
    "named length": _named_length,
}


def _numbers(side: WrittenSide) -> Iterator[tuple[Sign, bool]]:
    """The numbers of ``side``, and whether each is an exponent; indices of names and of roots are not among them."""
    before = ""
    for sign in side.signs:
        if sign.kind in ("number", "raised"):
            yield sign, before == "^" or sign.kind == "raised"
        # In x^{-2} the bracket and the minus stand between ^ and its number.
        before = before if sign.text in ("{", "-") and before == "^" else sign.kind


def _lengths(side: WrittenSide) -> list[Sign]:
    """The names of two points in a side that computes with them."""
    if not side.operations or any(sign.kind == "opaque" for sign in side.signs):
        return []
    return [sign for sign in side.signs if sign.kind == "name" and TWO_POINTS.fullmatch(sign.text)]


def _in_latex(text: str) -> bool:
    return "\\" in text or "$" in text


def _another(number: Sign, rng: random.Random) -> str:
    """Another whole number of as many digits."""
    leading = len(number.text) > 1  # Then the last digit is not the first one, and may be 0.
    return number.text[:-1] + rng.choice([digit for digit in "0123456789"[not leading :] if digit != number.text[-1]])


def _argument(signs: Sequence[Sign], at: int) -> Sequence[Sign]:
    """What a root at ``at - 1`` covers: one sign, or all up to the closing bracket."""
    if at >= len(signs) or signs[at].kind != "open":
        return signs[at : at + 1]
    depth = 0
    for end in range(at, len(signs)):
        depth += (signs[end].kind == "open") - (signs[end].kind == "close")
        if depth == 0:
            return signs[at : end + 1]
    return []


def _argued(signs: Sequence[Sign], number: Sign) -> bool:
    """Whether a command takes ``number`` without braces, ``\\frac12``, or a root is over it already."""
    at = signs.index(number)
    kinds = [sign.kind for sign in signs[max(0, at - 2) : at]]
    return "frac" in kinds[-1:] or kinds == ["frac", "number"] or "root" in kinds
