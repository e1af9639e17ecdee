"""Phrases that name a unit, and the unit after a value: ``square metres``, ``km/h``, the ``cm^2`` of ``12 cm^2``.

A power is read as ``cm^2`` only: the caller has brought ``cm²`` to that spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from srt.maths.units.unit import Unit
from srt.maths.units.unit_spellings import ALL_UNITS, LETTERS, POWER_WORDS

_FOLDED = {
    # Long words are read whatever their case; ``MM`` and ``mm`` or ``mW`` and ``MW`` are not the same unit.
    spelling.casefold(): unit
    for spelling, unit in ALL_UNITS.items()
    if len(spelling) > 2 and spelling.isascii()
}
_WORDS = "|".join(sorted(map(re.escape, ALL_UNITS), key=len, reverse=True))


def _unit_pattern(*, capture: bool) -> str:
    """One unit with what squares or cubes it, before or behind.

    The groups: a word before, a Chinese word before, the unit, a power in braces, a bare power, a power glued to a
    metre (``m2``), a word behind. Without ``capture`` nothing is captured, so that patterns can be put together.
    """

    def group(pattern: str) -> str:
        return f"({pattern})" if capture else f"(?:{pattern})"

    # Spaces are taken for good: no unit begins with one, and each try of a shorter run would go through all units.
    before = f"(?:{group('square|sq|cubic|cu')}\\.?\\s*+|{group('平方|立方')})"
    unit = group(rf"(?:(?<![A-Za-z\\])|(?<=\\pi)|(?<=\\pi ))(?i:{_WORDS})(?![A-Za-z])")
    digit = group(r"-?\d")
    braced = rf"\{{\s*+{digit}\s*+\}}"
    glued, behind = f"(?<=m){group('[23]')}(?![\\d.])", f"\\s++{group('squared|cubed')}(?![A-Za-z])"
    return rf"{before}?{unit}(?:\s*+\^\s*+(?:{braced}|{digit})|{glued}|{behind})?"


_UNIT = re.compile(_unit_pattern(capture=True))
_ANY = _unit_pattern(capture=False)
# The unit at the end of a text, behind a number, a bracket, a sign, pi, or a letter as in ``2a cm``. Whether a
# single letter is a unit there, as in ``3 m``, or a factor, as in ``2a m``, is decided in split_unit.
_AT_END = re.compile(
    rf"(?:(?<=[\d)\]}}°*·×])|(?<=\s)(?!\s)|(?<=\\pi)|(?<=[a-z]))\s{{0,20}}+(?:[(\[]\s{{0,20}}+)?"
    rf"({_ANY}(?:\s*+(?:/|·|\bper\s)\s*+{_ANY}){{0,4}})\s*+[)\]]?$"
)
_TWO_UNITS = re.compile(
    rf"(?P<one>\d+(?:\.\d+)?)\s*+(?P<large>{_ANY})\s*+(?:and\s++)?(?P<two>\d+(?:\.\d+)?)\s*+(?P<small>{_ANY})"
)
_SIMPLE = r"(?:[kcdmμ]?m|k?g|[mk]?[LJNWV]|mol|min|s|h|K|Pa|A|C)"
_INVERSE = re.compile(
    rf"(?<![A-Za-z\\])({_SIMPLE}(?:\^\d)?)(?:\s|·|\\cdot\s)?\s*({_SIMPLE})\s*\^\s*(?:\{{\s*-\s*(\d)\s*\}}|-(\d)|\(-(\d)\))"
)
_NUMBER_ENDS = re.compile(r"(?:[\d)}\]°]|\\pi|(?<![A-Za-z])pi)$")
_POWER_OF_A_LETTER = re.compile(r"(?<![A-Za-z\\])[A-Za-z]\s*\^\s*(?:\{\s*\d\s*\}|\d)$")
"""``r^2h`` is a product."""
_TURNED = re.compile(r"(?<![A-Za-z])(?:sin|cos|tan|cot|sec|csc)\s{0,5}[({]?\s{0,5}[\d.]{1,12}$")
"""The degrees of ``4 cos 30°`` belong to the angle."""
_LONGEST_UNIT = 60
_LONGEST_SUM = 80


def split_unit(text: str, names: frozenset[str] = frozenset()) -> tuple[str, Unit | None]:
    """``text`` as the value and the unit after it.

    ``names`` are letters that stand for themselves: the ``m`` of ``3m`` where gold is an expression in m.
    """
    # No unit is longer, and a search from the start would try every number of a long text.
    start = max(0, len(text) - _LONGEST_UNIT)
    for match in _AT_END.finditer(text, start):
        spelled, value = match[1], text[: match.start()].rstrip(" (*·×")
        unit = phrase_unit(spelled)
        if (
            unit is None
            or not value
            or (unit.name == "°" and _TURNED.search(value))
            or spelled in names
            or (spelled[:1] in names and spelled in LETTERS)
            or names.issuperset(spelled)  # ``2hr`` where gold is an expression in r and h
        ):
            continue
        # ``2a m`` and ``xy h`` are products; ``3 m`` and ``\pi m`` are not.
        letter = spelled.split("^")[0].strip() in LETTERS
        if letter and (not _NUMBER_ENDS.search(value) or _POWER_OF_A_LETTER.search(value)):
            continue
        return value, unit
    return text, None


def with_slashes(text: str) -> str:
    """``text`` with ``m s^{-1}`` and ``ms^{-1}`` as ``m/s``: a unit to a negative power is one that is divided by."""
    if "^" not in text or "-" not in text:
        return text

    def divided(match: re.Match[str]) -> str:
        power = next(group for group in match.groups()[2:] if group)
        return f"{match[1]}/{match[2]}" + (f"^{power}" if power != "1" else "")

    return _INVERSE.sub(divided, text)


@lru_cache(maxsize=4096)
def phrase_unit(phrase: str) -> Unit | None:
    """The unit that ``phrase`` (``cm^{2}``, ``square metres``, ``km/h``) names; ``None`` if it is none."""
    found: Unit | None = None
    end = 0
    for match in _UNIT.finditer(phrase):
        sign = phrase[end : match.start()].strip()
        unit = _read(match)
        # Nothing but a sign may stand between two units, and nothing before the first.
        if unit is None or (found is None) != (sign == "") or sign not in ("", "/", "·", "per"):
            return None
        found = unit if found is None else found.joined("·" if sign == "·" else "/", unit)
        end = match.end()
    return found if not phrase[end:].strip() else None


def units_in(text: str) -> Iterator[Unit]:
    """The units that ``text`` mentions anywhere; single letters only after a number."""
    for match in _UNIT.finditer(text):
        word = match[3]
        unit = _read(match)
        if unit and (word not in LETTERS or re.search(r"\d\s*$", text[max(0, match.start() - 4) : match.start()])):
            yield unit


def as_one_unit(text: str) -> str:
    """``1 m 20 cm``, 3小时20分钟 as a sum in the smaller unit; other texts as they are."""
    match = _TWO_UNITS.fullmatch(text) if len(text) <= _LONGEST_SUM else None
    if match is None:
        return text
    large, small = phrase_unit(match["large"]), phrase_unit(match["small"])
    if large is None or small is None or large.dimension != small.dimension or large.scale <= small.scale:
        return text
    return f"({match['one']} \\times {large.scale / small.scale}+{match['two']}) {match['small']}"


def _read(match: re.Match[str]) -> Unit | None:
    before, han, word, braced, bare, glued, behind = match.groups()
    unit = ALL_UNITS.get(word) or _FOLDED.get(word.casefold())
    if unit is None:
        return None
    power = POWER_WORDS[before or han or behind] if before or han or behind else 1
    if braced or bare or glued:
        power *= int(braced or bare or glued)
    return unit.raised(power) if abs(power) <= 9 and power else None
