"""Units of the checker: what they are in metres, which can be converted, and the unit of what a formula gives."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from srt.worlds.solids.checker.field import of
from srt.worlds.solids.checker.relations import POWERS
from srt.worlds.solids.checker.terms import SaidMeasure
from srt.worlds.solids.checker.values import Value, power_of

_METRES = {"mm": Fraction(1, 1000), "cm": Fraction(1, 100), "dm": Fraction(1, 10), "m": Fraction(1)}


def alike(value: Value, measure: SaidMeasure) -> bool:
    """Whether two measures are equal; a number without a unit is equal to the same number with one."""
    if "" in (value.unit, measure.unit) or value.unit == measure.unit:
        return value.number.is_same(measure.value)
    if not convertible(value.unit, measure.unit):
        return False
    return (value.number * of(size(value.unit) / size(measure.unit))).is_same(measure.value)


def convertible(one: str, other: str) -> bool:
    """Whether one unit can be converted to the other."""
    return "" not in (one, other) and "deg" not in (one, other) and power_of(one) == power_of(other)


def size(unit: str) -> Fraction:
    """A unit in powers of a metre."""
    length = {"L": "dm", "mL": "cm"}.get(unit, unit.split("^")[0])
    return _METRES[length] ** power_of(unit)


def unit_of_result(name: str, measures: Sequence[SaidMeasure]) -> str | None:
    """The unit of what a formula gives; ``None`` where the measures do not fit together."""
    lengths = set()
    for measure in measures:
        power = POWERS.get(measure.name[0], 1)
        if power == 0:
            if measure.unit != ("deg" if measure.name[0] == "n" else ""):
                return None
            continue
        length, caret, exponent = measure.unit.partition("^")
        if measure.unit and (length not in _METRES or (int(exponent) if caret else 1) != power):
            return None
        lengths.add(length)
    power = POWERS.get(name[0], 1)
    if power == 0:
        return None if len(lengths) > 1 else "deg" if name[0] == "n" else ""
    if len(lengths) != 1:
        return None
    (length,) = lengths
    return f"{length}^{power}" if length and power > 1 else length


def can_have(name: str, unit: str) -> bool:
    """Whether the quantity ``name`` can have the unit, or stand without one."""
    if unit == "deg":
        return name[0] == "n"
    return not unit or power_of(unit) == POWERS.get(name[0], 1)
