"""Two equations: ``y = 2x - 3`` and ``2x - y = 3`` are one, and neither is the value of a name."""

from __future__ import annotations

from srt.answers.equality import algebra
from srt.answers.equality.magnitudes import ask_math_verify
from srt.answers.equality.outcome import Equality, Rules
from srt.answers.equality.stated_values import StatedValue, is_label


def is_equation(one: StatedValue) -> bool:
    """Whether its first side has unknowns and is not a name: ``x^2+y^2 = 1`` has two sides and no value."""
    return not one.label and len(one.sides) > 1 and bool(algebra.names(one.sides[0])) and not is_label(one.sides[0])


def compare_equations(gold: StatedValue, given: StatedValue, rules: Rules) -> Equality:
    """Whether two equations are the same up to a factor, in any order of their terms, or by what math-verify says."""
    a, b = (_both_sides(one) for one in (gold, given))
    if len(a) != 2 or len(b) != 2:
        return Equality("undecided", "undecided")
    for pair in (b, b[::-1]):
        if all(algebra.equal_exactly(x, y) for x, y in zip(a, pair, strict=True)):
            return Equality("equal", "algebra")
    if algebra.same_equation((a[0], a[1]), (b[0], b[1])):
        return Equality("equal", "algebra")
    return ask_math_verify("=".join(a), "=".join(b), rules)


def _both_sides(one: StatedValue) -> list[str]:
    """Its sides; ``y = 2x - 3`` is an equation beside another one, and y is no name of a value there."""
    if len(one.label.strip()) == 1 and len(one.sides) == 1 and algebra.names(one.sides[0]):
        return [one.label.strip(), *one.sides]
    return one.sides
