"""The constants of formulas: numbers that a calculation may use although no premise states them.

This is the whole list. An entry applies where its words stand in the problem or in the steps so far: 1/3 is a constant
of the volume of a cone, and of nothing in a problem about a box. The page ``docs/prose.md`` shows the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from srt.claims.syntax.lexer import tokens_of
from srt.claims.syntax.unit_spellings import Unit


@dataclass(frozen=True)
class FormulaConstant:
    """``values`` of ``formula``, as in ``"1/2 3"``; ``^2`` is an exponent or the index of a root, ``√3`` a square root.

    ``words``: a pattern of the words, in both languages, with which a text speaks of what the formula is about.
    """

    values: str
    formula: str
    words: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """``words``, to be searched in text without regard to case."""
        return re.compile(self.words, re.IGNORECASE)

    @property
    def numbers(self) -> frozenset[Fraction]:
        """The values that are plain numbers."""
        return frozenset(Fraction(value) for value in self.values.split() if value[0] not in "^√π")

    def marked(self, sign: str) -> frozenset[Fraction]:
        """The values after ``sign``, ``^`` or ``√``."""
        return frozenset(Fraction(value[1:]) for value in self.values.split() if value[0] == sign)


_PI = re.compile(r"π|\\pi(?![a-z])|\bpi\b")
_ROUND = r"circ|radi(?:us|i|an)|diamet|cylind|\bcones?\b|conical|sphere|spheric|\bballs?\b|\barcs?\b|sector|frustum"
_ROUND_ZH = r"圆|球|弧|扇形|半径|直径|柱|锥|台"
_SIDES_2 = r"rectang|square|box|cuboid|prism|cub(?:e|ic)|parallel|opposite|perimeter|surface|symmetr|mid"
_SIDES_2_ZH = r"矩形|长方|正方|柱|立方|平行|对边|对面|周长|表面积|对称|中点"
_ANGLE = r"angle|triang|polygon|degree|perpendicular|rotat|°|\\circ|circle"
_ANGLE_ZH = r"角|度|多边形|垂直|旋转|圆"

FORMULA_CONSTANTS: tuple[FormulaConstant, ...] = (
    FormulaConstant("1/3", "volume of a pyramid or a cone: V = 1/3·S·h",
                    r"pyramid|\bcones?\b|conical|tetrahedr|frustum|锥|四面体|台"),
    FormulaConstant("4/3 2/3 4 1/3", "sphere: V = 4/3·π·r³ (half of it 2/3), S = 4·π·r²",
                    r"sphere|spheric|\bballs?\b|球"),
    FormulaConstant("π 3.14 3.1416 22/7", "circle: C = 2·π·r, S = π·r²; π is about 3.14", f"{_ROUND}|{_ROUND_ZH}"),
    FormulaConstant("2", "circle: C = 2·π·r, d = 2·r", f"{_ROUND}|{_ROUND_ZH}"),
    FormulaConstant("1/2 2", "triangle, trapezium, rhombus, sector: S = 1/2·a·h; a midpoint halves",
                    r"triang|trapez|rhomb|sector|slant|bisect|mid-?point|median|kite|三角|梯形|菱形|扇形|斜高|母线|平分|中点|中线|中位"),
    FormulaConstant("2", "rectangle: 2·(a + b); box: 2·(ab + bc + ca); prism and cylinder: two bases",
                    f"{_SIDES_2}|{_SIDES_2_ZH}"),
    FormulaConstant("2", "law of cosines: c² = a² + b² - 2ab·cos C; (a ± b)² = a² ± 2ab + b²", r"cos|余弦|平方"),
    FormulaConstant("^2", "area of a square, a²; of a circle, r²; theorem of Pythagoras, a² + b² = c²",
                    rf"square|right|pythag|area|surface|diagonal|distance|triang|cub(?:e|ic)|slant|{_ROUND}"
                    rf"|正方|直角|勾股|面积|对角|距离|三角|立方|斜|垂|{_ROUND_ZH}"),
    FormulaConstant("^3", "volume of a cube, a³; of a sphere, r³; ratio of volumes of similar solids",
                    r"cub(?:e|ic)|sphere|spheric|\bballs?\b|similar|tetrahedr|正方体|立方|球|相似|四面体"),
    FormulaConstant("6", "cube: S = 6·a²", r"cub(?:e|ic)|正方体|立方"),
    FormulaConstant("8", "cube and box: 8 corners", r"corner|vert(?:ex|ices)|顶点"),
    FormulaConstant("12 4", "cube and box: 12 edges, 4 in each direction", r"edges|棱"),
    FormulaConstant("3", "equilateral triangle: perimeter 3·a; prism and pyramid on a triangle: 3 side faces",
                    r"triang|tetrahedr|三角|三棱|四面体"),
    FormulaConstant("4", "square: perimeter 4·a; rhombus; four side faces; tetrahedron: 4 faces",
                    r"square|rhomb|quadri|tetrahedr|正方|菱形|四边|四棱|四面体"),
    FormulaConstant("5", "pentagon: 5 sides", r"pentagon|五边|五棱"),
    FormulaConstant("6", "hexagon: 6 sides; tetrahedron: 6 edges", r"hexag|tetrahedr|六边|六棱|四面体"),
    FormulaConstant("8", "octagon: 8 sides", r"octag|八边|八棱"),
    FormulaConstant("√3 4 2", "equilateral triangle: S = √3/4·a², h = √3/2·a",
                    r"equilateral|regular|hexag|tetrahedr|等边|正三|正六|正四面体|正多边"),
    FormulaConstant("√2 √6 3 4 12", "regular tetrahedron: V = √2/12·a³, h = √6/3·a, R = √6/4·a",
                    r"regular tetrahedr|正四面体"),
    FormulaConstant("√2 √3", "diagonals of a square, √2·a, and of a cube, √3·a",
                    r"square|cub(?:e|ic)|isosceles|正方|立方|等腰"),
    FormulaConstant("180 360 90 2", "angles: 180 in a triangle, 360 around a point, 90 in a right angle, (n - 2)·180",
                    f"{_ANGLE}|{_ANGLE_ZH}"),
    FormulaConstant("30 45 60", "angles of a half square and of a half equilateral triangle",
                    r"equilateral|isosceles|regular|square|hexag|等边|等腰|正[三四六方多]"),
    FormulaConstant("100 1", "per cent: p% = p/100; the whole is 1, the rest 1 - p",
                    r"%|per ?cent|百分|fraction|分之|几分"),
    FormulaConstant("2", "Euler: V - E + F = 2", r"euler|polyhedr|欧拉|多面体"),
)  # fmt: skip


class Constants:
    """The constants that apply after what has been said so far."""

    def __init__(self) -> None:
        self.numbers: set[Fraction] = set()
        self.exponents: set[Fraction] = set()
        self.roots: set[Fraction] = set()
        self.pi = False
        self._left = list(FORMULA_CONSTANTS)
        self._units: dict[str, Unit] = {}

    def take(self, given: str) -> None:
        """Add what ``given``, a text of the problem, speaks of, and π if it stands there."""
        self.pi = self.pi or _PI.search(given) is not None
        self.hear(given)

    def hear(self, text: str) -> None:
        """Add the constants of the formulas, and of conversions between the units, that ``text`` speaks of."""
        spoken = [entry for entry in self._left if entry.pattern.search(text)]
        for entry in spoken:
            self._left.remove(entry)
            self.numbers |= entry.numbers
            self.exponents |= entry.marked("^")
            self.roots |= entry.marked("√")
            self.pi = self.pi or "π" in entry.values
        self._hear_units(token.unit for token in tokens_of(text) if token.unit is not None)

    def converted(self, value: Fraction, unit: Unit | None) -> Iterator[Fraction]:
        """The numbers that ``value``, given in ``unit``, is in the other units of its dimension that are used."""
        for other in self._units.values():
            if unit is not None and other.dimension == unit.dimension:
                yield value * unit.scale / other.scale

    def _hear_units(self, units: Iterable[Unit]) -> None:
        """``1 m = 100 cm`` gives 100 where both units are used."""
        for unit in units:
            if unit.name in self._units:
                continue
            for other in self._units.values():
                if unit.dimension == other.dimension:
                    self.numbers |= {unit.scale / other.scale, other.scale / unit.scale}
            self._units[unit.name] = unit
