"""What the machine finds in a wrong prediction: the first step that fails, and its class of error.

The step is the first that is false: refuted, false in the solved scene, or naming something that the problem does not
have. A step that is true but does not follow makes no answer wrong by itself, so it counts only if none is false.

==================== ======================================================= ================== ======================
finding              when the step                                           MathSpatial        HST
==================== ======================================================= ================== ======================
``not_generated``    no prediction, or its generation failed                 (none)             (none)
``truncated``        the token budget ended before the answer                (none)             (none)
``no_answer``        no answer that could be read, or several                (none)             (none)
``made_up``          it cites a clue, option or name, or (prose) names a     feature            fabricated_condition
                     point or number, that the problem does not have
``misread``          a false CORRELATE; one that is not what it cites, if    projection         fabricated_condition
                     its truth is not known
``rule_broken``      a false step that cites ``scene`` or ``wlog``           geometry_violation insufficient_knowledge
``contradiction``    any other false step; a refuted claim in prose; an      reasoning_gap      process_deviation
                     answer other than the one that the prose ends with
``unsupported``      none is false, and this is the first not to follow      reasoning_gap      process_deviation
``wrong_conclusion`` all is proved but the answer, or a last INFER, which    deduction_failure  process_deviation
                     is false
``undecided``        no trace, or no verdict says what is wrong              (left to a judge)  (left to a judge)
==================== ======================================================= ================== ======================

What the machine can *not* find: anything about a picture (whether a view was misread, a part overlooked or a size
lost, so ``scale`` is never its class), what prose says in words, and a step that it cannot parse. A step in prose is
computed, not proved: nobody says that the calculation was the right one, so nothing there is a ``wrong_conclusion``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from eval.errors.error_taxonomies import Labels
from eval.records.run_rows import Checked, StoredScore
from srt.io.records import Prediction, Problem, Record
from srt.judging.judge import trace_of
from srt.judging.output_text import read_output
from srt.language.faults import Fault
from srt.language.trace import Operation, Support, Trace, TraceCheck
from srt.prose.checking.citations import citation_faults, premises_of
from srt.prose.checking.entities import unknown_entities
from srt.prose.checking.givens import givens_of

FindingKind = Literal[
    "not_generated",
    "truncated",
    "no_answer",
    "made_up",
    "misread",
    "rule_broken",
    "contradiction",
    "unsupported",
    "wrong_conclusion",
    "undecided",
]
CLASS_OF: dict[FindingKind, Labels] = {
    "made_up": Labels(mathspatial="feature", hst="fabricated_condition"),
    "misread": Labels(mathspatial="projection", hst="fabricated_condition"),
    "rule_broken": Labels(mathspatial="geometry_violation", hst="insufficient_knowledge"),
    "contradiction": Labels(mathspatial="reasoning_gap", hst="process_deviation"),
    "unsupported": Labels(mathspatial="reasoning_gap", hst="process_deviation"),
    "wrong_conclusion": Labels(mathspatial="deduction_failure", hst="process_deviation"),
}
"""The table above; the other findings have no class."""


class ErrorFinding(Record):
    """What failed first: the number of the step (from 1, if it is a single step), its operation, verdict and reason."""

    kind: FindingKind
    step: int | None = None
    op: Operation | None = None
    support: Support | None = None
    reason: str | None = None


def find_first_fault(
    problem: Problem, prediction: Prediction | None, score: StoredScore, checked: Checked | None
) -> ErrorFinding:
    """What failed first in a wrong ``prediction`` of ``problem``; ``checked`` holds the verdicts on its text."""
    if prediction is None or score.status == "error":
        return ErrorFinding(kind="not_generated", reason=prediction.error if prediction else "there is no prediction")
    if score.status == "truncated":
        return ErrorFinding(kind="truncated")
    if score.status != "ok":
        return ErrorFinding(kind="no_answer", reason=score.status)
    trace = trace_of(read_output(problem, prediction.text, prediction.finish_reason), problem)
    if checked is None or checked.check is None or trace is None or checked.check.answer.fault is Fault.ANOTHER_FORM:
        reason = (checked.fault or checked.refusal) if checked else None
        return ErrorFinding(kind="undecided", reason=reason or "it was not checked")
    if len(checked.check.steps) != len(trace.steps):
        return ErrorFinding(kind="undecided", reason="its verdicts are of another version; srt score makes them anew")
    return (_of_world if trace.kind == "world" else _of_prose)(problem, trace, checked.check)


def _of_world(problem: Problem, trace: Trace, check: TraceCheck) -> ErrorFinding:
    made_up = dict(_made_up_premises(problem, trace))
    for number, verdict in enumerate(check.steps, 1):
        if number in made_up:
            return _at("made_up", number, trace, check, made_up[number])
        if verdict.support == "refuted" or verdict.truth == "false":
            return _at(_kind_of_false(trace, number, check), number, trace, check)
    unproved = next((number for number, verdict in enumerate(check.steps, 1) if verdict.support != "proved"), None)
    if unproved is None:
        return ErrorFinding(kind="wrong_conclusion", support=check.answer.support, reason=check.answer.reason)
    if check.steps[unproved - 1].support == "unchecked":
        return _at("undecided", unproved, trace, check)
    is_reading = trace.steps[unproved - 1].op == "CORRELATE" and check.steps[unproved - 1].truth != "true"
    return _at("misread" if is_reading else "unsupported", unproved, trace, check)


def _of_prose(problem: Problem, trace: Trace, check: TraceCheck) -> ErrorFinding:
    # Reversed: of several in a step the first stays.
    made_up = {unknown.step: unknown.message for unknown in reversed(unknown_entities(problem, trace))}
    made_up |= dict(_made_up_premises(problem, trace))
    for number, verdict in enumerate(check.steps, 1):
        if number in made_up:
            return _at("made_up", number, trace, check, made_up[number])
        if verdict.support == "refuted":
            return _at("contradiction", number, trace, check)
    for claim in check.prose:
        if claim.support == "refuted":
            why = claim.counterexample or claim.reason
            reason = f"{claim.claim} is wrong" + (f": {why}" if why else "")
            return ErrorFinding(kind="contradiction", support="refuted", reason=reason)
    return _of_answer(check)


def _of_answer(check: TraceCheck) -> ErrorFinding:
    """Where no claim in the steps or the prose is refuted."""
    if check.answer.support == "refuted":
        return ErrorFinding(kind="contradiction", support="refuted", reason=check.answer.reason)
    return ErrorFinding(kind="undecided", reason="no claim in it is refuted")


def _kind_of_false(trace: Trace, number: int, check: TraceCheck) -> FindingKind:
    step = trace.steps[number - 1]
    if step.op == "CORRELATE":
        return "misread"
    is_last = number == len(trace.steps)
    if step.op == "INFER" and is_last and all(verdict.support == "proved" for verdict in check.steps[:-1]):
        return "wrong_conclusion"
    # What cites the rules of the scene, or a choice that they leave free, goes by them.
    return "rule_broken" if {"scene", "wlog"} & set(step.args) else "contradiction"


def _made_up_premises(problem: Problem, trace: Trace) -> Iterator[tuple[int, str]]:
    """Steps that cite a clue, an option or a name that the problem does not have, wrong step numbers apart."""
    known = " ".join([problem.question, *problem.choices.values(), problem.diagram_description or ""])
    dangling = {
        fault.step: fault.message
        for fault in citation_faults(problem, trace, givens_of(problem))
        if fault.fault is Fault.DANGLING_REFERENCE and not fault.message.startswith("cites #")
    }
    for number, step in enumerate(trace.steps, 1):
        names = [premise.name for premise in premises_of(step) if premise.kind == "entity"]
        # Names that only the pictures show are not known here.
        unknown = None if problem.images else next((name for name in names if name not in known), None)
        if number in dangling:
            yield number, dangling[number]
        elif unknown is not None and trace.kind == "world":
            yield number, f"cites {unknown}, which the problem does not have"


def _at(kind: FindingKind, number: int, trace: Trace, check: TraceCheck, reason: str | None = None) -> ErrorFinding:
    verdict = check.steps[number - 1]
    why = verdict.counterexample or verdict.witness
    text = reason or (f"{verdict.reason or verdict.support}" + (f" ({why})" if why else ""))
    if reason is None and verdict.truth == "false" and verdict.support != "refuted":
        text = f"it is false; {text}"
    return ErrorFinding(kind=kind, step=number, op=trace.steps[number - 1].op, support=verdict.support, reason=text)
