"""Solves problems by coordinates: of the statement it takes only what is given and asked, and finds the solid that has
it by Newton's method (:mod:`.coordinate_measures`), without the formulas of the solver or the checker.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

import numpy as np

from srt.worlds.solids.statement import SolidStatement, length_in, size_of
from tests.srt.worlds.solids.coordinate_measures import (
    FREE,
    Measures,
    Ways,
    area,
    dimension,
    disc,
    measures,
    polygon,
    swept,
)


def made(structure: str, parts: Mapping[str, Measures]) -> Measures:
    """The measures of two solids as one. The outer faces are added up."""
    one, sign, other = structure.split(" ")
    first, second = parts[one], parts[other]
    found: Ways = {"V": lambda: first["V"] + (second["V"] if sign == "+" else -second["V"])}
    if sign == "~":
        return Measures({})
    if sign == "+":  # What is glued is seen on neither side.
        found["S"] = lambda: first["S"] + second["S"] - 2 * second["B"]
    elif other == "smallcone":
        found["S"] = lambda: (
            disc(first["r"])
            + disc(second["r"])
            + swept(lambda t: (first["r"] + (second["r"] - first["r"]) * t, (first["h"] - second["h"]) * t))
        )
    elif other == "smallpyramid":
        low, high = polygon(4, first["a"]), polygon(4, second["a"], first["h"] - second["h"])
        found["S"] = lambda: area(low) + area(high) + 4 * area([low[0], low[1], high[1], high[0]])
    elif "sphere" not in (one, other) and one != "cube":
        found["S"] = lambda: first["S"] - second["B"] + second["L"]
    return Measures(found)


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

    def solids(logs: np.ndarray) -> Callable[[str], float]:
        parts: dict[str, Measures] = {}
        for kind in kinds:
            size = {letter: math.exp(x) for (k, letter), x in zip(places, logs.tolist(), strict=True) if k == kind}
            parts[kind] = measures(kind.removeprefix("small"), size)
            if kind != kind.removeprefix("small"):
                parts[kind].ways.update(ratios(parts[kind.removeprefix("small")], parts[kind]))
        if structure:
            parts["solid"] = made(structure, parts)
        return lambda name: parts[name[2:-1]][name[0]]

    def gaps(logs: np.ndarray) -> np.ndarray:
        found = solids(logs)
        rows = [math.log(found(name) / value) for name, value in wanted]
        return np.array([*rows, *(math.log(found(one) / (k * found(other))) for one, other, k in equal)])

    lengths = [value ** (1 / power) for name, value in wanted if name[0] not in "kAQ" and (power := dimension(name[0]))]
    middle = math.log(sum(lengths) / len(lengths)) if lengths else 0.0
    for attempt in range(60):
        logs = middle + (rng.normal(0, 0.8, len(places)) if attempt else np.linspace(0.2, -0.7, len(places)))
        for _ in range(40):
            try:
                here = gaps(logs)
                if np.abs(here).max() < 1e-9:
                    return solids(logs)(statement.asked)
                columns = [(gaps(logs + step) - here) / 1e-6 for step in 1e-6 * np.eye(len(places))]
            except (ValueError, OverflowError, ZeroDivisionError):
                break
            move = np.linalg.lstsq(np.array(columns).T, -here, rcond=None)[0]
            logs = logs + np.clip(move, -1.0, 1.0)
    raise AssertionError(f"no solid was found for {statement}")


def ratios(large: Measures, small: Measures) -> Ways:
    """Of lengths, areas and volumes."""
    return {letter: lambda x=x: large[x] / small[x] for letter, x in (("k", "h"), ("A", "S"), ("Q", "V"))}  # type: ignore[misc]
