"""The constants of formulas: numbers that a calculation may use although no premise states them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from srt.maths.syntax.lexing.lexer import tokens_of
from srt.maths.units.unit import Unit
from srt.prose.checking.formulas.spoken_formulas import SpokenFormulas

_PI = re.compile(r"π|\\pi(?![a-z])|\bpi\b")


class Constants:
    """The constants of the ``spoken`` formulas, and of conversions between the units that are used."""

    def __init__(self, spoken: SpokenFormulas) -> None:
        self._spoken = spoken
        self.numbers: set[Fraction] = set()
        self.exponents: set[Fraction] = set()
        self.roots: set[Fraction] = set()
        self.pi = False
        self._units: dict[str, Unit] = {}

    def take(self, given: str) -> None:
        """Add the constants of the formulas that ``given``, a text of the problem, mentions, and π if it is in it."""
        self.pi = self.pi or _PI.search(given) is not None
        self.hear(given)

    def hear(self, text: str) -> None:
        """Add the constants of the formulas, and of conversions between the units, that ``text`` speaks of."""
        self._spoken.hear(text)
        for formula in self._spoken.applying():
            self.numbers |= formula.numbers
            self.exponents |= formula.marked("^")
            self.roots |= formula.marked("√")
            self.pi = self.pi or "π" in formula.values
        self._hear_units(token.unit for token in tokens_of(text) if token.unit is not None)

    def converted(self, value: Fraction, unit: Unit | None) -> Iterator[Fraction]:
        """The numbers that ``value``, given in ``unit``, is in the other units of its dimension that are used."""
        for other in self._units.values():
            if unit is not None and other.dimension == unit.dimension:
                yield value * unit.scale / other.scale

    def _hear_units(self, units: Iterable[Unit]) -> None:
        """``1 m = 100 cm`` gives 100 where both units are used."""
        for unit in units:
            if unit.name in self._units:
                continue
            for other in self._units.values():
                if unit.dimension == other.dimension:
                    self.numbers |= {unit.scale / other.scale, other.scale / unit.scale}
            self._units[unit.name] = unit
