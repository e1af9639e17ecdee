"""Exact arithmetic of the checker: numbers made of fractions, square roots and pi, as residues of one large prime.

The prime is one less than a multiple of 8 and of all odd primes below 400, so that each of them has a square root, and
``x^((p+1)/4)`` is the root that goes with products: sqrt(2) sqrt(3) = sqrt(6). Pi stands for a fixed large square: two
different numbers with few terms have the same residue with a chance below 2^-400. A float goes along, for signs.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

_ODD = [
    number for number in range(3, 400, 2) if all(number % divisor for divisor in range(3, 20, 2) if divisor < number)
]
_STEP = 8 * math.prod(_ODD)
PRIME = 10 * _STEP - 1
"""The first prime of this form; a test holds that it is one."""
_PI = pow(int("31415926535897932384626433832795028841971693993751"), 2, PRIME)


class NoExactValue(Exception):
    """A division by zero, or a root that cannot be told apart from its opposite."""


class Residue(NamedTuple):
    """A number: its residue, and about what it is."""

    residue: int
    about: float

    def __add__(self, other: Residue) -> Residue:  # type: ignore[override]
        """The sum."""
        return Residue((self.residue + other.residue) % PRIME, self.about + other.about)

    def __sub__(self, other: Residue) -> Residue:
        """The difference."""
        return Residue((self.residue - other.residue) % PRIME, self.about - other.about)

    def __mul__(self, other: Residue) -> Residue:  # type: ignore[override]
        """The product."""
        return Residue(self.residue * other.residue % PRIME, self.about * other.about)

    def __truediv__(self, other: Residue) -> Residue:
        """The quotient."""
        if other.residue == 0 or other.about == 0:
            raise NoExactValue
        return Residue(self.residue * pow(other.residue, -1, PRIME) % PRIME, self.about / other.about)

    def to(self, exponent: int) -> Residue:
        """A power."""
        return Residue(pow(self.residue, exponent, PRIME), self.about**exponent)

    def square_root(self) -> Residue:
        """The positive root."""
        if self.about <= 0:
            raise NoExactValue
        root = pow(self.residue, (PRIME + 1) // 4, PRIME)
        if root * root % PRIME != self.residue:
            raise NoExactValue
        return Residue(root, math.sqrt(self.about))

    def third_root(self) -> Residue:
        """The cube root of a whole number or a small fraction that has one."""
        for below in range(1, 13):
            above = round(below * self.about ** (1 / 3)) if self.about > 0 else 0
            found = of(Fraction(above, below))
            if above and found.to(3).residue == self.residue:
                return found
        raise NoExactValue

    def is_same(self, other: Residue) -> bool:
        """Whether both are the same number."""
        return self.residue == other.residue and math.isclose(self.about, other.about, rel_tol=1e-9, abs_tol=1e-12)


def of(number: Fraction | int) -> Residue:
    """A rational number."""
    above, below = number.as_integer_ratio()
    return Residue(above * pow(below, -1, PRIME) % PRIME, above / below)


PI_RESIDUE = Residue(_PI, math.pi)
