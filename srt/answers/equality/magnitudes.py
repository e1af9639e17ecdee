"""Two values without units: digits with what rounding allows, then exact algebra, and last math-verify."""

from __future__ import annotations

import re
from fractions import Fraction

from srt.answers.equality import algebra
from srt.answers.equality.normal_form import squeezed
from srt.answers.equality.outcome import Equality, Rules
from srt.answers.equality.rounded_decimals import Decimal, decimal, stands_for

_FORMULA = re.compile(
    r"(?:\\(?!q?quad)[A-Za-z]+|\\[{}]|[^A-Za-z\u4e00-\u9fff\\;、]|(?<![A-Za-z])[A-Za-z]{1,2}(?![A-Za-z]))+"
)


def compare_magnitudes(gold: str, given: str, factor: str, rules: Rules) -> Equality:
    """Whether ``factor`` times ``given`` is ``gold``: the factor brings it to gold's unit."""
    if factor == "1" and squeezed(gold) == squeezed(given) != "":
        return Equality("equal", "exact")
    a, b = decimal(gold), decimal(given)
    times = Fraction(factor) if "\\" not in factor else None
    if a is not None and b is not None and times is not None:
        return Equality("equal" if stands_for(a, b, times, rules.policy) else "differs", "number")
    scaled = given if factor == "1" else f"({given}) \\times {factor}"
    exactly = algebra.equal_exactly(gold, scaled)
    if exactly:
        return Equality("equal", "algebra")
    if _rounds_to(gold, a, b, scaled, times, rules):
        return Equality("equal", "number")
    if exactly is False:
        return Equality("differs", "algebra")
    if {algebra.is_closed(gold), algebra.is_closed(scaled)} == {True, False}:
        return Equality("undecided", "algebra")  # A number and what has free names: math-verify is not asked.
    return ask_math_verify(gold, scaled, rules)


def _rounds_to(
    gold: str, a: Decimal | None, b: Decimal | None, scaled: str, times: Fraction | None, rules: Rules
) -> bool:
    """Whether one side is a decimal, and the other an expression that rounds to it."""
    school = rules.policy.rounding == "either"
    if a is not None and b is None:
        values = algebra.numeric_values(scaled, pi_as_school=school)
        return any(stands_for(a, value, Fraction(1), rules.policy) for value in values)
    if b is not None and a is None and times is not None:
        values = algebra.numeric_values(gold, pi_as_school=school)
        return any(stands_for(value, b, times, rules.policy) for value in values)
    return False


def ask_math_verify(gold: str, given: str, rules: Rules) -> Equality:
    """What math-verify says of two formulas, if it may be asked; of words it is not."""
    same = None
    if rules.same_formula is not None and given and all(map(_FORMULA.fullmatch, (gold, given))):
        same = rules.same_formula(gold, given)
    if same is None:
        return Equality("undecided", "undecided")
    return Equality("equal" if same else "differs", "math-verify")
