"""Errors planted in the claims of a text: what the prose checker is measured on.

An error changes characters of the source inside a claim that was proved on the untouched text. Some leave the claim
true by accident (``2 + 2`` with its values swapped); they are recognised by an evaluation of their own, in floating
point of 50 digits over a translation of the source that shares nothing with :mod:`srt.claims`, and counted separately.
"""

from __future__ import annotations

import math
import random
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import mpmath  # type: ignore[import-untyped]

from srt.language.trace import ClaimCheck

Kind = Literal["digit", "sign", "exponent", "swap"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_REAL = mpmath.mp.clone()
_REAL.dps = 50

_NAME_INDEX = re.compile(
    r"_\s*\{[^{}]*\}|_\s*\w|[A-Z]['’′]?\d+|\\(?:text|mathrm)\s*\{[^{}]*\}(?:\^\{?\d\}?)?|\\sqrt\[\d\]"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_EXPONENT = re.compile(r"\^\s*\{?\s*(\d)\s*\}?|([²³])")
_SIGN = re.compile(r"[+＋]|(?<![A-Za-z])-")


@dataclass(frozen=True)
class Planted:
    """``text`` with one error; ``[start, end)``: the characters of the new text that the error spans.

    ``effect``: whether the claim is still true: ``false``, ``true`` (by accident), or ``unknown`` where the independent
    evaluation cannot read it (names with values, vectors, solving steps).
    """

    text: str
    kind: Kind
    claim: ClaimCheck
    start: int
    end: int
    change: str
    effect: Literal["false", "true", "unknown"]


def plant(text: str, rng: random.Random, checks: Sequence[ClaimCheck], kind: Kind | None = None) -> Planted | None:
    """``text`` with one error in one of the claims that ``checks`` (of the untouched text) proved.

    Args:
        text: the untouched text.
        rng: decides the kind (unless ``kind`` is given), the claim and the characters.
        checks: the verdicts on the untouched text.
        kind: the kind of error wanted.

    Returns:
        The text with the error, or ``None`` where no proved claim has a place for it.
    """
    proved = [
        check
        for check in checks
        # A claim that spans a chain is about its ends; an error in between is not in the claim.
        if check.support == "proved" and len(_RELATION.findall(text[check.start : check.end])) <= 1
    ]
    kinds = [kind] if kind else rng.sample(KINDS, len(KINDS))
    for wanted in kinds:
        for claim in rng.sample(proved, len(proved)):
            edits = list(_edits(text[claim.start : claim.end], wanted, rng))
            if edits:
                start, end, new = rng.choice(edits)
                source = text[claim.start : claim.end]
                changed = source[:start] + new + source[end:]
                return Planted(
                    text=text[: claim.start] + changed + text[claim.end :],
                    kind=wanted,
                    claim=claim,
                    start=claim.start + start,
                    end=claim.start + start + max(1, len(new)),
                    change=f"{source[start:end]} -> {new}",
                    effect=_effect(source, changed, claim.reason or ""),
                )
    return None


def _edits(source: str, kind: Kind, rng: random.Random) -> Iterator[tuple[int, int, str]]:
    """Replacements ``(start, end, new)`` of that kind inside ``source``, indices of names and units left alone."""
    names = [match.span() for match in _NAME_INDEX.finditer(source)]

    def free(start: int, end: int) -> bool:
        return not any(low < end and start < high for low, high in names)

    if kind == "digit":
        for number in _NUMBER.finditer(source):
            place = rng.randrange(number.start(), number.end())
            if free(*number.span()) and source[place].isdigit():
                leading = place == number.start() and len(number[0]) > 1
                yield place, place + 1, rng.choice([d for d in "0123456789"[leading:] if d != source[place]])
    elif kind == "sign":
        for sign in _SIGN.finditer(source):
            if free(*sign.span()):
                yield sign.start(), sign.end(), "-" if sign[0] in "+＋" else "+"
    elif kind == "exponent":
        for power in _EXPONENT.finditer(source):
            group, digits = (1, "2345") if power[1] else (2, "²³⁴")
            if free(*power.span()):
                yield *power.span(group), rng.choice([d for d in digits if d != power[group]])
    else:
        numbers = [number for number in _NUMBER.finditer(source) if free(*number.span())]
        for place, first in enumerate(numbers):
            for second in numbers[place + 1 :]:
                if float(first[0]) != float(second[0]):
                    between = source[first.end() : second.start()]
                    yield first.start(), second.end(), second[0] + between + first[0]


def _effect(source: str, changed: str, reason: str) -> Literal["false", "true", "unknown"]:
    before, after = _RELATION.split(source), _RELATION.split(changed)
    if len(before) != 2 or len(after) != 2:
        return "unknown"
    if reason.startswith(_SOLVES):
        return _still_solves(reason.removeprefix(_SOLVES), after)
    values = [(_value(old), _value(new), old == new) for old, new in zip(before, after, strict=True)]
    if all(same or (old is not None and new is not None and _close(old, new)) for old, new, same in values):
        return "true"
    (left, left_now, _), (right, right_now, _) = values
    readable = left is not None and right is not None and left_now is not None and right_now is not None
    unequal = _UNEQUAL.search(changed)
    if not readable or not (unequal or _close(left, right)):
        return "unknown"
    if unequal:
        above = unequal[0] in ">＞" or unequal[0].startswith("\\g")
        return "true" if (left_now > right_now if above else left_now < right_now) else "false"
    return "true" if _close(left_now, right_now) else "false"


def _still_solves(condition: str, sides: list[str]) -> Literal["false", "true", "unknown"]:
    """Whether the value that ``sides`` give to a name of one letter meets ``condition`` (the other root)."""
    name, value = sides[0].strip(" $"), _value(sides[1])
    if not re.fullmatch("[a-z]", name) or value is None:
        return "unknown"
    shown = _REAL.nstr(value, 48, min_fixed=-99, max_fixed=99)
    both = [_value(re.sub(rf"(?<![a-z]){name}(?![a-z])", f"({shown})", side)) for side in condition.split(" = ")]
    if len(both) != 2 or both[0] is None or both[1] is None:
        return "unknown"
    return "true" if _close(*both) else "false"


def _close(a: Any, b: Any) -> bool:
    return bool(abs(a - b) <= _SAME * max(abs(a), abs(b), 1))


_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SOLVES = "it solves "
_CLOSING = {"(": ")", "[": "]", "{": "}", "(|": "|)"}
_SAME = _REAL.mpf(10) ** -35
_RELATION = re.compile(r"=|＝|≈|\\approx|[<>＜＞]|\\(?:lt|gt|leq?|geq?)(?:slant)?(?![a-z])")
_UNEQUAL = re.compile(r"[<>＜＞]|\\(?:lt|gt)(?![a-z])")
_CHOICE = re.compile(r"C_\s*\{?(\d{1,2})\}?\s*\^\s*\{?(\d{1,2})\}?(?!\d)")
_DROPPED = re.compile(
    r"\\(?:left|right)\.|\$|\\left|\\right|\\displaystyle|\\[,;:! ]|\\quad|~|&|\\\\|"
    r"\\(?:text|mathrm|rm)\s*\{[^{}]*\}(?:\s*\^\s*\{?[23]\}?)?|[\u3000-\u9fff，。；]|"
    r"\(\s*(?:cm|m|mm|dm|km)\s*\)|(?<=\d)\s*(?:cm|mm|dm|km|m)\b(?:\s*\^\s*\{?[23]\}?|[²³])?"
)
_TOKEN = re.compile(
    r"\s*(\d+(?:\.\d+)?|\\?(?:d|t)?frac(?![a-z])|\\?sqrt(?![a-z])|√|\\pi|π|\\(?:times|cdot|div)(?![a-z])|\\sin|\\cos|\\tan|"
    r"\^\s*(?:\{\s*\\circ\s*\}|\\circ)|°|[-+*/^(){}\[\]|×·÷²³]|[a-zA-Z])"
)


def _value(side: str) -> Any:
    """The value of ``side``, not a number where it is not real, ``None`` where it cannot be read."""
    tokens: deque[str] = deque()
    side = _CHOICE.sub(lambda chosen: f" {math.comb(int(chosen[1]), int(chosen[2]))} ", side)
    side, at = re.sub(r"[(（]\s*[)）]", " ", _DROPPED.sub(" ", side.translate(_NARROW).replace(",\\!", ""))).strip(), 0
    while at < len(side):
        match = _TOKEN.match(side, at)
        if match is None:
            return None
        token = re.sub(r"\s", "", match[1])
        if token == "|":
            opens = not tokens or tokens[-1] in "+-*/×·÷({[=" or tokens[-1] in ("\\times", "\\cdot", "\\div")
            token = "(|" if opens else "|)"
        tokens.append(token)
        at = match.end()
    try:
        value = _sum(tokens)
    except (IndexError, ValueError, ZeroDivisionError, OverflowError, RecursionError, TypeError):
        return None
    return value if not tokens and isinstance(value, _REAL.mpf) else None


def _sum(tokens: deque[str]) -> Any:
    """The value at the head of ``tokens``, which is taken off them; so do the functions below."""
    value = _product(tokens)
    while tokens and tokens[0] in "+-":
        sign, term = tokens.popleft(), _product(tokens)
        value = value + term if sign == "+" else value - term
    return value


def _product(tokens: deque[str]) -> Any:
    if tokens[0] in ("-", "+"):
        return -_product(tokens) if tokens.popleft() == "-" else _product(tokens)
    value = _power(tokens)
    while tokens and tokens[0] not in ("+", "-", ")", "]", "}", "|)"):
        sign = tokens[0]
        if sign in ("*", "×", "·", "\\times", "\\cdot", "/", "÷", "\\div"):
            tokens.popleft()
        negative = tokens[0] == "-"
        if negative:
            tokens.popleft()
        factor = -_power(tokens) if negative else _power(tokens)
        value = value / factor if sign in ("/", "÷", "\\div") else value * factor
    return value


def _power(tokens: deque[str]) -> Any:
    value = _atom(tokens)
    while tokens and tokens[0] in ("^", "²", "³"):
        sign = tokens.popleft()
        exponent = _atom(tokens) if sign == "^" else _REAL.mpf("²³".index(sign) + 2)
        if abs(exponent) > 60:
            raise ValueError
        value = value**exponent
    return value


def _atom(tokens: deque[str]) -> Any:
    token = tokens.popleft()
    if token[0].isdigit():
        return _REAL.mpf(token)
    if token in _CLOSING:
        value = _sum(tokens)
        if tokens.popleft() != _CLOSING[token]:
            raise ValueError
        return abs(value) if token == "(|" else value
    if token in ("\\pi", "π"):
        return +_REAL.pi
    if token.endswith("frac"):
        return _atom(tokens) / _atom(tokens)
    if token in ("\\sqrt", "sqrt", "√"):
        value = _atom(tokens)
        return _REAL.sqrt(value) if value >= 0 else _REAL.nan
    raise ValueError
