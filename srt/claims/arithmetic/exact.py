"""Exact comparison of closed expressions: rationals, roots, pi, sines of nice angles. No rounding, no simplifying.

Two values that differ are distinguished by their digits. Two that agree in 40 digits are equal only if that is proved:
for an expression of roots there is a number of digits beyond which agreement means equality (the separation bound of
Burnikel, Funke, Mehlhorn, Schirra and Schmitt, "A separation bound for real algebraic expressions", 2001), and as many
are computed. Pi is transcendental: an equation with pi holds if and only if it holds for every number in pi's place,
so it is tried at more points than its degree. What would take too long is :class:`Undecided`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath  # type: ignore[import-untyped]

from srt.claims.syntax.expression import (
    PI,
    TRIGONOMETRIC,
    Call,
    Expression,
    Number,
    Quantity,
    Symbol,
    number,
    rebuilt,
    walk,
)

_MOST_BITS = 20_000
_MOST_NODES = 600
_DIGITS = 60
_REAL = mpmath.mp.clone()
Real = Any
"""An mpmath number; the library has no types."""


class Undecided(Exception):
    """The value is beyond what is decided here: too large, not real, not closed, or of an unknown kind."""


class Undefined(Undecided):
    """The expression has no real value: a division by zero, an even root of a negative number."""


def compare(a: Expression, b: Expression) -> int:
    """The sign of ``a - b``: -1, 0 or 1, for closed ``a`` and ``b``. Raises :class:`Undecided`."""
    difference = _plain(Call("add", (a, Call("neg", (b,)))))
    if sum(1 for _ in walk(difference)) > _MOST_NODES:
        raise Undecided
    exact = rational(difference)
    if exact is not None:
        return (exact > 0) - (exact < 0)
    rough, fine, size = (
        approximation(difference, _DIGITS),
        approximation(difference, 2 * _DIGITS),
        abs(approximation(_plain(a), 20)) + abs(approximation(_plain(b), 20)),
    )
    if abs(fine) > size * _REAL.mpf(10) ** -40:
        if abs(rough - fine) * 1000 > abs(fine):
            raise Undecided
        return int(_REAL.sign(fine))
    if _is_zero(difference):
        return 0
    raise Undecided


def rational(tree: Expression) -> Fraction | None:
    """The value of ``tree`` where it is made of rational numbers alone; ``None`` where roots or pi come in.

    Raises :class:`Undecided` for a division by zero, a free symbol or a number that is too large.
    """
    try:
        return _Rational({}).value(tree)
    except _Irrational:
        return None


def approximation(tree: Expression, digits: int, pi: Fraction | None = None) -> Real:
    """``tree`` to about ``digits`` digits, as an mpmath number; ``pi``: the value to take for pi.

    Raises :class:`Undecided`.
    """
    with _REAL.workdps(digits + 10):
        at = +_REAL.pi if pi is None else _REAL.mpf(pi.numerator) / pi.denominator
        return _real(tree, at)


def real_of(value: Fraction) -> Real:
    """A rational number as an mpmath number of 60 digits."""
    with _REAL.workdps(_DIGITS):
        return _REAL.mpf(value.numerator) / value.denominator


class _Irrational(Exception):
    pass


@dataclass(frozen=True)
class _Rational:
    """Evaluation in fractions. ``symbols`` gives values to names; pi may be among them."""

    symbols: Mapping[str, Fraction]

    def value(self, tree: Expression) -> Fraction:
        match tree:
            case Number(value):
                return value
            case Symbol(name):
                if name in self.symbols:
                    return self.symbols[name]
                if tree == PI:
                    raise _Irrational
                raise Undecided
            case Quantity(value=inner):
                return self.value(inner)
            case Call(head, parts):
                return _limited(self.call(head, parts))
        raise AssertionError

    def call(self, head: str, parts: tuple[Expression, ...]) -> Fraction:
        if head in TRIGONOMETRIC or head.startswith("arc"):
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
    if value.numerator.bit_length() + value.denominator.bit_length() > _MOST_BITS:
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
    if (base == 0 and exponent <= 0) or abs(exponent) * bits > _MOST_BITS:
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
        with _REAL.workprec(value.bit_length() + 20):
            root = int(_REAL.nint(_REAL.root(value, degree)))
    return root if root**degree == value else None


def _real(tree: Expression, pi: Real) -> Real:
    match tree:
        case Number(value):
            return _REAL.mpf(value.numerator) / value.denominator
        case Symbol():
            if tree != PI:
                raise Undecided
            return pi
        case Quantity(value=value):
            return _real(value, pi)
        case Call(head, parts):
            values = [_real(part, pi) for part in parts]
            result = _real_call(head, values, parts)
            if not _REAL.isfinite(result) or abs(_REAL.mag(result) if result else 0) > _MOST_BITS:
                raise Undecided
            return result
    raise AssertionError


def _real_call(head: str, values: list[Real], parts: tuple[Expression, ...]) -> Real:
    match head, values:
        case "add", _:
            return _REAL.fsum(values)
        case "neg", [value]:
            return -value
        case (("mul" | "dot" | "cross"), _):
            return _REAL.fprod(values)
        case "div", [above, below]:
            if below == 0:
                raise Undefined
            return above / below
        case "pow", [base, exponent]:
            whole = exponent == int(exponent) if abs(exponent) < 1000 else False
            if (base == 0 and exponent <= 0) or (base < 0 and not whole) or abs(exponent) > 1000:
                raise Undecided
            if base and abs(exponent) * max(1, abs(_REAL.mag(base))) > _MOST_BITS:
                raise Undecided
            return base ** (int(exponent) if whole else exponent)
        case "root", [value, index]:
            degree = int(index) if 2 <= index <= 60 and index == int(index) else 0
            if value < 0 and degree and degree % 2 == 0:
                raise Undefined if value < -1e-20 else Undecided
            if not degree:
                raise Undecided
            return _REAL.root(value, degree) if value >= 0 else -_REAL.root(-value, degree)
        case "abs", [value]:
            return abs(value)
        case "percent", [value]:
            return value / 100
        case (("sin" | "cos" | "tan" | "cot" | "sec" | "csc"), [value]):
            if abs(value) > 10_000:
                raise Undecided
            return getattr(_REAL, head)(value)
        case (("arcsin" | "arccos"), [value]):
            if abs(value) > 1:
                raise Undecided
            return _REAL.asin(value) if head == "arcsin" else _REAL.acos(value)
        case "arctan", [value]:
            return _REAL.atan(value)
        case (("factorial" | "binomial" | "permutation"), _):
            exact = rational(Call(head, parts))
            if exact is not None:
                return _REAL.mpf(exact.numerator) / exact.denominator
    raise Undecided


def _is_zero(tree: Expression) -> bool:
    """Whether ``tree``, zero in 40 digits, is zero. Raises :class:`Undecided`."""
    if any(
        isinstance(node, Call) and (node.head in TRIGONOMETRIC or node.head.startswith("arc")) for node in walk(tree)
    ):
        raise Undecided
    if not any(node == PI for node in walk(tree)):
        return _algebraic_zero(tree)
    degree = _degree_in_pi(tree)
    if degree > 24:
        raise Undecided
    points = (Fraction(3) + Fraction(k, 97) for k in range(1, degree + 2))
    return all(_algebraic_zero(rebuilt(tree, lambda n, at=at: number(at) if n == PI else None)) for at in points)  # type: ignore[misc]


def _degree_in_pi(tree: Expression) -> int:
    match tree:
        case Number():
            return 0
        case Symbol():
            return 1 if tree == PI else 0
        case Quantity(value=value):
            return _degree_in_pi(value)
        case Call("pow", (base, exponent)):
            power = rational(exponent)
            if power is None or abs(power) > 24:
                raise Undecided
            return math.ceil(abs(power)) * _degree_in_pi(base)
        case Call("root", (value, _)):
            return 2 * _degree_in_pi(value)
        case Call(_, parts):
            return sum(map(_degree_in_pi, parts))
    raise AssertionError


def _algebraic_zero(tree: Expression) -> bool:
    exact = rational(tree)
    if exact is not None:
        return exact == 0
    roots: dict[Expression, int] = {}
    above, below = _separation(tree, roots)
    degree = math.prod(roots.values())
    bits = (degree - 1) * above + below + 4
    if degree > 4096 or bits > _MOST_BITS:
        raise Undecided
    digits = int(bits * 0.3011) + 10
    return bool(abs(approximation(tree, digits)) < _REAL.mpf(2) ** -int(bits))


def _separation(tree: Expression, roots: dict[Expression, int]) -> tuple[float, float]:
    """Binary logarithms of the bounds u and l of the paper; ``roots`` collects the distinct roots and their degrees."""
    match tree:
        case Number(value):
            return math.log2(max(1, abs(value.numerator))), math.log2(value.denominator)
        case Quantity(value=value):
            return _separation(value, roots)
        case Call("add", parts):
            total = (0.0, 0.0)
            for place, part in enumerate(parts):
                u, l = _separation(part, roots)  # noqa: E741 (the paper's letters)
                total = (u, l) if place == 0 else (_log_sum(total[0] + l, total[1] + u), total[1] + l)
            return total
        case Call("mul" | "dot" | "cross", parts):
            bounds = [_separation(part, roots) for part in parts]
            return sum(u for u, _ in bounds), sum(l for _, l in bounds)  # noqa: E741
        case Call("neg" | "abs", (part,)):
            return _separation(part, roots)
        case Call("percent", (part,)):
            u, l = _separation(part, roots)  # noqa: E741
            return u, l + math.log2(100)
        case Call("div", (a, b)):
            (ua, la), (ub, lb) = _separation(a, roots), _separation(b, roots)
            return ua + lb, la + ub
        case Call("pow", (base, exponent)):
            power = rational(exponent)
            if power is None or abs(power) > 1000:
                raise Undecided
            if power.denominator != 1:
                base = Call("root", (base, number(power.denominator)))
            u, l = _separation(base, roots)  # noqa: E741
            times = abs(power.numerator)
            return (l * times, u * times) if power < 0 else (u * times, l * times)
        case Call("root", (value, Number(index))):
            if index.denominator != 1 or index > 60:
                raise Undecided
            roots[tree] = degree = int(index)
            u, l = _separation(value, roots)  # noqa: E741
            if u >= l:
                return (u + (degree - 1) * l) / degree, l
            return u, ((degree - 1) * u + l) / degree
        case Call("factorial" | "binomial" | "permutation", _):
            exact = rational(tree)
            if exact is not None:
                return math.log2(max(1, exact.numerator)), 0.0
    raise Undecided


def _log_sum(x: float, y: float) -> float:
    high, low = max(x, y), min(x, y)
    return high + math.log2(1 + 2.0 ** max(low - high, -1000))


def _plain(tree: Expression) -> Expression:
    """``tree`` with degrees in radians and sines of multiples of 15 degrees as roots."""
    return rebuilt(tree, _plain_node)


def _plain_node(node: Expression) -> Expression | None:
    match node:
        case Call("deg", (value,)):
            return Call("div", (Call("mul", (value, PI)), number(180)))
        case Call(head, (argument,)) if head in TRIGONOMETRIC:
            turned = _twelfths(argument)
            return None if turned is None else _nice(head, turned)
    return None


def _twelfths(angle: Expression) -> int | None:
    """How many times pi/12 ``angle`` is, where that is a whole number."""
    try:
        zero, one, two = (_Rational({"pi": Fraction(at)}).value(angle) for at in (12, 24, 36))
    except (_Irrational, Undecided):
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


def _nice(head: str, twelfths: int) -> Expression:
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
