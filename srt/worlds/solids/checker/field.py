"""Exact arithmetic of the checker: numbers made of fractions, square roots and pi, as elements of one large field.

The field has P² elements ``x + y i``, where i² = -1 and P is a prime that is one less than a multiple of 4. There every
prime q has a root: the power q^((P+1)/4) itself, or i times that of -q. The root of a fraction is made of the roots of
its prime factors, so that roots go with products: sqrt(2) sqrt(3) = sqrt(6). Pi stands for a fixed large number.
Two different numbers with few terms have the same residue with a chance below 2^-400. A float goes along, for signs.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_ODD = [
    number for number in range(3, 400, 2) if all(number % divisor for divisor in range(3, 20, 2) if divisor < number)
]
_STEP = 8 * math.prod(_ODD)
PRIME = 10 * _STEP - 1
"""The first prime of this form; a test holds that it is one."""
_PI = pow(int("31415926535897932384626433832795028841971693993751"), 2, PRIME)
_LARGEST = 10**15
"""Of numerators and denominators that are recognised under a root."""


class NoExactValue(Exception):
    """A division by zero, or a root that is no fraction times roots of whole numbers and powers of pi."""


class Residue(NamedTuple):
    """A number: its residue ``real + imaginary i``, and about what it is."""

    real: int
    imaginary: int
    about: float

    def __add__(self, other: Residue) -> Residue:  # type: ignore[override]
        """The sum."""
        return Residue(
            (self.real + other.real) % PRIME, (self.imaginary + other.imaginary) % PRIME, self.about + other.about
        )

    def __sub__(self, other: Residue) -> Residue:
        """The difference."""
        return Residue(
            (self.real - other.real) % PRIME, (self.imaginary - other.imaginary) % PRIME, self.about - other.about
        )

    def __mul__(self, other: Residue) -> Residue:  # type: ignore[override]
        """The product."""
        (a, b, x), (c, d, y) = self, other
        return Residue((a * c - b * d) % PRIME, (a * d + b * c) % PRIME, x * y)

    def __truediv__(self, other: Residue) -> Residue:
        """The quotient."""
        norm = (other.real**2 + other.imaginary**2) % PRIME
        if norm == 0 or other.about == 0:
            raise NoExactValue
        scale = pow(norm, -1, PRIME)
        inverse = Residue(other.real * scale % PRIME, -other.imaginary * scale % PRIME, 1 / other.about)
        return self * inverse

    def to(self, exponent: int) -> Residue:
        """A power, with an exponent that is not negative."""
        result = of(1)
        for _ in range(exponent):
            result *= self
        return result

    def square_root(self) -> Residue:
        """The positive root of a fraction times an even power of pi."""
        for power in (0, 1, -1, 2, -2):
            shifted = self / PI_RESIDUE.to(2 * power) if power >= 0 else self * PI_RESIDUE.to(-2 * power)
            if (fraction := _as_fraction(shifted)) is not None and fraction > 0:
                root = _root_of_whole(fraction.numerator * fraction.denominator) / of(fraction.denominator)
                return root * PI_RESIDUE.to(power) if power >= 0 else root / PI_RESIDUE.to(-power)
        raise NoExactValue

    def third_root(self) -> Residue:
        """The cube root of a fraction that has one."""
        fraction = _as_fraction(self)
        if fraction is None or fraction <= 0:
            raise NoExactValue
        root = Fraction(round(fraction.numerator ** (1 / 3)), round(fraction.denominator ** (1 / 3)))
        if root**3 != fraction:
            raise NoExactValue
        return of(root)

    def is_same(self, other: Residue) -> bool:
        """Whether both are the same number."""
        return self[:2] == other[:2] and math.isclose(self.about, other.about, rel_tol=1e-9, abs_tol=1e-12)

    def __lt__(self, other: Residue) -> bool:  # type: ignore[override]
        """By what they are about: equal numbers are neither."""
        return self.about < other.about

    def is_zero(self) -> bool:
        """Whether it is zero."""
        return self[:2] == (0, 0)


def of(number: Fraction | int) -> Residue:
    """A rational number."""
    above, below = number.as_integer_ratio()
    return Residue(above % PRIME if below == 1 else above * pow(below, -1, PRIME) % PRIME, 0, above / below)


PI_RESIDUE = Residue(_PI, 0, math.pi)


def _as_fraction(number: Residue) -> Fraction | None:
    """The fraction with a small numerator and denominator that has this residue (by Euclid's algorithm), if any."""
    if number.imaginary:
        return None
    before, here = (PRIME, 0), (number.real, 1)
    while here[0] > _LARGEST:
        quotient = before[0] // here[0]
        before, here = here, (before[0] - quotient * here[0], before[1] - quotient * here[1])
    above, below = here
    if below == 0 or abs(below) > _LARGEST:
        return None
    fraction = Fraction(above, below)
    return fraction if math.isclose(fraction, number.about, rel_tol=1e-9) else None


@lru_cache(maxsize=4096)
def _root_of_whole(number: int) -> Residue:
    """The root, as a product of those of the prime factors."""
    root, divisor = of(1), 2
    while divisor * divisor <= number and divisor <= 10**6:
        while number % divisor**2 == 0:
            number //= divisor**2
            root *= of(divisor)
        if number % divisor == 0:
            number //= divisor
            root *= _root_of_prime(divisor)
        divisor += 1 if divisor == 2 else 2
    if math.isqrt(number) ** 2 == number:
        return root * of(math.isqrt(number))
    if number > 10**12:
        raise NoExactValue  # It may have two large factors.
    return root * _root_of_prime(number)


@lru_cache(maxsize=4096)
def _root_of_prime(prime: int) -> Residue:
    for sign in (1, -1):
        root = pow(sign * prime, (PRIME + 1) // 4, PRIME)
        if (root * root - sign * prime) % PRIME == 0:
            return Residue(*((root, 0) if sign == 1 else (0, root)), math.sqrt(prime))
    raise NoExactValue
