"""Lifts a free trace into a world trace: each of its equations must be one formula of the table, with its numbers."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product
from typing import NamedTuple

from srt.io.records import Problem
from srt.language.trace import Trace
from srt.worlds.solids.derivation.derive import (
    Derivation,
    SolidStep,
    local_values,
    needed_steps,
    rules_of,
    steps_of,
    working_length,
)
from srt.worlds.solids.derivation.solve_solid import answer_of, right_letters, same
from srt.worlds.solids.exact import ExactNumber
from srt.worlds.solids.formulas import FormulaTree, about, formula_text, names_in, parse_formula, positive_value
from srt.worlds.solids.reading.measures import read_measure
from srt.worlds.solids.reading.read_solid import ReadSolid
from srt.worlds.solids.statement import Measure, converted, unit_of
from srt.worlds.solids.table import Rule, full_name
from srt.worlds.world import Refused

_PART = r"[0-9π√^²³+\-−×·*/÷(). ]"
# With a number in it; nothing of it is tried twice.
_SIDE = rf"(?=(?:[\^+\-−×·*/÷(. ]|sqrt|pi)*+[0-9π√²³)])(?:{_PART}|sqrt|pi)++"
_CHAIN = re.compile(
    rf"(?<!{_PART})(?<!sqrt)(?<!pi)(?P<sides>{_SIDE}(?:[=＝]{_SIDE})+)"
    r"(?P<unit>[a-zA-Z]+[²³^23]*|[平立]?方?[毫厘分]?米)?"
)
_SHOWN = 60
"""Characters of an equation in a message."""
_PLAIN = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "²": "", "³": ""})


class _Equation(NamedTuple):
    """A number that is written as a formula with numbers, its value, and the unit behind it."""

    formula: FormulaTree
    value: Measure
    has_unit: bool


def lift(problem: Problem, trace: Trace) -> Trace:
    """The world trace that says what the equations of a free trace say, one formula each, and no other.

    Its answer is that of the free trace. Whether it is proved is for the checker to say.

    Raises:
        Refused: the problem is not solved by this world; an equation is no formula of the table with known measures,
            or could be one for several; or the trace ends elsewhere.
    """
    read, right, _ = answer_of(problem)
    known = _readings(read)
    for step in trace.steps:
        for equation in _equations(step.assertion or step.claim or ""):
            _take(equation, read, known)
    if read.statement.asked not in known:
        raise Refused("not_lifted", f"steps: none of them gives {read.statement.asked}")
    answer = _answer(problem, read, right, trace.answer)
    found = needed_steps(known, read.statement.asked)
    unit = read.statement.unit
    asked = f"? = {read.statement.asked}" + (f" in {unit}" if unit else "")
    claim = f"options = {{{answer}}}" if problem.choices else f"answer = {right}"
    steps: Derivation = {"?": SolidStep("CORRELATE", ("question",), asked), **found}
    steps["!"] = SolidStep("INFER", (*problem.choices, "?", read.statement.asked), claim)
    made = tuple(steps_of(steps))
    return Trace(
        id=trace.id, problem_id=problem.id, kind="world", lang=problem.lang, steps=made,
        answer=answer if problem.choices else str(right),
    )  # fmt: skip


def _readings(read: ReadSolid) -> Derivation:
    """What the text gives, in the unit to work in."""
    length = working_length(read.statement)
    found: Derivation = {}
    for fact in read.statement.facts:
        step = SolidStep("CORRELATE", (fact.place,), fact.claim, measure=fact.measure)
        unit = unit_of(fact.name[0], length)
        if fact.measure is None or fact.measure.unit == unit:
            found[fact.name] = step
            continue
        measure = converted(fact.measure, unit)
        found[f"{fact.name}!"] = step
        found[fact.name] = SolidStep("INFER", (f"{fact.name}!",), f"{fact.name} = {measure}", measure=measure)
    return found


def _take(equation: _Equation, read: ReadSolid, known: Derivation) -> None:
    """Keep the step that an equation is; it is the only one that its numbers allow."""
    numbers = {
        name: step.measure.number for name, step in known.items() if step.measure is not None and "!" not in name
    }
    length = working_length(read.statement)
    steps: dict[str, SolidStep] = {}
    for rule in rules_of(read.statement):
        if rule.target in known or not all(name in numbers for name in rule.uses):
            continue
        value = positive_value(rule.formula, local_values(rule, numbers))
        if value != equation.value.number or not _says(equation.formula, rule, numbers):
            continue
        measure = Measure(value, unit_of(rule.target[0], length))
        if equation.has_unit and equation.value.unit != measure.unit:
            continue
        claim = f"{rule.target} = {formula_text(rule.formula)} = {measure}"
        cites = (*([rule.structure] if rule.structure else []), *rule.uses)
        steps.setdefault(rule.target, SolidStep("CONSTRAIN", cites, claim, rule, measure))
    if len(steps) != 1:
        several = f"can be {', '.join(steps)}" if steps else "is no formula of the table with known measures"
        raise Refused("not_lifted", f"steps: {_shown(formula_text(equation.formula))} = {equation.value} {several}")
    known.update(steps)


def _says(equation: FormulaTree, rule: Rule, numbers: dict[str, ExactNumber]) -> bool:
    """Whether the equation is the rule with numbers put in: some of its parts stand for measures, and then both agree.

    Both are tried with chance values, so that the order of factors and the like do not matter.
    """
    given = {name: float(numbers[name]) for name in rule.uses}
    local = {name: full_name(name, rule.target) for name in names_in(rule.formula)}
    rng = random.Random(0)
    tries: list[tuple[dict[str, float], float]] = []
    for _ in range(60):
        values = {name: 10 ** rng.uniform(-0.5, 1.5) for name in given}
        wanted = about(rule.formula, {name: values[full] for name, full in local.items()})
        if wanted is not None:
            tries.append((values, wanted))
    readings = islice(_readings_of(equation, given), 4000)
    return any(set(names_in(said)) == set(given) and _is_alike(said, tries) for said in readings)


def _is_alike(said: FormulaTree, tries: list[tuple[dict[str, float], float]]) -> bool:
    """Whether it has the value wanted at each of more than five tries where it has one; the first other value ends it.

    Most readings are others, so most take one try.
    """
    alike = 0
    for values, wanted in tries:
        found = about(said, values)
        if found is not None and not math.isclose(found, wanted, rel_tol=1e-9):
            return False
        alike += found is not None
    return alike > 5


def _readings_of(formula: FormulaTree, given: dict[str, float]) -> Iterator[FormulaTree]:
    """The formula with any of its parts as the measure that has its value, or as the square of one."""
    value = about(formula, {})
    for name, measure in given.items():
        letter = FormulaTree("name", name=name)
        if value is not None and math.isclose(value, measure, rel_tol=1e-9):
            yield letter
        if value is not None and math.isclose(value, measure**2, rel_tol=1e-9):
            yield FormulaTree("^", (letter,), value=Fraction(2))
    for parts in product(*(list(islice(_readings_of(part, given), 60)) for part in formula.parts)):
        yield formula._replace(parts=parts)


def _equations(text: str) -> Iterator[_Equation]:
    """The equations of a text: of a chain, the first side and the last, where all between have the same value."""
    for match in _CHAIN.finditer(text):
        shown = repr(_shown(match[0].strip()))
        *sides, last = re.split("[=＝]", match["sides"])
        value = read_measure(f"{last.strip()} {match['unit'] or ''}".strip())
        if value is None:
            raise Refused("not_lifted", f"steps: {shown} is not understood")
        for side in reversed(sides):
            try:
                formula = parse_formula(_formula_of(side))
                exact = positive_value(formula, {})
            except (ValueError, KeyError, ArithmeticError):
                raise Refused("not_lifted", f"steps: {shown} is not understood") from None
            if exact != value.number:
                raise Refused("not_lifted", f"steps: {shown} does not hold")
        yield _Equation(formula, value, bool(match["unit"]))


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _formula_of(text: str) -> str:
    """A numeric expression in the spelling of formulas: ``π × 3² × 4`` is ``pi*3^2*4``."""
    text = text.strip().replace("²", "^2").replace("³", "^3").translate(_PLAIN)
    text = re.sub(r"√\s*([0-9]+)", r"sqrt(\1)", text).replace("√", "sqrt").replace("π", "pi").replace(" ", "")
    text = re.sub(r"([0-9])\.([0-9]+)", lambda m: f"({m[1]}{m[2]}/{10 ** len(m[2])})", text)
    return re.sub(r"(?<=[0-9i)])(?=pi|sqrt|\()|(?<=pi)(?=[0-9])|(?<=\))(?=[0-9])", "*", text)


def _answer(problem: Problem, read: ReadSolid, right: Measure, answer: str) -> str:
    """The answer of the free trace, if it is the right one; the trace could not be proved with any other."""
    if problem.choices:
        letters = right_letters(read, right)
        if [answer.strip()] == letters:
            return letters[0]
    elif (said := read_measure(answer)) is not None and same(said, right):
        return str(right)
    raise Refused("not_lifted", f"answer: {answer!r} is not {right}")
