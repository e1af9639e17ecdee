"""Exact comparison of closed expressions: rationals, roots, pi, sines of nice angles. No rounding, no simplifying.

Two values that differ are distinguished by their digits. Two that agree in 40 digits are equal only if that is proved:
for an expression of roots there is a number of digits beyond which agreement means equality (the separation bound of
Burnikel, Funke, Mehlhorn, Schirra and Schmitt, "A separation bound for real algebraic expressions", 2001), and as many
are computed. Pi is transcendental: an equation with pi holds if and only if it holds for every number in pi's place,
so it is tried at more points than its degree. What would take too long is :class:`Undecided`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from srt.maths.syntax.expression import (
    ARCS,
    PI,
    STEPWISE,
    TRANSCENDENTAL,
    Call,
    Expression,
    Number,
    Quantity,
    Symbol,
    heads,
    number,
    rebuilt,
    walk,
)
from srt.maths.values.expression_value import MOST_BITS, REAL, Undecided, approximation, rational
from srt.maths.values.simple_values import nice, simple_value
from srt.maths.work import spend

_MOST_NODES = 600
_DIGITS = 60


def compare(a: Expression, b: Expression) -> int:
    """The sign of ``a - b``: -1, 0 or 1, for closed ``a`` and ``b``. Raises :class:`Undecided`."""
    difference = plain(Call("add", (a, Call("neg", (b,)))))
    nodes = sum(1 for _ in walk(difference))
    if nodes > _MOST_NODES:
        raise Undecided
    spend(10 * nodes)
    exact = rational(difference)
    if exact is not None:
        return (exact > 0) - (exact < 0)
    rough, fine, size = (
        approximation(difference, _DIGITS),
        approximation(difference, 2 * _DIGITS),
        abs(approximation(plain(a), 20)) + abs(approximation(plain(b), 20)),
    )
    if abs(fine) > size * REAL.mpf(10) ** -40:
        if abs(rough - fine) * 1000 > abs(fine):
            raise Undecided
        return int(REAL.sign(fine))
    if _is_zero(difference):
        return 0
    raise Undecided


def plain(tree: Expression) -> Expression:
    """``tree`` with degrees in radians, sines of multiples of 15 degrees as roots, and functions with simple values."""
    return rebuilt(tree, _plain_node)


def _plain_node(node: Expression) -> Expression | None:
    match node:
        case Call("deg", (value,)):
            return Call("div", (Call("mul", (value, PI)), number(180)))
        case Call(head, (argument,)) if head in ARCS:
            return _nice_angle(head, argument)
        case Call(head, parts) if head in STEPWISE | TRANSCENDENTAL:
            return simple_value(head, parts)
    return None


def _nice_angle(head: str, argument: Expression) -> Expression | None:
    """The angle whose sine (cosine, tangent) is ``argument``, where it is a multiple of pi/12."""
    try:
        rough = approximation(Call(head, (argument,)), 30) * 12 / REAL.pi
        turned = int(REAL.nint(rough))
        if abs(rough - turned) > 1e-15 or compare(nice(head.removeprefix("arc"), turned), argument) != 0:
            return None
    except (Undecided, ZeroDivisionError):
        return None
    return Call("div", (Call("mul", (number(turned), PI)), number(12)))


def _is_zero(tree: Expression) -> bool:
    """Whether ``tree``, zero in 40 digits, is zero. Raises :class:`Undecided`."""
    if heads(tree) & TRANSCENDENTAL:
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
    if degree > 4096 or bits > MOST_BITS:
        raise Undecided
    digits = int(bits * 0.3011) + 10
    return bool(abs(approximation(tree, digits)) < REAL.mpf(2) ** -int(bits))


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
