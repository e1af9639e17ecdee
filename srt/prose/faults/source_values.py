"""The value of one side of an equation, computed from its source in floating point of 50 digits.

This shares nothing with :mod:`srt.prose`, which it is used to test: it has its own signs
(:mod:`srt.prose.faults.source_tokens`), its own grammar, and computes where the checker proves.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath  # type: ignore[import-untyped]

from srt.prose.faults.source_tokens import UNIT_BASES, Sign

_REAL = mpmath.mp.clone()
_REAL.dps = 50
Value = Any
"""An mpmath number (the library has no types), or the coordinates of a vector: a tuple of them."""

_SAME = _REAL.mpf(10) ** -30
_ROUGHLY = _REAL.mpf("0.005")
_PI_TAKEN_AS = (+_REAL.pi, *map(_REAL.mpf, ("3.14", "3.142", "3.1416", "3.14159")), _REAL.mpf(22) / 7)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ENDS_PRODUCT = frozenset({"+", "-", "close", "rangle", "comma"})
Names = Mapping[str, Value]


@dataclass(frozen=True)
class _Sized:
    """A value and the power of length that its unit has."""

    value: Value
    power: Any = 0


def value_of(signs: Sequence[Sign], names: Names) -> Value | None:
    """The value of a side, units left out; ``None`` where it cannot be read, is not real or is too large."""
    found = _evaluated(signs, names, _PI_TAKEN_AS[0], units=False)
    return None if found is None else found.value


def same_values(a: Value, b: Value) -> bool:
    """Whether two values, numbers or vectors, are the same."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        alike = isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b)
        return alike and all(map(same_values, a, b))
    return bool(abs(a - b) <= _SAME * max(abs(a), abs(b), 1))


def agree(left: Sequence[Sign], relation: str, right: Sequence[Sign], names: Names) -> bool | None:
    """Whether ``left`` equals ``right`` as people write it; ``None`` where a side cannot be read.

    A decimal stands for what rounds or truncates to it, and pi may have been taken as 3.14 or the like. Units count
    where both sides have them. After ``≈``, sides without a lone decimal may differ by half a per cent.
    """
    units = all(any(sign.kind == "unit" for sign in side) for side in (left, right))
    pis = _PI_TAKEN_AS if any(sign.kind == "pi" for sign in (*left, *right)) else _PI_TAKEN_AS[:1]
    readable = False
    for pi in pis:
        a, b = (_evaluated(side, names, pi, units) for side in (left, right))
        if a is None or b is None or isinstance(a.value, tuple) or isinstance(b.value, tuple):
            continue
        readable = True
        if a.power == b.power and _close(a.value, b.value, relation, _last_digit(left), _last_digit(right)):
            return True
    return False if readable else None


def _close(a: Value, b: Value, relation: str, left_digit: Value | None, right_digit: Value | None) -> bool:
    if same_values(a, b):
        return True
    for written, exact, digit in ((a, b, left_digit), (b, a, right_digit)):
        if digit is not None and (digit < 1 or relation == "≈"):
            beyond = (abs(exact) - abs(written)) if exact * written > 0 else _REAL.inf
            if abs(beyond) <= digit / 2 or 0 <= beyond < digit * (1 - _SAME):
                return True
    return relation == "≈" and left_digit is right_digit is None and abs(a - b) <= _ROUGHLY * abs(a)


def _last_digit(side: Sequence[Sign]) -> Value | None:
    """The worth of the last digit of a side that is one literal."""
    numbers = [sign for sign in side if sign.kind == "number"]
    if len(numbers) != 1 or any(sign.kind not in ("number", "-", "unit", "open", "close", "degree") for sign in side):
        return None
    return _REAL.mpf(10) ** -len(numbers[0].text.partition(".")[2])


def _evaluated(signs: Sequence[Sign], names: Names, pi: Value, units: bool) -> _Sized | None:
    reader = _Reader(deque(signs), names, pi, units)
    try:
        found = reader.sum()
    except (IndexError, KeyError, ValueError, ZeroDivisionError, OverflowError, RecursionError, TypeError):
        return None
    numbers = found.value if isinstance(found.value, tuple) else (found.value,)
    whole = not reader.signs and all(isinstance(one, _REAL.mpf) and _REAL.isfinite(one) for one in numbers)
    return found if whole else None


def _plus(a: Value, b: Value) -> Value:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return tuple(x + y for x, y in zip(a, b, strict=True))
    return a + b


def _times(a: Value, b: Value) -> Value:
    """The product of numbers, of a number and a vector, or the scalar product of vectors."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return _REAL.fsum(x * y for x, y in zip(a, b, strict=True))
    if isinstance(a, tuple):
        return tuple(x * b for x in a)
    return tuple(a * y for y in b) if isinstance(b, tuple) else a * b


def _length(value: Value) -> Value:
    return _REAL.sqrt(_times(value, value)) if isinstance(value, tuple) else abs(value)


class _Reader:
    """Reads signs from the left and takes off what it has read. Raises the errors listed above where it cannot."""

    def __init__(self, signs: deque[Sign], names: Names, pi: Value, units: bool) -> None:
        self.signs, self.names, self.pi, self.units = signs, names, pi, units
        self.bars = 0

    def at(self, *kinds: str) -> bool:
        return bool(self.signs) and self.signs[0].kind in kinds

    def sum(self) -> _Sized:
        total = self.product()
        while self.at("+", "-"):
            sign, term = self.signs.popleft().kind, self.product()
            if term.power != total.power and total.value and term.value:
                raise ValueError("a sum of different dimensions")
            total = _Sized(_plus(total.value, term.value if sign == "+" else _times(term.value, -1)), total.power)
        return total

    def product(self) -> _Sized:
        if self.at("-", "+"):
            sign, term = self.signs.popleft().kind, self.product()
            return _Sized(_times(term.value, -1), term.power) if sign == "-" else term
        total = self.power()
        while self.signs and self.signs[0].kind not in _ENDS_PRODUCT and not (self.bars and self.at("bar")):
            sign = self.signs.popleft().kind if self.at("*", "/") else "*"
            negative = self.at("-") and bool(self.signs.popleft())
            factor = self.power()
            value = _times(factor.value, -1) if negative else factor.value
            if sign == "/":
                total = _Sized(_times(total.value, 1 / value), total.power - factor.power)
            else:
                total = _Sized(_times(total.value, value), total.power + factor.power)
        return total

    def power(self) -> _Sized:
        base = self.atom()
        while True:
            if self.at("^", "raised"):
                sign = self.signs.popleft()
                exponent = self.exponent() if sign.kind == "^" else _REAL.mpf("²³".index(sign.text) + 2)
                if abs(exponent) > 60:
                    raise ValueError("too large")
                value = _times(base.value, base.value) if exponent == 2 else base.value**exponent
                base = _Sized(value, base.power * exponent)
            elif self.at("degree"):
                self.signs.popleft()
                base = _Sized(base.value * self.pi / 180)
            elif self.at("percent"):
                self.signs.popleft()
                base = _Sized(base.value / 100)
            elif self.at("unit"):
                base = self.with_unit(base, self.signs.popleft())
            elif self.at("open") and len(self.signs) > 2 and self.signs[1].kind == "unit":
                _, unit, close = (self.signs.popleft() for _ in range(3))
                if close.kind != "close":
                    raise ValueError("no unit in brackets")
                base = self.with_unit(base, unit)
            else:
                return base

    def exponent(self) -> Value:
        negative = self.at("-") and bool(self.signs.popleft())
        value = self.atom().value
        return -value if negative else value

    def with_unit(self, base: _Sized, unit: Sign) -> _Sized:
        if not self.units:
            return base
        size, power = unit_of(unit.text)
        return _Sized(base.value * _REAL.mpf(str(size)) ** power, base.power + power)

    def atom(self) -> _Sized:
        sign = self.signs.popleft()
        match sign.kind:
            case "number":
                return _Sized(_REAL.mpf(sign.text))
            case "pi":
                return _Sized(+self.pi)
            case "name" | "vector":
                return _Sized(self.names[sign.text])
            case "choose":
                below, above = re.findall(r"\d+", sign.text)
                return _Sized(_REAL.mpf(math.comb(int(below), int(above))))
            case "open":
                parts = self.list()
                if self.signs.popleft().text != _CLOSING[sign.text]:
                    raise ValueError("brackets do not match")
                return parts[0] if len(parts) == 1 else _Sized(tuple(part.value for part in parts))
            case "bar":
                self.bars += 1
                found = self.sum()
                self.bars -= 1
                if self.signs.popleft().kind != "bar":
                    raise ValueError("bars do not match")
                return _Sized(_length(found.value), found.power)
            case "frac":
                above, below_ = self.atom(), self.atom()
                return _Sized(_times(above.value, 1 / below_.value), above.power - below_.power)
            case "root":
                index = int(sign.text[1:] or 2)
                inner = self.atom()
                if inner.value < 0 and index % 2 == 0:
                    return _Sized(_REAL.nan)
                root = _REAL.root(abs(inner.value), index)
                return _Sized(-root if inner.value < 0 else root, _REAL.mpf(inner.power) / index)
            case "func":
                return self.function(sign.text.lstrip("\\"))
        raise ValueError(sign.kind)

    def list(self) -> list[_Sized]:
        """What stands in brackets: one value, or the coordinates of a vector."""
        outer, self.bars = self.bars, 0
        parts = [self.sum()]
        while self.at("comma"):
            self.signs.popleft()
            parts.append(self.sum())
        self.bars = outer
        return parts

    def function(self, name: str) -> _Sized:
        exponent = self.exponent() if self.at("^") and self.signs.popleft() else _REAL.mpf(1)
        if self.at("langle"):
            self.signs.popleft()
            a, b = (part.value for part in self.list())
            if self.signs.popleft().kind != "rangle" or name != "cos":
                raise ValueError("no angle of two vectors")
            return _Sized((_times(a, b) / (_length(a) * _length(b))) ** exponent)
        found = getattr(_REAL, name)(self.power().value)
        return _Sized(found**exponent)


def unit_of(text: str) -> tuple[float, int]:
    """The size in metres and the power of a unit of length as it is written: ``\\mathrm{~cm}^{2}``, ``立方厘米``."""
    plain = re.sub(r"(?<!\\)\\++[a-z]+", "", text)
    base = next(word for word in sorted(UNIT_BASES, key=len, reverse=True) if word in plain)
    power = 3 if re.search(r"立方|cubic|[3³]", text) else 2 if re.search(r"平方|square|[2²]", text) else 1
    return UNIT_BASES[base], power
