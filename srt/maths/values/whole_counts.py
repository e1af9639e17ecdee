"""Quotients that are not written out: with a remainder, or rounded to whole things."""

from __future__ import annotations

import re
from fractions import Fraction

from srt.maths.syntax.expression import Call, Expression, Quantity, rebuilt
from srt.maths.values.expression_value import Undecided, rational

_COUNTED = re.compile(
    r"[\s$（(]*(?:[个只块张辆次根盒箱瓶袋桶人片支条趟车节段]|"
    r"(?:people|times|(?!(?:thus|this|was|has|as|is|gives|means|yields|implies|equals)\b)[a-z]{2,}s)\b)"
)
_NEXT_NUMBER = re.compile(r"[^\d=\n。;；]{1,40}?(\d+)(?![\d.])")


def counts_whole(left: Expression, relation: str, right: Expression, after: str) -> str | None:
    """Why ``left = right``, which is false, may be meant as a count of whole things, if so.

    ``after``: the text that follows. ``30÷4=7 (groups) ... 2``: the next number is the remainder; ``17/4 = 5 boxes``.
    """
    counted = _COUNTED.match(after) is not None
    if relation == "≈" and counted:
        return "it may be rounded to a count"
    value, whole = _value(left), _value(right)
    if value is None or whole is None or whole.denominator != 1 or not 0 < abs(value - whole) < 1:
        return None
    if counted:
        return "it may be rounded to a count"
    if isinstance(left, Call) and left.head == "div":
        divided, divisor = (_value(part) for part in left.parts)
        found = _NEXT_NUMBER.match(after)
        if divided is not None and divisor is not None and found and divided - divisor * whole == int(found[1]):
            return "the next number is its remainder"
    return None


def _value(tree: Expression) -> Fraction | None:
    """The rational value of a closed expression, units left out."""
    try:
        return rational(rebuilt(tree, lambda node: node.value if isinstance(node, Quantity) else None))
    except (Undecided, ArithmeticError):
        return None
