"""Values of expressions, exactly and in digits, by the reader of mathematics that checks traces (:mod:`srt.maths`).

Nothing is evaluated as code: text becomes tokens, tokens a tree, and the tree fractions and intervals.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from srt.answers.equality.mixed_numbers import with_sums
from srt.maths.equal_values import equal_values, readings
from srt.maths.syntax.expression import PI, Call, Expression, Number, substituted, symbols, walk
from srt.maths.values.expression_value import Undecided, approximation, rational
from srt.maths.values.identity import identical
from srt.maths.values.vectors import NotScalar, scalar
from srt.maths.work import remembered

_LONGEST = 300
_DIGITS = 40
_POINTS = (2, 5, 11)
"""Where equations are compared, until neither side is 0 there."""
_PI_TAKEN_AS = (Fraction("3.14"), Fraction(22, 7), Fraction("3.1416"))


@remembered(maxsize=4096)
def equal_exactly(a: str, b: str) -> bool | None:
    """Whether two expressions are the same value (for all values of their names); ``None``: it is not decided."""
    return None if max(len(a), len(b)) > _LONGEST else equal_values(with_sums(a), with_sums(b))


@remembered(maxsize=4096)
def same_equation(a: tuple[str, str], b: tuple[str, str]) -> bool:
    """Whether two equations, each with its two sides, are one up to a factor: ``y = 2x - 3`` and ``2x - y - 3 = 0``."""
    one, other = (_difference(sides) for sides in (a, b))
    if one is None or other is None or not symbols(one) or symbols(one) != symbols(other):
        return False
    for start in _POINTS:
        point = {name: Number(Fraction(start + at)) for at, name in enumerate(sorted(symbols(one)))}
        here, there = (_digits(substituted(tree, point), None) for tree in (one, other))
        if here and there:
            return identical(one, Call("mul", (Number(here / there), other))) == "yes"
    return False


def numeric_values(text: str, *, pi_as_school: bool = False) -> Iterator[Fraction]:
    """What the closed expression ``text`` may be worth, to 40 digits; nothing where it is none or has names in it.

    ``pi_as_school``: also with 3.14, 22/7 and 3.1416 in pi's place.
    """
    for tree in _readings(text):
        if symbols(tree):
            continue
        value = _digits(tree, None)
        if value is not None:
            yield value
        if pi_as_school and PI in walk(tree):
            yield from filter(None, (_digits(tree, pi) for pi in _PI_TAKEN_AS))


def names(text: str) -> frozenset[str]:
    """The free names in ``text`` as it is read first; none where it cannot be read."""
    return next((symbols(tree) for tree in _readings(text)), frozenset())


def is_closed(text: str) -> bool | None:
    """Whether the expression ``text`` has no free names; ``None`` where it is not understood."""
    found = _readings(text)
    return not symbols(found[0]) if found else None


def is_readable(text: str) -> bool:
    """Whether ``text`` is an expression that is understood."""
    return bool(_readings(text))


@remembered(maxsize=4096)
def _readings(text: str) -> tuple[Expression, ...]:
    return tuple(readings(with_sums(text))) if len(text) <= _LONGEST else ()


def _difference(sides: tuple[str, str]) -> Expression | None:
    left, right = map(_readings, sides)
    return Call("add", (left[0], Call("neg", (right[0],)))) if left and right else None


def _digits(tree: Expression, pi: Fraction | None) -> Fraction | None:
    try:
        tree = scalar(tree)
        exact = rational(tree)
        if exact is not None:
            return exact
        near = approximation(tree, _DIGITS, pi)
        return Fraction(int(near * 10**_DIGITS), 10**_DIGITS)
    except (Undecided, NotScalar, ArithmeticError, ValueError, RecursionError):
        return None
