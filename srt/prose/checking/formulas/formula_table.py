"""The formulas that a calculation of a named quantity may be an instance of, and the constants that they bring along.

This is the whole list; nothing else in this folder knows a formula. An entry applies where its words stand in the
problem or in the steps so far: ``S*h/3`` is a formula of cones, and not of boxes.
``docs/prose.md`` says what follows from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from srt.maths.equal_values import readings
from srt.maths.syntax.expression import PI, Call, Expression, Number, Symbol


@dataclass(frozen=True)
class Formula:
    """``templates`` of one ``quantity``, separated by ``;``, ``of`` a solid or figure.

    ``words``: patterns of the words, in both languages, with which a text speaks of that solid or figure, and each of
    which must be found; ``unless``: of words where the entry does not apply. What a letter of a template may stand for
    is in :data:`SLOTS`. A relation of no named quantity brings ``constants`` only, in the notation of :attr:`values`.
    """

    quantity: str
    of: str
    templates: str
    words: str | tuple[str, ...]
    unless: str = ""
    constants: str = ""

    def fits(self, solid: str) -> bool:
        """Whether it may be a formula of what is called ``solid``."""
        return any(re.search(words, solid, re.IGNORECASE) for words in self.needs)

    @property
    def needs(self) -> tuple[str, ...]:
        """The patterns of ``words``."""
        return (self.words,) if isinstance(self.words, str) else self.words

    @cached_property
    def trees(self) -> tuple[Expression, ...]:
        """The parsed templates."""
        if not self.quantity:
            return ()
        return tuple(readings(template.strip())[0] for template in self.templates.split(";"))

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The constants, in order: ``1/3``, ``π``; ``^2`` is an exponent or the index of a root, ``√3`` a square root.

        They are read off the templates.
        """
        found = [value for tree in self.trees for value in _constants(tree)] + self.constants.split()
        return tuple(dict.fromkeys(found))

    @property
    def numbers(self) -> frozenset[Fraction]:
        """The values that are plain numbers."""
        return frozenset(Fraction(value) for value in self.values if value[0] not in "^√π")

    def marked(self, sign: str) -> frozenset[Fraction]:
        """The values after ``sign``, ``^`` or ``√``."""
        return frozenset(Fraction(value[1:]) for value in self.values if value[0] == sign)


def _constants(tree: Expression) -> Iterator[str]:
    match tree:
        case Number(value=value):
            yield str(value)
        case Symbol():
            if tree == PI:
                yield "π"
        case Call("pow", (base, Number(value=index))):
            yield from _constants(base)
            yield f"^{index}"
        case Call("root", (Number(value=base), _)):
            yield f"√{base}"
        case Call("root", (base, _)):
            yield from _constants(base)
        case Call("div", (Number(value=above), Number(value=below))):
            yield str(above / below)
        case Call("div", (above, Number(value=below))):
            yield from _constants(above)
            yield str(1 / below)
        case Call(_, parts):
            for part in parts:
                yield from _constants(part)


SLOTS: dict[str, frozenset[str]] = {
    **dict.fromkeys("abcd", frozenset({"length", "height", "diameter", "axis", "segment", ""})),
    "h": frozenset({"height", "length", "diameter", "axis", "segment", ""}),
    "k": frozenset({"slant", ""}),
    "m": frozenset({"height", "slant", ""}),
    **dict.fromkeys("rR", frozenset({"radius", ""})),
    "l": frozenset({"slant", "length", "diameter", "segment", ""}),
    **dict.fromkeys("pq", frozenset({"diagonal", "segment", ""})),
    **dict.fromkeys("ST", frozenset({"area", "base area"})),
    "L": frozenset({"lateral area"}),
    "C": frozenset({"perimeter"}),
    "V": frozenset({"volume"}),
    "n": frozenset({"sides"}),
    "t": frozenset({"angle"}),
    "v": frozenset({"vertices"}),
    "e": frozenset({"edges"}),
    "f": frozenset({"faces"}),
}
"""What a letter of a template stands for, by the words at the number; a number without such words is a length."""

_CONE = r"\bcones?\b|conical|圆锥"
_PYRAMID = r"pyramid|tetrahedr|棱锥|四面体"
_SPHERE = r"sphere|spheric|\bballs?\b|球"
_WHOLE_SPHERE = r"(?<!hemi)(?<!hemi-)(?<!half )(?<!half-)spher|\bballs?\b|(?<!半)球"
_FRUSTUM = r"frustum|台"
_CUBE = r"\bcub(?:e|es|ical|ic (?:box|block|container|tank)\w*)\b|正方体|立方体|魔方|正六面体"
_BOX = rf"\bbox|cuboid|rectangular (?:solid|block|tank|prism|pool|room)|\bbrick|\bblock|长方体|{_CUBE}"
_CYLINDER = r"cylind|圆柱"
_PRISM = rf"prism|柱|parallelepiped|平行六面体|{_BOX}|{_CYLINDER}"
_VESSEL = (
    r"\btank|\bpool|\broom\b|carton|container|aquarium|\bpond|vessel|\bcup\b|\bglass|\bcan\b|bucket|trench|\bditch"
    r"|\bpipe|\bwater|箱|池|缸|盒|容器|杯|桶|仓|教室|房间|水|沟|管|砖|钢材|木料"
)
_CIRCLE = (
    r"circ|radi(?:us|i\b|an)|diamet|cylind|\bcones?\b|conical|\bdis[ck]|\barcs?\b|sector|frustum|圆|弧|扇形|半径|直径"
)
_ROUND = rf"{_CIRCLE}|{_SPHERE}|柱|锥|台"
_SQUARE = rf"square|正方|正四棱|{_CUBE}"
_QUADRANGULAR = rf"{_BOX}|{_SQUARE}|rectang|四棱|矩形|长方"
_TRIANGLE = r"triang|tetrahedr|slant|lateral face|side face|三角|三棱|四面体|斜高|侧面|△"
_RIGHT = (
    r"right[- ](?:angled? )?(?:\w+ )?triang|right angle|perpendicular|\blegs?\b|altitude|⊥|\\perp|isosceles|90\s*°|90\^"
    r"|直角|垂直|等腰|勾股"
)
_EQUILATERAL = r"equilateral|regular|hexag|tetrahedr|等边|正三|正六|正四面体|正多边|棱长都|各棱"
_REGULAR_SOLID = r"regular (?:tetra|octa)hedr|正四面体|正八面体"
_RECTANGLE = rf"rectang|\bby\b|\bwid(?:e|th)|sheet|floor|\bwall|矩形|长方|宽|地面|{_BOX}|{_VESSEL}"
_PARALLEL = r"parallelogram|平行四边"
_SIDES_3 = r"triang|tetrahedr|三角|三棱|四面体"
_OPEN = r"\bopen|without (?:a )?(?:lid|top)|no (?:lid|top)|无盖|没有盖|pool|池|缸"
_HALF = r"semi|hemi|half|半圆|半球|一半"
_EDGES = r"\bedges|棱"
_FACES = r"\bfaces\b|面"
_VERTICES = r"vertex|vertices|corner|顶点"
_POLYHEDRON = r"polyhedr|euler|欧拉|多面体"

_PLANE = r"\bbase|\bface|sheet|floor|\bwall|底|面对角|侧面"
_PAINT = r"paint|colou?red|涂|染"

FORMULAS: tuple[Formula, ...] = (
    Formula("volume", "cube", "a^3", _CUBE),
    Formula("volume", "prism, cylinder, box", "S*h; a*b*c", _PRISM),
    Formula("volume", "tank, water that rises, other vessels, where nothing is tapered", "S*h; a*b*c", _VESSEL,
            unless=f"{_CONE}|{_PYRAMID}|{_SPHERE}|{_FRUSTUM}"),
    Formula("volume", "cylinder of known circumference", "C^2*h/(4*pi)", _CYLINDER),
    Formula("volume", "pipe", "pi*(R^2-r^2)*h", r"\bpipe|\btube|hollow|\bring\b|管|空心|环"),
    Formula("volume", "pyramid, cone", "1/3*S*h", f"{_CONE}|{_PYRAMID}"),
    Formula("volume", "frustum", "1/3*h*(S+T+sqrt(S*T)); 1/3*pi*h*(R^2+R*r+r^2); 1/3*h*(a^2+a*b+b^2)", _FRUSTUM),
    Formula("volume", "sphere", "4/3*pi*r^3", _WHOLE_SPHERE),
    Formula("volume", "half of a sphere", "2/3*pi*r^3", (_SPHERE, _HALF)),
    Formula("volume", "regular tetrahedron and octahedron", "sqrt(2)/12*a^3; sqrt(2)/3*a^3", _REGULAR_SOLID),
    Formula("surface area", "cube", "6*a^2", _CUBE),
    Formula("surface area", "cube without a lid", "5*a^2", (_CUBE, _OPEN)),
    Formula("surface area", "box", "2*(a*b+b*c+c*a)", f"{_BOX}|prism|四棱柱|{_VESSEL}"),
    Formula("surface area", "box without a lid", "a*b+2*(b*c+c*a)", _OPEN),
    Formula("surface area", "box on a square", "2*a^2+4*a*h", _SQUARE),
    Formula("surface area", "box on a square without a lid", "a^2+4*a*h", (_SQUARE, _OPEN)),
    Formula("surface area", "prism", "2*S+C*h; 2*S+L; 2*S+(a+b+c)*h", _PRISM),
    Formula("surface area", "cylinder", "2*pi*r*(r+h)", _CYLINDER),
    Formula("surface area", "cylinder without a lid", "pi*r^2+2*pi*r*h", (_CYLINDER, _OPEN)),
    Formula("surface area", "cone, pyramid", "S+L", f"{_CONE}|{_PYRAMID}"),
    Formula("surface area", "cone", "pi*r*(r+l)", _CONE),
    Formula("surface area", "pyramid on a square", "a^2+2*a*k", (_PYRAMID, _SQUARE)),
    Formula("surface area", "frustum", "pi*(R^2+r^2+R*l+r*l); S+T+L", _FRUSTUM),
    Formula("surface area", "sphere", "4*pi*r^2", _WHOLE_SPHERE),
    Formula("surface area", "half of a sphere, with its base", "3*pi*r^2", (_SPHERE, _HALF)),
    Formula("surface area", "regular tetrahedron and octahedron", "sqrt(3)*a^2; 2*sqrt(3)*a^2", _REGULAR_SOLID),
    Formula("lateral area", "prism, cylinder", "C*h; (a+b+c)*h", _PRISM),
    Formula("lateral area", "cylinder", "2*pi*r*h", _CYLINDER),
    Formula("lateral area", "box, cube", "2*(a+b)*h; 4*a*h; 4*a^2", (_QUADRANGULAR, _PRISM)),
    Formula("lateral area", "regular prism", "n*a*h", (r"regular|square|正", _PRISM)),
    Formula("lateral area", "regular pyramid", "1/2*n*a*k", (r"regular|square|正", _PYRAMID)),
    Formula("lateral area", "cone", "pi*r*l; 1/2*C*l", _CONE),
    Formula("lateral area", "pyramid", "1/2*C*k", (_PYRAMID, r"slant|lateral|斜高|侧面")),
    Formula("lateral area", "pyramid on a square", "2*a*k", (_PYRAMID, _SQUARE)),
    Formula("lateral area", "frustum", "pi*(R+r)*l", _FRUSTUM),
    Formula("lateral area", "half of a sphere", "2*pi*r^2", (_SPHERE, _HALF)),
    Formula("area of a face", "side face", "a*h", _PRISM),
    Formula("area", "rectangle", "a*b", _RECTANGLE),
    Formula("area", "parallelogram", "a*m", _PARALLEL),
    Formula("area", "parallelogram, rhombus with a known angle", "a*b*sin(t); a^2*sin(t)",
            (r"sin|正弦|°|\\circ|度", f"{_PARALLEL}|rhomb|菱形")),
    Formula("area", "square", "a^2; 1/2*p^2", _SQUARE),
    Formula("area", "triangle", "1/2*a*m", _TRIANGLE),
    Formula("area", "right triangle, a side and its altitude", "1/2*a*b", (_RIGHT, _TRIANGLE)),
    Formula("area", "triangle with a known angle", "1/2*a*b*sin(t)", (r"sin|正弦|°|\\circ|度", _TRIANGLE)),
    Formula("area", "triangle with known sides", "sqrt((a+b+c)*(a+b-c)*(b+c-a)*(c+a-b)/16)", r"heron|海伦|秦九韶"),
    Formula("area", "equilateral triangle, regular hexagon", "sqrt(3)/4*a^2; 3/2*sqrt(3)*a^2", _EQUILATERAL),
    Formula("area", "trapezium", "1/2*(a+b)*m", r"trape|梯形"),
    Formula("area", "rhombus, kite", "1/2*p*q", r"rhomb|kite|菱形|diagonals|对角线"),
    Formula("area", "circle, ring", "pi*r^2; pi*(R^2-r^2); C^2/(4*pi)", f"{_CIRCLE}|{_SPHERE}"),
    Formula("area", "half of a disc", "1/2*pi*r^2", (_CIRCLE, _HALF)),
    Formula("area", "axial section of a cylinder or a cone", "2*r*h; r*h", r"section|截面"),
    Formula("area", "sector", "t/360*pi*r^2; 1/2*l*r", r"sector|扇形"),
    Formula("area", "base of a known volume", "V/h", f"{_PRISM}|{_VESSEL}"),
    Formula("area", "base of a pyramid or cone of known volume", "3*V/h", f"{_CONE}|{_PYRAMID}"),
    Formula("perimeter", "circle", "2*pi*r", _CIRCLE),
    Formula("perimeter", "arc", "t/360*2*pi*r; t/180*pi*r", r"\barcs?\b|sector|弧|扇"),
    Formula("perimeter", "sector, half of a disc", "pi*r+2*r; l+2*r", f"{_HALF}|sector|扇"),
    Formula("perimeter", "rectangle, parallelogram", "2*(a+b)", f"{_RECTANGLE}|{_PARALLEL}"),
    Formula("perimeter", "square, rhombus", "4*a", f"{_SQUARE}|rhomb|菱形"),
    Formula("perimeter", "triangle", "a+b+c; 2*a+b; 3*a", _SIDES_3),
    Formula("perimeter", "quadrilateral", "a+b+c+d", r"quadri|trape|四边|四棱|梯形"),
    Formula("perimeter", "regular polygon", "n*a", r"regular|equilateral|gon\b|正|等边"),
    Formula("perimeter", "base of a known lateral area", "L/h", _PRISM),
    Formula("length of all edges", "box", "4*(a+b+c)", (_BOX, _EDGES)),
    Formula("length of all edges", "cube", "12*a", (_CUBE, _EDGES)),
    Formula("length of all edges", "tetrahedron, prism", "6*a; n*(2*a+h)", (r"tetrahedr|prism|四面体|棱柱", _EDGES)),
    Formula("diagonal", "box", "sqrt(a^2+b^2+c^2); sqrt(p^2+h^2)", f"{_BOX}|prism|棱柱"),
    Formula("diagonal", "rectangle", "sqrt(a^2+b^2)", rf"rectang|\bby\b|\bwid(?:e|th)|{_PLANE}|矩形|长方形|宽|地面"),
    Formula("diagonal", "square", "sqrt(2)*a; sqrt(a^2+a^2)", rf"square|正方形|正四|isosceles|等腰|{_PLANE}"),
    Formula("diagonal", "cube", "sqrt(3)*a; sqrt(a^2+a^2+a^2)", _CUBE),
    Formula("faces", "polyhedron", "e-v+2", f"{_POLYHEDRON}|{_VERTICES}"),
    Formula("faces", "prism", "n+2", (r"prism|棱柱", _FACES)),
    Formula("faces", "pyramid", "n+1", (_PYRAMID, _FACES)),
    Formula("edges", "polyhedron", "v+f-2; 1/2*n*f; 1/2*n*v", f"{_POLYHEDRON}|{_VERTICES}"),
    Formula("edges", "prism", "3*n", (r"prism|棱柱|长方体|cuboid|\bbox|cube|正方体", _EDGES)),
    Formula("edges", "pyramid", "2*n", (_PYRAMID, _EDGES)),
    Formula("vertices", "polyhedron", "e-f+2", _POLYHEDRON),
    Formula("vertices", "prism", "2*n", (r"prism|棱柱|长方体|cuboid|\bbox|cube|正方体", _VERTICES)),
    Formula("vertices", "pyramid", "n+1", (_PYRAMID, _VERTICES)),
    Formula("cubes with no painted face", "box cut into cubes", "(a-2)^3; (a-2)*(b-2)*(c-2)",
            _PAINT),
    Formula("cubes with one painted face", "box cut into cubes",
            "6*(a-2)^2; 2*((a-2)*(b-2)+(b-2)*(c-2)+(c-2)*(a-2))", _PAINT),
    Formula("cubes with two painted faces", "box cut into cubes", "12*(a-2); 4*(a+b+c-6)",
            _PAINT),
    Formula("cubes with three painted faces", "box cut into cubes", "8", _PAINT),
    Formula("", "d = 2r; π is about 3.14", "", _ROUND, constants="2 π 3.14 3.1416 22/7"),
    Formula("", "pyramids and cones: a third of S·h", "", r"锥|台|frustum|tetrahedr|四面体", constants="1/3"),
    Formula("", "a midpoint halves; so do a bisector and the height of an isosceles triangle", "",
            r"triang|trapez|rhomb|sector|slant|bisect|mid-?point|median|kite|三角|梯形|菱形|扇形|斜高|母线|平分|中点|中线|中位",
            constants="1/2 2"),
    Formula("", "two sides, faces or bases lie opposite each other", "",
            r"rectang|square|box|cuboid|prism|cub(?:e|ic)|parallel|opposite|perimeter|surface|symmetr|mid"
            r"|矩形|长方|正方|柱|立方|平行|对边|对面|周长|表面积|对称|中点", constants="2"),
    Formula("", "law of cosines: c² = a² + b² - 2ab·cos C; (a ± b)² = a² ± 2ab + b²", "",
            r"cos|余弦|平方", constants="2"),
    Formula("", "theorem of Pythagoras: a² + b² = c²; areas of squares", "",
            rf"square|right|pythag|area|surface|diagonal|distance|triang|cub(?:e|ic)|slant|{_ROUND}"
            r"|正方|直角|勾股|面积|对角|距离|三角|立方|斜|垂", constants="^2"),
    Formula("", "similar solids: volumes are as a³", "",
            r"cub(?:e|ic)|sphere|spheric|\bballs?\b|similar|tetrahedr|正方体|立方|球|相似|四面体", constants="^3"),
    Formula("", "cube: 6 faces", "", r"cub(?:e|ic)|正方体|立方", constants="6"),
    Formula("", "cube and box: 8 corners", "", _VERTICES, constants="8"),
    Formula("", "cube and box: 12 edges, 4 in each direction", "", r"edges|棱", constants="12 4"),
    Formula("", "triangle: 3 sides", "", _SIDES_3, constants="3"),
    Formula("", "square, quadrilateral, rhombus: 4 sides; tetrahedron: 4 faces", "",
            r"square|rhomb|quadri|tetrahedr|正方|菱形|四边|四棱|四面体", constants="4"),
    Formula("", "pentagon: 5 sides", "", r"pentagon|五边|五棱", constants="5"),
    Formula("", "hexagon: 6 sides; tetrahedron: 6 edges", "", r"hexag|tetrahedr|六边|六棱|四面体", constants="6"),
    Formula("", "octagon: 8 sides", "", r"octag|八边|八棱", constants="8"),
    Formula("", "equilateral triangle: h = √3/2·a", "",
            r"equilateral|regular|hexag|tetrahedr|等边|正三|正六|正四面体|正多边", constants="√3 4 2"),
    Formula("", "regular tetrahedron: h = √6/3·a, R = √6/4·a", "", r"regular tetrahedr|正四面体",
            constants="√2 √6 3 4 12"),
    Formula("", "diagonals of a square, √2·a, and of a cube, √3·a", "",
            r"square|cub(?:e|ic)|isosceles|正方|立方|等腰", constants="√2 √3"),
    Formula("", "angles: 180 in a triangle, 360 around a point, 90 in a right angle, (n - 2)·180", "",
            r"angle|triang|polygon|degree|perpendicular|rotat|°|\\circ|circle|角|度|多边形|垂直|旋转|圆",
            constants="180 360 90 2"),
    Formula("", "angles of a half square and of a half equilateral triangle", "",
            r"equilateral|isosceles|regular|square|hexag|等边|等腰|正[三四六方多]", constants="30 45 60"),
    Formula("", "per cent: p% = p/100; the whole is 1, the rest 1 - p", "", r"%|per ?cent|百分|fraction|分之|几分",
            constants="100 1"),
    Formula("", "Euler: V - E + F = 2", "", _POLYHEDRON, constants="2"),
)  # fmt: skip
