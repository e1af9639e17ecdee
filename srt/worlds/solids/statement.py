"""The formal statement of a problem: solids, what is given of them, and what is asked; and units."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from srt.worlds.solids.exact import ExactNumber
from srt.worlds.solids.table import DIMENSION

LENGTHS = {"mm": Fraction(1, 1000), "cm": Fraction(1, 100), "dm": Fraction(1, 10), "m": Fraction(1)}
"""In metres."""
CAPACITIES = {"mL": "cm", "L": "dm"}
"""Each is the cube of a unit of length."""
UNITS = {
    "": 0,
    "deg": 0,
    **{length if power == 1 else f"{length}^{power}": power for power in (1, 2, 3) for length in LENGTHS},
    "mL": 3,
    "L": 3,
}
"""The power of length of each unit; the empty one goes with any quantity."""


class Measure(NamedTuple):
    """A number with its unit."""

    number: ExactNumber
    unit: str

    def __str__(self) -> str:
        """``12*pi cm^3``; ``12*pi`` without a unit."""
        return f"{self.number} {self.unit}".rstrip()


def unit_of(letter: str, length: str) -> str:
    """The unit of a quantity where lengths are in ``length``."""
    power = DIMENSION.get(letter, 1)
    if power == 0:
        return "deg" if letter == "n" else ""
    return f"{length}^{power}" if length and power > 1 else length


def length_in(unit: str) -> str:
    """The unit of length that ``unit`` is a power of."""
    return CAPACITIES.get(unit, unit.partition("^")[0])


def size_of(unit: str) -> Fraction:
    """``unit`` in powers of a metre."""
    return LENGTHS[length_in(unit)] ** UNITS[unit]


def converted(measure: Measure, unit: str) -> Measure:
    """The same in another unit of the same dimension."""
    return Measure(measure.number.scaled(size_of(measure.unit) / size_of(unit)), unit)


class GivenFact(NamedTuple):
    """What sentence ``sentence`` says: that ``name`` has a measure, or an equation (``measure`` is ``None``).

    Sentence 0 is the picture.
    """

    sentence: int
    name: str
    measure: Measure | None = None

    @property
    def place(self) -> str:
        """The premise of the step that reads it."""
        return f"({self.sentence})" if self.sentence else "scene"

    @property
    def claim(self) -> str:
        """The claim that reads it."""
        return self.name if self.measure is None else f"{self.name} = {self.measure}"


class SolidStatement(NamedTuple):
    """``solids`` are kinds, in the order of the text; ``unit`` is the one asked for, empty where none is."""

    solids: tuple[str, ...]
    facts: tuple[GivenFact, ...]
    asked: str
    unit: str = ""

    def key(self) -> str:
        """What tells it from others, whatever its wording, language, unit of length and the order of its facts."""
        lengths = [length_in(fact.measure.unit) for fact in self.facts if fact.measure and length_in(fact.measure.unit)]
        base = next((length for length in lengths if length in LENGTHS), "")
        said = []
        for name, measure in sorted((fact.name, fact.measure) for fact in self.facts):
            letter = name.partition("(")[0]
            if measure is not None and measure.unit in UNITS and UNITS[measure.unit] and base:
                measure = converted(measure, unit_of(letter, base))
            said.append(name if measure is None else f"{name}={measure.number}")
        asked_size = size_of(self.unit) / size_of(unit_of(self.asked[0], base)) if self.unit and base else ""
        return "; ".join([*said, f"{self.asked}?{asked_size}"])
