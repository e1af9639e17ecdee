"""Whether two texts write the same value: read as formulas and as prose, and compared exactly."""

from __future__ import annotations

import itertools

from srt.maths.syntax.expression import STEPWISE, Expression, Quantity, heads, symbols, walk
from srt.maths.syntax.lexing.lexer import tokens_of
from srt.maths.syntax.parser import parse
from srt.maths.syntax.token_cursor import Reading, Unreadable
from srt.maths.values.comparison import holds
from srt.maths.values.exact import compare
from srt.maths.values.expression_value import Undecided
from srt.maths.values.identity import identical
from srt.maths.values.vectors import NotScalar, components, scalar

_LONGEST = 2_000
_ANSWER_READINGS: tuple[Reading, ...] = (frozenset(), frozenset({"divisor", "coefficient"}), frozenset({"product"}))
"""How an answer may be meant: each of them may be the one that equals another answer."""
_LEFT_TO_OTHERS = STEPWISE | {"exp", "log"}
"""Functions that answers are not compared by here."""


def equal_values(a: str, b: str) -> bool | None:
    """Whether two expressions (answers) are exactly equal; ``None`` where either cannot be read or decided.

    Units are compared where both have them; a decimal equals only its own value, no rounding. Expressions in the same
    free names are equal if they are for all values of the names.
    """
    found = [_equal_exactly(x, y) for x, y in itertools.product(readings(a), readings(b))]
    if any(found):
        return True
    return None if not found or None in found else False


def readings(text: str) -> list[Expression]:
    """The possible readings of the expression ``text``: as a formula and as prose (``2 m`` is two metres in prose).

    Only readings without free names, if there are any; none if it is not understood.
    """
    body = text[:_LONGEST].strip().strip("$").rstrip(".。")
    trees: list[Expression] = []
    for source in (f"${body}$", body):
        tokens = [token for token in tokens_of(source) if token.kind != "edge"]
        for reading in _ANSWER_READINGS:
            try:
                tree = parse(tokens, reading)
            except Unreadable:
                continue
            if tree not in trees and not heads(tree) & _LEFT_TO_OTHERS:
                trees.append(tree)
    return [tree for tree in trees if not symbols(tree)] or trees


def _equal_exactly(a: Expression, b: Expression) -> bool | None:
    u, v = components(a), components(b)
    if u is not None and v is not None:
        parts = [_equal_exactly(x, y) for x, y in zip(u, v, strict=False)]
        if len(u) != len(v) or False in parts:
            return False
        return None if None in parts else True
    try:
        a, b = scalar(a), scalar(b)
        if symbols(a) or symbols(b):
            same = identical(a, b) if symbols(a) == symbols(b) else "open"
            return None if same == "open" else same == "yes"
        if any(isinstance(node, Quantity) for side in (a, b) for node in walk(side)):
            outcome = holds(a, "=", b)
            return None if outcome == "open" else outcome == "yes"
        return compare(a, b) == 0
    except (NotScalar, Undecided, ArithmeticError, RecursionError):
        return None
