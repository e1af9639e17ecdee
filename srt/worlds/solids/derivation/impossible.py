"""Whether a solid can have the measures that a text gives: what follows from them must agree and be positive.

It computes with rounded numbers, so that measures without an exact form are tried too.
"""

from __future__ import annotations

import math

from srt.worlds.solids.derivation.derive import local_values, rules_of, working_length
from srt.worlds.solids.derivation.fitting import FREE, fits
from srt.worlds.solids.exact import ExactNumber
from srt.worlds.solids.formulas import about, formula_text, names_in, positive_value
from srt.worlds.solids.statement import SolidStatement, converted, unit_of
from srt.worlds.solids.table import LARGER, LEAST_SURFACE, Rule, base_kind, full_name


def why_impossible(statement: SolidStatement) -> str:
    """One line that names the measure which no solid has; empty where there may be such a solid."""
    known: dict[str, float] = {}
    exact: dict[str, ExactNumber] = {}
    length = working_length(statement)
    for fact in statement.facts:
        if fact.measure is not None:
            if not fact.measure.number.is_positive():
                return f"sentence ({fact.sentence}): {fact.claim}; a measure is greater than zero"
            unit = unit_of(fact.name[0], length)
            same = fact.measure.unit == unit or "" in (unit, fact.measure.unit)
            known[fact.name] = float((fact.measure if same else converted(fact.measure, unit)).number)
            exact[fact.name] = (fact.measure if same else converted(fact.measure, unit)).number
    given = dict(known)
    if nothing := _disagreement(rules_of(statement), known, exact) or _order(statement, known):
        return nothing
    sizes = [f"{x}({kind})" for kind in statement.solids for x in FREE.get(base_kind(kind), "") if x != "x"]
    if all(name in known for name in sizes):
        return ""
    return "" if fits(statement, given) else "question: no solid with all the measures that it gives was found"


def _disagreement(rules: tuple[Rule, ...], known: dict[str, float], exact: dict[str, ExactNumber]) -> str:
    """What follows from ``known`` and is not positive, or is two things at once; what follows is added to ``known``.

    Numbers that are ``exact`` are compared as such.
    """
    tried: set[int] = set()
    while open_rules := [r for r in rules if id(r) not in tried and all(name in known for name in r.uses)]:
        for rule in open_rules:
            tried.add(id(rule))
            values = {name: known[full_name(name, rule.target)] for name in names_in(rule.formula)}
            found = about(rule.formula, values)
            claim = f"{rule.target} = {formula_text(rule.formula)}"
            given = ", ".join(f"{name} = {values[name]:.6g}" for name in values)
            if found is None or found <= 1e-9 * max(values.values()):
                return f"question: {claim} is not greater than zero for {given}"
            # Of the difference of two large numbers fewer digits are right.
            apart = max(1e-9, 1e-12 * (max(values.values()) / found) ** 2)
            if not math.isclose(known.setdefault(rule.target, found), found, rel_tol=apart):
                return f"question: {claim} is {found:.6g} for {given}, and {known[rule.target]:.6g}"
            if all(name in exact for name in rule.uses):
                number = positive_value(rule.formula, local_values(rule, exact))
                if number is not None and exact.setdefault(rule.target, number) != number:
                    return f"question: {claim} is {number} for {given}, and {exact[rule.target]}"
    return ""


def _order(statement: SolidStatement, known: dict[str, float]) -> str:
    for kind in statement.solids:
        volume, surface = known.get(f"V({kind})"), known.get(f"S({kind})")
        least = LEAST_SURFACE.get(base_kind(kind), 0.0)
        if volume and surface and surface**3 < least * volume**2 * (1 - 1e-9):
            return f"question: no {kind} of volume {volume:.6g} has a surface of only {surface:.6g}"
    for fact in statement.facts:
        for one, other in LARGER.get(fact.name, ()):
            if one in known and other in known and known[one] < known[other] * (1 - 1e-9):
                return f"question: {one} = {known[one]:.6g} must not be less than {other} = {known[other]:.6g}"
    return ""
