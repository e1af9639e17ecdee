"""Wrong results, each from one named mistake in one step of a derivation, with all later steps computed from it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from srt.worlds.solids.derivation.derive import Derivation, local_values
from srt.worlds.solids.exact import ExactNumber
from srt.worlds.solids.formulas import ExactFormula, FormulaTree, exact_function, names_in, positive, rewritten
from srt.worlds.solids.statement import UNITS, Measure, converted
from srt.worlds.solids.table import DIMENSION, Rule, full_name

_TWO = FormulaTree("number", value=Fraction(2))
_TWICE = {"d": "the diameter doubled", "r": "the diameter for the radius", "R": "the diameter for the radius"}
_HALF = {"d": "the radius for the diameter", "r": "the radius halved", "R": "the radius halved"}
_SORTS = ("a ratio", "a length", "an area", "a volume")
_OPPOSED = 0.8
"""With 0.5, a model that sees no number of the text finds 29% by its options (chance: 25%), with 0.8, 27%. With 1,
mistakes without an opposite, such as the slant height for the height, would be in no option."""
_SWAPS = {"l": "h", "s": "h", "e": "s", "h": "l", "D": "h"}
_SWAPPED = {
    "l": "the height for the slant height",
    "s": "the height for the slant height",
    "h": "the slant height for the height",
}


class WrongResult(NamedTuple):
    """A wrong answer and the mistake that leads to it."""

    measure: Measure
    mistake: str


class ChangedStep(NamedTuple):
    """A step with a mistake: its new value, and the formula where that has changed."""

    key: str
    mistake: str
    number: ExactNumber
    formula: FormulaTree | None = None


def _form(number: ExactNumber) -> tuple[object, ...]:
    return tuple((pi, root, factor.denominator == 1) for pi, root, factor in number.terms)


def changed_steps(steps: Derivation, known: Derivation) -> Iterator[ChangedStep]:
    """Each step with each mistake that it can have; ``known`` are all measures, also those that no step has."""
    numbers = {key: step.measure.number for key, step in known.items() if step.measure is not None}
    for key, step in steps.items():
        if step.rule is not None:
            values = local_values(step.rule, numbers)
            others = {x: numbers[name] for x in "hlsD" if (name := full_name(x, step.rule.target)) in numbers}
            for mistake, formula, function in _mistaken(step.rule, frozenset(others)):
                if (number := positive(function, {**others, **values})) is not None:
                    yield ChangedStep(key, mistake, number, formula)
        elif step.op == "INFER" and step.measure is not None and step.cites[0] in steps:
            before = steps[step.cites[0]].measure
            assert before is not None
            yield ChangedStep(key, "a unit not converted", before.number)
            for factor in (10, 100, 1000):
                for scale in (Fraction(factor), Fraction(1, factor)):
                    yield ChangedStep(key, "a wrong factor between units", step.measure.number.scaled(scale))


@lru_cache(maxsize=1024)
def _mistaken(rule: Rule, others: frozenset[str]) -> tuple[tuple[str, FormulaTree, ExactFormula], ...]:
    """The formulas of a rule with a mistake in them, each with its mistake, and as a function."""
    changed = _changed_formulas(rule.formula, others)
    return tuple((mistake, formula, exact_function(formula)) for mistake, formula in changed)


def _changed_formulas(formula: FormulaTree, others: frozenset[str]) -> Iterator[tuple[str, FormulaTree]]:
    """The formula with one mistake in it; ``others`` are letters that may be taken for one of it."""
    for letter in names_in(formula):
        name = FormulaTree("name", name=letter)
        plain = letter.partition("(")[0]
        measure = _SORTS[DIMENSION.get(plain, 1)]
        yield _TWICE.get(plain, f"{measure} doubled"), _replaced(formula, name, FormulaTree("*", (_TWO, name)))
        yield _HALF.get(plain, f"{measure} halved"), _replaced(formula, name, FormulaTree("/", (name, _TWO)))
        swap = _SWAPS.get(letter, "")
        if swap in others:
            yield _SWAPPED.get(letter, "another length"), _replaced(formula, name, FormulaTree("name", name=swap))
    for node in _nodes(formula):
        match node.head:
            case "number" if node.value > 1:
                yield "a factor dropped", _replaced(formula, node, node._replace(value=Fraction(1)))
                yield "a factor taken twice", _replaced(formula, node, node._replace(value=node.value**2))
            case "^":
                yield "a power dropped", _replaced(formula, node, node.parts[0])
                yield "a power too many", _replaced(formula, node, node._replace(value=node.value + 1))
            case "+" | "-":
                other = FormulaTree("-" if node.head == "+" else "+", node.parts)
                yield (
                    ("a sum for a difference" if node.head == "-" else "a difference for a sum"),
                    _replaced(formula, node, other),
                )
                for part in node.parts:
                    yield "a part forgotten", _replaced(formula, node, part)
                    yield "a part taken twice", _replaced(formula, node, FormulaTree("+", (node, part)))
            case "min":
                for part in node.parts:
                    yield "another path than the shortest", _replaced(formula, node, part)
            case "sqrt":
                yield "a root forgotten", _replaced(formula, node, node.parts[0])


def _nodes(formula: FormulaTree) -> Iterator[FormulaTree]:
    yield formula
    for part in formula.parts:
        yield from _nodes(part)


def _replaced(formula: FormulaTree, old: FormulaTree, new: FormulaTree) -> FormulaTree:
    return rewritten(formula, lambda node: new if node == old else None)


def squares(steps: Derivation, known: Derivation, asked: str, rng: random.Random) -> list[WrongResult] | None:
    """Three wrong results: of two mistakes, each of which multiplies the answer or adds to it, and of both; ``None``
    where none are found.

    So each of the four options is to the others as any other is, and nothing tells the right one. Which of the two
    make it larger is drawn first; in most problems, each has an opposite that could have been made. The numbers are
    about as long as the right one: what follows from whole numbers is shorter than what does not.
    """
    end = steps[asked].measure
    assert end is not None
    right, signs = end.number, (rng.random() < 0.5, rng.random() < 0.5)
    single: list[tuple[ChangedStep, ExactNumber]] = []
    for change in changed_steps(steps, known):
        measures = followed(steps, {change.key: change.number})
        if measures and _form(measures[asked].number) == _form(right) and measures[asked].number != right:
            single.append((change, measures[asked].number))
    if rng.random() < _OPPOSED:
        found = {number for _, number in single}
        single = [x for x in single if _combined(right, right, x[1]) in found]
    rng.shuffle(single)
    larger = {sign: [x for x in single if (float(x[1]) > float(right)) == sign][:12] for sign in (True, False)}
    pairs: list[tuple[float, int, ChangedStep, ChangedStep, tuple[ExactNumber, ExactNumber, ExactNumber]]] = []
    for (one, first), (other, second) in product(larger[signs[0]], larger[signs[1]]):
        both = _combined(first, second, right)
        if both is not None and len({right, first, second, both}) == 4 and _form(both) == _form(right):
            numbers = (first, second, both)
            apart = abs(_digits(right) - sum(map(_digits, numbers)) / 3)
            pairs.append((apart, len(pairs), one, other, numbers))
    for _, _, one, other, numbers in sorted(pairs):
        if 1e-3 < float(numbers[2]) < 1e7 and _both_made(steps, known, one, other, asked, numbers[2]):
            mistakes = (one.mistake, other.mistake, f"{one.mistake}, and {other.mistake}")
            return [WrongResult(Measure(x, end.unit), m) for x, m in zip(numbers, mistakes, strict=True)]
    return None


def _digits(number: ExactNumber) -> int:
    return sum(len(f"{abs(factor.numerator)}{factor.denominator}") for _, _, factor in number.terms)


def _combined(first: ExactNumber, second: ExactNumber, right: ExactNumber) -> ExactNumber | None:
    """The result of both mistakes, if each multiplies whatever it is made in; in a sum, if each adds to it."""
    if all(len(number.terms) == 1 for number in (first, second, right)):
        return first.times(second).times(right.inverse())
    both = first.plus(second).minus(right)
    return both if both.is_positive() else None


def _both_made(
    steps: Derivation, known: Derivation, one: ChangedStep, other: ChangedStep, asked: str, both: ExactNumber
) -> bool:
    """Whether making both mistakes gives ``both``."""
    if one.key == other.key:
        twice = {key: step for key, step in steps.items() if step.rule is not None}
        if one.key not in twice or one.formula is None or (rule := twice[one.key].rule) is None:
            return False
        uses = tuple(full_name(name, rule.target) for name in names_in(one.formula))
        changed = steps | {one.key: steps[one.key]._replace(rule=replace(rule, formula=one.formula, uses=uses))}
        if set(names_in(one.formula)) - set(names_in(rule.formula)):
            return False
        again = [change for change in changed_steps(changed, known) if change.key == one.key]
        ends = [followed(steps, {one.key: c.number}) for c in again if c.mistake == other.mistake]
        return any(end is not None and end[asked].number == both for end in ends)
    before = followed(steps, {one.key: one.number})
    old = steps[other.key].measure
    if before is None or old is None:
        return False
    if len(both.terms) == 1 and any(len(m.number.terms) != 1 for m in before.values()):
        return False
    number = _combined(before[other.key].number, other.number, old.number)
    if number is None:
        return False
    made = followed(steps, {one.key: one.number, other.key: number})
    return made is not None and made[asked].number == both


def followed(steps: Derivation, changed: dict[str, ExactNumber]) -> dict[str, Measure] | None:
    """The measures of all steps where some have other values; ``None`` where one has no exact form."""
    numbers: dict[str, ExactNumber] = {}
    measures: dict[str, Measure] = {}
    for key, step in steps.items():
        if step.measure is None:
            continue
        value: ExactNumber | None = step.measure.number
        if key in changed:
            value = changed[key]
        elif step.rule is not None:
            value = positive(step.rule.exact, numbers)
        elif step.op == "INFER" and step.cites[0] in measures and UNITS[step.measure.unit]:
            value = converted(measures[step.cites[0]], step.measure.unit).number
        if value is None:
            return None
        numbers[key], measures[key] = value, Measure(value, step.measure.unit)
    return measures
