"""Whether a solid fits measures from which its edges do not follow one by one: its sizes are fitted to them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from srt.worlds.solids.derivation.derive import rules_of
from srt.worlds.solids.formulas import rounded
from srt.worlds.solids.statement import SolidStatement
from srt.worlds.solids.table import LARGER, Rule, base_kind

Array = npt.NDArray[np.float64]
FREE = {
    "cuboid": "abh", "cube": "a", "cylinder": "rh", "cone": "rh", "sphere": "rx", "hemisphere": "r", "frustum": "Rrh",
    "pyramid": "ah", "hexpyramid": "ah", "triprism": "ah", "hexprism": "ah", "wedge": "abh", "tetrahedron": "a",
}  # fmt: skip
"""The sizes that make a solid of each kind, and a section of a sphere."""
_STARTS, _ROUNDS, _CLOSE = 8, 30, 1e-12


def fits(statement: SolidStatement, given: Mapping[str, float]) -> bool:
    """Whether sizes were found with which the solids have all ``given`` measures and what the text says of two."""
    sizes = [f"{x}({kind})" for kind in statement.solids for x in FREE.get(base_kind(kind), "")]
    rules, rng = rules_of(statement), random.Random(1)

    def errors(place: Array) -> Array | None:
        return _errors(_measures(sizes, place, rules), rules, given)

    for _ in range(_STARTS):
        found = _fitted(errors, np.array([math.log(10) * rng.uniform(-0.5, 1.5) for _ in sizes]))
        if found is not None and _in_order(_measures(sizes, found, rules), statement):
            return True
    return False


def _fitted(errors: Callable[[Array], Array | None], place: Array) -> Array | None:
    """Where the errors vanish, by Levenberg's method: steps are damped more after each that makes it worse."""
    damping, here = 1e-1, errors(place)
    for _ in range(_ROUNDS):
        if here is None or float(np.abs(here).max(initial=0.0)) < _CLOSE:
            return place if here is not None else None
        moved = [(errors(place + row), errors(place - row)) for row in 1e-5 * np.eye(len(place))]
        columns = [(there - back) / 2e-5 for there, back in moved if there is not None and back is not None]
        if len(columns) < len(place):
            return None
        for _ in range(8):
            damped = np.vstack([np.array(columns).T, damping * np.eye(len(place))])
            step = np.linalg.lstsq(damped, -np.concatenate([here, np.zeros(len(place))]), rcond=None)[0]
            tried = errors(place + step)
            if tried is not None and np.linalg.norm(tried) < np.linalg.norm(here):
                place, here, damping = place + step, tried, damping / 30
                break
            damping = max(damping, 1e-9) * 10
        else:
            return None
    return None


def _errors(found: Mapping[str, float], rules: tuple[Rule, ...], given: Mapping[str, float]) -> Array | None:
    """How far measures are from the given ones, and from what a rule about two says; ``None`` where one has none."""
    apart: list[tuple[float | None, float | None]] = []
    for rule in rules:
        if rule.structure and rule.target in found and rule.needs <= found.keys():
            apart.append((found[rule.target], rounded(rule.about, found)))
    apart += [(found.get(name), value) for name, value in given.items()]
    if any(one is None or other is None or one <= 0 or other <= 0 for one, other in apart):
        return None
    return np.array([math.log(one / other) for one, other in apart if one and other])


def _measures(sizes: list[str], place: Array, rules: tuple[Rule, ...]) -> dict[str, float]:
    """All measures of solids with these sizes, each by the first rule that gives it."""
    found = {name: math.exp(min(x, 60.0)) for name, x in zip(sizes, place.tolist(), strict=True)}
    left = [rule for rule in rules if rule.target not in found]
    while ready := [rule for rule in left if rule.needs <= found.keys()]:
        for rule in ready:
            value = None if rule.target in found else rounded(rule.about, found)
            if value is not None and value > 0:
                found[rule.target] = value
        left = [rule for rule in left if rule.target not in found and rule not in ready]
    return found


def _in_order(found: Mapping[str, float], statement: SolidStatement) -> bool:
    pairs = [pair for fact in statement.facts for pair in LARGER.get(fact.name, ())]
    return all(found[one] >= found[other] * (1 - 1e-9) for one, other in pairs)
