"""Numbers and units as a text has them, read by the checker."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from srt.worlds.solids.checker.field import PI_RESIDUE, NoExactValue, Residue, of
from srt.worlds.solids.checker.terms import PRECISE_PI

_NUMBER = r"(?:\d+(?:\.\d+)?)?(?:√\d+)?π?(?:/(?:\d+|π|\(\d*π\)))?"
_SUM = re.compile(rf"(?P<number>-?{_NUMBER}(?: [+-] {_NUMBER})*)")
UNIT_WORDS = {
    "mm": "mm", "cm": "cm", "dm": "dm", "m": "m", "mL": "mL", "L": "L", "°": "deg", "litres": "L", "millilitres": "mL",
    "毫米": "mm", "厘米": "cm", "分米": "dm", "米": "m", "升": "L", "毫升": "mL", "cc": "cm^3",
    **{f"{u}{s}": f"{u}^{p}" for u in ("mm", "cm", "dm", "m") for s, p in (("²", 2), ("³", 3), ("^2", 2), ("^3", 3))},
    **{f"{w}{u}": f"{x}^{p}" for u, x in (("毫米", "mm"), ("厘米", "cm"), ("分米", "dm"), ("米", "m"))
       for w, p in (("平方", 2), ("立方", 3))},
}  # fmt: skip
UNIT_WORDS |= {"liters": "L", "milliliters": "mL"}
UNIT_WORDS |= {
    f"{power}{word}{metres}": f"{short}m{mark}"
    for metres in ("metres", "meters")
    for power, mark in (("", ""), ("square ", "^2"), ("cubic ", "^3"))
    for word, short in (("centi", "c"), ("deci", "d"), ("milli", "m"), ("", ""))
}
UNIT = "|".join(sorted(map(re.escape, UNIT_WORDS), key=len, reverse=True))
_SIGNED = re.compile(r"(^-?|[+-] )([^ ]+)")
_TERM = re.compile(r"(\d+(?:\.\d+)?)?(?:√(\d+))?(π)?(?:/\(?(\d*)(π)?\)?)?")
_UNSURE = re.compile(r"/\d+π|(?<![\d.])0\d")
"""``1/2π`` may be half of pi, and 02 may have lost its point."""
VALUE = re.compile(rf"{_SUM.pattern}\s?(?P<unit>(?:{UNIT})(?![a-zA-Z]))?")


@dataclass(frozen=True)
class Value:
    """A number with its unit; ``text`` is the number as it is written in the problem."""

    number: Residue
    unit: str
    text: str = ""

    def precise(self) -> Decimal:
        """The number that ``text`` is, with the digits of the context."""
        total = Decimal(0)
        for sign, term in _SIGNED.findall(self.text):
            match = _TERM.fullmatch(term)
            assert match is not None, self.text
            value = Decimal(match[1] or 1) * Decimal(match[2] or 1).sqrt() / Decimal(match[4] or 1)
            value = value * PRECISE_PI if match[3] else value
            value = value / PRECISE_PI if match[5] else value
            total = total - value if sign.startswith("-") else total + value
        return total


def option_value(text: str) -> Value | None:
    """The value that an option states; ``None`` for anything else, and for what is too long to be one."""
    match = VALUE.fullmatch(text.strip()) if len(text) <= 100 else None
    number = number_of(match["number"]) if match else None
    return (
        None if match is None or number is None else Value(number, UNIT_WORDS[match["unit"]] if match["unit"] else "")
    )


def number_of(text: str) -> Residue | None:
    """The number that a text is; ``None`` for any other text."""
    total = of(0)
    if _UNSURE.search(text):
        return None
    for sign, term in _SIGNED.findall(text.strip()):
        match = _TERM.fullmatch(term)
        if match is None or not any(match.groups()[:3]):
            return None
        value = of(Fraction(match[1] or 1))
        if match[2]:
            if not 1 < int(match[2]) < 10**9:
                return None
            try:
                value *= of(int(match[2])).square_root()
            except NoExactValue:
                return None
        value = value * PI_RESIDUE if match[3] else value
        if match[4] and int(match[4]) == 0:
            return None
        value = value / of(int(match[4])) if match[4] else value
        value = value / PI_RESIDUE if match[5] else value
        total = total - value if sign.startswith("-") else total + value
    return total


def power_of(unit: str) -> int:
    """The power of length of a unit."""
    return 3 if unit in ("L", "mL") else int(unit[-1]) if "^" in unit else 1
