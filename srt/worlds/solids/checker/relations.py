"""What holds in each solid, as equations that are solved for nothing; one step uses one of them.

``docs/solids.md`` has the letters. A formula of a trace is judged by trying it: with chance values for what it is made
of, the equation must hold. So any way to write a formula is understood, and none is looked up.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from srt.worlds.solids.checker.terms import Postfix, Rounded, names_of, postfix, rounded

_CIRCLE = "d = r + r|C = 2*pi*r|B = pi*r*r|"
_TIP = "3*V = B*h|S = B + L|"
_COLUMN = "V = B*h|L = P*h|S = B + L + B|"
_EQUATIONS = {
    "cuboid": "B = a*b|L = 2*a*h + 2*b*h|V = a*b*h|V = B*h|S = 2*a*b + 2*b*h + 2*h*a|S = B + L + B|U = L + B|"
    "U = a*b + 2*a*h + 2*b*h|D^2 = a^2 + b^2 + h^2|E = 4*a + 4*b + 4*h|q^2 = h^2 + (a + b)^2|"
    "u^2 = a*a + (h + b)^2|w^2 = b*b + (h + a)^2|p = min(w, q, u)|g^2 = a*a + b*b|X = g*h",
    "cube": "S = 6*a*a|V = a*a*a|D^2 = 3*a^2|f^2 = 2*a^2|E = 12*a|L = 4*a*a|U = 5*a*a|p^2 = (a + a)^2 + a^2|F = a*a",
    "cylinder": _CIRCLE + "L = 2*pi*r*h|L = C*h|S = B + L + B|V = B*h|V = pi*r*r*h|X = 2*r*h|U = B + L|p^2 = C^2 + h^2",
    "cone": _CIRCLE + _TIP + "l^2 = r^2 + h^2|L = pi*r*l|3*V = pi*r*r*h|n*l = 360*r|X = r*h",
    "sphere": "d = r + r|S = 4*pi*r*r|3*V = 4*pi*r*r*r|G = pi*r*r|S = 4*G|r^2 = t^2 + x^2|Z = pi*t*t",
    "hemisphere": "d = r + r|B = pi*r*r|L = 2*pi*r*r|S = B + L|S = 3*pi*r*r|3*V = 2*pi*r*r*r",
    "frustum": "l^2 = (R - r)^2 + h^2|L = pi*l*R + pi*l*r|3*V = pi*h*(R*R + R*r + r*r)|T = pi*r*r|B = pi*R*R|"
    "S = B + T + L|X = R*h + r*h",
    "pyramid": _TIP + "B = a*a|4*s^2 = a^2 + 4*h^2|4*e^2 = a^2 + 4*s^2|L = 2*a*s|3*V = a*a*h|2*e^2 = a^2 + 2*h^2|"
    "g^2 = a*a + a*a|2*X = g*h",
    "hexpyramid": _TIP + "2*B = 3*sqrt(3)*a*a|4*s^2 = 3*a^2 + 4*h^2|e^2 = a^2 + h^2|L = 3*a*s|4*e^2 = a^2 + 4*s^2",
    "triprism": _COLUMN + "4*B = sqrt(3)*a*a|P = 3*a|L = 3*a*h",
    "hexprism": _COLUMN + "2*B = 3*sqrt(3)*a*a|P = 6*a|L = 6*a*h",
    "wedge": _COLUMN + "c^2 = a^2 + b^2|2*B = a*b|P = a + b + c",
    "tetrahedron": "4*F = sqrt(3)*a*a|S = sqrt(3)*a*a|S = 4*F|12*V = sqrt(2)*a*a*a|3*h = sqrt(6)*a|E = 6*a",
}
_MADE = {
    "cylinder + cone": "S(solid) = B(cylinder) + L(cylinder) + L(cone)|r(cone) = r(cylinder)",
    "cylinder + hemisphere": "S(solid) = B(cylinder) + L(cylinder) + L(hemisphere)|r(hemisphere) = r(cylinder)",
    "cone + hemisphere": "S(solid) = L(hemisphere) + L(cone)|r(cone) = r(hemisphere)",
    "cylinder - cone": "S(solid) = B(cylinder) + L(cylinder) + L(cone)|r(cone) = r(cylinder)|h(cone) = h(cylinder)",
    "cylinder - hemisphere": "S(solid) = B(cylinder) + L(cylinder) + L(hemisphere)|r(hemisphere) = r(cylinder)",
    "cuboid + pyramid": "S(solid) = B(cuboid) + L(cuboid) + L(pyramid)|a(pyramid) = a(cuboid)|a(pyramid) = b(cuboid)",
    "cube + pyramid": "S(solid) = U(cube) + L(pyramid)|a(cube) = a(pyramid)",
    "cube - sphere": "2*r(sphere) = a(cube)",
    "cylinder - sphere": "r(sphere) = r(cylinder)|2*r(sphere) = h(cylinder)",
    "cone - sphere": "r(sphere)*r(cone) + r(sphere)*l(cone) = r(cone)*h(cone)",
    "sphere - cube": "D(cube) = d(sphere)",
    "sphere - cuboid": "D(cuboid) = d(sphere)",
    "sphere - cylinder": "d(sphere)^2 = d(cylinder)^2 + h(cylinder)^2",
    "sphere - cone": "r(cone)^2 + h(cone)^2 = 2*r(sphere)*h(cone)",
    "cube - cylinder": "h(cylinder) = a(cube)|d(cylinder) = a(cube)",
    "cube - cone": "h(cone) = a(cube)|d(cone) = a(cube)",
    "cone - smallcone": "S(solid) + L(smallcone) = B(cone) + L(cone) + B(smallcone)",
    "pyramid - smallpyramid": "S(solid) + L(smallpyramid) = B(pyramid) + L(pyramid) + B(smallpyramid)",
    "cone ~ smallcone": "",
    "cylinder ~ smallcylinder": "",
    "pyramid ~ smallpyramid": "",
    "cuboid ~ smallcuboid": "",
}
_COMPARED = {"cone": "rhldC BLS V", "cylinder": "rhdC BLS V", "pyramid": "ahse BLS V", "cuboid": "abhD BLS V"}
"""Measures of similar solids: lengths, areas, volumes."""
POWERS = {**dict.fromkeys("V", 3), **dict.fromkeys("SLBTUXGFZ", 2), **dict.fromkeys("nkAQ", 0)}
"""The power of length of each letter but those of lengths."""


@dataclass(frozen=True, eq=False)
class SolidRelation:
    """An equation of the quantities ``names``; ``given`` is the claim that it takes, if any."""

    left: Postfix
    right: Postfix
    names: frozenset[str]
    given: str

    @cached_property
    def sides(self) -> tuple[Rounded, Rounded]:
        """Both sides as functions of the measures."""
        return rounded(self.left), rounded(self.right)

    @cached_property
    def names_by_side(self) -> tuple[frozenset[str], frozenset[str]]:
        """The quantities of each side."""
        return frozenset(names_of(self.left)), frozenset(names_of(self.right))

    def gap(self, values: Mapping[str, float]) -> float:
        """By how much the sides differ, relative to their size."""
        one, other = self.sides
        left, right = one(values), other(values)
        return (left - right) / (abs(left) + abs(right) + 1e-300)


@cache
def relations_of(solid: str) -> tuple[SolidRelation, ...]:
    """The equations of one solid."""
    rows = filter(None, _EQUATIONS.get(solid.removeprefix("small"), "").split("|"))
    return tuple(_relation(re.sub(r"\b([A-Za-z])\b(?!\()", rf"\1({solid})", row), "") for row in rows)


@lru_cache(maxsize=1024)
def relations_from(equation: str) -> tuple[SolidRelation, ...]:
    """What a claim about two solids, or two quantities, makes hold."""
    if not equation.startswith(("solid = ", "pair = ")):
        return (_relation(equation, equation),)
    made = equation.partition(" = ")[2]
    if made not in _MADE:
        return ()
    one, sign, other = made.split(" ")
    rows = {"+": [f"V(solid) = V({one}) + V({other})"], "-": [f"V(solid) + V({other}) = V({one})"], "~": []}[sign]
    rows += [row for row in _MADE[made].split("|") if row]
    if other == f"small{one}":
        rows += _similarity(one, other)
    return tuple(_relation(row, equation) for row in rows)


def _similarity(one: str, other: str) -> Iterator[str]:
    """Lengths go with the ratio k, areas with its square A, volumes with its cube Q."""
    k = f"k({other})"
    yield from (f"A({other}) = {k}*{k}", f"Q({other}) = {k}*{k}*{k}")
    for letter in _COMPARED[one].replace(" ", ""):
        power = POWERS.get(letter, 1)
        yield f"{letter}({one}) = {letter}({other})" + f"*{k}" * power
        if power > 1:
            yield f"{letter}({one}) = {'AQ'[power - 2]}({other})*{letter}({other})"


def _relation(row: str, given: str) -> SolidRelation:
    left, right = (postfix(side) for side in row.split(" = "))
    assert left is not None, row
    assert right is not None, row
    return SolidRelation(left, right, frozenset([*names_of(left), *names_of(right)]), given)


@lru_cache(maxsize=16_384)
def holds(relation: SolidRelation, target: str, formula: Postfix) -> bool:
    """Whether the formula is what the equation says of ``target``: true of chance values, many times over."""
    rng, found_for = random.Random(0), rounded(formula)
    tried = 0
    for _ in range(400):
        values = {name: 10 ** rng.uniform(-1.5, 2.5) for name in sorted(relation.names - {target})}
        try:
            found = found_for(values)
            if found <= 0 or math.isnan(found) or isinstance(found, complex):
                continue
            if abs(relation.gap({**values, target: found})) > 1e-9:
                return False
        except (ValueError, ArithmeticError, KeyError, TypeError):
            continue
        tried += 1
        if tried == 12:
            return True
    return False


@lru_cache(maxsize=4096)
def is_determined(relation: SolidRelation, target: str) -> bool:
    """Whether one positive value of ``target`` alone fits the others: a radius of a frustum has two by its slant."""
    if "," in relation.right:
        return target in relation.left  # Of the smallest of several, no other is determined.
    if "-" not in relation.left + relation.right and not {*relation.left} & {*relation.right} & relation.names:
        return True  # Both sides only grow with what is in them, and no measure is on both.
    rng = random.Random(1)
    for _ in range(40):
        values = {name: 10 ** rng.uniform(-1, 1) for name in sorted(relation.names)}
        signs = []
        for power in range(-20, 21):
            try:
                signs.append(relation.gap({**values, target: 10 ** (power / 10)}) > 0)
            except (ValueError, ArithmeticError):
                continue
        if sum(one != other for one, other in itertools.pairwise(signs)) > 1:
            return False
    return True


def solved(relation: SolidRelation, target: str, values: Mapping[str, float]) -> float | None:
    """The positive value of ``target`` for which the equation holds; ``None`` where there is none.

    ``target`` must be determined (:func:`is_determined`), so that the gap has one sign below the value and the other
    above. It is looked for from 1e-45 to 1e45, first by halves between powers of ten.
    """
    known = dict(values)

    def gap(x: float) -> float:
        known[target] = x
        return relation.gap(known)

    low, high = _LEAST, _MOST
    below, above = gap(10**low), gap(10**high)
    if below == 0 or (below > 0) == (above > 0):
        return None  # At zero the least value is too small to count.
    while high - low > _NEAR:
        middle = (low + high) / 2
        here = gap(10**middle)
        if here == 0:
            return float(10**middle)
        low, high, below, above = (
            (middle, high, here, above) if (here > 0) == (below > 0) else (low, middle, below, here)
        )
    return _between(gap, (float(10**low), below), (float(10**high), above))


_LEAST, _MOST, _NEAR = -45.0, 45.0, 0.25
"""Powers of ten."""


def _between(gap: Callable[[float], float], low: tuple[float, float], high: tuple[float, float]) -> float:
    """Where the gap vanishes between two places, each with its gap, by false position.

    An end that stays twice is given half of its weight (the Illinois method), or neither end would come near.
    """
    (x, left), (y, right) = low, high
    stayed = 0
    for _ in range(200):
        middle = (x * right - y * left) / (right - left)
        if not x < middle < y:
            return min((x, y), key=lambda at: abs(gap(at)))  # It was rounded to an end, or past it.
        here = gap(middle)
        if here == 0 or y - x < 1e-15 * y:
            return middle
        if (here > 0) == (left > 0):
            x, left = middle, here
            right, stayed = (right / 2 if stayed > 0 else right), 1
        else:
            y, right = middle, here
            left, stayed = (left / 2 if stayed < 0 else left), -1
    return middle


_MOST_COMPACT = {"cuboid": 1 / 216, "cylinder": 1 / 54 / math.pi, "cone": 1 / 72 / math.pi, "pyramid": 1 / 288}
"""The greatest V²/S³ of a solid of each kind."""
_NOT_LESS = {"solid = cylinder - hemisphere": (("h(cylinder)", "r(hemisphere)"),)}


def denied(found: Mapping[str, float], solids: Sequence[str], equations: tuple[str, ...]) -> str:
    """What no solid has: measures of a closure that no equation allows; empty where there are none."""
    for relation in every_relation(solids, equations):
        missing = relation.names - found.keys()
        if (not missing and abs(relation.gap(found)) > 1e-7) or (
            len(missing) == 1
            and is_determined(relation, *missing)
            and solved(relation, next(iter(missing)), found) is None
        ):
            return ", ".join(f"{name} = {found[name]:.6g}" for name in sorted(relation.names - missing))
    sizes = {name: x ** (1 / POWERS.get(name[0], 1)) for name, x in found.items() if POWERS.get(name[0], 1)}
    for name, size in sizes.items():
        if size < 3e-7 * max(sizes.values()):  # Zero, but for rounding: the root of what cancels out.
            return f"{name} = 0"
    for name, ratio in found.items():
        if name.startswith("k(small") and ratio <= 1 + 1e-9:
            return f"{name} = {ratio:.6g}"
    if math.isclose(found.get("R(frustum)", 0.0), found.get("r(frustum)", 1.0)):
        return f"R(frustum) = r(frustum) = {found['R(frustum)']:.6g}"
    for name, volume in found.items():
        surface = found.get(f"S{name[1:]}")
        compact = _MOST_COMPACT.get(name[2:-1].removeprefix("small"))
        if name[0] == "V" and surface and compact and volume**2 > compact * surface**3 * (1 + 1e-9):
            return f"{name} = {volume:.6g}, S{name[1:]} = {surface:.6g}"
    for equation in equations:
        for one, other in _NOT_LESS.get(equation, ()):
            if one in found and other in found and found[one] < found[other] * (1 - 1e-9):
                return f"{one} = {found[one]:.6g}, {other} = {found[other]:.6g}"
    return ""


def every_relation(solids: Sequence[str], equations: tuple[str, ...]) -> list[SolidRelation]:
    """The equations of the solids, and those that what a text says of two of them makes hold."""
    return [*itertools.chain(*map(relations_of, solids)), *itertools.chain(*map(relations_from, equations))]


def closure(values: Mapping[str, float], solids: Sequence[str], equations: tuple[str, ...]) -> dict[str, float]:
    """``values``, and every quantity that follows from them in any number of steps."""
    found = dict(values)
    every = every_relation(solids, equations)
    changed = True
    while changed:
        changed = False
        for relation in every:
            missing = relation.names - found.keys()
            if len(missing) == 1 and is_determined(relation, *missing):
                (name,) = missing
                value = solved(relation, name, found)
                if value is not None:
                    found[name], changed = value, True
    return found
