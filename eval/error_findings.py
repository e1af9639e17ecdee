"""What a machine can say of a wrong prediction: the first step that fails, and the class of error that this is.

The step is the first that is false: refuted, false in the solved scene, or naming what the problem does not have. A
step that is true but does not follow makes no answer wrong by itself, so it counts only where none is false.

==================== ======================================================= ================== ======================
finding              when the step                                           MathSpatial        HST
==================== ======================================================= ================== ======================
``not_generated``    no prediction, or its generation failed                 (none)             (none)
``truncated``        the token budget ended before the answer                (none)             (none)
``no_answer``        no answer that could be read, or several                (none)             (none)
``made_up``          it cites a clue, option or name, or (prose) names a     feature            fabricated_condition
                     point or number, that the problem does not have
``misread``          a false CORRELATE; one that is not what it cites, if    projection         relation_confusion
                     its truth is not known
``rule_broken``      a false step that cites ``scene`` or ``wlog``           geometry_violation insufficient_knowledge
``contradiction``    any other false step; a refuted claim in prose; an      reasoning_gap      process_deviation
                     answer other than the one that the prose ends with
``unsupported``      none is false, and this is the first not to follow      reasoning_gap      process_deviation
``wrong_conclusion`` all is proved but the answer, or a last INFER, which    deduction_failure  process_deviation
                     is false
``undecided``        no trace, or no verdict says what is wrong              (a judge's to say) (a judge's to say)
==================== ======================================================= ================== ======================

What a machine can *not* tell: anything of a picture (whether a view was misread, a part overlooked or a size lost, so
``scale`` is never its word), what prose says in words, and a step that it cannot read. A proof of a step in prose
covers what is calculated, not that it was the thing to calculate: there nothing is a ``wrong_conclusion``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from eval.error_taxonomies import Labels
from eval.extract import trace_text
from eval.runs import Checked
from srt.checking.free.citations import citation_faults, premises_of
from srt.checking.free.entities import strangers
from srt.checking.free.givens import givens_of
from srt.checking.free.verdicts import check_free
from srt.language.faults import Fault
from srt.language.text import parse
from srt.language.trace import Operation, Support, Trace, TraceCheck
from srt.records import Prediction, Problem, Record, Score
from srt.teaching.auditors import TooLong, within

LONGEST_CHECK_S = 20.0

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
    "misread": Labels(mathspatial="projection", hst="relation_confusion"),
    "rule_broken": Labels(mathspatial="geometry_violation", hst="insufficient_knowledge"),
    "contradiction": Labels(mathspatial="reasoning_gap", hst="process_deviation"),
    "unsupported": Labels(mathspatial="reasoning_gap", hst="process_deviation"),
    "wrong_conclusion": Labels(mathspatial="deduction_failure", hst="process_deviation"),
}
"""The table above; the findings that are not here are of no class."""


class Finding(Record):
    """What failed first: the number of the step (from 1; ``None``: no single step), its operation, verdict and why."""

    kind: FindingKind
    step: int | None = None
    op: Operation | None = None
    support: Support | None = None
    reason: str | None = None


def find_first_fault(problem: Problem, prediction: Prediction | None, score: Score, checked: Checked | None) -> Finding:
    """What the machine says of a wrong ``prediction`` of ``problem``; ``checked`` holds the verdicts on its text."""
    if prediction is None or score.status == "error":
        return Finding(kind="not_generated", reason=prediction.error if prediction else "there is no prediction")
    if score.status == "truncated":
        return Finding(kind="truncated")
    if score.status != "ok":
        return Finding(kind="no_answer", reason=score.status)
    if checked is None or checked.kind is None or (checked.has_steps and checked.check is None):
        reason = (checked.fault or checked.refusal) if checked else None
        return Finding(kind="undecided", reason=reason or "it was not checked")
    parsed = parse(trace_text(prediction.text))
    trace = Trace(
        id=prediction.key,
        problem_id=problem.id,
        kind=parsed.kind,
        lang=parsed.lang,
        steps=parsed.steps,
        text=parsed.text,
        answer=parsed.answer,
    )
    if checked.check is None:
        return _of_cot(problem, trace)
    return (_of_world if trace.kind == "world" else _of_free)(problem, trace, checked.check)


def _of_world(problem: Problem, trace: Trace, check: TraceCheck) -> Finding:
    made_up = dict(_made_up_premises(problem, trace))
    for number, verdict in enumerate(check.steps, 1):
        if number in made_up:
            return _at("made_up", number, trace, check, made_up[number])
        if verdict.support == "refuted" or verdict.truth == "false":
            return _at(_kind_of_false(trace, number, check), number, trace, check)
    unproved = next((number for number, verdict in enumerate(check.steps, 1) if verdict.support != "proved"), None)
    if unproved is None:
        return Finding(kind="wrong_conclusion", support=check.answer.support, reason=check.answer.reason)
    if check.steps[unproved - 1].support == "unchecked":
        return _at("undecided", unproved, trace, check)
    is_reading = trace.steps[unproved - 1].op == "CORRELATE" and check.steps[unproved - 1].truth != "true"
    return _at("misread" if is_reading else "unsupported", unproved, trace, check)


def _of_free(problem: Problem, trace: Trace, check: TraceCheck) -> Finding:
    made_up = {stranger.step: stranger.told for stranger in reversed(strangers(problem, trace))}
    made_up |= dict(_made_up_premises(problem, trace))
    for number, verdict in enumerate(check.steps, 1):
        if number in made_up:
            return _at("made_up", number, trace, check, made_up[number])
        if verdict.support == "refuted":
            return _at("contradiction", number, trace, check)
    if check.answer.support == "refuted":
        return Finding(kind="contradiction", support="refuted", reason=check.answer.reason)
    return Finding(kind="undecided", reason="no claim in it is refuted")


def _of_cot(problem: Problem, trace: Trace) -> Finding:
    """Scoring does not look for claims in prose: it is slow, and only those of wrong answers are of interest."""
    try:
        check = within(LONGEST_CHECK_S, lambda: check_free(problem, trace))
    except TooLong:
        return Finding(kind="undecided", reason=f"the machine's checks took more than {LONGEST_CHECK_S:.0f} s")
    for claim in check.prose:
        if claim.support == "refuted":
            why = claim.counterexample or claim.reason
            told = f"{claim.claim} is wrong" + (f": {why}" if why else "")
            return Finding(kind="contradiction", support="refuted", reason=told)
    if check.answer.support == "refuted":
        return Finding(kind="contradiction", support="refuted", reason=check.answer.reason)
    return Finding(kind="undecided", reason="no claim in it is refuted")


def _kind_of_false(trace: Trace, number: int, check: TraceCheck) -> FindingKind:
    step = trace.steps[number - 1]
    if step.op == "CORRELATE":
        return "misread"
    is_last = number == len(trace.steps)
    if step.op == "INFER" and is_last and all(verdict.support == "proved" for verdict in check.steps[:-1]):
        return "wrong_conclusion"
    return "rule_broken" if {"scene", "wlog"} & set(step.args) else "contradiction"


def _made_up_premises(problem: Problem, trace: Trace) -> Iterator[tuple[int, str]]:
    """Steps that cite a clue, an option or a name that the problem does not have; a wrong step number is no such."""
    known = " ".join([problem.question, *problem.choices.values(), problem.diagram_description or ""])
    dangling = {
        fault.step: fault.told
        for fault in citation_faults(problem, trace, givens_of(problem))
        if fault.fault is Fault.DANGLING_REFERENCE and not fault.told.startswith("cites #")
    }
    for number, step in enumerate(trace.steps, 1):
        names = [premise.name for premise in premises_of(step) if premise.kind == "entity"]
        # What the pictures show, nobody has written down.
        stranger = None if problem.images else next((name for name in names if name not in known), None)
        if number in dangling:
            yield number, dangling[number]
        elif stranger is not None and trace.kind == "world":
            yield number, f"cites {stranger}, whom the problem does not have"


def _at(kind: FindingKind, number: int, trace: Trace, check: TraceCheck, reason: str | None = None) -> Finding:
    verdict = check.steps[number - 1]
    why = verdict.counterexample or verdict.witness
    told = reason or (f"{verdict.reason or verdict.support}" + (f" ({why})" if why else ""))
    if reason is None and verdict.truth == "false" and verdict.support != "refuted":
        told = f"it is false; {told}"
    return Finding(kind=kind, step=number, op=trace.steps[number - 1].op, support=verdict.support, reason=told)
