"""Lifts a free trace into a world trace: each of its equations must be one formula of the table, with its numbers."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, pairwise, product
from typing import NamedTuple

from srt.io.records import Lang, Problem
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
from srt.worlds.solids.derivation.free_claims import ANSWER, FreeClaim, free_claims
from srt.worlds.solids.derivation.solve_solid import answer_of, right_letters, same
from srt.worlds.solids.exact import ExactNumber
from srt.worlds.solids.formulas import (
    FormulaTree,
    about,
    formula_text,
    names_in,
    parse_formula,
    positive_value,
    rewritten,
)
from srt.worlds.solids.reading.matching import letter_of, letters_of
from srt.worlds.solids.reading.measures import read_measure
from srt.worlds.solids.reading.read_solid import ReadSolid
from srt.worlds.solids.statement import Measure, SolidStatement, converted, unit_of
from srt.worlds.solids.table import DIMENSION, Rule, full_name
from srt.worlds.world import Refused

_SHOWN = 60
"""Characters of an equation in a message."""
_PLAIN = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "²": "", "³": ""})


class _Equation(NamedTuple):
    """A value, whether a unit is behind it, and the formulas that it is set equal to: with letters, or with numbers."""

    value: Measure
    has_unit: bool
    lettered: tuple[FormulaTree, ...]
    numeric: tuple[FormulaTree, ...]


def lift(problem: Problem, trace: Trace) -> Trace:
    """The world trace that says what the equations of a free trace say, one formula each, and no other.

    Its answer is that of the free trace. Whether it is proved is for the checker to say.

    Raises:
        Refused: the problem is not solved by this world; a part of the text has no reading; a value is not that of the
            measure, or nothing gives it; an equation is no formula of the table with known measures, or could be one
            for several; or the trace ends elsewhere.
    """
    read, right, _ = answer_of(problem)
    known = _readings(read)
    for text in (text for step in trace.steps for text in (step.assertion, step.claim) if text):
        try:
            for claim in free_claims(text, read.statement.solids, trace.lang):
                _follow(claim, problem, trace, read, known)
        except ValueError as error:
            raise Refused("not_lifted", f"steps: {error}") from None
    if read.statement.asked not in known:
        raise Refused("not_lifted", f"steps: none of them gives {read.statement.asked}")
    answer = _answer(problem, read, right, trace.answer)
    found = needed_steps(known, read.statement.asked)
    unit = read.statement.unit
    asked = f"? = {read.statement.asked}" + (f" in {unit}" if unit else "")
    concluded = f"options = {{{answer}}}" if problem.choices else f"answer = {right}"
    steps: Derivation = {"?": SolidStep("CORRELATE", ("question",), asked), **found}
    steps["!"] = SolidStep("INFER", (*problem.choices, "?", read.statement.asked), concluded)
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


def _follow(claim: FreeClaim, problem: Problem, trace: Trace, read: ReadSolid, known: Derivation) -> None:
    """Check a statement against what is known, or keep the step that it is; a :class:`ValueError` says why neither."""
    shown = repr(_shown(claim.text))
    if not claim.sides:
        if not problem.choices or claim.letter != trace.answer.strip():
            raise ValueError(f"{shown} is not the answer {_shown(trace.answer)}")
        return
    names = _named(claim, read.statement, trace.lang)
    found = [known[name] for name in names if name in known]
    values = [read_measure(f"{side} {unit}".strip()) for side, unit in claim.sides]
    if found and (claim.words or claim.letter):
        for step in found:
            before = known.get(step.cites[0]) if step.op == "INFER" else None
            if not all(value and any(_agree(value, s) for s in (step, before) if s) for value in values):
                raise ValueError(f"{shown} differs from {step.claim}")
    elif len(claim.sides) > 1 or (values[0] and (claim.words or claim.letter)):
        _take(_equation(claim, shown), names, read, known)
    elif not any(_is_formula(claim.sides[0], rule) for rule in rules_of(read.statement) if rule.target in names):
        raise ValueError(f"{shown} is no value and no formula of a measure of the solid")


def _named(claim: FreeClaim, statement: SolidStatement, lang: Lang) -> set[str]:
    """The measures that a statement can be about; all, where it names none."""
    kinds = (claim.owner,) if claim.owner else statement.solids
    if ANSWER[lang] in claim.words:
        return {statement.asked} if set(claim.words) == {ANSWER[lang]} and not claim.letter else set()
    names = {(letter, kind) for kind in kinds for letter in letters_of(kind, lang)}
    for word in claim.words:
        names = {(letter, kind) for letter, kind in names if letter_of(word, kind, lang) == letter}
    # Many write S for whatever area they mean.
    total = any(name[0] == "S" for name in (statement.asked, *(fact.name for fact in statement.facts)))
    if claim.letter and (claim.letter != "S" or total):
        names = {(letter, kind) for letter, kind in names if letter == claim.letter}
    elif claim.letter:
        names = {(letter, kind) for letter, kind in names if DIMENSION.get(letter) == 2}
    return {f"{letter}({kind})" for letter, kind in names}


def _agree(said: Measure, step: SolidStep) -> bool:
    """Whether a value is that of a step: the same number, or the same in another unit; a unit must not be new."""
    measure = step.measure
    return measure is not None and same(said, measure) and (not said.unit or bool(measure.unit))


def _take(equation: _Equation, names: set[str], read: ReadSolid, known: Derivation) -> None:
    """Keep the step that an equation is; it is the only one that its numbers allow."""
    numbers = {
        name: step.measure.number for name, step in known.items() if step.measure is not None and "!" not in name
    }
    length = working_length(read.statement)
    steps: dict[str, SolidStep] = {}
    for rule in rules_of(read.statement):
        if rule.target in known or rule.target not in names or not all(name in numbers for name in rule.uses):
            continue
        value = positive_value(rule.formula, local_values(rule, numbers))
        if value != equation.value.number or not all(_is_rule(formula, rule) for formula in equation.lettered):
            continue
        if not (equation.numeric or equation.lettered or rule.formula.head == "name"):
            continue  # A value alone is that of another measure, which is equal by the text.
        # Of several with numbers, the first is the formula; the others were seen to have its value.
        if not all(_says(formula, rule, numbers) for formula in equation.numeric[:1]):
            continue
        measure = Measure(value, unit_of(rule.target[0], length))
        if equation.has_unit and equation.value.unit != measure.unit:
            continue
        claim = f"{rule.target} = {formula_text(rule.formula)} = {measure}"
        cites = (*([rule.structure] if rule.structure else []), *rule.uses)
        steps.setdefault(rule.target, SolidStep("CONSTRAIN", cites, claim, rule, measure))
    if len(steps) != 1:
        several = f"can be {', '.join(steps)}" if steps else "is no formula of the table with known measures"
        for formula in (*equation.numeric, *equation.lettered):
            raise ValueError(f"{_shown(formula_text(formula))} = {equation.value} {several}")
        raise ValueError(f"{', '.join(sorted(names))}: {equation.value} is said, and nothing gives it")
    known.update(steps)


def _says(equation: FormulaTree, rule: Rule, numbers: dict[str, ExactNumber]) -> bool:
    """Whether the equation is the rule with numbers put in: some of its parts stand for measures, and then both agree.

    Both are tried with chance values, so that the order of factors and the like do not matter.
    """
    given = {name: float(numbers[name]) for name in rule.uses}
    readings = islice(_readings_of(equation, given), 4000)
    tries = _tries(rule)
    return any(set(names_in(said)) == set(given) and _is_alike(said, tries) for said in readings)


def _is_rule(formula: FormulaTree, rule: Rule) -> bool:
    """Whether a formula with letters is that of the rule."""
    full = rewritten(formula, lambda part: part._replace(name=full_name(part.name, rule.target)) if part.name else None)
    return set(names_in(full)) == set(rule.uses) and _is_alike(full, _tries(rule))


def _tries(rule: Rule) -> list[tuple[dict[str, float], float]]:
    """Chance values of what a rule uses, each with what it gives."""
    local = {name: full_name(name, rule.target) for name in names_in(rule.formula)}
    rng = random.Random(0)
    tries: list[tuple[dict[str, float], float]] = []
    for _ in range(60):
        values = {name: 10 ** rng.uniform(-0.5, 1.5) for name in rule.uses}
        wanted = about(rule.formula, {name: values[full] for name, full in local.items()})
        if wanted is not None:
            tries.append((values, wanted))
    return tries


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


def _equation(claim: FreeClaim, shown: str) -> _Equation:
    """An equation: its first side with numbers, where all those between have the same value, and those with letters."""
    *sides, (last, unit) = claim.sides
    value = read_measure(f"{last} {unit}".strip())
    if value is None or any(unit for _, unit in sides):
        raise ValueError(f"{shown} is not understood")
    trees = [_tree(side, shown) for side, _ in sides]
    numeric = tuple(tree for tree in trees if not names_in(tree))
    for tree in numeric:
        try:
            holds = positive_value(tree, {}) == value.number
        except ArithmeticError:
            raise ValueError(f"{shown} is not understood") from None
        if not holds:
            raise ValueError(f"{shown} does not hold")
    return _Equation(value, bool(unit), tuple(tree for tree in trees if names_in(tree)), numeric)


def _is_formula(side: tuple[str, str], rule: Rule) -> bool:
    """Whether one side with letters is the formula of the rule."""
    tree = None if side[1] else _tree(side[0], side[0])
    return tree is not None and bool(names_in(tree)) and _is_rule(tree, rule)


def _tree(side: str, shown: str) -> FormulaTree:
    try:
        return parse_formula(_formula_of(side))
    except ValueError:
        raise ValueError(f"{shown} is not understood") from None


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _formula_of(text: str) -> str:
    """An expression in the spelling of formulas: ``π × 3² × 4`` is ``pi*3^2*4``, ``2πrh`` is ``2*pi*r*h``."""
    text = text.replace("²", "^2").replace("³", "^3").translate(_PLAIN)
    text = re.sub(r"√([0-9]+)", r"sqrt(\1)", text).replace("√", "sqrt").replace("π", "pi")
    text = re.sub(r"(?<![0-9])([0-9]++)\.([0-9]++)", lambda m: f"({m[1]}{m[2]}/{10 ** len(m[2])})", text)
    parts = re.findall(r"sqrt|cbrt|pi|[0-9]+|.", text)
    joined = "".join(
        part + "*" * (part not in ("sqrt", "cbrt") and part[-1] not in "(+-*/^" and behind[0] not in ")+-*/^")
        for part, behind in pairwise(parts)
    )
    return joined + "".join(parts[-1:])


def _answer(problem: Problem, read: ReadSolid, right: Measure, answer: str) -> str:
    """The answer of the free trace, if it is the right one; the trace could not be proved with any other."""
    if problem.choices:
        letters = right_letters(read, right)
        if [answer.strip()] == letters:
            return letters[0]
    elif (said := read_measure(answer)) is not None and same(said, right) and (not said.unit or right.unit):
        return str(right)
    raise Refused("not_lifted", f"answer: {answer!r} is not {right}")
