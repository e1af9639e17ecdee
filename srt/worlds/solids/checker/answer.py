"""Whether the answer of a trace is what its last step concludes."""

from __future__ import annotations

import re

from srt.answers.equality import is_conclusion
from srt.io.records import Answer, Problem
from srt.language.faults import Fault
from srt.language.trace import StepCheck, Trace
from srt.worlds.solids.checker.field import NoExactValue
from srt.worlds.solids.checker.terms import SaidMeasure, exactly, names_of, postfix, said

_IN_A_UNIT = re.compile(r"(?P<number>[0-9+\-*/^(). a-z]{1,120}?)(?: (?P<unit>mm|cm|dm|m|L|mL|deg)(?P<power>\^[23])?)?")
_LETTERS = re.compile(r"options = \{([A-Z](?:, [A-Z])*)\}")


def check_answer(problem: Problem, trace: Trace) -> StepCheck:
    """The answer must be what the last step concludes."""
    last = (trace.steps[-1].claim if trace.steps else None) or ""
    letters = _LETTERS.fullmatch(last)
    measure = said(f"V(solid) = {last.removeprefix('answer = ')}") if last.startswith("answer = ") else None
    if letters is None and measure is None:
        return StepCheck(support="consistent", fault=Fault.LEAP, reason="the last step does not conclude anything")
    if letters is not None:
        concluded = Answer(kind="choice_set", value=letters[1].split(", "))
    elif measure is not None:
        unit = "°" if measure.unit == "deg" else measure.unit or None
        kind, value = ("number", int(measure.text)) if measure.text.isdigit() else ("expression", measure.text)
        concluded = Answer.model_validate({"kind": kind, "value": value, "unit": unit})
    said_so = trace.answer == last.removeprefix("answer = ")
    agrees = True if said_so else is_conclusion(trace.answer, concluded, problem)
    own = said(f"V(solid) = {trace.answer}")
    if agrees is None and measure is not None and own is not None:  # Written as claims are: 375/16/pi m.
        agrees = own.unit in ("", measure.unit) and own.value.is_same(measure.value)
    if agrees is None and measure is not None and _differs(trace.answer, measure):
        agrees = False
    if agrees is None:
        return StepCheck(support="unchecked", fault=Fault.MALFORMED, reason="the answer cannot be read")
    if agrees:
        return StepCheck(support="proved")
    return StepCheck(
        support="refuted", fault=Fault.WRONG_ANSWER, reason="the last step concludes something else",
        counterexample=letters[1] if letters else last.removeprefix("answer = "),
    )  # fmt: skip


def _differs(answer: str, measure: SaidMeasure) -> bool:
    """Whether an answer in another form than claims, such as ``24/9*pi m``, has another value or unit."""
    match = _IN_A_UNIT.fullmatch(answer)
    if match is None or (formula := postfix(match["number"])) is None or names_of(formula):
        return False
    try:
        value = exactly(formula, {})
    except (NoExactValue, ArithmeticError, ValueError):
        return False
    unit = f"{match['unit'] or ''}{match['power'] or ''}"
    return not value.is_same(measure.value) or (unit or measure.unit) != measure.unit
