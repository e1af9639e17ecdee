"""Whether two expressions in free symbols are the same function: tried exactly at points chosen in advance.

A rational function that is not zero is zero at few points only (Schwartz, "Fast probabilistic algorithms for
verification of polynomial identities", 1980): with denominators of the size below, the chance that two different
expressions of this length agree at all of them is below one in a million.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from srt.maths.syntax.expression import Call, Expression, Number, Quantity, free, number, substituted
from srt.maths.values.exact import compare
from srt.maths.values.expression_value import Real, Undecided, approximation
from srt.maths.work import remembered

_PRIMES = (1009, 1511, 2003, 2503, 3001, 3511, 4001, 4507, 5003, 5501)
_POINTS = 3
_MOST_SYMBOLS = 8
_TRIED = 9
_SAME = 1e-20


@remembered(maxsize=2048)
def identical(a: Expression, b: Expression) -> Literal["yes", "no", "open"]:
    """Whether ``a`` equals ``b`` for all positive values of their symbols.

    Raises nothing but :class:`~srt.maths.work.TooMuchWork`.
    """
    names = sorted(free((a, b)))
    if len(names) > _MOST_SYMBOLS:
        return "open"
    agreed = 0
    for point in range(_POINTS + 3):
        values: dict[str, Expression] = {
            name: number(Fraction(_PRIMES[(place * 3 + point) % 10] + 37 * place + point, 1000 + 7 * place))
            for place, name in enumerate(names)
        }
        try:
            if compare(substituted(a, values), substituted(b, values)) != 0:
                return "no"
            agreed += 1
        except (Undecided, ArithmeticError, RecursionError):
            continue  # Not real at this point: a root of a negative number, a division by zero.
        if agreed == _POINTS:
            return "yes"
    return "open"


def degree(tree: Expression, name: str) -> int | None:
    """The degree of ``tree`` as a polynomial in ``name``, ``None`` where it is none that is plain to see."""
    match tree:
        case Number():
            return 0
        case Quantity(value=value):
            return degree(value, name)
        case Call("add", parts):
            degrees = [degree(part, name) for part in parts]
            return None if None in degrees else max(d for d in degrees if d is not None)
        case Call("mul" | "dot" | "cross", parts):
            degrees = [degree(part, name) for part in parts]
            return None if None in degrees else sum(d for d in degrees if d is not None)
        case Call("neg", (part,)):
            return degree(part, name)
        case Call("div", (above, below)):
            return degree(above, name) if degree(below, name) == 0 else None
        case Call("pow", (base, Number(exponent))):
            inner = degree(base, name)
            if inner is None or exponent.denominator != 1 or exponent < 0:
                return 0 if inner == 0 else None
            return inner * exponent.numerator
        case Call(_, parts):
            return 0 if name not in free((tree,)) else None
    return int(name in free((tree,)))


def never_equal(a: Expression, b: Expression) -> bool:
    """Whether ``a`` and ``b``, scalars, differ for all positive values of their symbols, as far as is plain to see.

    Their quotient is one constant other than 1 and ``a`` keeps its sign (``x^2·x/3`` and ``x^3/4``), or their
    difference is one constant other than 0. Everything else may be a condition that some values meet.
    """
    names = sorted(free((a, b)))
    if not names or len(names) > _MOST_SYMBOLS:
        return False
    pairs = []
    for point in range(_TRIED):
        values = {
            name: number(Fraction(_PRIMES[(place * 3 + point) % 10], 10 ** (2 + (point * (place + 1) + place) % 4)))
            for place, name in enumerate(names)
        }
        try:
            pairs.append([approximation(substituted(side, values), 40) for side in (a, b)])
        except (Undecided, ArithmeticError, RecursionError):
            continue
    if len(pairs) < _POINTS:
        return False
    differences = [u - v for u, v in pairs]
    if _constant(differences):
        return bool(abs(differences[0]) > _SAME)
    if any(v == 0 for _, v in pairs) or len({u > 0 for u, _ in pairs}) != 1:
        return False
    quotients = [u / v for u, v in pairs]
    return _constant(quotients) and bool(abs(quotients[0] - 1) > _SAME)


def _constant(values: list[Real]) -> bool:
    return all(abs(value - values[0]) <= _SAME * (1 + abs(values[0])) for value in values)
