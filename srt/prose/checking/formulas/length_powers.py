"""The powers of length that an expression may have: 1 for a length, 2 for an area, 3 for a volume, 0 for a number."""

from __future__ import annotations

import itertools
from collections import Counter

from srt.maths.syntax.expression import Call, Expression, Number
from srt.prose.checking.formulas.float_values import same
from srt.prose.checking.formulas.named_values import ValueInRole
from srt.prose.checking.formulas.quantity_words import AREAS

LENGTHS = frozenset({"length", "height", "segment", "radius", "diameter", "axis", "slant", "diagonal", "perimeter", ""})
"""The roles of lengths; a value without a role may be one."""


def length_powers(tree: Expression, known: Counter[ValueInRole]) -> frozenset[int]:
    """The powers of length that ``tree`` may have; a number that no premise states is a plain number."""
    match tree:
        case Number(value=value):
            stated = {_power(one.role) for one in known if same(one.value, float(value))}
            return frozenset(stated or {0})
        case Call("add", parts):
            return frozenset.intersection(*(length_powers(part, known) for part in parts))
        case Call("neg" | "abs", (inner,)):
            return length_powers(inner, known)
        case Call("mul" | "dot" | "cross", parts):
            return frozenset(map(sum, itertools.product(*(length_powers(part, known) for part in parts))))
        case Call("div", (above, below)):
            return frozenset(a - b for a in length_powers(above, known) for b in length_powers(below, known))
        case Call("pow", (base, Number(value=index))) if index.denominator == 1:
            return frozenset(power * int(index) for power in length_powers(base, known))
        case Call("root", (base, Number(value=index))) if index.denominator == 1:
            return frozenset(power // int(index) for power in length_powers(base, known) if power % int(index) == 0)
    return frozenset({0})


def _power(role: str) -> int:
    return (
        3 if role == "volume" else 2 if role in AREAS else 1 if role in LENGTHS or role == "length of all edges" else 0
    )
