"""Values of a text as exact numbers with their units: ``12π cm³``, ``3√2 + 1``, ``90°``."""

from __future__ import annotations

import re
from fractions import Fraction

from srt.worlds.solids.exact import ExactNumber, whole
from srt.worlds.solids.reading.wordings import POWERS, UNIT_WORDS
from srt.worlds.solids.statement import UNITS, Measure

_TERM = re.compile(r"([+-]?)(\d+(?:\.\d+)?)?(?:√(\d+))?(π?)(?:/\(?(\d*)(π?)\)?)?")
_SUM = re.compile(r"-?[^\s+-]+(?: [+-] [^\s+-]+)*")
SPELT = {word: unit for lang in UNIT_WORDS for unit, word in UNIT_WORDS[lang].items()}
SPELT |= {unit.replace("^2", "²").replace("^3", "³"): unit for unit in UNITS if unit and unit != "deg"} | {
    "cc": "cm^3",
    "°": "deg",
}
SPELT |= {unit: unit for unit in UNITS if "^" in unit}
_LONG = {
    f"{part}{metres}": f"{short}m"
    for part, short in (("", ""), ("centi", "c"), ("deci", "d"), ("milli", "m"))
    for metres in ("metres", "meters")
}
SPELT |= {"liters": "L", "milliliters": "mL"}
SPELT |= {f"{power}{word}": f"{unit}{mark}" for word, unit in _LONG.items() for power, mark in POWERS.items()}
_LONGEST = 100
"""Characters of a value with its unit."""
UNIT = "|".join(sorted(map(re.escape, SPELT), key=len, reverse=True))
"""A pattern of all words of units."""


def read_measure(text: str) -> Measure | None:
    """A number with or without a unit; ``None`` for anything else, and for what is too long to be one."""
    match = re.fullmatch(rf"(.*?[\dπ)])\s?({UNIT})?", text.strip()) if len(text) <= _LONGEST else None
    if match is None or (number := _number(match[1])) is None:
        return None
    return Measure(number, SPELT[match[2]] if match[2] else "")


def _number(text: str) -> ExactNumber | None:
    total = ExactNumber(())
    # What 1/2π is, is not sure: half of pi, or one over 2π; and 02 may have lost its point.
    if not _SUM.fullmatch(text) or re.search(r"/\(\d+\)|/\d+π|(?<![\d.])0\d", text):
        return None
    words = re.sub(r"([+-])\s*", r" \1", text).split()
    for word in words:
        match = _TERM.fullmatch(word)
        if match is None or not word.strip("+-") or (match[5] == "" and not match[6] and "/" in word):
            return None
        sign, factor, root, above, below, under = match.groups()
        if (below and int(below) == 0) or not (factor or root or above) or (root and "/" in word and factor == ""):
            return None
        value = Fraction(factor or 1) / Fraction(below or 1) * (-1 if sign == "-" else 1)
        if root is not None and (int(root) < 2 or len(root) > 9):
            return None
        term = ExactNumber(((len(above) - len(under or ""), 1, value),))
        total = total.plus(term.times(whole(int(root)).root()) if root else term)
    return total if words else None


def is_long(value: str) -> bool:
    """Whether a number has more than twelve digits."""
    return len(re.findall("[0-9]", re.sub(rf"(?:{UNIT})$", "", value))) > 12
