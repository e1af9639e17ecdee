"""The value of closed expressions: in fractions where there are rational numbers alone, else in digits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath  # type: ignore[import-untyped]

from srt.maths.syntax.expression import PI, TRANSCENDENTAL, Call, Expression, Number, Quantity, Symbol
from srt.maths.work import spend

MOST_BITS = 20_000
_DIGITS = 60
REAL = mpmath.mp.clone()
Real = Any
"""An mpmath number; the library has no types."""


class Undecided(Exception):
    """The value is beyond what is decided here: too large, not real, not closed, or of an unknown kind."""


_WORK = dict.fromkeys(TRANSCENDENTAL, 40) | {"root": 16, "pow": 10}
"""Steps that an operation takes for each 200 bits of its result; all others take five."""


class Undefined(Undecided):
    """The expression has no real value: a division by zero, an even root of a negative number."""


def rational(tree: Expression, pi: Fraction | None = None) -> Fraction | None:
    """The value of ``tree`` where it is made of rational numbers alone; ``None`` where roots or pi come in.

    ``pi``: a value to take for pi.

    Raises :class:`Undecided` for a division by zero, a free symbol or a number that is too large.
    """
    try:
        return _Rational(pi).value(tree)
    except _Irrational:
        return None


def approximation(tree: Expression, digits: int, pi: Fraction | None = None) -> Real:
    """``tree`` to about ``digits`` digits, as an mpmath number; ``pi``: the value to take for pi.

    Raises :class:`Undecided`.
    """
    with REAL.workdps(digits + 10):
        at = +REAL.pi if pi is None else REAL.mpf(pi.numerator) / pi.denominator
        return _real(tree, at)


def real_of(value: Fraction) -> Real:
    """A rational number as an mpmath number of 60 digits."""
    with REAL.workdps(_DIGITS):
        return REAL.mpf(value.numerator) / value.denominator


class _Irrational(Exception):
    pass


@dataclass(frozen=True)
class _Rational:
    """Evaluation in fractions."""

    pi: Fraction | None

    def value(self, tree: Expression) -> Fraction:
        match tree:
            case Number(value):
                return value
            case Symbol():
                if tree != PI:
                    raise Undecided
                if self.pi is None:
                    raise _Irrational
                return self.pi
            case Quantity(value=inner):
                return self.value(inner)
            case Call(head, parts):
                result = _limited(self.call(head, parts))
                spend(5 + result.denominator.bit_length() // 64)
                return result
        raise AssertionError

    def call(self, head: str, parts: tuple[Expression, ...]) -> Fraction:
        if head in TRANSCENDENTAL:
            raise _Irrational
        values = [self.value(part) for part in parts]
        match head, values:
            case "add", _:
                return sum(values, Fraction())
            case "neg", [value]:
                return -value
            case (("mul" | "dot" | "cross"), _):
                return math.prod(values, start=Fraction(1))
            case "div", [above, below]:
                if below == 0:
                    raise Undefined
                return above / below
            case "pow", [base, exponent]:
                return _rational_power(base, exponent)
            case "root", [value, index]:
                root = _rational_root(value, index)
                if root is None:
                    raise _Irrational
                return root
            case "abs", [value]:
                return abs(value)
            case "percent", [value]:
                return value / 100
            case "factorial", [value]:
                return Fraction(math.factorial(_small(value, 200)))
            case "binomial", [n, k]:
                return Fraction(math.comb(_small(n, 500), _small(k, 500)))
            case "permutation", [n, k]:
                return Fraction(math.perm(_small(n, 200), _small(k, 200)))
        raise Undecided


def _limited(value: Fraction) -> Fraction:
    if value.numerator.bit_length() + value.denominator.bit_length() > MOST_BITS:
        raise Undecided
    return value


def _small(value: Fraction, most: int) -> int:
    if value.denominator != 1 or not 0 <= value <= most:
        raise Undecided
    return value.numerator


def _rational_power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        if base < 0:
            raise Undecided
        root = _rational_root(base, Fraction(exponent.denominator))
        if root is None:
            raise _Irrational
        base, exponent = root, Fraction(exponent.numerator)
    bits = base.numerator.bit_length() + base.denominator.bit_length()
    if (base == 0 and exponent <= 0) or abs(exponent) * bits > MOST_BITS:
        raise Undecided
    return base**exponent.numerator


def _rational_root(value: Fraction, index: Fraction) -> Fraction | None:
    """The root where it is rational, else ``None``."""
    degree = _small(index, 60)
    if degree < 2:
        raise Undecided
    if value < 0 and degree % 2 == 0:
        raise Undefined
    above, below = _whole_root(abs(value.numerator), degree), _whole_root(value.denominator, degree)
    if above is None or below is None:
        return None
    return Fraction(-above if value < 0 else above, below)


def _whole_root(value: int, degree: int) -> int | None:
    if degree == 2:
        root = math.isqrt(value)
    else:
        with REAL.workprec(value.bit_length() + 20):
            root = int(REAL.nint(REAL.root(value, degree)))
    return root if root**degree == value else None


def _real(tree: Expression, pi: Real) -> Real:
    match tree:
        case Number(value):
            return REAL.mpf(value.numerator) / value.denominator
        case Symbol():
            if tree != PI:
                raise Undecided
            return pi
        case Quantity(value=value):
            return _real(value, pi)
        case Call(head, parts):
            values = [_real(part, pi) for part in parts]
            spend(_WORK.get(head, 5) * (1 + REAL.prec // 200))
            result = _real_call(head, values, parts)
            if not REAL.isfinite(result) or abs(REAL.mag(result) if result else 0) > MOST_BITS:
                raise Undecided
            return result
    raise AssertionError


def _real_call(head: str, values: list[Real], parts: tuple[Expression, ...]) -> Real:
    match head, values:
        case "add", _:
            return REAL.fsum(values)
        case "neg", [value]:
            return -value
        case (("mul" | "dot" | "cross"), _):
            return REAL.fprod(values)
        case "div", [above, below]:
            if below == 0:
                raise Undefined
            return above / below
        case "pow", [base, exponent]:
            whole = exponent == int(exponent) if abs(exponent) < 1000 else False
            if (base == 0 and exponent <= 0) or (base < 0 and not whole) or abs(exponent) > 1000:
                raise Undecided
            if base and abs(exponent) * max(1, abs(REAL.mag(base))) > MOST_BITS:
                raise Undecided
            return base ** (int(exponent) if whole else exponent)
        case "root", [value, index]:
            degree = int(index) if 2 <= index <= 60 and index == int(index) else 0
            if value < 0 and degree and degree % 2 == 0:
                raise Undefined if value < -1e-20 else Undecided
            if not degree:
                raise Undecided
            return REAL.root(value, degree) if value >= 0 else -REAL.root(-value, degree)
        case "abs", [value]:
            return abs(value)
        case "percent", [value]:
            return value / 100
        case (("sin" | "cos" | "tan" | "cot" | "sec" | "csc"), [value]):
            if abs(value) > 10_000:
                raise Undecided
            return getattr(REAL, head)(value)
        case (("arcsin" | "arccos"), [value]):
            if abs(value) > 1:
                raise Undecided
            return REAL.asin(value) if head == "arcsin" else REAL.acos(value)
        case "arctan", [value]:
            return REAL.atan(value)
        case "exp", [value] if abs(value) < 1000:
            return REAL.exp(value)
        case "log", [value, base] if value > 0 and base > 0 and base != 1:
            return REAL.log(value) / REAL.log(base)
        case (("factorial" | "binomial" | "permutation"), _):
            exact = rational(Call(head, parts))
            if exact is not None:
                return REAL.mpf(exact.numerator) / exact.denominator
    raise Undecided
