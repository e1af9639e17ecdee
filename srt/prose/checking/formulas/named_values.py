"""The values that a text states with the words for what they are: ``radius 3``, 高为4, ``8 vertices``, ``AB = 5``."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from srt.maths.equal_values import readings
from srt.maths.work import remembered
from srt.prose.checking.formulas.float_values import float_value
from srt.prose.checking.formulas.quantity_words import Noun, nouns_in
from srt.prose.checking.formulas.solids import owner_of
from srt.prose.checking.numbers.stated_numbers import without_references

_PLAIN = r"\d+(?:\.\d+)?(?:/\d+)?"
_ROOT = r"(?:√\s*\(?\d+\)?|\\sqrt\s*\{?\d+\}?)"
_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
          "eleven": 11, "twelve": 12, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
          "十": 10, "十二": 12}  # fmt: skip
_LITERAL = re.compile(
    rf"(?<![A-Za-z0-9_.^√}}])(?:\\d?frac\s*\{{\d+\}}\s*\{{\d+\}}|{_PLAIN}\s*{_ROOT}(?:/\d+)?|{_ROOT}(?:/\d+)?|{_PLAIN}(?!\d))\s*"
    rf"(?:π|\\pi(?![a-z])|pi\b)?|(?<![A-Za-z0-9_.^])(?:π|\\pi(?![a-z]))"
    rf"|\b({'|'.join(word for word in _WORDS if word.isascii())})\b|(十二|[两二三四五六七八九十])(?!分之|角|维)"
)
_EXPONENT = re.compile(r"\^\s*+\{?\s*+$")
_BETWEEN = re.compile(r"(?:[\s,，、和与及:：×xX*$]|\\times|\\,|\bby\b|\band\b)*$")
_LETTER = re.compile(r"(?<![A-Za-z])([A-Za-z]{1,2})['′]?(?:_?\{?\w{0,20}\}?)?\s*+[=＝≈]\s*+\$?\s*+$")
_SENTENCE = re.compile(r"[。;；!?！？\n]|\.(?!\d)")
_UNIT = re.compile(
    r"\s*+(?:\\?[,; ])?(?:\\(?:text|mathrm|rm)\s*+\{?)?\s*+"
    r"(square|sq\.?|平方|cubic|立方)?\s*+-?(mm|cm|dm|km|m|毫米|厘米|分米|千米|米|(?:milli|centi|deci|kilo)?met(?:er|re)s?"
    r"|inch(?:es)?|feet|foot|ft|units?)?(?![A-Za-z])"
    r"(?:\s*+\^?\s*+\{?([23²³])\}?)?\}?|\s*+(L|mL|lit(?:er|re)s?|升|毫升)(?![A-Za-z])"
)
_LENGTHS = {"mm": 1, "毫米": 1, "millimet": 1, "cm": 10, "厘米": 10, "centimet": 10, "dm": 100, "分米": 100,
            "decimet": 100, "m": 1000, "米": 1000, "met": 1000, "km": 10**6, "千米": 10**6, "kilomet": 10**6,
            }  # fmt: skip
_BEHIND = (
    ("faces", re.compile(r"\s*(?:\w+ )?faces\b|个?面(?!积|体|对)")),
    ("edges", re.compile(r"\s*(?:\w+ )?edges\b|条?棱(?!长|柱|锥|台)")),
    ("vertices", re.compile(r"\s*(?:\w+ )?(?:vertices|corners)\b|个?顶点")),
    ("sides", re.compile(r"\s*-?(?:sides\b|sided|gon)|(?:条边|棱柱|棱锥|棱台|边形|角形)")),
    ("angle", re.compile(r"\s*(?:°|\^\s*\{?\\circ|degrees?|度(?!数))")),
    ("height", re.compile(r"\s*(?:high|tall|deep|thick|in height)\b|高|深")),
    ("length", re.compile(r"\s*(?:wide|long|broad|in (?:width|length))\b|宽|长")),
    ("radius", re.compile(r"\s*in radius\b")),
    ("diameter", re.compile(r"\s*(?:in diameter|across)\b")),
    (
        "count",
        re.compile(
            r"\s*(?:[a-z]+ ){0,2}(?:cubes|balls|spheres|cones|cylinders|prisms|pyramids|cuboids|boxes|blocks|bricks"
            r"|pieces|triangles|squares|rectangles|circles|bases|walls|parts)\b|[个只块枚根座份张]"
        ),
    ),
    ("axis", re.compile(r"\s*(?:[a-z]{1,2}|厘米|分米|米)?长?的(?:一?条)?(?:直角)?边(?:所在的?直线)?为?(?:旋转)?轴")),
)
_POLYGONS = {"triang": 3, "quadrilat": 4, "quadrang": 4, "pentag": 5, "hexag": 6, "heptag": 7, "octag": 8, "nonag": 9,
             "decag": 10, "square": 4}  # fmt: skip
_POLYGON = re.compile("|".join(_POLYGONS), re.IGNORECASE)
_POWERS = {"area": 2, "base area": 2, "lateral area": 2, "surface area": 2, "volume": 3}
_AXIS = re.compile(
    r"[以绕][其它的]{0,2}(长|宽)(?:边)?(?:所在|为|旋转)|\b(?:around|about)\s+(?:its|the)\s+(length|width)\b",
    re.IGNORECASE,
)
_STRAIGHT = 6
"""So many characters at most, as in ``radius is $``, stand between a noun and the letter for it."""
_NO_LENGTH = frozenset({"faces", "edges", "vertices", "sides", "angle", "count"})


@dataclass(frozen=True)
class ValueInRole:
    """A number that stands for ``role``: a quantity, a part of a solid, or a plain length (empty).

    ``owner``: the solid that it is stated of, where a text names several.
    """

    value: float
    role: str
    owner: str = ""


@dataclass(frozen=True)
class _Found:
    value: float
    start: int
    end: int
    unit: str
    power: int
    behind: str


def stated_values(text: str, owned: bool = False) -> tuple[ValueInRole, ...]:
    """The values that ``text`` states, as often as it states them; a diameter states a radius as well.

    ``owned``: each belongs to the solid that is named before it.
    """
    found = list(_literals(without_references(text)))
    values: list[ValueInRole] = []
    ends = [one.end for one in found]
    for group in _groups(text, found):
        values += _roles_of(text, group, ends, owned)
    converted = list(_converted(found, values))
    values = _without_axes(values)
    every = (*values, *converted)
    halves = [ValueInRole(one.value / 2, "radius", one.owner) for one in every if one.role == "diameter"]
    polygons = {ValueInRole(float(_POLYGONS[match[0].lower()]), "sides") for match in _POLYGON.finditer(text)}
    return (*every, *halves, *polygons)


def _without_axes(values: list[ValueInRole]) -> list[ValueInRole]:
    """``values`` without those of plain lengths that are stated to be the axis of a rotation as well."""
    axes = {one.value for one in values if one.role == "axis"}
    return [one for one in values if one.role not in ("", "length") or one.value not in axes]


def _literals(text: str) -> Iterator[_Found]:
    for match in _LITERAL.finditer(text):
        if _EXPONENT.search(text[max(0, match.start() - 4) : match.start()]):
            continue
        word = match[1] or match[2]
        value = float(_WORDS[word]) if word else _value(match[0])
        if value is None:
            continue
        unit = _UNIT.match(text, match.end())
        name, power = "", 0
        if unit is not None:
            name = unit[2] or ""
            squared = "".join(part or "" for part in (unit[1], unit[3]))
            power = 3 if unit[4] or re.search("[3³]|cub|立方", squared) else 2 if squared else 1 if name else 0
        behind = next((role for role, words in _BEHIND if words.match(text, match.end())), "")
        if not behind and unit is not None:
            behind = next((role for role, words in _BEHIND[5:9] if words.match(text, unit.end())), "")
        yield _Found(value, match.start(), match.end(), name, power, behind)


@remembered(maxsize=4096)
def _value(text: str) -> float | None:
    trees = readings(text)
    return float_value(trees[0], {}) if trees else None


def _groups(text: str, found: list[_Found]) -> list[list[_Found]]:
    """Numbers that stand in a list: ``2 by 3 by 4``, 10、6、4."""
    groups: list[list[_Found]] = []
    for one in found:
        last = groups[-1][-1] if groups else None
        if last is not None and not last.behind and not one.behind:
            unit = _UNIT.match(text, last.end)
            start = unit.end() if unit is not None else last.end
            if _BETWEEN.fullmatch(text[start : one.start]):
                groups[-1].append(one)
                continue
        groups.append([one])
    return groups


def _roles_of(text: str, group: list[_Found], ends: list[int], owned: bool) -> list[ValueInRole]:
    earlier = bisect_right(ends, group[0].start)
    before = ends[earlier - 1] if earlier else 0
    segment = text[before : group[0].start]
    segment = segment[max((cut.end() for cut in _SENTENCE.finditer(segment)), default=0) :]
    nouns = nouns_in(segment)
    listed = nouns[-len(group) :]
    in_a_row = all(b.start - a.end <= _STRAIGHT for a, b in itertools.pairwise(listed))
    if len(listed) == len(group) > 1 and (in_a_row or re.search("respectively|分别|依次", text)):
        named = [_role_of(noun, segment, text) for noun in listed]
    else:
        named = [_role_before(segment, nouns, text)] * len(group)
    owners = [owner_of(text, one.start, one.end) if owned else "" for one in group]
    return [
        ValueInRole(one.value, _role(one, role), owner) for one, role, owner in zip(group, named, owners, strict=True)
    ]


def _role(found: _Found, role: str) -> str:
    if found.behind and not (found.behind == "count" and role):
        return found.behind
    if found.power == 3:
        return "volume"
    if found.power == 2:
        return role if _POWERS.get(role) == 2 else "area"
    return role


def _role_of(noun: Noun, segment: str, text: str) -> str:
    """The role of ``noun``; ``axis`` where the figure turns about what is called so: 以宽所在直线为轴."""
    axis = _AXIS.search(text)
    return "axis" if axis and segment[noun.start : noun.end].lower() == (axis[1] or axis[2]).lower() else noun.role


def _role_before(segment: str, nouns: list[Noun], text: str) -> str:
    """By the letter at the end of ``segment``, if no noun stands straight before it, else by the last noun."""
    letter = _LETTER.search(segment)
    if letter and not (nouns and letter.start() - nouns[-1].end <= _STRAIGHT):
        return role_of_name(letter[1])
    return _role_of(nouns[-1], segment, text) if nouns else ""


def role_of_name(name: str) -> str:
    """The role of a value that is called ``name``: ``r``, ``AB``, ``V_1``."""
    if len(name) > 1 and name[:2].isalpha() and name[:2].isupper():
        return "segment"
    return {"r": "radius", "R": "radius", "h": "height", "H": "height", "S": "area", "V": "volume", "n": "sides",
            "a": "length", "b": "length", "c": "length"}.get(name[:1], "")  # fmt: skip


def _converted(found: list[_Found], values: list[ValueInRole]) -> Iterator[ValueInRole]:
    """The values in the other units that are used: 300 for the 3 m of ``3 m by 50 cm``."""
    used = {scale for one in found if (scale := _scale(one.unit))}
    if len(used) < 2:
        return
    for one, value in zip(found, values, strict=True):
        scale = _scale(one.unit)
        for other in used - {scale}:
            if scale and value.role not in _NO_LENGTH:
                size = value.value * (scale / other) ** _POWERS.get(value.role, 1)
                yield ValueInRole(size, value.role, value.owner)


def _scale(unit: str) -> int:
    plain = unit.lower()
    return next((scale for name, scale in _LENGTHS.items() if plain == name or (len(name) > 2 and name in plain)), 0)
