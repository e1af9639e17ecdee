"""Exact numbers of school geometry: sums of a fraction times a square root times a power of pi."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_MOST_PRODUCTS = 1000
"""Terms of a product before like ones are collected."""
_LARGE = 10**100


class Inexact(Exception):
    """The result is no number of this form, or not a positive one under a root."""


class ExactNumber(NamedTuple):
    """``terms``: (power of pi, number under the root, coefficient), sorted; none is zero, no root has a square."""

    terms: tuple[tuple[int, int, Fraction], ...]

    def plus(self, other: ExactNumber) -> ExactNumber:
        """The sum."""
        return _collected((*self.terms, *other.terms))

    def minus(self, other: ExactNumber) -> ExactNumber:
        """The difference."""
        return _collected((*self.terms, *((pi, root, -factor) for pi, root, factor in other.terms)))

    def times(self, other: ExactNumber) -> ExactNumber:
        """The product; raises :class:`Inexact` for sums of too many terms, which grow with each factor."""
        if len(self.terms) == len(other.terms) == 1 and 1 in (self.terms[0][1], other.terms[0][1]):
            (pi, root, factor), (other_pi, other_root, other_factor) = self.terms[0], other.terms[0]
            return ExactNumber(((pi + other_pi, root * other_root, factor * other_factor),))
        if len(self.terms) * len(other.terms) > _MOST_PRODUCTS:
            raise Inexact
        products = []
        for pi, root, factor in self.terms:
            for other_pi, other_root, other_factor in other.terms:
                # Neither root has a square, so what they share is all that comes out: no product is factored.
                shared = math.gcd(root, other_root)
                inside = root // shared * (other_root // shared)
                products.append((pi + other_pi, inside, factor * other_factor * shared))
        return _collected(products)

    def inverse(self) -> ExactNumber:
        """One divided by it; raises :class:`Inexact` for a sum, and for zero."""
        if len(self.terms) != 1:
            raise Inexact
        ((pi, root, factor),) = self.terms
        return ExactNumber(((-pi, root, Fraction(factor.denominator, factor.numerator * root)),))

    def power(self, exponent: int) -> ExactNumber:
        """The power with an exponent that is not negative; raises :class:`Inexact` for powers of what is large.

        Else a short text, ``((9^9)^9)^9``, would be a number that no memory holds.
        """
        if exponent > 1 and any(
            max(abs(pi), root, abs(x.numerator), x.denominator) > _LARGE for pi, root, x in self.terms
        ):
            raise Inexact
        result = self if exponent else whole(1)
        for _ in range(exponent - 1):
            result = result.times(self)
        return result

    def root(self) -> ExactNumber:
        """The square root; raises :class:`Inexact` where it is none of these numbers."""
        if len(self.terms) != 1:
            raise Inexact
        ((pi, root, factor),) = self.terms
        if pi % 2 or root != 1 or factor <= 0 or factor.numerator * factor.denominator > 10**9:
            raise Inexact
        outside, inside = _square_part(factor.numerator * factor.denominator)
        return ExactNumber(((pi // 2, inside, Fraction(outside, factor.denominator)),))

    def cube_root(self) -> ExactNumber:
        """The cube root of a fraction that has one."""
        if len(self.terms) != 1 or self.terms[0][:2] != (0, 1):
            raise Inexact
        parts = [round(part ** (1 / 3)) for part in self.terms[0][2].as_integer_ratio()]
        if Fraction(*parts) ** 3 != self.terms[0][2]:
            raise Inexact
        return ExactNumber(((0, 1, Fraction(*parts)),))

    def scaled(self, factor: Fraction) -> ExactNumber:
        """It times a fraction."""
        return _collected((pi, root, coefficient * factor) for pi, root, coefficient in self.terms)

    def is_positive(self) -> bool:
        """Whether it is above zero, by more than the rounding of its terms."""
        if len(self.terms) == 1:
            return self.terms[0][2] > 0
        parts = self._parts()
        return math.fsum(parts) > 1e-12 * max(map(abs, parts), default=0.0)

    def _parts(self) -> list[float]:
        return [
            factor.numerator / factor.denominator * math.sqrt(root) * math.pi**pi for pi, root, factor in self.terms
        ]

    def __float__(self) -> float:
        """Its value, rounded."""
        return math.fsum(self._parts())

    def __str__(self) -> str:
        """The normal form: ``9/2*pi``, ``8*sqrt(3) + 60``."""
        return " + ".join(map(_term, reversed(self.terms))).replace("+ -", "- ") or "0"


def whole(number: int | Fraction) -> ExactNumber:
    """A rational number."""
    return ExactNumber(((0, 1, Fraction(number)),) if number else ())


PI = ExactNumber(((1, 1, Fraction(1)),))


def _collected(terms: Iterable[tuple[int, int, Fraction]]) -> ExactNumber:
    sums: dict[tuple[int, int], Fraction] = {}
    for pi, root, factor in terms:
        key = pi, root
        sums[key] = sums[key] + factor if key in sums else factor
    return ExactNumber(tuple(sorted((*key, factor) for key, factor in sums.items() if factor)))


@lru_cache(maxsize=4096)
def _square_part(number: int) -> tuple[int, int]:
    """``(m, n)`` with m² n = number, and n without a square."""
    outside, divisor = 1, 2
    while divisor * divisor <= number:
        if number % (divisor * divisor) == 0:
            number //= divisor * divisor
            outside *= divisor
        else:
            divisor += 1
    return outside, number


def _term(term: tuple[int, int, Fraction]) -> str:
    pi, root, factor = term
    parts = [f"sqrt({root})"] if root > 1 else []
    if pi > 0:
        parts.append("pi" if pi == 1 else f"pi^{pi}")
    if factor == -1 and parts:
        parts[0] = f"-{parts[0]}"
    elif factor != 1 or not parts:
        parts.insert(0, str(factor))
    text = "*".join(parts)
    return text if pi >= 0 else f"{text}/pi" if pi == -1 else f"{text}/pi^{-pi}"
