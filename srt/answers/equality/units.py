"""Whether the unit of an answer is gold's, or converts to it, under a policy; and nouns that are counted.

A counted noun (``27 cubes``, ``6 个``) is no unit of measure: it is cut off too and never compared, except that under
a policy with strict units it must be a word of the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from srt.answers.equality.normal_form import plain
from srt.answers.equality.policies import Policy
from srt.maths.units.unit import Unit
from srt.maths.units.unit_phrases import units_in
from srt.maths.units.unit_spellings import ALL_UNITS
from srt.maths.words import word_set


@dataclass(frozen=True)
class UnitMatch:
    """What a given value is to be multiplied by, to be in gold's unit; ``as_is``: the units are the same."""

    factor: str
    as_is: bool


_CHANGES = word_set(
    "times percent hundred thousand million billion dozen half third quarter squared cubed square cube or and more "
    "less fewer greater larger smaller longer shorter higher lower minus plus over mod remainder root to not by of is "
    "are per pi sqrt if than but"
)
_HAN = re.compile("[\u4e00-\u9fff]")
_MEASURES = "个块条种根张次只枚颗"
"""Measure words, which may stand between a number and the noun that the question asks about."""
_HAN_CHANGES = re.compile("[倍成万亿千百十半分或和与且打比余]|以[上下内外]|的(?:平方|立方|倒数|根)")
_ASKED_POWERS = ((re.compile(r"volume|capacity|体积|容积", re.I), 3), (re.compile(r"area|面积", re.I), 2))
_SENTENCE_ENDS = re.compile(r"[.?!。？！；;]\s*")
_ASKED_PERCENT = re.compile(
    r"(?<![\d\s])\s*(?:percent(?:age)?|per\s+cent|%|百分(?:比|率|数)|百分之(?:几|多少))(?![A-Za-z])", re.I
)
_WARMTH = re.compile(r"temperature|°\s?[CF](?![a-z])|℃|celsius|温度|气温", re.I)
_CIRCLE = re.compile(r"degree|度|°|\\circ|angle|角")

_COUNTED = re.compile(
    r"(?P<value>[-+]?\d[\d,.]*(?:/\d+|\^\{?\d{1,3}\}?)?)\s*(?P<noun>[A-Za-z][a-z'-]*(?:\s+[A-Za-z][a-z'-]*){0,3}|[\u4e00-\u9fff]{1,10})"
)
_LONGEST_COUNT = 80


def split_noun(text: str, question: str, *, any_noun: bool) -> str:
    """``27`` of ``27 small cubes``; ``text`` as it is where the words after the number may change it.

    An English noun must be of words of the question, unless ``any_noun``.
    """
    match = _COUNTED.fullmatch(text) if len(text) <= _LONGEST_COUNT else None
    if match is None:
        return text
    noun = match["noun"].strip()
    if noun.isascii():
        words = noun.casefold().split()
        measured = any(word in ALL_UNITS and not ALL_UNITS[word].bare for word in words)  # "unit cubes" are counted
        if measured or set(words) & _CHANGES or any(len(word) < 3 for word in words):
            return text
        asked = question.casefold()
        known = any_noun or all(word.rstrip("s").removesuffix("e") in asked for word in words)
        return match["value"] if known else text
    if _HAN_CHANGES.search(noun) or any(u in ALL_UNITS for u in (noun, noun[:2])):
        return text
    named = noun.lstrip(_MEASURES)
    return match["value"] if any_noun or not named or named in question or not _HAN.search(question) else text


def match_units(gold: Unit | None, given: Unit | None, question: str, policy: Policy) -> list[UnitMatch]:
    """How a value in the unit ``given`` may be compared with one in ``gold``; nothing: the unit is wrong or missing."""
    if gold is None and given is None:
        return [UnitMatch("1", True)]
    if gold is not None and given is not None:
        return _both(gold, given, policy)
    one = gold or given
    assert one is not None
    if one.is_money:  # The currency may be left out, but another than the question's is wrong.
        asked = {unit for unit in _units_in(question) if unit.is_money} if gold is None else set()
        same = {unit.scale for unit in asked if unit.dimension == one.dimension}
        if not asked or one.scale in same:
            return [UnitMatch("1", False)]
        return [UnitMatch(str(one.scale / same.pop()), False)] if len(same) == 1 else []
    if one.bare:
        return [UnitMatch("1", False)]
    if not one.dimension:  # 0.5 is 50%, and 50 is not, unless percent are asked for: the sign is a number.
        as_number = UnitMatch(str(1 / one.scale if gold else one.scale), False)
        return [as_number, UnitMatch("1", False)] if one.name == "%" and asks_percent(question) else [as_number]
    matches = []
    if gold is None and len(meant := {unit for unit in _units_in(question) if unit.dimension == one.dimension}) == 1:
        return [UnitMatch(str(one.scale / meant.pop().scale), False)]  # "in metres": gold is in metres, too
    if policy.loose_units or states(question, one):
        matches.append(UnitMatch("1", False))
    if one.name == "°" and _WARMTH.search(question):
        matches.append(UnitMatch("1", False))
    elif one.name == "°":  # So is the sign of degrees.
        matches.append(UnitMatch(r"180/\pi" if gold else r"\pi/180", False))
    return matches


def _both(gold: Unit, given: Unit, policy: Policy) -> list[UnitMatch]:
    if gold.name == given.name:
        return [UnitMatch("1", True)]
    if gold.bare or given.bare:
        power, other = (sum(exponent for _, exponent in unit.dimension) for unit in (gold, given))
        generic = power == other and (policy.loose_units or (gold.bare and given.bare))
        return [UnitMatch("1", False)] if generic else []
    if {gold.name, given.name} == {"°", "rad"}:
        return [UnitMatch(r"180/\pi" if gold.name == "°" else r"\pi/180", False)]
    if gold.dimension != given.dimension:
        return []
    ratio = given.scale / gold.scale
    return [UnitMatch(str(ratio), False)]


def asks_percent(question: str) -> bool:
    """Whether ``question`` asks for a number of percent: "what percentage", "in %", not "after a discount of 20%"."""
    last = next(filter(None, reversed(_SENTENCE_ENDS.split(question))), "")
    return _ASKED_PERCENT.search(last) is not None


def states(question: str, unit: Unit) -> bool:
    """Whether ``question`` leaves no other unit than ``unit``: it names it, or what it is made of and no other.

    Lengths in cm alone leave cm^3 for a volume, km and hours leave km/h for a speed.
    """
    if unit.name == "°":
        return _CIRCLE.search(question) is not None
    last = next(filter(None, reversed(_SENTENCE_ENDS.split(question))), "")
    asked = [power for words, power in _ASKED_POWERS if words.search(last)]
    if len(asked) == 1 and [kind for kind, _ in unit.dimension] == ["length"] and unit.dimension[0][1] != asked[0]:
        return False  # cm^2 for a volume
    named = {unit.name for unit in _units_in(question)}
    if unit.name in named:
        return True
    bases = {ALL_UNITS[base].name for name in named for base in _bases(name) if base in ALL_UNITS}
    kinds = {base: ALL_UNITS[base].dimension[0][0] for base in bases if ALL_UNITS[base].dimension}
    for base in _bases(unit.name):
        found = ALL_UNITS.get(base)
        if found is None or not found.dimension:
            return False
        if {other for other, kind in kinds.items() if kind == found.dimension[0][0]} != {found.name}:
            return False
    return True


def _bases(name: str) -> list[str]:
    """The simple units in the name of a unit: km and h of ``km/h``, cm of ``cm^3``."""
    return [part.partition("^")[0] for part in re.split(r"[/·]", name)]


@lru_cache(maxsize=256)
def _units_in(question: str) -> frozenset[Unit]:
    return frozenset(units_in(plain(question)))
