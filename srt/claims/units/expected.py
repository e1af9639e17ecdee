"""Whether the unit of a computed value can be right: ``AB = 3 + 4 = 7 cm²``, ``V = 2 × 3 × 4 = 24 m³`` of centimetres.

A computation in bare numbers says nothing of its unit, so the unit is held against what is measured (a name or a word
before the claim says whether it is a length, an area or a volume) and against the unit in which its numbers are stated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from srt.claims.find import Prose
from srt.claims.links import Link
from srt.claims.syntax.expression import Call, Expression, Number, Quantity, Symbol, walk
from srt.claims.units.stated import BASES, Measure

_LENGTH_NAME = re.compile(r"[A-Z][0-9']*[A-Z][0-9']*")
_NOUNS = (
    (re.compile(r"\bvolumes?\b|体积|容积", re.IGNORECASE), 3),
    (re.compile(r"\bareas?\b|面积", re.IGNORECASE), 2),
    (
        re.compile(
            r"\b(?:lengths?|perimeters?|circumferences?|distances?|radius|radii|diameters?|heights?|widths?|edges?)\b|"
            r"周长|长度|距离|半径|直径|棱长|边长|弧长",
            re.IGNORECASE,
        ),
        1,
    ),
)
_CLAUSE_ENDS = re.compile(r"[.。!?！？;；,，\n∴∵]|\\(?:therefore|because)(?![a-z])")
_CALCULATES = re.compile(
    r"[×*·+÷/]|\\(?:times|cdot|div)|\b(?:times|squared?|cubed|products?|sums?|ratios?|per|multipl\w+|divid\w+)\b|"
    r"[乘除比倍每]|平方|立方|[^面体容]积",
    re.IGNORECASE,
)
"""The clause speaks of a product, a square or a ratio of what it names."""
_AREA = re.compile(r"\barea\b|面积", re.IGNORECASE)
_REACH = 120


def unit_fault(measures: Sequence[Measure], link: Link, prose: Prose, first: int, second: int) -> str | None:
    """Why a unit in the pair ``first``, ``second`` of the sides of ``link`` is wrong; ``None`` if it may be right."""
    units = [unit for place in (first, second) if (unit := _unit_of_value(link, place)) is not None]
    expected = _expected(link, prose)
    for unit in units:
        if expected is not None and expected[1] != unit.dimension[1]:
            return f"{expected[0]} cannot be in {unit.unit}"
    bare = [place for place in (first, second) if not _quantities(link.sides[place].first)]
    return _another_base(measures, link, units[0], second) if len(units) == len(bare) == 1 else None


def _quantities(tree: Expression | None) -> list[Quantity]:
    return [] if tree is None else [node for node in walk(tree) if isinstance(node, Quantity)]


def _unit_of_value(link: Link, place: int) -> Quantity | None:
    """The unit of length, area or volume that a side has as a whole."""
    tree = link.sides[place].first
    found = _quantities(tree)
    if tree is None or len(found) != 1 or found[0].dimension[0] != "length" or not 1 <= found[0].dimension[1] <= 3:
        return None
    return found[0] if found[0].unit.partition("^")[0] in BASES and _linear(tree) else None


def _linear(tree: Expression) -> bool:
    """Whether the unit in ``tree`` stands in no power, root, quotient or function."""
    match tree:
        case Quantity():
            return True
        case Call("add" | "neg" | "mul", parts):
            return any(_linear(part) for part in parts)
    return False


def _expected(link: Link, prose: Prose) -> tuple[str, int] | None:
    """What the chain measures, and its power of length."""
    match link.sides[0].first:
        case Symbol(name):
            if _LENGTH_NAME.fullmatch(name):
                return name, 1
            if name == "V" or name.startswith("V_"):
                return name, 3
            if (name == "S" or name.startswith("S_")) and _AREA.search(prose.text):
                return name, 2
            return None
    before = prose.text[max(0, link.chain.start - _REACH) : link.chain.start].rstrip(" $\n:：")
    clause = _CLAUSE_ENDS.split(before)[-1]
    if _CALCULATES.search(clause):
        return None
    found = [(match[0], power) for noun, power in _NOUNS for match in noun.finditer(clause)]
    if len({power for _, power in found}) != 1:
        return None
    word, power = found[0]
    return f"the {word}" if word.isascii() else word, power


def _another_base(measures: Sequence[Measure], link: Link, unit: Quantity, last: int) -> str | None:
    """Why ``unit``, whose base nothing else here is measured in, is not that of the numbers of the chain."""
    base = unit.unit.partition("^")[0]
    end = link.at + link.chain.end - link.chain.start
    elsewhere = [one for one in measures if not link.at <= one.at <= end]
    if len({one.base for one in elsewhere}) != 1 or base == elsewhere[0].base:
        return None
    sides = [side.first for side in link.sides[: last + 1] if side.first is not None]
    used = {node.value for side in sides for node in walk(side) if isinstance(node, Number) and node.value}
    stated = {one.value for one in elsewhere if one.value}
    size = _root(unit.scale, unit.dimension[1]) / _root(elsewhere[0].scale, elsewhere[0].power)
    factors = {size**power for power in (-3, -2, -1, 1, 2, 3)}
    if used & factors or any(value * factor in used for value in stated for factor in factors):
        return None  # Some number may have been converted.
    same = sorted(used & stated)
    return f"{same[0]} is stated in {elsewhere[0].base}, and nothing else in {base}" if same else None


def _root(scale: Fraction, power: int) -> Fraction:
    """The length whose ``power`` is ``scale``, a power of ten."""
    zeros = (len(str(max(scale.numerator, scale.denominator))) - 1) // power
    return Fraction(10) ** (zeros if scale > 1 else -zeros)
