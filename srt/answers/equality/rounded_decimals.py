"""Numbers that were rounded: which decimal may stand for which value, under a policy.

A decimal with k digits right of the point stands for every value within half a unit of its last digit. A whole number
stands for itself alone, six cubes are not 6.2, and so does a decimal too short to be a rounded one, such as 7.6.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from srt.answers.equality.policies import FEWEST_DECIMALS, FEWEST_SIGNIFICANT, Policy

_GROUPED = re.compile(r"(?<=\d)(?:,|\{,\}|\s(?=\d{3}(?!\d)))(?=\d{3}(?:\D|$))")
_DECIMAL = re.compile(r"([-+]?)\s*(\d*)(?:\.(\d*))?")
_SCIENTIFIC = re.compile(
    r"(.{1,200}?)(?:[eE]|\s{0,20}(?:\\times|×|\\cdot|·|\*)\s*+10\s*+\^)\s*+\{?\s*+([-+]?\d{1,3})\s*+\}?"
)
_HAN_POWERS = {"万": 4, "亿": 8}
_MOST_DIGITS = 60
_SLACK = Fraction(1, 10**12)
"""Of half a unit: a value of 40 digits that lies exactly in the middle may fall on either side."""


@dataclass(frozen=True)
class Decimal:
    """A number as it is written: its value, and how many of its digits stand right of the point (0: a whole one)."""

    value: Fraction
    decimals: int
    significant: int

    @property
    def half(self) -> Fraction:
        """Half a unit of the last digit; 0 for a whole number."""
        return Fraction(1, 2 * 10**self.decimals) if self.decimals else Fraction()


def decimal(text: str) -> Decimal | None:
    """``text`` as a number in digits: ``1,200``, ``-0.50``, ``1.2e3``, ``1.2\\times 10^{3}``; ``None`` for others."""
    if len(text) > 2 * _MOST_DIGITS:
        return None
    scientific = _SCIENTIFIC.fullmatch(text)
    body, power = (scientific[1], int(scientific[2])) if scientific else (text, 0)
    if body[-1:] in _HAN_POWERS:
        body, power = body[:-1], power + _HAN_POWERS[body[-1]]
    match = _DECIMAL.fullmatch(_GROUPED.sub("", body.strip()))
    if match is None or not (match[2] or match[3]):
        return None
    sign, whole, behind = match[1], match[2], match[3] or ""
    digits = whole + behind
    if len(digits) > _MOST_DIGITS or (len(whole) > 1 and whole[0] == "0"):
        return None
    value = Fraction(int(digits), 10 ** len(behind)) * Fraction(10) ** power * (-1 if sign == "-" else 1)
    return Decimal(value, max(0, len(behind) - power), len(digits.lstrip("0")))


def stands_for(gold: Fraction | Decimal, given: Fraction | Decimal, factor: Fraction, policy: Policy) -> bool:
    """Whether ``given``, times ``factor``, is gold's value as far as digits go.

    A :class:`Decimal` is what was written so; a fraction is the value of an expression, which is exact.
    """
    gold_value = gold.value if isinstance(gold, Decimal) else gold
    given_value = (given.value if isinstance(given, Decimal) else given) * factor
    if gold_value == given_value:
        return True
    gold_half = gold.half if isinstance(gold, Decimal) else Fraction()
    given_half = given.half * abs(factor) if isinstance(given, Decimal) else Fraction()
    gap = abs(gold_value - given_value)
    if gap <= policy.tolerance * max(abs(gold_value), abs(given_value)):
        return True
    if policy.rounding == "none":
        return False
    if isinstance(gold, Decimal) and gold_half and given_half <= gold_half:
        return _is_rounded(gold) and gap <= gold_half * (1 + _SLACK)
    if policy.rounding == "gold" or not isinstance(given, Decimal) or not given_half:
        return False
    return _is_rounded(given) and gap <= given_half * (1 + _SLACK)


def _is_rounded(written: Decimal) -> bool:
    """Whether it has digits enough to be a rounded value: 0.5 and 7.6 are themselves alone."""
    fine = written.decimals >= FEWEST_DECIMALS or written.significant >= FEWEST_SIGNIFICANT
    return fine and written.value != 0
