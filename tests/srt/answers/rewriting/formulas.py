"""Formulas of one value: sums of rational multiples of roots and pi, written factored, as powers, with other roots.

A value is a :data:`Linear`: the coefficient of each ``√n`` and ``π√n``. :func:`rewritten` writes one in many ways,
:func:`mutated` gives values that differ from it, which are then written in the same ways.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction

from tests.srt.answers.rewriting.trees import (
    Cosine,
    Negative,
    Pi,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Tree,
    Whole,
    number,
    times,
    value,
)

Linear = dict[tuple[int, int], Fraction]
"""The coefficient of ``√n · π^k`` by (n, k); n has no square in it, and 1 is no root."""
SQUAREFREE = (2, 3, 5, 6, 7, 10, 11, 13, 14, 15)


def worth(linear: Linear) -> float:
    """The value of ``linear``."""
    return math.fsum(float(c) * math.sqrt(n) * math.pi**k for (n, k), c in linear.items())


def canonical(linear: Linear) -> Tree:
    """The value as a school book prints it."""
    return _sum([_term(c, n, k, "over") for (n, k), c in linear.items()])


def rewritten(linear: Linear, rng: random.Random) -> Iterator[tuple[str, Tree]]:
    """Trees of the value ``linear``, each with its class; every one is checked against the value."""
    for name, tree in _forms(linear, rng):
        assert math.isclose(value(tree), worth(linear), rel_tol=1e-9, abs_tol=1e-12), (name, tree, linear)
        yield name, tree


def _forms(linear: Linear, rng: random.Random) -> Iterator[tuple[str, Tree]]:
    terms = list(linear.items())
    yield "same", canonical(linear)
    for form in ("over", "beside", "inside", "below", "power", "split"):
        yield f"root {form}", _sum([_term(c, n, k, form) for (n, k), c in terms])
    if len(terms) > 1:
        turned = terms[::-1]
        yield "reordered", _sum([_term(c, n, k, "over") for (n, k), c in turned])
        yield from _factored(terms, rng)
    yield from _one_fraction(terms)
    factor = Fraction(rng.randint(2, 9), rng.choice((1, 1, 2, 3)))
    rest = canonical({key: c / factor for key, c in linear.items()})
    yield "bracket before", Product((rest if isinstance(rest, Sum) else Sum((rest,)), number(factor)))
    yield "bracket as factor", Product((number(factor), rest))
    yield "unevaluated quotient", Quotient(canonical({key: c * factor.numerator for key, c in linear.items()}),
                                           Whole(factor.numerator))  # fmt: skip
    yield "unevaluated sum", _unevaluated_sum(linear, rng)
    yield from _single(linear, rng)


def _single(linear: Linear, rng: random.Random) -> Iterator[tuple[str, Tree]]:
    """Forms of a value of one term."""
    if len(linear) != 1:
        return
    (((n, k), c),) = linear.items()
    if k == 0 and n in (2, 3) and c.denominator == 1:
        degrees = rng.choice((30, -1)) if n == 3 else 45
        angle = Cosine(30) if degrees == 30 else Cosine(45, rng.choice(("cos", "sin"))) if n == 2 else Cosine(60, "sin")
        yield "cosine", times(number(2 * c), angle)
    if k == 0 and n > 1 and c.denominator == 1 and c > 0:
        yield "root of a product", Root(Product((Whole(c.numerator**2), Whole(n))))
        yield "power of a whole root", Power(Whole(c.numerator**2 * n), Quotient(Whole(1), Whole(2)))
    if k == 0 and n == 1 and c > 0:
        if c.denominator == 1:
            yield "exponent a fraction", Power(Whole(c.numerator**3), Quotient(Whole(1), Whole(3)))
            yield "exponent a fraction", Power(Whole(c.numerator**2), Quotient(Whole(1), Whole(2)))
            yield "root of a power", Root(Whole(c.numerator**2))
            yield "root of a power", Root(Whole(c.numerator**3), 3)
            yield "product of roots", Product((Root(Whole(c.numerator)), Root(Whole(c.numerator))))
        else:
            yield "root of a fraction", Root(number(c * c))
            if c.numerator == 1:
                yield "negative exponent", Power(Whole(c.denominator), Negative(Whole(1)))
            else:
                yield "negative exponent", Product((Whole(c.numerator),
                                                    Power(Whole(c.denominator), Negative(Whole(1)))))  # fmt: skip
            yield "negative exponent", Power(number(1 / c), Negative(Whole(1)))
        base, exponent = _as_power(c.numerator)
        if exponent > 1 and c.denominator == 1:
            yield "power", Power(Whole(base), Whole(exponent))
            yield "power", Power(number(Fraction(1, base)), Negative(Whole(exponent)))
        base, exponent = _as_power(c.denominator)
        if exponent > 1 and c.numerator == 1:
            yield "negative exponent", Power(Whole(base), Negative(Whole(exponent)))
            yield "power of a fraction", Power(number(Fraction(1, base)), Whole(exponent))


def mutated(linear: Linear, rng: random.Random) -> Iterator[tuple[str, Linear]]:
    """Values that a slip makes of ``linear``, each with its class; they differ by two percent or more."""
    for name, other in _mutations(linear, rng):
        other = {key: c for key, c in other.items() if c}
        gap = abs(worth(other) - worth(linear))
        if other and gap > 0.02 * max(abs(worth(other)), abs(worth(linear))):
            yield name, other


def _mutations(linear: Linear, rng: random.Random) -> Iterator[tuple[str, Linear]]:
    key = rng.choice(list(linear))
    c = linear[key]
    n, k = key
    yield "another coefficient", linear | {key: c + rng.choice((-2, -1, 1, 2))}
    yield "another denominator", linear | {key: c / rng.choice((2, 3, 4))}
    yield "the sign", {one: -each for one, each in linear.items()}
    yield "twice as much", {one: 2 * each for one, each in linear.items()}
    yield "ten times as much", {one: 10 * each for one, each in linear.items()}
    if len(linear) > 1:
        yield "a sign within", linear | {key: -c}
        yield "a term lost", {one: each for one, each in linear.items() if one != key}
    if len(linear) == 1:
        if k == 0:
            yield "a factor pi", {(n, 1): c}
        else:
            yield "pi lost", {(n, 0): c}
        if n == 1:
            yield "a root gained", {(rng.choice(SQUAREFREE), k): c}
            yield "squared", {(1, 2 * k): c * c} if k == 0 else {(1, 1): c * c}
            yield "turned over", {(1, 0): 1 / c} if k == 0 else {(1, 1): 1 / c}
        else:
            yield "root lost", {(1, k): c * n}
            yield "another root", {(rng.choice(SQUAREFREE), k): c}


def _term(c: Fraction, n: int, k: int, form: str) -> Tree:
    """``c √n π^k`` in one of several forms."""
    above, below = abs(c).numerator, abs(c).denominator
    pi: list[Tree] = [Pi() if k == 1 else Power(Pi(), Whole(k))] if k else []
    root: list[Tree] = [Root(Whole(n))] if n > 1 else []
    if n > 1 and form == "inside":
        root, above = [Root(Whole(above * above * n))], 1
    elif n > 1 and form == "power":
        root = [Power(Whole(n), Quotient(Whole(1), Whole(2)))]
    elif n > 1 and form == "split":
        small = next((p for p in (2, 3, 5) if n % p == 0 and n != p), 0)
        root = [Root(Whole(small)), Root(Whole(n // small))] if small else root
    if n > 1 and form == "below":
        tree: Tree = Quotient(times(Whole(above * n), *pi), times(Whole(below), *root))
    elif below == 1:
        tree = times(Whole(above), *pi, *root)
    elif form == "beside" and (pi or root):
        tree = Product((Quotient(Whole(above), Whole(below)), *pi, *root))
    else:
        tree = Quotient(times(Whole(above), *pi, *root), Whole(below))
    return Negative(tree) if c < 0 else tree


def _sum(terms: list[Tree]) -> Tree:
    return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def _factored(terms: list[tuple[tuple[int, int], Fraction]], rng: random.Random) -> Iterator[tuple[str, Tree]]:
    common = Fraction(math.gcd(*(c.numerator for _, c in terms)), math.lcm(*(c.denominator for _, c in terms)))
    inner = _sum([_term(c / common, n, k, "over") for (n, k), c in terms])
    if common != 1:
        yield "factored", Product((number(common), inner))
        yield "factored behind", Product((inner, number(common)))
        if common.denominator > 1:
            yield "factored", Quotient(times(Whole(common.numerator), inner), Whole(common.denominator))
    yield "factored minus", Negative(Sum((_sum([_term(-c, n, k, "over") for (n, k), c in terms]),)))
    (n1, k1), c1 = terms[0]
    (n2, k2), c2 = terms[1]
    if len(terms) == 2 and k1 == k2 == 0 and (c1 * c1 * n1 != c2 * c2 * n2):
        # a + b = (a² - b²) / (a - b)
        difference = _sum([_term(c1, n1, 0, "over"), _term(-c2, n2, 0, "over")])
        yield "rationalised", Quotient(number(c1 * c1 * n1 - c2 * c2 * n2), difference)
    if k1 == k2 == 1:
        yield "pi factored", Product((Pi(), Sum(tuple(_term(c, n, 0, "over") for (n, _), c in terms))))
    if n1 == 1 and n2 > 1 and c1.denominator == c2.denominator == 1 and k1 == k2 == 0:
        root = _term(c1 / n2, n2, 0, "over")  # a + b√n = √n (b + a/n √n)
        yield "root factored", Product((Root(Whole(n2)), Sum((root, number(c2)))))


def _one_fraction(terms: list[tuple[tuple[int, int], Fraction]]) -> Iterator[tuple[str, Tree]]:
    below = math.lcm(*(c.denominator for _, c in terms))
    if below > 1 and len(terms) > 1:
        yield "one fraction", Quotient(_sum([_term(c * below, n, k, "over") for (n, k), c in terms]), Whole(below))
    for factor in (2, 3):
        yield (
            "not reduced",
            Quotient(_sum([_term(c * below * factor, n, k, "over") for (n, k), c in terms]), Whole(below * factor)),
        )


def _unevaluated_sum(linear: Linear, rng: random.Random) -> Tree:
    key = rng.choice(list(linear))
    part = rng.randint(1, 5)
    n, k = key
    rest = linear | {key: linear[key] - part}
    terms = [_term(c, one[0], one[1], "over") for one, c in rest.items() if c]
    return _sum([*terms, _term(Fraction(part), n, k, "over")])


def _as_power(whole: int) -> tuple[int, int]:
    """The whole number as a power of the smallest base; exponent 1 where it is none."""
    for base in range(2, 33):
        exponent, size = 1, base
        while size < whole:
            exponent, size = exponent + 1, size * base
        if size == whole and exponent > 1:
            return base, exponent
    return whole, 1
