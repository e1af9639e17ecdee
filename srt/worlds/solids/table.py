"""The formulas of each kind of solid, as school books have them, each solved for every quantity that it can give.

The letters: ``V`` volume, ``S`` whole surface, ``L`` lateral (or curved) surface, ``B`` base, ``T`` upper base, ``P``
perimeter of the base, ``C`` circumference of the base, ``h`` height, ``r``, ``R``, ``d`` radii and diameter, ``l``
slant height of round solids, ``s`` of pyramids, ``e`` lateral edge, ``a``, ``b``, ``c`` edges, ``f`` diagonal of a
face, ``D`` of the solid, ``E`` all edges, ``U`` the surface without the lid, ``X`` the axial section, ``G`` a great
circle, ``n`` the angle of the unrolled lateral surface, in degrees, ``p`` the shortest path over the surface between
opposite corners (of a cylinder: once around it, from edge to edge), ``q``, ``u``, ``w`` those over two faces of a
cuboid, ``g`` the diagonal of a base, ``t``, ``x``, ``Z`` the radius of a section of a sphere, its distance from the
centre and its area. ``k``, ``A``, ``Q`` are the ratios of lengths, areas and volumes of a solid to a smaller similar
one, and belong to that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from srt.worlds.solids.formulas import (
    ExactFormula,
    FormulaTree,
    RoundedFormula,
    exact_function,
    formula_text,
    names_in,
    parse_formula,
    rewritten,
    rounded_function,
)

DIMENSION = {**dict.fromkeys("V", 3), **dict.fromkeys("SLBTUXGFZ", 2), **dict.fromkeys("nkAQ", 0)}
"""The power of length of each letter; all others are lengths."""

_ROUND_BASE = "d = 2*r; r = d/2; C = 2*pi*r; r = C/(2*pi); B = pi*r^2; r = sqrt(B/pi); "
_PRISM = "V = B*h; B = V/h; h = V/B; L = P*h; P = L/h; h = L/P; S = 2*B + L; L = S - 2*B; "
_CONE = "L = S - B; B = S - L; S = B + L; V = 1/3*B*h; B = 3*V/h; h = 3*V/B; "

_TABLE = {
    "cuboid": "B = a*b; a = B/b; b = B/a; L = 2*(a + b)*h; h = L/(2*(a + b)); V = a*b*h; h = V/(a*b); V = B*h; "
    "B = V/h; h = V/B; S = 2*(a*b + a*h + b*h); S = 2*B + L; L = S - 2*B; h = (S/2 - a*b)/(a + b); "
    "U = B + L; D = sqrt(a^2 + b^2 + h^2); h = sqrt(D^2 - a^2 - b^2); E = 4*(a + b + h); h = E/4 - a - b; "
    "U = a*b + 2*(a*h + b*h); q = sqrt((a + b)^2 + h^2); u = sqrt(a^2 + (b + h)^2); w = sqrt(b^2 + (a + h)^2); "
    "p = min(q, u, w); g = sqrt(a^2 + b^2); X = g*h; h = X/g",
    "cube": "S = 6*a^2; a = sqrt(S/6); V = a^3; a = cbrt(V); D = sqrt(3)*a; a = D/sqrt(3); f = sqrt(2)*a; "
    "a = f/sqrt(2); E = 12*a; a = E/12; L = 4*a^2; a = sqrt(L)/2; U = 5*a^2; a = sqrt(U/5); p = sqrt(5)*a; "
    "F = a^2; a = sqrt(F)",
    "cylinder": _ROUND_BASE + "L = 2*pi*r*h; h = L/(2*pi*r); r = L/(2*pi*h); L = C*h; C = L/h; h = L/C; S = 2*B + L; "
    "L = S - 2*B; V = B*h; B = V/h; h = V/B; V = pi*r^2*h; h = V/(pi*r^2); r = sqrt(V/(pi*h)); X = 2*r*h; "
    "h = X/(2*r); r = X/(2*h); U = B + L; L = U - B; p = sqrt(C^2 + h^2); h = sqrt(p^2 - C^2); C = sqrt(p^2 - h^2)",
    "cone": _ROUND_BASE + _CONE + "l = sqrt(r^2 + h^2); h = sqrt(l^2 - r^2); r = sqrt(l^2 - h^2); L = pi*r*l; "
    "l = L/(pi*r); r = L/(pi*l); V = 1/3*pi*r^2*h; h = 3*V/(pi*r^2); r = sqrt(3*V/(pi*h)); n = 360*r/l; r = n*l/360; "
    "l = 360*r/n; X = r*h; h = X/r",
    "sphere": "d = 2*r; r = d/2; S = 4*pi*r^2; r = sqrt(S/(4*pi)); V = 4/3*pi*r^3; r = cbrt(3*V/(4*pi)); G = pi*r^2; "
    "r = sqrt(G/pi); S = 4*G; G = S/4; t = sqrt(r^2 - x^2); x = sqrt(r^2 - t^2); r = sqrt(x^2 + t^2); Z = pi*t^2; "
    "t = sqrt(Z/pi)",
    "hemisphere": "d = 2*r; r = d/2; B = pi*r^2; r = sqrt(B/pi); L = 2*pi*r^2; r = sqrt(L/(2*pi)); S = B + L; "
    "S = 3*pi*r^2; r = sqrt(S/(3*pi)); V = 2/3*pi*r^3; r = cbrt(3*V/(2*pi))",
    "frustum": "l = sqrt((R - r)^2 + h^2); h = sqrt(l^2 - (R - r)^2); L = pi*(R + r)*l; l = L/(pi*(R + r)); "
    "V = 1/3*pi*h*(R^2 + R*r + r^2); h = 3*V/(pi*(R^2 + R*r + r^2)); T = pi*r^2; r = sqrt(T/pi); B = pi*R^2; "
    "R = sqrt(B/pi); S = T + B + L; L = S - T - B; X = (R + r)*h; h = X/(R + r)",
    "pyramid": _CONE + "B = a^2; a = sqrt(B); s = sqrt((a/2)^2 + h^2); h = sqrt(s^2 - (a/2)^2); "
    "a = 2*sqrt(s^2 - h^2); e = sqrt((a/2)^2 + s^2); s = sqrt(e^2 - (a/2)^2); L = 2*a*s; s = L/(2*a); a = L/(2*s); "
    "V = 1/3*a^2*h; h = 3*V/a^2; h = sqrt(e^2 - a^2/2); e = sqrt(h^2 + a^2/2); "
    "g = sqrt(2)*a; a = g/sqrt(2); X = 1/2*g*h; h = 2*X/g",
    "hexpyramid": _CONE + "B = 3/2*sqrt(3)*a^2; s = sqrt(3/4*a^2 + h^2); h = sqrt(s^2 - 3/4*a^2); "
    "e = sqrt(a^2 + h^2); h = sqrt(e^2 - a^2); L = 3*a*s; s = L/(3*a); e = sqrt((a/2)^2 + s^2); "
    "s = sqrt(e^2 - (a/2)^2)",
    "triprism": _PRISM + "B = sqrt(3)/4*a^2; P = 3*a; a = P/3; L = 3*a*h; h = L/(3*a)",
    "hexprism": _PRISM + "B = 3/2*sqrt(3)*a^2; P = 6*a; a = P/6; L = 6*a*h; h = L/(6*a)",
    "wedge": _PRISM + "c = sqrt(a^2 + b^2); a = sqrt(c^2 - b^2); b = sqrt(c^2 - a^2); B = 1/2*a*b; a = 2*B/b; "
    "b = 2*B/a; P = a + b + c",
    "tetrahedron": "F = sqrt(3)/4*a^2; S = sqrt(3)*a^2; S = 4*F; F = S/4; V = sqrt(2)/12*a^3; h = sqrt(6)/3*a; "
    "a = h*3/sqrt(6); E = 6*a; a = E/6",
}  # fmt: skip
KINDS = tuple(_TABLE)

_JOINED = {
    "cylinder + cone": "S = L(cylinder) + B(cylinder) + L(cone)",
    "cylinder + hemisphere": "S = L(cylinder) + B(cylinder) + L(hemisphere)",
    "cone + hemisphere": "S = L(cone) + L(hemisphere)",
    "cylinder - cone": "S = L(cylinder) + B(cylinder) + L(cone)",
    "cylinder - hemisphere": "S = L(cylinder) + B(cylinder) + L(hemisphere)",
    "cuboid + pyramid": "S = L(cuboid) + B(cuboid) + L(pyramid)",
    "cube + pyramid": "S = U(cube) + L(pyramid)",
    "cone - smallcone": "S = B(cone) + L(cone) - L(smallcone) + B(smallcone)",
    "pyramid - smallpyramid": "S = B(pyramid) + L(pyramid) - L(smallpyramid) + B(smallpyramid)",
    "cube - sphere": "",
    "cylinder - sphere": "",
    "cone - sphere": "",
    "sphere - cube": "",
    "sphere - cuboid": "",
    "sphere - cylinder": "",
    "sphere - cone": "",
    "cube - cylinder": "",
    "cube - cone": "",
}
"""Solids that are joined face to face, hollowed out from a face, or that lie in one another and touch; or a small one
is cut off by a plane parallel to the base. Each with its surface."""
_SHARED = {
    "cylinder - cone": "r(cylinder) = r(cone); h(cylinder) = h(cone)",
    "cylinder - sphere": "r(cylinder) = r(sphere); h(cylinder) = 2*r(sphere)",
    "cube - sphere": "a(cube) = 2*r(sphere)",
    "cube + pyramid": "a(cube) = a(pyramid)",
    "cuboid + pyramid": "a(cuboid) = a(pyramid); b(cuboid) = a(pyramid)",
    "sphere - cube": "d(sphere) = D(cube)",
    "sphere - cuboid": "d(sphere) = D(cuboid)",
    "cube - cylinder": "a(cube) = d(cylinder); a(cube) = h(cylinder)",
    "cube - cone": "a(cube) = d(cone); a(cube) = h(cone)",
}
"""The measures that the two have in common, where it is not the radius alone."""
_INSIDE = {
    "cone - sphere": "r(sphere) = r(cone)*h(cone)/(r(cone) + l(cone))",
    "sphere - cylinder": "d(sphere) = sqrt(d(cylinder)^2 + h(cylinder)^2); "
    "h(cylinder) = sqrt(d(sphere)^2 - d(cylinder)^2); d(cylinder) = sqrt(d(sphere)^2 - h(cylinder)^2)",
    "sphere - cone": "r(sphere) = (r(cone)^2 + h(cone)^2)/(2*h(cone)); r(cone) = sqrt(h(cone)*(2*r(sphere) - h(cone)))",
}
"""How the measures of a solid and of one inside it go together, where none is the same."""
SIMILAR = {"cone": "rhldCBLSV", "cylinder": "rhdCBLSV", "pyramid": "ahseBLSV", "cuboid": "abhDBLSV"}
"""Kinds of which a small similar one is known too, with the measures that are compared."""

LARGER = {"solid = cylinder - hemisphere": (("h(cylinder)", "r(hemisphere)"),)}
"""For what a text says: measures of which the first must not be less than the second."""


LEAST_SURFACE = {"cuboid": 216.0, "cylinder": 54 * math.pi, "cone": 72 * math.pi, "pyramid": 288.0}
"""S³/V² of the solid of a kind that has the least surface for its volume."""


@dataclass(frozen=True, eq=False)
class Rule:
    """``target`` follows from the quantities in ``formula``, whose full names are ``uses``, and from ``structure``."""

    target: str
    formula: FormulaTree
    uses: tuple[str, ...]
    structure: str = ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The quantities in the formula as it has them, in the order of ``uses``."""
        return names_in(self.formula)

    @cached_property
    def text(self) -> str:
        """The formula as text."""
        return formula_text(self.formula)

    @cached_property
    def nothing(self) -> float:
        """What is zero but for rounding, as a part of the greatest value that the formula has.

        Only a difference can be zero. Its root is that of what rounding leaves.
        """
        return 0.0 if "-" not in self.text else 3e-7 if self.formula.head == "sqrt" else 1e-9

    @cached_property
    def needs(self) -> frozenset[str]:
        """``uses`` as a set."""
        return frozenset(self.uses)

    @cached_property
    def exact(self) -> ExactFormula:
        """The formula as a function of exact values by their full names."""
        return exact_function(self._in_full_names())

    @cached_property
    def about(self) -> RoundedFormula:
        """The formula as a function of rounded values by their full names."""
        return rounded_function(self._in_full_names())

    def _in_full_names(self) -> FormulaTree:
        full = dict(zip(self.names, self.uses, strict=True))
        return rewritten(self.formula, lambda node: node._replace(name=full[node.name]) if node.name else None)


def full_name(name: str, target: str) -> str:
    """``r`` in a formula for ``V(cone)`` is ``r(cone)``."""
    return name if "(" in name else f"{name}{target[target.index('(') :]}"


def base_kind(kind: str) -> str:
    """A small cone has the formulas of a cone."""
    return kind.removeprefix("small")


@cache
def rules_of_kind(kind: str) -> tuple[Rule, ...]:
    """The formulas of a solid of ``kind``."""
    return tuple(_rules(_TABLE[base_kind(kind)], kind))


def _rules(text: str, solid: str) -> Iterator[Rule]:
    for entry in filter(None, map(str.strip, text.split(";"))):
        target, _, formula = entry.partition(" = ")
        yield _rule(f"{target}({solid}) = {formula}", "")


STRUCTURES = (*_JOINED, *(f"{kind} ~ small{kind}" for kind in SIMILAR))


def structure_of(claim: str) -> str:
    """``cylinder + cone`` for the claim that reads it; empty for any other claim."""
    head, equals, structure = claim.partition(" = ")
    return structure if equals and head in ("solid", "pair") else ""


def structure_claim(structure: str) -> str:
    """The claim that two solids make one, or that they are a pair of similar ones."""
    return f"{'pair' if '~' in structure else 'solid'} = {structure}"


@cache
def rules_of_structure(structure: str) -> tuple[Rule, ...]:
    """The formulas of a solid that is made of two: its measures, and what the two have in common."""
    one, sign, other = structure.split(" ")
    fact = structure_claim(structure)
    found = list(_similar(one, other, fact)) if other == f"small{one}" else []
    if sign == "~":
        return tuple(found)
    equations = [f"V(solid) = V({one}) {sign} V({other})"]
    equations += [_JOINED[structure].replace("S =", "S(solid) =")] * bool(_JOINED[structure])
    found += [_rule(equation, fact) for equation in equations]
    if structure in _INSIDE:
        found += [_rule(equation, fact) for equation in _INSIDE[structure].split("; ")]
    elif other != f"small{one}":
        for equation in _SHARED.get(structure, f"r({one}) = r({other})").split("; "):
            found += [_rule(equation, fact), *([_rule(_solved(equation), fact)])]
    found += [_rule(f"V({one}) = V(solid) {'-' if sign == '+' else '+'} V({other})", fact)]
    return tuple(found)


def _similar(one: str, other: str, fact: str) -> Iterator[Rule]:
    """Lengths are as k, areas as k² or A, volumes as k³ or Q."""
    k, area, volume = f"k({other})", f"A({other})", f"Q({other})"
    for equation in (f"{area} = {k}^2", f"{k} = sqrt({area})", f"{volume} = {k}^3", f"{k} = cbrt({volume})"):
        yield _rule(equation, fact)
    for letter in SIMILAR[one]:
        large, small, power = f"{letter}({one})", f"{letter}({other})", DIMENSION.get(letter, 1)
        yield _rule(f"{(k, area, volume)[power - 1]} = {large}/{small}", fact)
        for ratio in (k, *((area,) if power == 2 else (volume,) if power == 3 else ())):
            factor = f"{ratio}^{power}" if ratio == k and power > 1 else ratio
            yield _rule(f"{large} = {factor}*{small}", fact)
            yield _rule(f"{small} = {large}/{factor}", fact)


@lru_cache(maxsize=1024)
def rules_of_link(link: str) -> tuple[Rule, ...]:
    """The formulas that an equation of two quantities gives: itself, and solved for the other one."""
    return _rule(link, link), _rule(_solved(link), link)


def _rule(equation: str, fact: str) -> Rule:
    target, _, formula = equation.partition(" = ")
    tree = parse_formula(formula)
    return Rule(target, tree, tuple(full_name(name, target) for name in names_in(tree)), fact)


def _solved(equation: str) -> str:
    """``a = k*b`` as ``b = a/k``."""
    left, _, right = equation.partition(" = ")
    factor, star, name = right.rpartition("*")
    return f"{name} = {left}/{factor}" if star else f"{right} = {left}"
