"""The value of an expression to fifteen digits: enough to tell which formula it is an instance of."""

from __future__ import annotations

import math
from collections.abc import Mapping

from srt.maths.syntax.expression import PI, Call, Expression, Number, Quantity, Symbol

_FUNCTIONS = {"sin": math.sin, "cos": math.cos, "tan": math.tan}


def float_value(tree: Expression, values: Mapping[str, float], pi: float = math.pi) -> float | None:
    """The value of ``tree`` with names as in ``values``; units are left out; ``None`` if it has none.

    Angles without a sign of degrees are in degrees.
    """
    try:
        return _value(tree, values, pi)
    except (KeyError, ValueError, ZeroDivisionError, OverflowError, TypeError):
        return None


def same(a: float, b: float) -> bool:
    """Whether two values agree to ten digits."""
    return math.isclose(a, b, rel_tol=1e-10)


def _value(tree: Expression, values: Mapping[str, float], pi: float) -> float:
    match tree:
        case Number(value=value):
            return float(value)
        case Symbol(name=name):
            return pi if tree == PI else values[name]
        case Quantity(value=inner) | Call("deg", (inner,)):
            return _value(inner, values, pi)
        case Call("pow", (base, index)):
            return math.pow(_value(base, values, pi), _value(index, values, pi))
        case Call("root", (base, index)):
            return math.pow(_value(base, values, pi), 1 / _value(index, values, pi))
        case Call(head, parts):
            return _call(head, [_value(part, values, pi) for part in parts])


def _call(head: str, values: list[float]) -> float:
    match head:
        case "add":
            return sum(values)
        case "neg":
            return -values[0]
        case "mul" | "dot" | "cross":
            return math.prod(values)
        case "div":
            return values[0] / values[1]
        case "percent":
            return values[0] / 100
        case "abs":
            return abs(values[0])
        case "sin" | "cos" | "tan":
            return _FUNCTIONS[head](math.radians(values[0]))
    raise ValueError(head)
