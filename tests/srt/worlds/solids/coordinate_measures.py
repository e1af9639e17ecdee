"""Measures solids by coordinates: profiles are turned around an axis and integrated, and polyhedra are cut into
tetrahedra. No formula is shared with the solver or the checker.

Integrals are by Gauss's rule with 7 nodes: exact for the polynomials of straight profiles, and off by less than 1e-12
for half a turn of a sine. Speeds along a curve are central differences, off by less than 1e-9. A measure is computed
when it is first asked for, without arrays: those of numpy cost more than sums of three numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise

import numpy as np

Point = tuple[float, float, float]
NODES = [(float(n), float(w)) for n, w in zip(*np.polynomial.legendre.leggauss(7), strict=True)]
FREE = {
    "cuboid": "abh", "cube": "a", "cylinder": "rh", "cone": "rh", "sphere": "rx", "hemisphere": "r", "frustum": "Rrh",
    "pyramid": "ah", "hexpyramid": "ah", "triprism": "ah", "hexprism": "ah", "wedge": "abh", "tetrahedron": "a",
}  # fmt: skip
Ways = dict[str, Callable[[], float]]


class Measures:
    """The measures of a solid by their letters, each computed when it is first asked for."""

    def __init__(self, ways: Ways) -> None:
        self.ways, self._known = ways, dict[str, float]()

    def __contains__(self, letter: str) -> bool:
        return letter in self.ways

    def __getitem__(self, letter: str) -> float:
        if letter not in self._known:
            self._known[letter] = self.ways[letter]()
        return self._known[letter]


def turned(width: Callable[[float], float], low: float, high: float) -> float:
    """The volume of a profile turned around the axis, ``width(y)`` from it: the integral of pi x² dy."""
    half = (high - low) / 2
    return half * math.pi * math.fsum(w * width(low + half * (1 + n)) ** 2 for n, w in NODES)


def swept(curve: Callable[[float], tuple[float, float]]) -> float:
    """The area that a straight or round curve sweeps around the axis: the integral of 2 pi x ds, from 0 to 1."""
    total, eps = 0.0, 1e-5
    for n, w in NODES:
        t = (1 + n) / 2
        total += w * curve(t)[0] * math.dist(curve(t - eps), curve(t + eps)) / (2 * eps)
    return math.pi * total


def cross(at: Point, one: Point, other: Point) -> Point:
    """Twice the area of a triangle, as a vector across it."""
    (x, y, z), (a, b, c), (d, e, f) = at, one, other
    a, b, c, d, e, f = a - x, b - y, c - z, d - x, e - y, f - z
    return b * f - c * e, c * d - a * f, a * e - b * d


def area(points: Sequence[Point]) -> float:
    """Of a flat polygon, by triangles from its first corner."""
    triangles = [cross(points[0], one, other) for one, other in pairwise(points[1:])]
    return math.hypot(*map(sum, zip(*triangles, strict=True))) / 2


def volume(faces: Sequence[Sequence[Point]]) -> float:
    """Of a convex body, by tetrahedra from a point inside over triangles of its faces."""
    corners = {point for face in faces for point in face}
    inside = [sum(xs) / len(corners) for xs in zip(*corners, strict=True)]
    total = 0.0
    for first, *others in faces:
        edge = [x - y for x, y in zip(first, inside, strict=True)]
        for one, other in pairwise(others):
            total += abs(sum(x * y for x, y in zip(edge, cross(first, one, other), strict=True)))
    return total / 6


def polygon(n: int, edge: float, z: float = 0.0) -> list[Point]:
    radius = edge / (2 * math.sin(math.pi / n))
    return [(radius * math.cos(2 * math.pi * k / n), radius * math.sin(2 * math.pi * k / n), z) for k in range(n)]


def around(base: Sequence[Point]) -> float:
    return sum(math.dist(p, q) for p, q in zip(base, [*base[1:], base[0]], strict=True))


def column(base: list[Point], height: float) -> Ways:
    top = [(x, y, z + height) for x, y, z in base]
    sides = [[p, q, s, r] for p, q, r, s in zip(base, [*base[1:], base[0]], top, [*top[1:], top[0]], strict=True)]
    return {
        "V": lambda: volume([base, top, *sides]), "B": lambda: area(base), "L": lambda: sum(map(area, sides)),
        "S": lambda: sum(map(area, [base, top, *sides])), "P": lambda: around(base),
        "U": lambda: sum(map(area, [base, *sides])), "h": lambda: math.dist(base[0], top[0]),
        "D": lambda: max(math.dist(p, q) for p in base for q in top),
        "E": lambda: around(base) + around(top) + sum(map(math.dist, base, top)),
    }  # fmt: skip


def pointed(base: list[Point], height: float) -> Ways:
    apex = (0.0, 0.0, height)
    sides = [[p, q, apex] for p, q in zip(base, [*base[1:], base[0]], strict=True)]
    middle = [(p + q) / 2 for p, q in zip(base[0], base[1], strict=True)]
    return {
        "V": lambda: volume([base, *sides]), "B": lambda: area(base), "L": lambda: sum(map(area, sides)),
        "S": lambda: sum(map(area, [base, *sides])), "h": lambda: height, "a": lambda: math.dist(base[0], base[1]),
        "s": lambda: math.dist(middle, apex), "e": lambda: math.dist(base[0], apex),
    }  # fmt: skip


def disc(radius: float) -> float:
    return swept(lambda t: (radius * t, 0.0))


def sum_of_chords(radius: float) -> float:
    return swept(lambda t: (radius, t))  # The area of a belt of height 1 is its length.


def bent(one: Point, other: Point, end: Point) -> float:
    """The shortest way from the origin over an edge to ``end``: the place on the edge is found by golden sections."""
    golden, low, high = (math.sqrt(5) - 1) / 2, 0.0, 1.0

    def way(t: float) -> float:
        x, y, z = (p + t * (q - p) for p, q in zip(one, other, strict=True))
        return math.hypot(x, y, z) + math.dist((x, y, z), end)

    left, right = high - golden, low + golden
    near, far = way(left), way(right)
    while high - low > 1e-8:  # At the least value, that changes it by its square.
        if near < far:
            high, right, far = right, left, near
            left = high - golden * (high - low)
            near = way(left)
        else:
            low, left, near = left, right, far
            right = low + golden * (high - low)
            far = way(right)
    return min(near, far)


def measures(kind: str, size: Mapping[str, float]) -> Measures:
    """All measures of a solid that is given by its free ones."""
    return Measures(ways_of(kind, size))


def ways_of(kind: str, size: Mapping[str, float]) -> Ways:
    a, b, h, r = (size.get(x, 0.0) for x in "abhr")
    match kind:
        case "cuboid" | "cube":
            b, h = (b, h) if kind == "cuboid" else (a, a)
            ways = {
                "q": lambda: bent((a, 0, 0), (a, 0, h), (a, b, h)), "u": lambda: bent((0, 0, h), (a, 0, h), (a, b, h)),
                "w": lambda: bent((0, 0, h), (0, b, h), (a, b, h)),
            }  # fmt: skip
            return column([(0, 0, 0), (a, 0, 0), (a, b, 0), (0, b, 0)], h) | ways | {
                "a": lambda: a, "b": lambda: b, "f": lambda: math.dist((a, 0), (0, b)),
                "F": lambda: area([(0, 0, 0), (a, 0, 0), (a, 0, h), (0, 0, h)]), "g": lambda: math.dist((0, 0), (a, b)),
                "X": lambda: area([(0, 0, 0), (a, b, 0), (a, b, h), (0, 0, h)]), "Y": lambda: b / a, "W": lambda: h / a,
                "p": lambda: min(way() for way in ways.values()),
            }  # fmt: skip
        case "cylinder":
            turn, lateral = 2 * math.pi * 1e-6, cache(lambda: swept(lambda t: (r, h * t)))
            found: Ways = {
                "V": lambda: turned(lambda y: r, 0, h), "L": lateral, "h": lambda: h,
                "S": lambda: lateral() + 2 * disc(r), "U": lambda: lateral() + disc(r),
                "X": lambda: area([(-r, 0, 0), (r, 0, 0), (r, h, 0), (-r, h, 0)]), "B": lambda: disc(r),
                "p": lambda: math.dist((r, 0, 0), (r * math.cos(turn), r * math.sin(turn), h * 1e-6)) * 1e6,
                "Y": lambda: h / r, "O": lambda: math.dist((-r, 0), (r, h)),
            }  # fmt: skip
        case "cone":
            slant = math.dist((0, h), (r, 0))
            lateral = cache(lambda: swept(lambda t: (r * t, h * t)))
            section = cache(lambda: area([(-r, 0, 0), (r, 0, 0), (0, h, 0)]))
            found = {
                "V": lambda: turned(lambda y: r * (h - y) / h, 0, h), "L": lateral, "S": lambda: lateral() + disc(r),
                "B": lambda: disc(r), "h": lambda: h, "l": lambda: slant, "X": section, "Y": lambda: h / r,
                "n": lambda: math.degrees(2 * lateral() / slant**2),
                # Inscribed in the axial section, and around it.
                "I": lambda: section() / (r + slant), "O": lambda: slant * slant * 2 * r / (2 * section()),
            }  # fmt: skip
        case "sphere" | "hemisphere":
            whole = kind == "sphere"
            arc = math.pi if whole else math.pi / 2
            curved = cache(lambda: swept(lambda t: (r * math.sin(arc * t), r * math.cos(arc * t))))
            found = {"V": lambda: turned(lambda y: math.sqrt(max(r * r - y * y, 0)), -r if whole else 0, r)}
            found |= {"S": curved, "G": lambda: disc(r)} if whole else {
                "S": lambda: curved() + disc(r), "L": curved, "B": lambda: disc(r)
            }  # fmt: skip
            if whole and "x" in size:
                ring = r * math.sin(math.acos(min(size["x"] / r, 1.0)))
                found |= {"x": lambda: size["x"], "t": lambda: ring, "Z": lambda: disc(ring)}
        case "frustum":
            big = size["R"]
            lateral = cache(lambda: swept(lambda t: (big + (r - big) * t, h * t)))
            found = {
                "V": lambda: turned(lambda y: big + (r - big) * y / h, 0, h), "L": lateral, "R": lambda: big,
                "B": lambda: disc(big), "T": lambda: disc(r), "S": lambda: lateral() + disc(big) + disc(r),
                "l": lambda: math.dist((big, 0), (r, h)), "h": lambda: h,
                "X": lambda: area([(-big, 0, 0), (big, 0, 0), (r, h, 0), (-r, h, 0)]),
            }  # fmt: skip
        case "pyramid":
            base = polygon(4, a)
            return pointed(base, h) | {
                "Y": lambda: h / a, "g": lambda: math.dist(base[0], base[2]),
                "X": lambda: area([base[0], base[2], (0.0, 0.0, h)]),
            }  # fmt: skip
        case "hexpyramid":
            return pointed(polygon(6, a), h)
        case "triprism" | "hexprism":
            return column(polygon(3 if kind == "triprism" else 6, a), h) | {"a": lambda: a}
        case "wedge":
            sides = {"a": lambda: a, "b": lambda: b, "c": lambda: math.dist((a, 0), (0, b))}
            return column([(0, 0, 0), (a, 0, 0), (0, b, 0)], h) | sides
        case _:
            base = polygon(3, a)
            found = pointed(base, math.sqrt(a * a - math.dist(base[0], (0, 0, 0)) ** 2))
            return found | {"F": lambda: area(base), "E": lambda: 6 * a}
    return found | {"r": lambda: r, "d": lambda: 2 * r, "C": lambda: sum_of_chords(r)}


@cache
def dimension(letter: str) -> int:
    """How a measure grows with the solid: seen on cylinders, cones and boxes twice as large."""
    for kind, free in FREE.items():
        small, large = (measures(kind, dict.fromkeys(free, 2.0 * k) | {"R": 4.0 * k, "x": 1.0 * k}) for k in (1, 2))
        if letter in small:
            return round(math.log2(large[letter] / small[letter]))
    return 3
