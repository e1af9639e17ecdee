"""Whether two values that differ agree to the digits that are printed.

A decimal stands for what rounds to it, and for what truncates to it where that is irrational; pi may have been taken as
3.14 and the like. Two digits at least must be printed for that. Between rational values, ``=`` means equal: a correct
rounding that does not say so is left open.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from srt.maths.syntax.expression import PI, Call, Expression, Number, Quantity, number, rebuilt, symbols, walk
from srt.maths.values.exact import plain
from srt.maths.values.expression_value import approximation, rational, real_of

Outcome = Literal["yes", "no", "open"]
"""``open``: undecided, such as a value rounded silently, units that do not match, or a value too large to compute."""

PI_TAKEN_AS = tuple(map(Fraction, ("3.14", "22/7", "3.1416", "3.142", "3.14159")))


def agree(left: Expression, relation: str, right: Expression) -> Outcome:
    """Whether ``left`` and ``right``, closed and not equal, agree as far as they are printed, for ``=`` or ``≈``."""
    loose = relation == "≈" or _irrational(left) or _irrational(right)
    outcomes = [_rounded(side, other, relation) for side, other in ((right, left), (left, right)) if literal(side)]
    for outcome in ("yes", "open"):
        if outcome in outcomes:
            return outcome
    if not loose:
        return "no"
    near = _near(left, right, relation)
    return "open" if near == "yes" and outcomes else near


def literal(tree: Expression) -> tuple[Fraction, Fraction] | None:
    """The value of ``tree`` and the unit of its last digit, if it is a single literal."""
    match tree:
        case Number(value, decimals):
            if decimals is None and value.denominator != 1:
                return None
            return value, Fraction(1, 10 ** (decimals or 0))
        case Quantity(value=inner) | Call("neg", (inner,)) | Call("deg", (inner,)):
            found = literal(inner)
            return (-found[0], found[1]) if found and isinstance(tree, Call) and tree.head == "neg" else found
        case Call("percent", (inner,)):
            found = literal(inner)
            return (found[0] / 100, found[1] / 100) if found else None
    return None


def _rounded(side: Expression, other: Expression, relation: str) -> Outcome:
    """Whether ``other`` agrees with the literal ``side`` to its last digit."""
    found = literal(side)
    if found is None:
        return "no"
    value, last = found
    if isinstance(side, Call) and side.head == "deg":
        other = Call("div", (Call("mul", (other, number(180))), PI))
    irrational, whole = _irrational(other), last == 1
    if relation == "≈" and whole:
        while value and value % (last * 10) == 0 and abs(value) >= last * 100:
            last *= 10
    two_digits = abs(value) >= last * 10
    said = relation == "≈" or (irrational and not whole)
    silently = two_digits and (irrational or _has_decimals(other) or not whole)
    step = real_of(last)
    carried = step * (3 if relation == "≈" else 1 if said else 0) if _rounded_on_the_way(other) else 0
    nearest: Outcome = "no"
    for taken in (plain(other), *_with_pi_taken(other)):
        if rational(taken) == value:
            return "yes"
        off = (approximation(taken, 40) - real_of(value)) * (-1 if value < 0 else 1)
        cut_off = 0 <= off < step
        if abs(off) <= step / 2 or (cut_off and irrational):
            if said and two_digits:
                return "yes"
            nearest = "open" if said or silently else nearest
        elif (cut_off and not whole and (said or silently)) or abs(off) < carried:
            nearest = "open"
    return nearest if nearest == "open" else _by_rounded_roots(other, value)


def _by_rounded_roots(tree: Expression, value: Fraction) -> Outcome:
    """Whether ``value`` results where square roots are rounded to two or three digits before the computation."""
    for digits in (2, 3):
        taken = rebuilt(tree, lambda node, digits=digits: _root_rounded(node, digits))  # type: ignore[misc]
        if taken != tree and rational(plain(taken)) == value:
            return "open"
    return "no"


def _rounded_on_the_way(tree: Expression) -> bool:
    """Whether a result of ``tree`` may carry the error of numbers rounded before: decimals, or two irrational ones."""
    rough = sum(node == PI or (isinstance(node, Call) and node.head == "root") for node in walk(tree))
    return rough > 1 or _has_decimals(tree)


def _with_pi_taken(tree: Expression) -> Iterator[Expression]:
    """``tree`` with pi taken as 3.14 and the like."""
    if PI in walk(tree):
        for pi in PI_TAKEN_AS:
            yield plain(rebuilt(tree, lambda node, pi=pi: number(pi) if node == PI else None))  # type: ignore[misc]


def _root_rounded(node: Expression, digits: int) -> Expression | None:
    match node:
        case Call("root", (Number(value), Number(Fraction(numerator=2, denominator=1)))) if value > 0:
            root = approximation(node, 30) * 10**digits
            return Number(Fraction(int(root + 0.5), 10**digits), digits)
    return None


def _near(left: Expression, right: Expression, relation: str) -> Outcome:
    """Whether the sides agree within what the last digits of their decimals leave open."""
    literals = [{node for node in walk(side) if isinstance(node, Number) and node.decimals} for side in (left, right)]
    own = tuple(
        set() if literal(side) else mine - others  # How a lone decimal is rounded, :func:`_rounded` has judged.
        for side, mine, others in zip((left, right), literals, reversed(literals), strict=True)
    )
    for pi in (None, *(PI_TAKEN_AS if PI in walk(left) or PI in walk(right) else ())):
        values = [approximation(plain(side), 40, pi) for side in (left, right)]
        slack = real_of(Fraction())
        for side, value, loose in zip((left, right), values, own, strict=True):
            for node in loose:
                moved = Number(node.value + Fraction(1, 2 * 10 ** (node.decimals or 0)), node.decimals)
                varied = rebuilt(side, lambda n, old=node, new=moved: new if n == old else None)  # type: ignore[misc]
                slack += abs(approximation(plain(varied), 40, pi) - value)
        if pi is not None and values[0] == values[1]:
            return "yes"
        if slack and abs(values[0] - values[1]) <= slack:
            return "yes" if slack <= abs(values[0]) / 40 else "open"
        if slack and abs(values[0] - values[1]) <= 2 * slack and relation == "≈":
            return "open"
        if relation == "≈" and not (literals[0] or literals[1]) and abs(values[0] - values[1]) <= abs(values[0]) / 20:
            return "open"
    return "no"


def _has_decimals(tree: Expression) -> bool:
    return any(isinstance(node, Number) and node.decimals for node in walk(tree))


def _irrational(tree: Expression) -> bool:
    return not symbols(tree) and rational(plain(tree)) is None
