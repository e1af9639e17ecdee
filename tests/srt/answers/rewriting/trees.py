"""Formulas of the generator: trees with their value in floating point. Nothing here is shared with the equality."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Whole:
    """A whole number, not negative."""

    value: int


@dataclass(frozen=True)
class Digits:
    """A decimal, as its digits: ``0.75``."""

    text: str


@dataclass(frozen=True)
class Pi:
    """The constant."""


@dataclass(frozen=True)
class Root:
    """The root of a tree, of degree ``index``."""

    inside: Tree
    index: int = 2


@dataclass(frozen=True)
class Sum:
    """Terms; a negative one is a :class:`Negative`."""

    terms: tuple[Tree, ...]


@dataclass(frozen=True)
class Product:
    """Factors."""

    factors: tuple[Tree, ...]


@dataclass(frozen=True)
class Quotient:
    """A fraction."""

    above: Tree
    below: Tree


@dataclass(frozen=True)
class Power:
    """A power; the exponent may be a fraction."""

    base: Tree
    exponent: Tree


@dataclass(frozen=True)
class Negative:
    """Minus a tree."""

    inside: Tree


@dataclass(frozen=True)
class Cosine:
    """The cosine (or the sine) of whole degrees."""

    degrees: int
    function: str = "cos"


Tree = Whole | Digits | Pi | Root | Sum | Product | Quotient | Power | Negative | Cosine


def value(tree: Tree) -> float:
    """What ``tree`` is worth."""
    match tree:
        case Whole(number):
            return float(number)
        case Digits(text):
            return float(text)
        case Pi():
            return math.pi
        case Root(inside, index):
            return float(value(inside) ** (1 / index))
        case Sum(terms):
            return math.fsum(map(value, terms))
        case Product(factors):
            return math.prod(map(value, factors))
        case Quotient(above, below):
            return value(above) / value(below)
        case Power(base, exponent):
            return float(value(base) ** value(exponent))
        case Negative(inside):
            return -value(inside)
        case Cosine(degrees, function):
            return float((math.cos if function == "cos" else math.sin)(math.radians(degrees)))
    raise AssertionError


def number(exact: int | Fraction) -> Tree:
    """A rational number as a tree."""
    exact = Fraction(exact)
    size = abs(exact)
    tree: Tree = Whole(size.numerator)
    if size.denominator != 1:
        tree = Quotient(tree, Whole(size.denominator))
    return Negative(tree) if exact < 0 else tree


def times(*factors: Tree) -> Tree:
    """A product without ones, signs in front."""
    sign, kept = False, []
    for factor in factors:
        while isinstance(factor, Negative):
            sign, factor = not sign, factor.inside
        if factor != Whole(1):
            kept.append(factor)
    tree = kept[0] if len(kept) == 1 else Product(tuple(kept)) if kept else Whole(1)
    return Negative(tree) if sign else tree
