"""The solver: the exact trace of a problem, and what is true of it."""

from __future__ import annotations

import re
from collections.abc import Callable

from srt.answers.equality import STRICT, equal
from srt.answers.written_form import canonical_text
from srt.io.records import Answer, Problem
from srt.language.trace import Trace, Truth
from srt.worlds.solids.derivation.derive import (
    Derivation,
    NotDetermined,
    SolidStep,
    derive,
    everything,
    readings_first,
    rules_of,
    steps_of,
)
from srt.worlds.solids.derivation.impossible import why_impossible
from srt.worlds.solids.formulas import parse_formula, positive_value
from srt.worlds.solids.reading.read_solid import ReadSolid, read_solid
from srt.worlds.solids.statement import UNITS, Measure, converted
from srt.worlds.world import NEEDED, Refused

READ_FIRST = "read-first"
_QUESTION = "?"
_CONVERTIBLE = {unit for unit, power in UNITS.items() if power}


def solve_solid(problem: Problem, plan: str = NEEDED) -> Trace:
    """The shortest derivation that was found; with ``read-first``, all readings before the first formula.

    Raises:
        Refused: as :func:`answer_of` does.
    """
    read, inside, answer = _answered(problem)
    steps = _with_conclusion(read, problem, inside)
    if plan == READ_FIRST:
        steps = readings_first(steps)
    return Trace(
        id=f"t-{problem.id}",
        problem_id=problem.id,
        kind="world",
        lang=problem.lang,
        steps=tuple(steps_of(steps)),
        answer=answer,
    )


def asked_steps(read: ReadSolid, problem: Problem) -> Derivation:
    """All steps: what is asked, the derivation, the conclusion; raises :class:`NotDetermined`."""
    return _with_conclusion(read, problem, derive(read.statement))


def _with_conclusion(read: ReadSolid, problem: Problem, inside: Derivation) -> Derivation:
    statement = read.statement
    unit = f" in {statement.unit}" if statement.unit else ""
    steps: Derivation = {_QUESTION: SolidStep("CORRELATE", ("question",), f"? = {statement.asked}{unit}"), **inside}
    measure = inside[statement.asked].measure
    assert measure is not None
    letters = right_letters(read, measure)
    claim = f"options = {{{', '.join(letters)}}}" if problem.choices else f"answer = {measure}"
    steps["!"] = SolidStep("INFER", (*problem.choices, _QUESTION, statement.asked), claim)
    return steps


def right_letters(read: ReadSolid, measure: Measure) -> list[str]:
    """The options that say ``measure``, in any unit."""
    return [letter for letter, said in read.options.items() if same(said, measure)]


def same(one: Measure, other: Measure) -> bool:
    """Whether two measures are equal. A number without a unit is equal to the same number with one."""
    if one.unit == other.unit or "" in (one.unit, other.unit):
        return one.number == other.number
    if not {one.unit, other.unit} <= _CONVERTIBLE or UNITS[one.unit] != UNITS[other.unit]:
        return False
    return converted(one, other.unit).number == other.number


def gold_of(measure: Measure) -> Answer:
    """The measure as an answer without options."""
    number, unit = measure.number, "°" if measure.unit == "deg" else measure.unit or None
    value = str(number)
    if value.isdigit():
        return Answer(kind="number", value=int(value), unit=unit)
    return Answer(kind="expression", value=value, unit=unit)


def answer_of(problem: Problem) -> tuple[ReadSolid, Measure, str]:
    """The problem as it is read, what was asked, and the answer as text.

    Raises:
        Refused: it cannot be read, is not determined, has no single right option, or its gold answer is another.
    """
    read, steps, answer = _answered(problem)
    measure = steps[read.statement.asked].measure
    assert measure is not None
    return read, measure, answer


def _answered(problem: Problem) -> tuple[ReadSolid, Derivation, str]:
    """The problem as it is read, the derivation of what is asked, and the answer."""
    read = read_solid(problem)
    if why := why_impossible(read.statement):
        raise Refused("no_such_solid", why)
    try:
        steps = derive(read.statement)
    except NotDetermined:
        raise Refused("not_determined", f"question: {read.statement.asked} does not follow by the table") from None
    measure = steps[read.statement.asked].measure
    assert measure is not None
    if not read.options:
        gold, answer = gold_of(measure), str(measure)
        if problem.answer is not None and not _is_gold(problem.answer, gold):
            raise Refused("disagrees_with_gold", f"solved: {answer}; gold: {problem.answer.value}")
        return read, steps, answer
    letters = right_letters(read, measure)
    if len(letters) != 1:
        reason = "not_unique" if letters else "no_option_fits"
        raise Refused(reason, f"solved: {measure}; options that say so: {', '.join(letters) or 'none'}")
    if problem.answer is not None and problem.answer.value != letters:
        raise Refused("disagrees_with_gold", f"solved: {letters[0]}; gold: {problem.answer.value}")
    return read, steps, letters[0]


def _is_gold(given: Answer, gold: Answer) -> bool:
    return equal(given, canonical_text(gold), policy=STRICT).equal


_CLAIM = re.compile(r"(?P<name>[A-Za-z]\([a-z]+\)) = (?:.+ = )?(?P<value>[^=]+)")


def truth_of(problem: Problem) -> Callable[[str], Truth]:
    """Whether a claim is true of the solid, also where the question does not need it."""
    try:
        read, inside, _ = _answered(problem)
        known = everything(read.statement)
    except Refused:
        return lambda claim: "unknown"
    exact = {step.claim for step in _with_conclusion(read, problem, inside).values()}
    facts = {fact.claim for fact in read.statement.facts}

    def truth(text: str) -> Truth:
        if text in exact or text in facts:
            return "true"
        if text.startswith(("options = ", "answer = ", "? = ", "solid = ", "pair = ")):
            return "false"
        match = _CLAIM.fullmatch(text)
        step = known.get(match["name"]) if match else None
        said = parse_measure(match["value"]) if match else None
        if step is None or said is None or step.measure is None:
            return "unknown"
        if not same(said, step.measure) or (said.unit == "") != (step.measure.unit == ""):
            return "false"
        return _formula_truth(text, match["name"] if match else "", read)

    return truth


def _formula_truth(text: str, name: str, read: ReadSolid) -> Truth:
    """The value is right; whether the formula before it is one of the table."""
    if text.count(" = ") == 1:
        return "true"
    formula = text.split(" = ")[1]
    known = {rule.text for rule in rules_of(read.statement) if rule.target == name}
    return "true" if formula in known else "unknown"


def parse_measure(text: str) -> Measure | None:
    """A measure in the spelling of claims; ``None`` for anything else."""
    number, _, unit = text.rpartition(" ")
    if unit not in UNITS or not number:
        number, unit = text, ""
    try:
        value = positive_value(parse_formula(number), {})
        return None if value is None or str(value) != number else Measure(value, unit)
    except (ValueError, KeyError, ArithmeticError):  # ValueError also for a number of thousands of digits.
        return None
