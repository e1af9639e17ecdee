"""Units of length, area, volume and the like: their spellings, their scale in SI, and what kind they are."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from srt.claims.syntax.words import word_set


@dataclass(frozen=True)
class Unit:
    """``dimension``: the kind and its power, (``"length"``, 2) for an area. ``scale``: how many SI units it is."""

    name: str
    scale: Fraction
    dimension: tuple[str, int]


_LENGTHS = {
    "mm": ("1/1000", "mm millimeter millimeters millimetre millimetres 毫米"),
    "cm": ("1/100", "cm centimeter centimeters centimetre centimetres 厘米 公分"),
    "dm": ("1/10", "dm decimeter decimeters decimetre decimetres 分米"),
    "m": ("1", "m meter meters metre metres 米"),
    "km": ("1000", "km kilometer kilometers kilometre kilometres 千米 公里"),
    "in": ("127/5000", "inch inches"),
    "ft": ("381/1250", "ft foot feet"),
    "yd": ("1143/1250", "yd yard yards"),
}
_OTHERS = {
    "L": ("1/1000", ("length", 3), "L litre litres liter liters 升"),
    "mL": ("1/1000000", ("length", 3), "mL ml millilitre milliliter milliliters 毫升"),
    "g": ("1/1000", ("mass", 1), "g gram grams 克"),
    "kg": ("1", ("mass", 1), "kg kilogram kilograms 千克 公斤"),
    "s": ("1", ("time", 1), "s sec second seconds 秒"),
    "min": ("60", ("time", 1), "min minute minutes 分钟"),
    "h": ("3600", ("time", 1), "hour hours 小时"),
    "units": ("1", ("any", 1), "unit units 单位"),
}
_AMBIGUOUS = word_set("m s g h L in ft min yd sec")
"""Spellings that are letters of algebra too: units only in upright type or in plain prose after a number."""


def _table() -> dict[str, Unit]:
    table = {}
    for name, (scale, spellings) in _LENGTHS.items():
        for spelling in spellings.split():
            size = Fraction(scale)
            table[spelling] = Unit(name, size, ("length", 1))
            for power, prefix, sign in ((2, "平方", "²"), (3, "立方", "³")):
                if not spelling.isascii():
                    table[prefix + spelling] = Unit(f"{name}^{power}", size**power, ("length", power))
                else:
                    table[spelling + sign] = Unit(f"{name}^{power}", size**power, ("length", power))
    for name, (scale, dimension, spellings) in _OTHERS.items():
        for spelling in spellings.split():
            table[spelling] = Unit(name, Fraction(scale), dimension)
    return table


UNITS = _table()
HAN_UNITS = tuple(
    sorted(
        (name for name in UNITS if not name.isascii() and "²" not in name and "³" not in name), key=len, reverse=True
    )
)
POWER_WORDS = {"square": 2, "sq": 2, "cubic": 3}


def unit_named(spelling: str, upright: bool) -> Unit | None:
    """The unit that ``spelling`` names; a spelling that algebra uses too only where it is set ``upright``."""
    if spelling in _AMBIGUOUS and not upright:
        return None
    return UNITS.get(spelling)


def raised(unit: Unit, power: int) -> Unit:
    """``unit`` to a power: cm and 2 give cm^2."""
    kind, base = unit.dimension
    return Unit(f"{unit.name}^{power}", unit.scale**power, (kind, base * power))
