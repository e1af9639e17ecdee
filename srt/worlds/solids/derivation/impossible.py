"""Whether a solid can have the measures that a text gives: what follows from them must agree and be positive.

It computes with rounded numbers, so that measures without an exact form are tried too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from srt.worlds.solids.derivation.derive import rules_of, working_length
from srt.worlds.solids.derivation.fitting import FREE, fits
from srt.worlds.solids.exact import ExactNumber
from srt.worlds.solids.formulas import positive, rounded
from srt.worlds.solids.statement import SolidStatement, converted, unit_of
from srt.worlds.solids.table import DIMENSION, LARGER, LEAST_SURFACE, Rule, base_kind


@lru_cache(maxsize=256)
def why_impossible(statement: SolidStatement) -> str:
    """One line that names the measure which no solid has; empty where there may be such a solid.

    The last answers are kept: a problem is solved for each plan, for its drawing, and for what is true of it.
    """
    exact: dict[str, ExactNumber] = {}
    length = working_length(statement)
    for fact in statement.facts:
        if fact.measure is not None:
            if not fact.measure.number.is_positive():
                return f"sentence ({fact.sentence}): {fact.claim}; a measure is greater than zero"
            unit = unit_of(fact.name[0], length)
            same = fact.measure.unit == unit or "" in (unit, fact.measure.unit)
            exact[fact.name] = (fact.measure if same else converted(fact.measure, unit)).number
    scale = _scale(exact)
    given = {name: float(number) / scale ** _power(name) for name, number in exact.items()}
    known = dict(given)
    if nothing := _disagreement(rules_of(statement), known, exact, scale) or _order(statement, known, scale):
        return nothing
    sizes = [f"{x}({kind})" for kind in statement.solids for x in FREE.get(base_kind(kind), "") if x != "x"]
    if all(name in known for name in sizes):
        return ""
    return "" if fits(statement, given) else "question: no solid with all the measures that it gives was found"


def _power(name: str) -> int:
    return DIMENSION.get(name[0], 1)


def _scale(given: Mapping[str, ExactNumber]) -> float:
    """A length by which all are divided. The largest is 10 then, and what counts as zero does not depend on units."""
    return max([float(n) ** (1 / _power(name)) for name, n in given.items() if _power(name)], default=10.0) / 10


def _disagreement(rules: tuple[Rule, ...], known: dict[str, float], exact: dict[str, ExactNumber], scale: float) -> str:
    """What follows from ``known`` and is not positive, or is two things at once; what follows is added to ``known``.

    Numbers that are ``exact`` are compared as such.
    """

    def shown(name: str, value: float) -> str:
        return f"{value * scale ** _power(name):.6g}"

    def given(rule: Rule) -> str:
        values = zip(rule.names, rule.uses, strict=True)
        return ", ".join(f"{name} = {shown(name, known[full])}" for name, full in values)

    tried: set[Rule] = set()
    while open_rules := [r for r in rules if r not in tried and r.needs <= known.keys()]:
        for rule in open_rules:
            tried.add(rule)
            most = max(known[name] for name in rule.uses)
            found = rounded(rule.about, known)
            if found is None or found <= rule.nothing * most:
                return f"question: {rule.target} = {rule.text} is not greater than zero for {given(rule)}"
            # Of the difference of two large numbers fewer digits are right.
            apart = max(1e-9, 1e-12 * (most / found) ** 2) if rule.nothing else 1e-9
            if not math.isclose(known.setdefault(rule.target, found), found, rel_tol=apart):
                values = [shown(rule.target, value) for value in (found, known[rule.target])]
                return f"question: {rule.target} = {rule.text} is {values[0]} for {given(rule)}, and {values[1]}"
            if rule.needs <= exact.keys():
                number = positive(rule.exact, exact)
                if number is not None and exact.setdefault(rule.target, number) != number:
                    claim = f"{rule.target} = {rule.text} is {number}"
                    return f"question: {claim} for {given(rule)}, and {exact[rule.target]}"
    return ""


def _order(statement: SolidStatement, known: Mapping[str, float], scale: float) -> str:
    for kind in statement.solids:
        if kind.startswith("small") and known.get(f"k({kind})", 2.0) <= 1 + 1e-9:
            return f"question: {kind} is not smaller than {base_kind(kind)}"
        if kind == "frustum" and math.isclose(known.get("R(frustum)", 0.0), known.get("r(frustum)", 1.0)):
            return "question: both bases of the frustum have one radius"
        volume, surface = known.get(f"V({kind})"), known.get(f"S({kind})")
        least = LEAST_SURFACE.get(base_kind(kind), 0.0)
        if volume and surface and surface**3 < least * volume**2 * (1 - 1e-9):
            volume, surface = volume * scale**3, surface * scale**2
            return f"question: no {kind} of volume {volume:.6g} has a surface of only {surface:.6g}"
    for fact in statement.facts:
        for one, other in LARGER.get(fact.name, ()):
            if one in known and other in known and known[one] < known[other] * (1 - 1e-9):
                less, more = (known[name] * scale ** _power(name) for name in (one, other))
                return f"question: {one} = {less:.6g} must not be less than {other} = {more:.6g}"
    return ""
