"""Measures solids by coordinates, and solves problems by it: profiles are turned around an axis and integrated, and
polyhedra are cut into tetrahedra. It shares no formula with the solver or the checker: of the statement of a problem
it takes only what is given and asked, and finds the solid that has it by Newton's method.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise

import numpy as np

from srt.worlds.solids.statement import SolidStatement, length_in, size_of

Point = tuple[float, float, float]
NODES, WEIGHTS = (array.tolist() for array in np.polynomial.legendre.leggauss(10))
FREE = {
    "cuboid": "abh", "cube": "a", "cylinder": "rh", "cone": "rh", "sphere": "rx", "hemisphere": "r", "frustum": "Rrh",
    "pyramid": "ah", "hexpyramid": "ah", "triprism": "ah", "hexprism": "ah", "wedge": "abh", "tetrahedron": "a",
}  # fmt: skip


def turned(width: Callable[[float], float], low: float, high: float) -> float:
    """The volume of a profile turned around the axis, ``width(y)`` from it: the integral of pi x² dy."""
    half = (high - low) / 2
    return half * sum(w * math.pi * width(low + half * (1 + n)) ** 2 for n, w in zip(NODES, WEIGHTS, strict=True))


def swept(curve: Callable[[float], tuple[float, float]]) -> float:
    """The area that a straight or round curve sweeps around the axis: the integral of 2 pi x ds, from 0 to 1."""
    total, eps = 0.0, 1e-5
    for n, w in zip(NODES, WEIGHTS, strict=True):
        t = (1 + n) / 2
        (x0, y0), (x1, y1) = curve(t - eps), curve(t + eps)
        total += w / 2 * 2 * math.pi * curve(t)[0] * math.hypot(x1 - x0, y1 - y0) / (2 * eps)
    return total


def area(points: list[Point]) -> float:
    """Of a flat polygon, by triangles from its first corner."""
    first, total = np.array(points[0]), np.zeros(3)
    for one, other in pairwise(points[1:]):
        total += np.cross(np.array(one) - first, np.array(other) - first) / 2
    return float(np.linalg.norm(total))


def volume(faces: list[list[Point]]) -> float:
    """Of a convex body, by tetrahedra from a point inside over triangles of its faces."""
    corners = {point for face in faces for point in face}
    inside = np.mean(np.array(sorted(corners)), axis=0)
    total = 0.0
    for face in faces:
        for one, other in pairwise(face[1:]):
            total += abs(np.linalg.det(np.array([np.array(p) - inside for p in (face[0], one, other)]))) / 6
    return total


def polygon(n: int, edge: float, z: float = 0.0) -> list[Point]:
    radius = edge / (2 * math.sin(math.pi / n))
    return [(radius * math.cos(2 * math.pi * k / n), radius * math.sin(2 * math.pi * k / n), z) for k in range(n)]


def column(base: list[Point], height: float) -> dict[str, float]:
    top = [(x, y, z + height) for x, y, z in base]
    sides = [[p, q, s, r] for p, q, r, s in zip(base, [*base[1:], base[0]], top, [*top[1:], top[0]], strict=True)]
    lateral = sum(map(area, sides))
    around = sum(math.dist(p, q) for p, q in zip(base, [*base[1:], base[0]], strict=True))
    return {
        "V": volume([base, top, *sides]), "B": area(base), "L": lateral, "S": area(base) + area(top) + lateral,
        "P": around, "U": area(base) + lateral, "h": math.dist(base[0], top[0]),
        "D": max(math.dist(p, q) for p in base for q in top),
        "E": 2 * around + len(base) * height,
    }  # fmt: skip


def pointed(base: list[Point], height: float) -> dict[str, float]:
    apex = (0.0, 0.0, height)
    sides = [[p, q, apex] for p, q in zip(base, [*base[1:], base[0]], strict=True)]
    lateral = sum(map(area, sides))
    middle = tuple((p + q) / 2 for p, q in zip(base[0], base[1], strict=True))
    return {
        "V": volume([base, *sides]), "B": area(base), "L": lateral, "S": area(base) + lateral, "h": height,
        "a": math.dist(base[0], base[1]), "s": math.dist(middle, apex), "e": math.dist(base[0], apex),
    }  # fmt: skip


def disc(radius: float) -> float:
    return swept(lambda t: (radius * t, 0.0))


def bent(one: Point, other: Point, end: Point) -> float:
    """The shortest way from the origin over an edge to ``end``: the place on the edge is found by thirds."""
    low, high = 0.0, 1.0
    for _ in range(60):
        thirds = (low + (high - low) / 3, high - (high - low) / 3)
        places = [tuple(p + t * (q - p) for p, q in zip(one, other, strict=True)) for t in thirds]
        near, far = (math.dist((0, 0, 0), place) + math.dist(place, end) for place in places)
        low, high = (low, thirds[1]) if near < far else (thirds[0], high)
    return near


def measures(kind: str, size: Mapping[str, float]) -> dict[str, float]:
    """All measures of a solid that is given by its free ones."""
    a, b, h, r = (size.get(x, 0.0) for x in "abhr")
    match kind:
        case "cuboid" | "cube":
            b, h = (b, h) if kind == "cuboid" else (a, a)
            found = column([(0, 0, 0), (a, 0, 0), (a, b, 0), (0, b, 0)], h)
            side = area([(0, 0, 0), (a, 0, 0), (a, 0, h), (0, 0, h)])
            found |= {"a": a, "b": b, "f": math.hypot(a, b), "F": side, "g": math.dist((0, 0), (a, b))}
            found |= {"X": area([(0, 0, 0), (a, b, 0), (a, b, h), (0, 0, h)])}
            if not size.get("way", 1.0):
                return found | {"Y": b / a, "W": h / a}
            found |= {"q": bent((a, 0, 0), (a, 0, h), (a, b, h)), "u": bent((0, 0, h), (a, 0, h), (a, b, h))}
            found |= {"w": bent((0, 0, h), (0, b, h), (a, b, h))}
            return found | {"p": min(found["q"], found["u"], found["w"]), "Y": b / a, "W": h / a}
        case "cylinder":
            lateral, base = swept(lambda t: (r, h * t)), disc(r)
            found = {"V": turned(lambda y: r, 0, h), "L": lateral, "B": base, "S": lateral + 2 * base, "h": h}
            found |= {"U": lateral + base, "X": area([(-r, 0, 0), (r, 0, 0), (r, h, 0), (-r, h, 0)])}
            turn = 2 * math.pi * 1e-6
            thread = math.dist((r, 0, 0), (r * math.cos(turn), r * math.sin(turn), h * 1e-6)) * 1e6
            found |= {"p": thread, "Y": h / r, "O": math.dist((-r, 0), (r, h))}
        case "cone":
            lateral, base = swept(lambda t: (r * t, h * t)), disc(r)
            slant = math.dist((0, h), (r, 0))
            found = {"V": turned(lambda y: r * (h - y) / h, 0, h), "L": lateral, "B": base, "S": lateral + base, "h": h}
            found |= {
                "l": slant,
                "n": math.degrees(2 * lateral / slant**2),
                "X": area([(-r, 0, 0), (r, 0, 0), (0, h, 0)]),
                "Y": h / r,
            }
            found["I"] = found["X"] / (r + slant)  # Inscribed in the axial section, and around it.
            found["O"] = slant * slant * 2 * r / (2 * found["X"])
        case "sphere" | "hemisphere":
            whole = kind == "sphere"
            arc = math.pi if whole else math.pi / 2
            curved = swept(lambda t: (r * math.sin(arc * t), r * math.cos(arc * t)))
            found = {"V": turned(lambda y: math.sqrt(max(r * r - y * y, 0)), -r if whole else 0, r)}
            if whole and "x" in size:
                ring = r * math.sin(math.acos(min(size["x"] / r, 1.0)))
                found |= {"x": size["x"], "t": ring, "Z": disc(ring)}
            found |= {"S": curved, "G": disc(r)} if whole else {"S": curved + disc(r), "L": curved, "B": disc(r)}
        case "frustum":
            big = size["R"]
            lateral = swept(lambda t: (big + (r - big) * t, h * t))
            found = {"V": turned(lambda y: big + (r - big) * y / h, 0, h), "L": lateral, "B": disc(big), "T": disc(r)}
            found |= {"S": lateral + disc(big) + disc(r), "l": math.dist((big, 0), (r, h)), "h": h, "R": big}
            found |= {"X": area([(-big, 0, 0), (big, 0, 0), (r, h, 0), (-r, h, 0)])}
        case "pyramid" | "hexpyramid":
            corners = polygon(4 if kind == "pyramid" else 6, a)
            found = pointed(corners, h) | {"Y": h / a}
            if kind == "pyramid":
                section = area([corners[0], corners[2], (0.0, 0.0, h)])
                found |= {"g": math.dist(corners[0], corners[2]), "X": section}
            return found
        case "triprism" | "hexprism":
            return column(polygon(3 if kind == "triprism" else 6, a), h) | {"a": a}
        case "wedge":
            return column([(0, 0, 0), (a, 0, 0), (0, b, 0)], h) | {"a": a, "b": b, "c": math.hypot(a, b)}
        case _:
            corners = polygon(3, a)
            found = pointed(corners, math.sqrt(a * a - math.dist(corners[0], (0, 0, 0)) ** 2))
            return found | {"F": found["B"], "E": 6 * a}
    return found | {"r": r, "d": 2 * r, "C": sum_of_chords(r)}


def sum_of_chords(radius: float) -> float:
    return swept(lambda t: (radius, t))  # The area of a belt of height 1 is its length.


def made(structure: str, parts: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The measures of two solids as one. The outer faces are added up."""
    one, sign, other = structure.split(" ")
    first, second = parts[one], parts[other]
    if sign == "~":
        return {}
    found = {"V": first["V"] + (second["V"] if sign == "+" else -second["V"])}
    glued = second.get("B", 0.0)
    if sign == "+":  # What is glued is seen on neither side.
        found["S"] = first["S"] + second["S"] - 2 * glued
    elif other == "smallcone":
        radius, small, height = first["r"], second["r"], first["h"] - second["h"]
        found["S"] = disc(radius) + disc(small) + swept(lambda t: (radius + (small - radius) * t, height * t))
    elif other == "smallpyramid":
        low = polygon(4, first["a"])
        high = polygon(4, second["a"], first["h"] - second["h"])
        found["S"] = area(low) + area(high) + 4 * area([low[0], low[1], high[1], high[0]])
    elif "sphere" not in (one, other) and one != "cube":
        found["S"] = first["S"] - glued + second["L"]
    return found


def constraints(structure: str) -> list[tuple[str, str, float]]:
    """What is equal: a measure, another, and how many times that."""
    one, _, other = structure.split(" ")
    if other == f"small{one}":
        return [(f"{letter}({one})", f"{letter}({other})", 1) for letter in ("YW" if one == "cuboid" else "Y")]
    if one == "sphere":
        return [("d(sphere)", f"{'D' if other in ('cube', 'cuboid') else 'O'}({other})", 1)]
    if one == "cube" and other in ("cylinder", "cone"):
        return [(f"d({other})", "a(cube)", 1), (f"h({other})", "a(cube)", 1)]
    if structure == "cone - sphere":
        return [("r(sphere)", "I(cone)", 1)]
    if other == "sphere":
        return (
            [("d(sphere)", "a(cube)", 1)]
            if one == "cube"
            else [("d(sphere)", "d(cylinder)", 1), ("d(sphere)", "h(cylinder)", 1)]
        )
    if other == "pyramid":
        return [("a(pyramid)", f"a({one})", 1), ("a(pyramid)", f"b({one})", 1)]
    return [
        (f"d({other})", f"d({one})", 1),
        *([("h(cone)", "h(cylinder)", 1)] if structure == "cylinder - cone" else []),
    ]


def asked_value(statement: SolidStatement) -> float:
    """What is asked, in metres and their powers (or in bare numbers): by Newton's method in the logarithms of sizes."""
    kinds = [kind for kind in statement.solids if kind != "solid"]
    named = {fact.name for fact in statement.facts} | {statement.asked}
    cut = bool(named & {"x(sphere)", "t(sphere)", "Z(sphere)"})
    way = float(bool({name[0] for name in named if "cuboid" in name or "cube" in name} & {*"quwp"}))
    places = [(kind, x) for kind in kinds for x in FREE[kind.removeprefix("small")] if x != "x" or cut]
    wanted: list[tuple[str, float]] = []
    equal: list[tuple[str, str, float]] = []
    structure = ""
    for fact in statement.facts:
        if fact.measure is not None:
            scaled = float(size_of(fact.measure.unit)) if length_in(fact.measure.unit) not in ("", "deg") else 1.0
            wanted.append((fact.name, float(fact.measure.number) * scaled))
        elif fact.name.startswith(("solid = ", "pair = ")):
            structure = fact.name.partition(" = ")[2]
            equal += constraints(structure)
        else:
            match = re.fullmatch(r"(\S+) = (?:(\d+)\*)?(\S+)", fact.name)
            assert match is not None
            equal.append((match[1], match[3], float(match[2] or 1)))
    rng = np.random.default_rng(0)

    def everything(logs: np.ndarray) -> dict[str, float]:
        parts: dict[str, dict[str, float]] = {}
        for kind in kinds:
            size = {"way": way} | {
                letter: math.exp(x) for (k, letter), x in zip(places, logs, strict=True) if k == kind
            }
            parts[kind] = measures(kind.removeprefix("small"), size)
            if kind != kind.removeprefix("small"):
                large, small = parts[kind.removeprefix("small")], parts[kind]
                ratios = {"k": large["h"] / small["h"], "A": large["S"] / small["S"], "Q": large["V"] / small["V"]}
                parts[kind] = small | ratios
        if structure:
            parts["solid"] = made(structure, parts)
        return {f"{letter}({kind})": value for kind, found in parts.items() for letter, value in found.items()}

    def gaps(logs: np.ndarray) -> np.ndarray:
        found = everything(logs)
        rows = [math.log(found[name] / value) for name, value in wanted]
        return np.array([*rows, *(math.log(found[one] / (k * found[other])) for one, other, k in equal)])

    lengths = [value ** (1 / power) for name, value in wanted if name[0] not in "kAQ" and (power := dimension(name[0]))]
    middle = math.log(sum(lengths) / len(lengths)) if lengths else 0.0
    for attempt in range(60):
        logs = middle + (rng.normal(0, 0.8, len(places)) if attempt else np.linspace(0.2, -0.7, len(places)))
        for _ in range(40):
            try:
                here = gaps(logs)
                if np.abs(here).max() < 1e-9:
                    return everything(logs)[statement.asked]
                columns = [(gaps(logs + step) - here) / 1e-6 for step in 1e-6 * np.eye(len(places))]
            except (ValueError, OverflowError, ZeroDivisionError):
                break
            move = np.linalg.lstsq(np.array(columns).T, -here, rcond=None)[0]
            logs = logs + np.clip(move, -1.0, 1.0)
    raise AssertionError(f"no solid was found for {statement}")


@cache
def dimension(letter: str) -> int:
    """How a measure grows with the solid: seen on cylinders, cones and boxes twice as large."""
    for kind, free in FREE.items():
        small, large = (measures(kind, dict.fromkeys(free, 2.0 * k) | {"R": 4.0 * k, "x": 1.0 * k}) for k in (1, 2))
        if letter in small:
            return round(math.log2(large[letter] / small[letter]))
    return 3
