"""The unit after a value: cut off, named in one spelling, and held against gold's under a policy.

A counted noun (``27 cubes``, ``6 个``) is no unit of measure: it is cut off too and never compared, except that under
a policy with strict units it must be a word of the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from srt.answers.equality.normal_form import plain
from srt.answers.equality.policies import Policy
from srt.claims.syntax.unit_spellings import UNITS
from srt.claims.syntax.words import word_set


@dataclass(frozen=True)
class CompoundUnit:
    """``name`` in one spelling (``cm^2``, ``m/s``); ``scale`` in SI; ``dimension``: kinds and their powers, sorted."""

    name: str
    scale: Fraction
    dimension: tuple[tuple[str, int], ...]

    @property
    def bare(self) -> bool:
        """Whether it is a unit without a size: ``units``, ``square units``."""
        return any(kind == "any" for kind, _ in self.dimension)


@dataclass(frozen=True)
class UnitMatch:
    """What a given value is to be multiplied by, to be in gold's unit; ``as_is``: the units are the same."""

    factor: str
    as_is: bool


_POWER_WORDS = {"square": 2, "squared": 2, "sq": 2, "cubic": 3, "cubed": 3, "cu": 3, "平方": 2, "立方": 3}
_OTHERS = {  # beside those of srt.claims, by their spellings
    "° degree degrees deg 度": CompoundUnit("°", Fraction(1), (("angle", 1),)),
    "% percent": CompoundUnit("%", Fraction(1, 100), ()),
    "‰": CompoundUnit("‰", Fraction(1, 1000), ()),
    "rad radian radians 弧度": CompoundUnit("rad", Fraction(1), (("radian", 1),)),
    "°C ℃ 摄氏度": CompoundUnit("°C", Fraction(1), (("temperature", 1),)),
    "元 yuan": CompoundUnit("元", Fraction(1), (("money", 1),)),
    "ton tons tonne tonnes 吨": CompoundUnit("t", Fraction(1000), (("mass", 1),)),
    "K kelvin kelvins 开 开尔文": CompoundUnit("K", Fraction(1), (("kelvin", 1),)),
    "mile miles": CompoundUnit("mi", Fraction("1609.344"), (("length", 1),)),
}
_DERIVED = {  # of SI: what they are made of, and their spellings
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
_LETTERS = word_set("m s g h L l t N in min ft deg rad yd V A J W K C")
"""Spellings that are names in formulas too: units only after a number, a bracket or pi, and if no name of gold's."""
_CHANGES = word_set(
    "times percent hundred thousand million billion dozen half third quarter squared cubed square cube or and more "
    "less minus plus over mod remainder root to not by of is are per pi sqrt if than but"
)
_HAN = re.compile("[\u4e00-\u9fff]")
_MEASURES = "个块条种根张次只枚颗"
"""Measure words, which may stand between a number and the noun that the question asks about."""
_HAN_CHANGES = re.compile("[倍成万亿千百十半分或和与且打比余]|的(?:平方|立方|倒数|根)")
_ASKED_POWERS = ((re.compile(r"volume|capacity|体积|容积", re.I), 3), (re.compile(r"area|面积", re.I), 2))
_SENTENCE_ENDS = re.compile(r"[.?!。？！；;]\s*")
_CIRCLE = re.compile(r"degree|度|°|\\circ|angle|角")


def _table() -> dict[str, CompoundUnit]:
    table = {
        spelling: CompoundUnit(unit.name, unit.scale, (unit.dimension,))
        for spelling, unit in UNITS.items()
        if spelling[-1] not in "²³"
    }
    for spellings, unit in _OTHERS.items():
        table |= dict.fromkeys(spellings.split(), unit)
    for symbol, (dimension, words) in _DERIVED.items():
        table |= dict.fromkeys([symbol, *words.split()], CompoundUnit(symbol, Fraction(1), dimension))
        for prefix, power in _PREFIXES.items():
            prefixed = CompoundUnit(f"{prefix}{symbol}", Fraction(10) ** power, dimension)
            if len(prefix) == 1 and prefix not in "千毫兆":
                table[f"{prefix}{symbol}"] = prefixed
            else:
                table |= {f"{prefix}{word}": prefixed for word in words.split() if word.isascii() == prefix.isascii()}
    table |= dict.fromkeys(("h", "hr", "hrs"), table["hour"])
    table |= {"in": table["inch"], "cms": table["cm"], "mms": table["mm"], "l": table["L"]}
    table["cc"] = _raised(table["cm"], 3)
    return table


def _raised(unit: CompoundUnit, power: int) -> CompoundUnit:
    if power == 1:
        return unit
    base, _, already = unit.name.partition("^")
    name = f"{base}^{int(already or 1) * power}" if "/" not in unit.name else f"({unit.name})^{power}"
    scale = unit.scale**power
    return CompoundUnit(name, scale, tuple((kind, exponent * power) for kind, exponent in unit.dimension))


_UNITS = _table()
_FOLDED = {spelling.casefold(): unit for spelling, unit in _UNITS.items() if len(spelling) > 2 and spelling.isascii()}
_WORDS = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_POWER = r"(?:\s*\^\s*(?:\{\s*(-?\d)\s*\}|(-?\d))|(?<=m)([23])(?![\d.])|\s+(squared|cubed)(?![A-Za-z]))"
_BEFORE = r"(?:(square|sq|cubic|cu)\.?\s*|(平方|立方))"
_ATOM = rf"{_BEFORE}?((?:(?<![A-Za-z\\])|(?<=\\pi)|(?<=\\pi ))(?i:{_WORDS})(?![A-Za-z])){_POWER}?"
_ATOMS = re.compile(_ATOM)
_ATOM_PLAIN = re.sub(r"\((?!\?)", "(?:", _ATOM)
_AT_END = re.compile(
    rf"(?:(?<=[\d\s)\]}}°])|(?<=\\pi)|(?<=[a-z]))\s*[(\[]?\s*({_ATOM_PLAIN}(?:\s*(?:/|·|\bper\s)\s*{_ATOM_PLAIN})*)\s*[)\]]?$"
)
_TWO_UNITS = re.compile(
    rf"(?P<one>\d+(?:\.\d+)?)\s*(?P<large>{_ATOM_PLAIN})\s*(?P<two>\d+(?:\.\d+)?)\s*(?P<small>{_ATOM_PLAIN})"
)
_COUNTED = re.compile(
    r"(?P<value>[-+]?\d[\d,.]*(?:/\d+)?)\s*(?P<noun>[A-Za-z][a-z'-]*(?:\s+[A-Za-z][a-z'-]*){0,3}|[\u4e00-\u9fff]{1,10})"
)
_LONGEST_COUNT = 80


def split_unit(text: str, names: frozenset[str] = frozenset()) -> tuple[str, CompoundUnit | None]:
    """``text`` (:func:`~srt.answers.equality.normal_form.plain`) as the value and the unit after it.

    ``names`` are letters that stand for themselves: the ``m`` of ``3m`` where gold is an expression in m.
    """
    start = max(0, len(text) - 60)
    for match in _AT_END.finditer(text, start):
        spelled, value = match[1], text[: match.start()].rstrip(" (")
        unit = unit_named(spelled)
        if unit is None or not value or (spelled in names or (spelled[:1] in names and spelled in _LETTERS)):
            continue
        if spelled.split("^")[0].strip() in _LETTERS and not re.search(r"(?:[\d)}\]°]|\\pi)$", value):
            continue
        return value, unit
    return text, None


@lru_cache(maxsize=4096)
def unit_named(spelled: str) -> CompoundUnit | None:
    """The unit that ``spelled`` (``cm^{2}``, ``square metres``, ``km/h``) names; ``None`` if it is none."""
    found: CompoundUnit | None = None
    end = 0
    for match in _ATOMS.finditer(spelled):
        between = spelled[end : match.start()].strip()
        unit = _atom(match)
        if unit is None or (found is None) != (between == "") or between not in ("", "/", "·", "per"):
            return None
        found = unit if found is None else _product(found, _raised(unit, -1) if between != "·" else unit, between, unit)
        end = match.end()
    return found if not spelled[end:].strip() else None


def _atom(match: re.Match[str]) -> CompoundUnit | None:
    before, han, word, braced, bare, glued, behind = match.groups()
    unit = _UNITS.get(word) or _FOLDED.get(word.casefold())
    if unit is None:
        return None
    power = _POWER_WORDS[before or han or behind] if before or han or behind else 1
    if braced or bare or glued:
        power *= int(braced or bare or glued)
    return _raised(unit, power) if abs(power) <= 9 and power else None


def _product(left: CompoundUnit, right: CompoundUnit, sign: str, shown: CompoundUnit) -> CompoundUnit:
    powers = dict(left.dimension)
    for kind, power in right.dimension:
        powers[kind] = powers.get(kind, 0) + power
    name = f"{left.name}{'·' if sign == '·' else '/'}{shown.name}"
    return CompoundUnit(name, left.scale * right.scale, tuple(sorted((k, p) for k, p in powers.items() if p)))


def as_one_unit(text: str) -> str:
    """``1 m 20 cm``, 3小时20分钟 as a sum in the smaller unit; other texts as they are."""
    match = _TWO_UNITS.fullmatch(text) if len(text) <= _LONGEST_COUNT else None
    if match is None:
        return text
    large, small = unit_named(match["large"]), unit_named(match["small"])
    if large is None or small is None or large.dimension != small.dimension or large.scale <= small.scale:
        return text
    return f"({match['one']} \\times {large.scale / small.scale}+{match['two']}) {match['small']}"


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
        measured = any(word in _UNITS and not _UNITS[word].bare for word in words)  # "unit cubes" are counted
        if measured or set(words) & _CHANGES or any(len(word) < 3 for word in words):
            return text
        asked = question.casefold()
        known = any_noun or all(word.rstrip("s").removesuffix("e") in asked for word in words)
        return match["value"] if known else text
    if _HAN_CHANGES.search(noun) or any(u in _UNITS for u in (noun, noun[:2])):
        return text
    named = noun.lstrip(_MEASURES)
    return match["value"] if any_noun or not named or named in question or not _HAN.search(question) else text


def match_units(
    gold: CompoundUnit | None, given: CompoundUnit | None, question: str, policy: Policy
) -> list[UnitMatch]:
    """How a value in the unit ``given`` may be held against one in ``gold``; nothing: the unit is wrong or missing."""
    if gold is None and given is None:
        return [UnitMatch("1", True)]
    if gold is not None and given is not None:
        return _both(gold, given, policy)
    one = gold or given
    assert one is not None
    if one.bare:
        return [UnitMatch("1", False)]
    if not one.dimension:  # 0.5 is 50%, and 50 is not: the sign is a number.
        return [UnitMatch(str(1 / one.scale if gold else one.scale), False)]
    matches = []
    if gold is None and len(meant := {unit for unit in _units_in(question) if unit.dimension == one.dimension}) == 1:
        return [UnitMatch(str(one.scale / meant.pop().scale), False)]  # "in metres": gold is in metres, too
    if policy.loose_units or states(question, one):
        matches.append(UnitMatch("1", False))
    if one.name == "°":  # So is the sign of degrees.
        matches.append(UnitMatch(r"180/\pi" if gold else r"\pi/180", False))
    return matches


def _both(gold: CompoundUnit, given: CompoundUnit, policy: Policy) -> list[UnitMatch]:
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


def states(question: str, unit: CompoundUnit) -> bool:
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
    bases = {_UNITS[base].name for name in named for base in _bases(name) if base in _UNITS}
    kinds = {base: _UNITS[base].dimension[0][0] for base in bases if _UNITS[base].dimension}
    for base in _bases(unit.name):
        found = _UNITS.get(base)
        if found is None or not found.dimension:
            return False
        if {other for other, kind in kinds.items() if kind == found.dimension[0][0]} != {found.name}:
            return False
    return True


def _bases(name: str) -> list[str]:
    """The simple units in the name of a unit: km and h of ``km/h``, cm of ``cm^3``."""
    return [part.partition("^")[0] for part in re.split(r"[/·]", name)]


@lru_cache(maxsize=256)
def _units_in(question: str) -> frozenset[CompoundUnit]:
    """The units that a question names, in it as a whole; single letters only after a number."""
    text = plain(question)
    found = set()
    for match in _ATOMS.finditer(text):
        word = match[3]
        unit = _atom(match)
        if unit and (word not in _LETTERS or re.search(r"\d\s*$", text[max(0, match.start() - 4) : match.start()])):
            found.add(unit)
    return frozenset(found)
