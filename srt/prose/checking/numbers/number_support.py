"""Whether every number in the claims of a step has a source.

A number stands in the premises that the step cites, is a constant of a formula, or is computed in the step from such
numbers. Without this rule ``1000 * 1 = 1000`` would be computed of any box: it holds whatever the box is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from srt.maths.syntax.expression import PI, Call, Expression, Number, Quantity, Symbol, normal_form
from srt.prose.checking.numbers import dependence
from srt.prose.checking.numbers.claim_sides import ClaimSides
from srt.prose.checking.numbers.dependence import Sourced
from srt.prose.checking.numbers.formula_constants import Constants
from srt.prose.checking.numbers.stated_numbers import values_in

_PRODUCTS = ("mul", "dot", "cross")
_MOST_PARTS = 24
_ADDED = frozenset(map(Fraction, (1, 2, 30, 45, 60, 90, 100, 180, 360)))
"""Constants that formulas add: ``e - v + 2``, ``1 - p``, angles. Others are factors."""
_LARGEST_POWER = 12


@dataclass
class StepNumbers:
    """The numbers that one step may use: those of its ``premises``, the ``constants``, and those that it has computed.

    :meth:`read` takes the claims of the step and returns the numbers without a source.
    """

    premises: Mapping[Fraction, Sourced]
    constants: Constants
    computed: dict[Fraction, Sourced] = field(default_factory=dict)

    def read(self, claims: Sequence[ClaimSides]) -> tuple[str, ...]:
        """The numbers in ``claims`` that have no source, as text; what the claims compute is added to ``computed``."""
        while True:
            before = len(self.computed)
            missing = [number for claim in claims for number in self._missing_of(claim)]
            if len(self.computed) == before:
                return tuple(dict.fromkeys(missing))

    def source(self, value: Fraction) -> Sourced | None:
        """Where ``value`` is from, if it is no constant."""
        return self.premises.get(value) or self.computed.get(value)

    def has(self, value: Fraction) -> bool:
        """Whether ``value`` has a source, or is a pure number that was computed: that may be a factor."""
        return self.source(value) is not None or value in self.constants.numbers or not value

    def rests_on_premises(self, claim: ClaimSides) -> bool:
        """Whether some number in ``claim`` is more than a constant; a claim without numbers rests on its names."""
        if claim.sides is None or any(_names(side) for side in claim.sides):
            return True
        calculated = [side for side in claim.sides if not _is_value(side)]
        literals = [node.value for side in calculated or claim.sides for node in _literals(side)]
        return not literals or any((source := self.source(value)) and not source.pure for value in literals)

    def _missing_of(self, claim: ClaimSides) -> list[str]:
        if claim.sides is None:
            return [str(value) for value in sorted(values_in(claim.check.claim)) if not self.has(value)]
        left, right = claim.sides
        lacks_left, lacks_right = list(self._missing(left)), list(self._missing(right))
        for source, lacks_source, result, lacks in (
            (left, lacks_left, right, lacks_right),
            (right, lacks_right, left, lacks_left),
        ):
            if lacks_source or not (_is_value(result) or self._derived(source, lacks)):
                continue
            if claim.equates:
                self._compute(source, result)
                return []
            if any(_literals(source)):
                return []  # What is in question is whether it comes out so, not where the result is from.
        return [normal_form(number) for number in (*lacks_left, *lacks_right)]

    def _compute(self, source: Expression, result: Expression) -> None:
        """Add the numbers of ``result``, which is computed as ``source``."""
        whole = _rational(result) if _is_value(result) and not _has_surd(result) else None
        below = {one.value for node in _nodes(result) if isinstance(node, Call) for one in _denominators(node)}
        for value in [node.value for node in _literals(result)] + ([] if whole is None else [whole]):
            if value in below and value != whole:
                if not self.has(value):
                    self.computed[value] = Sourced(float(value))  # The 3 of ``32π/3``.
            elif value and self.source(value) is None and (value == whole or not self.has(value)):
                found = dependence.computed(source, value, self.source)
                if not (found.pure and value in self.constants.numbers):
                    self.computed[value] = found

    def _derived(self, source: Expression, numbers: Sequence[Expression]) -> bool:
        """Whether each of ``numbers`` is the value of a part of ``source``, or of two parts together."""
        parts = {value for node in _nodes(source) if (value := _rational(node)) is not None}
        parts = set(itertools.islice(parts, _MOST_PARTS))
        reached = parts | {value for a, b in itertools.product(parts, repeat=2) for value in _together(a, b)}
        return all(isinstance(number, Number) and number.value in reached for number in numbers)

    def _missing(self, tree: Expression) -> Iterator[Expression]:
        """The numbers of ``tree`` without a source."""
        value = _written_value(tree)
        if value is not None and self.has(value):
            return
        match tree:
            case Number():
                yield tree
            case Symbol():
                if tree == PI and not self.constants.pi:
                    yield tree
            case Quantity(value=inner):
                yield from self._missing(inner)
            case Call("root", (Number(value=base), Number(value=index))) if index == 2 and base in self.constants.roots:
                return
            case Call("pow" | "root", (base, Number(value=index))):
                yield from self._missing(base)
                square_root = tree.head == "root" and index == 2
                if not (square_root or index in self.constants.exponents or self.has(index)):
                    yield Number(index)
            case Call("add", parts):
                for part in parts:
                    yield from self._missing_term(part)
                yield from dependence.uncounted(tree, self.source, self._is_stated)
            case Call("div", (above, Number(value=below))) if below and self.has(1 / below):
                yield from self._missing_numerator(above)
            case Call("div", (above, Number(value=below))) if below and any(map(_is_one, _factors(above)[0])):
                yield Number(1 / below)  # A third is a number, not what 1 and 3 make.
                yield from self._missing_numerator(above)
            case Call(_, parts):
                for part in parts:
                    yield from self._missing(part)

    def _missing_term(self, term: Expression) -> Iterator[Expression]:
        """What ``term`` of a sum lacks: a pure number may be a factor, as most constants are, but adds nothing."""
        plain = term.parts[0] if isinstance(term, Call) and term.head == "neg" else term
        if not isinstance(plain, Number):
            yield from self._missing(term)
            return
        source = self.source(plain.value)
        if not (plain.value in _ADDED and source is None) and (
            source is None or source.pure or source == Sourced(float(plain.value))
        ):
            if plain.value:
                yield plain
        else:
            yield from self._missing(term)

    def _is_stated(self, value: Fraction) -> bool:
        return value in self.constants.numbers or (value in self.premises and not self.premises[value].terms)

    def _missing_numerator(self, above: Expression) -> Iterator[Expression]:
        """The 1 of ``3 * 4 * 1 / 2`` belongs to the half."""
        for factor in _factors(above)[0]:
            if not _is_one(factor):
                yield from self._missing(factor)
        for factor in _factors(above)[1]:
            yield from self._missing(factor)


def _names(tree: Expression) -> bool:
    return any(isinstance(node, Symbol) and node != PI for node in _nodes(tree))


def _denominators(tree: Call) -> Iterator[Number]:
    return _literals(tree.parts[1]) if tree.head == "div" else iter(())


def _is_one(tree: Expression) -> bool:
    return isinstance(tree, Number) and tree.value == 1


def _is_value(tree: Expression) -> bool:
    """Whether ``tree`` is written out as far as it goes: ``12``, ``5/2``, ``12π cm^3``, ``16 + 8√3``, ``(1, 0, 2)``."""
    match tree:
        case Number() | Symbol():
            return True
        case Quantity(value=inner) | Call("neg" | "deg" | "percent" | "pm" | "abs", (inner,)):
            return _is_value(inner)
        case Call("vec", parts):
            return all(map(_is_value, parts))
        case Call("add", parts):
            kinds = [_kind(part) for part in parts]
            return None not in kinds and len(set(kinds)) == len(kinds)
    return _kind(tree) is not None


def _kind(term: Expression) -> str | None:
    """What a term counts (nothing, π, √3): terms of one kind would be added up. ``None`` if it is a calculation."""
    above, below = _factors(term)
    plain = [factor for factor in above if isinstance(factor, Number)]
    under = [factor for factor in below if isinstance(factor, Number)]
    others = [factor for factor in above if not isinstance(factor, Number)]
    written = all(isinstance(factor, Symbol) or _is_surd(factor) for factor in others)
    if not written or len(plain) > 1 or len(under) > 1 or len(under) < len(below):
        return None
    return "*".join(sorted(map(normal_form, others)))


def _has_surd(tree: Expression) -> bool:
    return any(_is_surd(node) or node == PI for node in _nodes(tree))


def _is_surd(factor: Expression) -> bool:
    """Whether ``factor`` is a root that cannot be drawn: ``√3``, but neither ``√25`` nor ``√(9 + 16)``."""
    match factor:
        case Call("root", (Number(value=value), Number(value=index))):
            return index == 2 and _square_root(value) is None
    return False


def _factors(term: Expression) -> tuple[list[Expression], list[Expression]]:
    """The factors above and below the line."""
    match term:
        case Call("neg", (inner,)):
            return _factors(inner)
        case Call("div", (above, below)):
            upper, lower = _factors(above), _factors(below)
            return [*upper[0], *lower[1]], [*upper[1], *lower[0]]
        case Call(head, parts) if head in _PRODUCTS:
            found = [_factors(part) for part in parts]
            return [factor for above, _ in found for factor in above], [
                factor for _, below in found for factor in below
            ]
    return [term], []


def _nodes(tree: Expression) -> Iterator[Expression]:
    """Every node of ``tree`` that stands for a value: exponents and indices of roots are left out."""
    yield tree
    match tree:
        case Quantity(value=inner):
            yield from _nodes(inner)
        case Call("pow" | "root", (base, _)):
            yield from _nodes(base)
        case Call(_, parts):
            for part in parts:
                yield from _nodes(part)


def _literals(tree: Expression) -> Iterator[Number]:
    return (node for node in _nodes(tree) if isinstance(node, Number))


def _written_value(tree: Expression) -> Fraction | None:
    """The value of a number as it is written: ``1/2`` and ``50%`` are one number."""
    match tree:
        case Number(value=value):
            return value
        case Call("div", (Number(value=above), Number(value=below))) if below:
            return above / below
        case Call("percent", (Number(value=value),)):
            return value / 100
    return None


def _rational(tree: Expression) -> Fraction | None:
    """The value of ``tree`` if it is rational, small enough, and has no names; factors π and roots count as 1."""
    if (written := _written_value(tree)) is not None:
        return written
    match tree:
        case Quantity(value=inner) | Call("deg", (inner,)):
            return _rational(inner)
        case Call("neg", (inner,)):
            value = _rational(inner)
            return None if value is None else -value
        case Call("pow", (base, Number(value=power))) if power.denominator == 1 and 0 <= power <= _LARGEST_POWER:
            value = _rational(base)
            return None if value is None else value ** int(power)
        case Call("root", (base, Number(value=index))) if index == 2:
            return _square_root(_rational(base))
        case Call("add", parts):
            terms = [_rational(part) for part in parts]
            known = [term for term in terms if term is not None]
            return sum(known, Fraction()) if len(known) == len(terms) else None
        case Call(head, parts) if head in (*_PRODUCTS, "div"):
            return _product(head, parts)
    return None


def _product(head: str, parts: Sequence[Expression]) -> Fraction | None:
    product = Fraction(1)
    for place, part in enumerate(parts):
        factor = Fraction(1) if part == PI or (isinstance(part, Call) and part.head == "root") else None
        factor = _rational(part) if factor is None or _rational(part) is not None else factor
        if factor is None or (head == "div" and place and not factor):
            return None
        product = product / factor if head == "div" and place else product * factor
    return product


def _square_root(value: Fraction | None) -> Fraction | None:
    if value is None or value < 0:
        return None
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else None


def _together(a: Fraction, b: Fraction) -> Iterator[Fraction]:
    yield from (a + b, a * b)
    if a != b:  # Else every equation would give 0 and 1.
        yield a - b
        if b:
            yield a / b
