"""How units are spelled, in English, Chinese and symbols: one table, of which readers of formulas use a part.

In a formula ``V``, ``A`` and ``K`` are names, so the lexer knows lengths, areas, volumes, masses and times alone
(:data:`FORMULA_UNITS`). After the value of an answer nothing else can be meant, and every unit is read
(:data:`ALL_UNITS`).
"""

from __future__ import annotations

from fractions import Fraction

from srt.maths.units.unit import Dimension, Unit
from srt.maths.words import word_set

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
_OF_FORMULAS = {
    "L": ("1/1000", ("length", 3), "L litre litres liter liters 升"),
    "mL": ("1/1000000", ("length", 3), "mL ml millilitre millilitres milliliter milliliters 毫升"),
    "g": ("1/1000", ("mass", 1), "g gram grams 克"),
    "kg": ("1", ("mass", 1), "kg kilogram kilograms 千克 公斤"),
    "s": ("1", ("time", 1), "s sec second seconds 秒"),
    "min": ("60", ("time", 1), "min minute minutes 分钟"),
    "h": ("3600", ("time", 1), "hour hours 小时"),
    "units": ("1", ("any", 1), "unit units 单位"),
}
_OF_ANSWERS: dict[str, tuple[str, Dimension, str]] = {
    "°": ("1", (("angle", 1),), "° degree degrees deg 度"),
    "%": ("1/100", (), "% percent"),
    "‰": ("1/1000", (), "‰"),
    "rad": ("1", (("radian", 1),), "rad radian radians 弧度"),
    "°C": ("1", (("temperature", 1),), "°C ℃ 摄氏度"),
    "元": ("1", (("money in yuan", 1),), "元 yuan 块钱"),
    "dollars": ("1", (("money in dollars", 1),), "dollar dollars 美元"),
    "cents": ("1/100", (("money in dollars", 1),), "cent cents 美分"),
    "euros": ("1", (("money in euros", 1),), "euro euros 欧元"),
    "pounds": ("1", (("money in pounds", 1),), "pound pounds 英镑"),
    "pence": ("1/100", (("money in pounds", 1),), "penny pence"),
    "tonnes": ("1000", (("mass", 1),), "ton tons tonne tonnes 吨"),
    "K": ("1", (("kelvin", 1),), "K kelvin kelvins 开 开尔文"),
    "miles": ("1609.344", (("length", 1),), "mile miles"),
}
_DERIVED: dict[str, tuple[Dimension, str]] = {  # of SI: what they are made of, and their spellings
    "N": ((("length", 1), ("mass", 1), ("time", -2)), "newton newtons 牛 牛顿"),
    "Pa": ((("length", -1), ("mass", 1), ("time", -2)), "pascal pascals 帕 帕斯卡"),
    "J": ((("length", 2), ("mass", 1), ("time", -2)), "joule joules 焦 焦耳"),
    "W": ((("length", 2), ("mass", 1), ("time", -3)), "watt watts 瓦 瓦特"),
    "V": ((("current", -1), ("length", 2), ("mass", 1), ("time", -3)), "volt volts 伏 伏特"),
    "Ω": ((("current", -2), ("length", 2), ("mass", 1), ("time", -3)), "ohm ohms 欧 欧姆"),
    "A": ((("current", 1),), "amp amps ampere amperes 安 安培"),
    "C": ((("current", 1), ("time", 1)), "coulomb coulombs 库 库仑"),
    "Hz": ((("time", -1),), "hertz 赫 赫兹"),
    "mol": ((("substance", 1),), "mole moles 摩 摩尔"),
}
_PREFIXES = {"k": 3, "m": -3, "M": 6, "μ": -6, "千": 3, "毫": -3, "兆": 6, "kilo": 3, "milli": -3, "mega": 6}
_SIGNS = {3: "k", -3: "m", 6: "M", -6: "μ"}
_AMBIGUOUS = word_set("m s g h L in ft min yd sec")
"""Spellings that are letters of algebra too: units only in upright type or in plain prose after a number."""
LETTERS = word_set("m s g h L l t N in min ft deg rad yd V A J W K C")
"""Spellings that are names in formulas too: after a value, units only behind a number, a bracket or pi."""


def _formula_units() -> dict[str, Unit]:
    table = {}
    for name, (scale, spellings) in _LENGTHS.items():
        length = Unit(name, Fraction(scale), (("length", 1),))
        for spelling in spellings.split():
            table[spelling] = length
            for power, prefix, sign in ((2, "平方", "²"), (3, "立方", "³")):
                # Chinese says 平方米, the square before the metre; letters are written with a sign behind them.
                table[spelling + sign if spelling.isascii() else prefix + spelling] = length.raised(power)
    for name, (scale, kind_and_power, spellings) in _OF_FORMULAS.items():
        table |= dict.fromkeys(spellings.split(), Unit(name, Fraction(scale), (kind_and_power,)))
    return table


FORMULA_UNITS = _formula_units()
"""The units that formulas are read with, by spelling; each is of one kind (:attr:`.unit.Unit.power`)."""


def _all_units() -> dict[str, Unit]:
    # Answers are normalised before they are read: cm² is cm^2 there, a unit and its power.
    table = {spelling: unit for spelling, unit in FORMULA_UNITS.items() if spelling[-1] not in "²³"}
    for name, (scale, dimension, spellings) in _OF_ANSWERS.items():
        table |= dict.fromkeys(spellings.split(), Unit(name, Fraction(scale), dimension))
    for symbol, (dimension, words) in _DERIVED.items():
        table |= dict.fromkeys([symbol, *words.split()], Unit(symbol, Fraction(1), dimension))
        for prefix, power in _PREFIXES.items():
            prefixed = Unit(f"{_SIGNS[power]}{symbol}", Fraction(10) ** power, dimension)
            if prefix in _SIGNS.values():
                table[prefixed.name] = prefixed
            else:  # Prefixes that are words go before words of their language: kilonewton, 千牛.
                table |= {f"{prefix}{word}": prefixed for word in words.split() if word.isascii() == prefix.isascii()}
    table |= dict.fromkeys(("h", "hr", "hrs"), table["hour"])
    table |= {"in": table["inch"], "cms": table["cm"], "mms": table["mm"], "l": table["L"]}
    table["cc"] = table["cm"].raised(3)
    # 时 alone is a part of many words.
    table |= {f"{way}/时": table["km"].joined("/", table["h"]) for way in ("千米", "公里")}
    return table


ALL_UNITS = _all_units()
"""The units that stand after the value of an answer, by spelling."""
HAN_UNITS = tuple(
    sorted((name for name in FORMULA_UNITS if not name.isascii() and name[-1] not in "²³"), key=len, reverse=True)
)
"""The Chinese spellings of :data:`FORMULA_UNITS`, the longest first: 平方米 before 米."""
POWER_WORDS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3, "平方": 2, "立方": 3, "squared": 2, "cubed": 3}
"""Words that square or cube the unit behind them; the last two, the unit before them."""
FORMULA_POWER_WORDS = {word: POWER_WORDS[word] for word in ("square", "sq", "cubic")}
"""Those that formulas are read with: ``cu`` may be a product there, and Chinese has them in :data:`FORMULA_UNITS`."""


def unit_named(spelling: str, upright: bool) -> Unit | None:
    """The unit that ``spelling`` names in a formula; one that algebra uses too only where it is set ``upright``."""
    if spelling in _AMBIGUOUS and not upright:
        return None
    return FORMULA_UNITS.get(spelling)
