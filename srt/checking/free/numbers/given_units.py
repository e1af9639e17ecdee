"""Whether a calculation fits the units in which the problem gives its numbers.

``60 * 2`` is no area of a sheet of 60 cm by 2 m, and ``6 * 4^2 = 96 cm^3`` is in the wrong unit if the 4 are
centimetres. Only numbers that are always given in one unit, and written without one in the step, are judged.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator
from fractions import Fraction

from srt.checking.free.numbers.written_numbers import numbers_in
from srt.claims.syntax.expression import PI, Call, Expression, Number, Quantity
from srt.claims.syntax.unit_spellings import Unit
from srt.io.records import Lang

_PRODUCTS = ("mul", "dot", "cross")


class GivenUnits:
    """The units of the numbers in the text of a problem.

    ``constants`` may also stand for themselves. ``found`` are the numbers of the steps so far: what was computed has a
    unit that is not known.
    """

    def __init__(self, text: str, lang: Lang, constants: Collection[Fraction], found: Collection[Fraction]) -> None:
        self._constants = constants
        self._found = found
        self._units: dict[Fraction, set[Unit | None]] = {}
        for written in numbers_in(text, lang):
            self._units.setdefault(written.values[0], set()).add(written.unit)

    def fault(self, calculated: Expression, result: Expression) -> str | None:
        """What is wrong with the units of ``calculated = result``, as one line; ``None`` if nothing certainly is."""
        numbers = dict.fromkeys(_bare_numbers(calculated))
        given = {v: unit for v in numbers if v not in self._found and (unit := self._unit(v)) is not None}
        # A 2 may be that of "2 m" or of a formula; where all numbers are given, it is taken as given.
        sure = given if len(given) == len(numbers) else {v: u for v, u in given.items() if v not in self._constants}
        for (a, one), (b, other) in itertools.combinations(sure.items(), 2):
            if one.dimension[0] == other.dimension[0] and _base(one) != _base(other):
                return f"{a} is given in {one.name}, {b} in {other.name}"
        if isinstance(result, Call) and result.head == "mul":
            result = result.parts[-1]  # ``60√2 cm`` is read as 60 times √2 cm.
        if not isinstance(result, Quantity) or result.dimension[0] != "length" or not given:
            return None
        powers = self._powers(calculated)
        if powers and result.dimension[1] not in powers:
            power = "".join(f" or {self._name(power)}" for power in sorted(powers)).removeprefix(" or ")
            return f"its result is {power} by the units that are given, not {result.unit}"
        return None

    def _unit(self, value: Fraction) -> Unit | None:
        units = self._units.get(value, set())
        unit = next(iter(units)) if len(units) == 1 else None
        return unit if unit is not None and unit.dimension[0] == "length" else None

    def _powers(self, tree: Expression) -> frozenset[Fraction]:
        """The powers of a length that ``tree`` may have; none if that is not known."""
        match tree:
            case Number(value=value):
                unit = self._unit(value)
                powers = {Fraction(unit.dimension[1])} if unit else set()
                # Without a unit it may be that of a constant, else it may stand for a quantity: 12 for 3 cm * 4 cm.
                bare = value in self._constants and (unit is not None or value not in self._found)
                return frozenset(powers | ({Fraction(0)} if bare else set()))
            case Call("neg" | "abs", (inner,)):
                return self._powers(inner)
            case Call("add", parts):
                return frozenset.intersection(*map(self._powers, parts))
            case Call("pow", (base, Number(value=index))):
                return frozenset(power * index for power in self._powers(base))
            case Call("root", (base, Number(value=index))) if index:
                return frozenset(power / index for power in self._powers(base))
            case Call(head, parts) if head in (*_PRODUCTS, "div"):
                found = [self._powers(part) for part in parts]
                signs = [1, *[-1 if head == "div" else 1] * (len(parts) - 1)]
                sums = (
                    sum(map(Fraction.__mul__, powers, map(Fraction, signs))) for powers in itertools.product(*found)
                )
                return frozenset(map(Fraction, sums))
        return frozenset({Fraction(0)}) if tree == PI else frozenset()

    def _name(self, power: Fraction) -> str:
        return {0: "a pure number", 1: "a length", 2: "an area", 3: "a volume"}.get(int(power), f"a length^{power}")


def _base(unit: Unit) -> float:
    """The scale of the length that ``unit`` is a power of."""
    return round(math.pow(unit.scale, 1 / unit.dimension[1]), 12)


def _bare_numbers(tree: Expression) -> Iterator[Fraction]:
    """The numbers of ``tree`` without a unit, exponents left out."""
    match tree:
        case Number(value=value):
            yield value
        case Call("pow" | "root", (base, _)):
            yield from _bare_numbers(base)
        case Call(_, parts):
            for part in parts:
                yield from _bare_numbers(part)
