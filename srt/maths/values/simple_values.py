"""Functions with simple values: sines of multiples of 15 degrees, rational logarithms, whole parts, extremes."""

from __future__ import annotations

import math
from fractions import Fraction

from srt.maths.syntax.expression import TRIGONOMETRIC, Call, Expression, number
from srt.maths.values.expression_value import REAL, Undecided, Undefined, approximation, rational


def simple_value(head: str, parts: tuple[Expression, ...]) -> Expression | None:
    """The value of a function where it is simple, else ``None``. Raises :class:`Undecided`."""
    if head in TRIGONOMETRIC:
        turned = _twelfths(parts[0])
        return None if turned is None else nice(head, turned)
    try:
        values = [rational(part) for part in parts]
    except Undecided:
        return None
    exact = [value for value in values if value is not None]
    whole = len(exact) == len(values) and all(value.denominator == 1 for value in exact)
    match head:
        case "exp":
            return number(1) if values == [0] else None
        case "log":
            return _rational_logarithm(*exact) if len(exact) == 2 else number(1) if parts[0] == parts[1] else None
        case "floor" | "ceil":
            return number((math.floor if head == "floor" else math.ceil)(exact[0] if exact else _between(parts[0])))
        case "gcd" | "lcm" if whole:
            return number((math.gcd if head == "gcd" else math.lcm)(*(value.numerator for value in exact)))
        case "max" | "min":
            return _extreme(parts, 1 if head == "max" else -1)
    return None


def _extreme(parts: tuple[Expression, ...], sign: int) -> Expression:
    """The largest of ``parts`` for ``sign`` 1, the smallest for -1."""
    best = parts[0]
    for part in parts[1:]:
        ahead = (approximation(part, 40) - approximation(best, 40)) * sign
        if part != best and abs(ahead) < 1e-25:
            raise Undecided
        best = part if ahead > 0 else best
    return best


def _between(value: Expression) -> Fraction:
    """A number between the same two whole numbers as ``value``, which is irrational."""
    rough = approximation(value, 40)
    if abs(rough - REAL.nint(rough)) < 1e-25:
        raise Undecided
    return Fraction(int(REAL.floor(rough))) + Fraction(1, 2)


def _rational_logarithm(value: Fraction, base: Fraction) -> Expression | None:
    """``log_4 8``, one and a half; ``None`` where it is irrational."""
    if value <= 0 or base <= 0 or base == 1:
        raise Undefined
    rough = Fraction(float(REAL.log(REAL.mpf(value.numerator) / value.denominator)
                           / REAL.log(REAL.mpf(base.numerator) / base.denominator)))  # fmt: skip
    found = rough.limit_denominator(12)
    if abs(found) < 100 and value**found.denominator == base**found.numerator:
        return number(found)
    return None


def _twelfths(angle: Expression) -> int | None:
    """How many times pi/12 ``angle`` is, where that is a whole number."""
    try:
        zero, one, two = (rational(angle, pi=Fraction(at)) for at in (12, 24, 36))
    except Undecided:
        return None
    if zero is None or one is None or two is None:
        return None
    if two - one != one - zero or one != 2 * zero or zero.denominator != 1:
        return None
    return zero.numerator


def _surd(a: int, b: int, c: int) -> Expression:
    """(sqrt(a) + sign(b) sqrt(|b|)) / c."""
    terms: list[Expression] = [Call("root", (number(a), number(2)))]
    if b:
        root = Call("root", (number(abs(b)), number(2)))
        terms.append(root if b > 0 else Call("neg", (root,)))
    return Call("div", (Call("add", tuple(terms)), number(c)))


_COSINES = {0: number(1), 1: _surd(6, 2, 4), 2: _surd(3, 0, 2), 3: _surd(2, 0, 2), 4: number(Fraction(1, 2)),
            5: _surd(6, -2, 4), 6: number(0)}  # fmt: skip


def _cosine(twelfths: int) -> Expression:
    angle = twelfths % 24
    angle = min(angle, 24 - angle)
    return _COSINES[angle] if angle <= 6 else Call("neg", (_COSINES[12 - angle],))


def nice(head: str, twelfths: int) -> Expression:
    """The sine (cosine, ...) of so many times pi/12, in roots."""
    cosine, sine = _cosine(twelfths), _cosine(twelfths - 6)
    match head:
        case "cos":
            return cosine
        case "sin":
            return sine
        case "tan":
            return Call("div", (sine, cosine))
        case "cot":
            return Call("div", (cosine, sine))
        case "sec":
            return Call("div", (number(1), cosine))
    return Call("div", (number(1), sine))
