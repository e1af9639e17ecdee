"""The numbers that a text states with a unit of length, area or volume."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from srt.claims.find import Prose

BASES = frozenset({"mm", "cm", "dm", "m", "km"})
"""Units of length; an area in cm² is stated in cm too."""


@dataclass(frozen=True)
class Measure:
    """``8 cm²`` in a text: ``base`` is ``cm``, ``power`` 2, ``scale`` one cm² in square metres.

    ``value``: ``None`` if no plain number stands before the unit. ``at``: where the unit stands.
    """

    value: Fraction | None
    base: str
    power: int
    scale: Fraction
    at: int


def measures_of(prose: Prose, place: int) -> Iterator[Measure]:
    """The units in ``prose``, each with the number before it; ``place`` is added to where each stands."""
    before: Fraction | None = None
    for token in prose.tokens:
        if token.kind == "unit" and token.unit is not None:
            base = token.unit.name.partition("^")[0]
            if base in BASES:
                yield Measure(before, base, token.unit.dimension[1], token.unit.scale, place + token.start)
        elif token.kind not in ("edge", "open") and token.text != "pi":
            before = token.number.value if token.number is not None else None
