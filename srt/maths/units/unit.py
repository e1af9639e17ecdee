"""A unit of measure: its name, its size in SI units, and what kind of quantity it measures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

Dimension = tuple[tuple[str, int], ...]
"""Kinds and their powers, sorted: (("length", 2),) for an area, (("length", 1), ("time", -1)) for a speed."""


@dataclass(frozen=True)
class Unit:
    """``name`` in one spelling (``cm^2``, ``m/s``); ``scale``: how many SI units it is."""

    name: str
    scale: Fraction
    dimension: Dimension

    @property
    def bare(self) -> bool:
        """Whether it is a unit without a size: ``units``, ``square units``."""
        return any(kind == "any" for kind, _ in self.dimension)

    @property
    def is_money(self) -> bool:
        """Whether it is a currency, or a part of one."""
        return len(self.dimension) == 1 and self.dimension[0][0].startswith("money in ")

    @property
    def power(self) -> tuple[str, int]:
        """Kind and power of a unit of one kind, as those are that formulas are read with."""
        ((kind, power),) = self.dimension
        return kind, power

    def raised(self, power: int) -> Unit:
        """The unit to a power: cm and 2 give cm^2, cm^2 and 2 give cm^4."""
        if power == 1:
            return self
        base, _, already = self.name.partition("^")
        name = f"({self.name})^{power}" if "/" in self.name else f"{base}^{int(already or 1) * power}"
        return Unit(name, self.scale**power, tuple((kind, exponent * power) for kind, exponent in self.dimension))

    def joined(self, sign: str, other: Unit) -> Unit:
        """This unit times (``·``) or per (``/``) ``other``."""
        factor = other if sign == "·" else other.raised(-1)
        powers = Counter(dict(self.dimension))
        powers.update(dict(factor.dimension))
        dimension = tuple(sorted((kind, power) for kind, power in powers.items() if power))
        return Unit(f"{self.name}{sign}{other.name}", self.scale * factor.scale, dimension)
