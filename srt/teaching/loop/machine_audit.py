"""The machine's audit of a trace: it comes before and after every review, and overrules a Reviewer who is wrong.

Its findings are :class:`~srt.teaching.case_store.case_records.Issue` records of the one taxonomy of faults. In a trace
of an exact world every step that is not proved is an issue, because the world's checker is complete. In prose the
issues are facts (refuted claims, references to steps that do not exist, unused steps, a wrong answer) and findings of
rules of thumb with few false alarms (the answer as a premise, unknown points, another language). A number without a
source is no issue: it may be common knowledge.

The policy on gold: an answer that differs from gold, or that cannot be read as an answer of its kind, is an issue. If
no machine can compare them (an answer in words, an expression that cannot be read), the audit has a *doubt* instead,
which the Reviewer is asked about; no such trace is accepted without a review. Nothing counts as equal because it could
not be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from srt.answers.equality import TRAINING, equal_to_gold
from srt.answers.written_form import canonical_text
from srt.io.records import Lang, Problem
from srt.judging.judge import judge_trace
from srt.language.faults import Fault, FaultWord
from srt.language.trace import OPERATIONS, ClaimCheck, StepCheck, Trace, TraceCheck
from srt.pipeline.check import check_with_truth
from srt.prose.checking.check_free import check_free
from srt.prose.checking.citations import citation_faults, premises_of
from srt.prose.checking.form_faults import form_faults
from srt.prose.checking.givens import givens_of
from srt.prose.checking.hidden_sources import hidden_source_in
from srt.prose.checking.operations import wrong_operation
from srt.teaching.case_store.case_records import Issue
from srt.teaching.loop.leftover_words import has_unclaimed_text, objects_to_arithmetic

_LEFT_TO_REVIEWERS = frozenset({Fault.UNUSED_STEP, Fault.WRONG_ANSWER})
"""Classes of issue that the proof of a step in an exact world does not exclude."""
_DOUBT: dict[Lang, str] = {
    "en": "Does the answer '{answer}' mean the same as the given answer '{right}'? A machine cannot tell. If it does "
    "not, that is an issue of the class {fault}.",
    "zh": "答案“{answer}”与给定的答案“{right}”意思相同吗？机器无法判断。若不同，请报告一条 {fault}。",
}

GoldVerdict = Literal["equal", "differs", "undecided", "unreadable", "no_gold"]
"""An answer against gold. ``undecided``: no machine can compare them; ``unreadable``: it is not of gold's kind."""


@dataclass(frozen=True)
class MachineAudit:
    """The machine's findings on one trace.

    ``gold`` compares the answer with gold; ``doubt`` is a question for the Reviewer if it is ``undecided``. ``world``
    says that the checker of an exact world was used. ``settled`` are the steps (from 1) that are proved, with
    all that they rest on, or computed, where they say nothing else; with their texts.
    """

    checks: TraceCheck
    issues: tuple[Issue, ...]
    gold: GoldVerdict
    doubt: str | None = None
    world: bool = False
    settled: Mapping[int, str] = field(default_factory=dict)

    def overrules(self, issue: Issue) -> bool:
        """Whether the audit decides the very question that ``issue``, raised by a Reviewer, raises, and it is wrong.

        A step of an exact world is one inference from what it cites. If it and the steps it rests on are proved, it is
        true, follows, and leaves nothing out; whether it is needed is not decided.

        In prose one question is decided: whether an equation holds. That counts where the step has nothing else, and
        the Reviewer objects to nothing else. Whether it is the right formula, the right unit or too large a step is the
        Reviewer's to judge.
        """
        if issue.step is None:
            right = self.gold == "equal" and self.checks.answer.support == "proved"
            return issue.fault is Fault.WRONG_ANSWER and right and self.checks.proved and self.world
        if issue.step not in self.settled:
            return False
        if self.world:
            return issue.fault not in _LEFT_TO_REVIEWERS
        return issue.fault is Fault.FALSE_CLAIM and objects_to_arithmetic(issue, self.settled[issue.step])


def audit(problem: Problem, trace: Trace, *, normal_form: bool = False) -> MachineAudit:
    """Everything that a machine can find in ``trace``, a trace of ``problem``.

    With ``normal_form``, a step that stands after one of a later operation is an issue: all CORRELATE come before all
    CONSTRAIN, and these before all INFER.

    Raises:
        UserError: ``trace`` is a trace of another problem.
    """
    judged = judge_trace(problem, trace, checker=check_with_truth)
    checks = judged.check
    assert checks is not None, "a trace has steps or prose"
    # Nothing else is looked at: each further check would take as long as the one that was refused.
    if checks.answer.fault is Fault.TOO_LARGE:
        return MachineAudit(checks, (_issue(None, Fault.TOO_LARGE, checks.answer.reason or ""),), "undecided")
    world = trace.kind == "world"
    # Under the policy of training: as strict as scores are, but a missing unit is no fault of a trace.
    gold, doubt = gold_verdict(problem, trace.answer), None
    issues = []
    if problem.answer is not None and gold != "equal":
        right = canonical_text(problem.answer)
        if gold == "undecided":
            doubt = _DOUBT[problem.lang].format(answer=trace.answer, right=right, fault=Fault.WRONG_ANSWER.value)
        else:
            why = f"the answer is '{trace.answer}', but the gold answer is '{right}'"
            if gold == "unreadable":
                why = (
                    f"'{trace.answer}' cannot be read as an answer of the kind {problem.answer.kind}; gold is '{right}'"
                )
            issues.append(_issue(None, Fault.WRONG_ANSWER, why, f"reach the answer {right}"))
    issues += (_of_world if world else _of_prose)(problem, trace, checks)
    unused = "neither a later step nor the answer uses it: cite it where it is needed, or leave it out"
    issues += [_issue(number, Fault.UNUSED_STEP, unused) for number in checks.unused]
    if judged.padding is not None:
        issues.append(_issue(judged.padding, Fault.REPEATED, "a shorter proof does without it: leave it out"))
    if normal_form:
        issues += _out_of_order(trace)
    # Those of the whole trace come last.
    issues.sort(key=lambda issue: issue.step or len(trace.steps) + 1)
    return MachineAudit(checks, tuple(issues), gold, doubt, world, _settled(trace, checks))


def gold_verdict(problem: Problem, answer: str) -> GoldVerdict:
    """The written ``answer`` against the gold answer of ``problem``."""
    if problem.answer is None:
        return "no_gold"
    found = equal_to_gold(problem, answer, TRAINING)
    return "unreadable" if found.how == "unreadable" else found.verdict


def _of_world(problem: Problem, trace: Trace, checks: TraceCheck) -> Iterator[Issue]:
    """An issue for every step that the exact checker does not prove, and for an answer that does not follow."""
    # Reversed: of several faults of a step the first stays.
    bad = {fault.step: fault for fault in reversed(citation_faults(problem, trace, givens_of(problem)))}
    for number, verdict in enumerate(checks.steps, 1):
        if verdict.support == "proved":
            continue
        fault, why, fix = verdict.fault or Fault.DOES_NOT_FOLLOW, _explanation(verdict), None
        if verdict.support == "refuted":
            fault = Fault.FALSE_CLAIM
        elif number in bad:
            fault, why = bad[number].fault, f"the step {bad[number].message}"
        elif verdict.support == "unchecked":
            fault = Fault.MALFORMED
        elif right := _right_operation(problem, trace, number):
            fault, fix = Fault.MISLABELLED, f"the operation is {right}"
        yield _issue(number, fault, why, fix)
    if checks.answer.support == "refuted":
        yield _issue(None, Fault.WRONG_ANSWER, _explanation(checks.answer))
    elif checks.answer.support != "proved":
        yield _issue(None, checks.answer.fault or Fault.LEAP, _explanation(checks.answer))


def _of_prose(problem: Problem, trace: Trace, checks: TraceCheck) -> Iterator[Issue]:
    if checks.answer.fault is Fault.ANOTHER_FORM:
        # Prose on a problem of an exact world: no verdict is given, but a wrong calculation is an issue there, too.
        checks = check_free(problem, trace)
    for number, (step, verdict) in enumerate(zip(trace.steps, checks.steps, strict=True), 1):
        yield from (_false_claim(number, claim) for claim in verdict.claims if claim.support == "refuted")
        if wrong := wrong_operation(problem, step, verdict.claims):
            yield _issue(number, Fault.MISLABELLED, f"the step {wrong}")
    yield from (_false_claim(None, claim) for claim in checks.prose if claim.support == "refuted")
    if hidden := hidden_source_in(trace.text or ""):
        yield _issue(None, Fault.ANSWER_CITED, f"the prose {hidden}")
    for fault in form_faults(problem, trace, givens_of(problem)):
        yield _issue(fault.step, fault.fault, f"the step {fault.message}")
    if checks.answer.support == "refuted":
        yield _issue(None, Fault.WRONG_ANSWER, f"the answer is '{trace.answer}', but {checks.answer.reason}")


def _false_claim(step: int | None, claim: ClaimCheck) -> Issue:
    why = claim.counterexample or claim.reason
    return _issue(step, Fault.FALSE_CLAIM, f"{claim.claim} is wrong" + (f": {why}" if why else ""))


def _right_operation(problem: Problem, trace: Trace, number: int) -> str | None:
    """The operation with which step ``number`` would be proved, if any: then only its label is wrong."""
    # Tried and not derived: the checker knows what a step of each operation may do, and nothing else should.
    for op in OPERATIONS:
        if op == trace.steps[number - 1].op:
            continue
        steps = list(trace.steps)
        steps[number - 1] = steps[number - 1].model_copy(update={"op": op})
        checks = check_with_truth(problem, trace.model_copy(update={"steps": tuple(steps)}))
        if checks.steps[number - 1].support == "proved":
            return op
    return None


def _settled(trace: Trace, checks: TraceCheck) -> dict[int, str]:
    settled: dict[int, str] = {}
    for number, (step, verdict) in enumerate(zip(trace.steps, checks.steps, strict=True), 1):
        if trace.kind == "world":
            # What it cites is taken as true: only with it is the step true.
            rests_on = {premise.number for premise in premises_of(step) if premise.kind == "step"}
            holds = verdict.support == "proved" and rests_on <= settled.keys()
        else:
            # A calculation holds by itself.
            every = verdict.support == "computed" and all(claim.support == "computed" for claim in verdict.claims)
            holds = every and not has_unclaimed_text(step.assertion or "", verdict.claims)
        if holds:
            settled[number] = step.assertion or step.claim or ""
    return settled


def _out_of_order(trace: Trace) -> Iterator[Issue]:
    """An issue for each step after the first of a later operation."""
    latest, since = 0, 0
    for number, step in enumerate(trace.steps, 1):
        rank = OPERATIONS.index(step.op)
        if rank < latest:
            why = (
                f"this {step.op} stands after step {since}, which is {OPERATIONS[latest]}; the order is all "
                f"{OPERATIONS[0]}, then all {OPERATIONS[1]}, then all {OPERATIONS[2]}"
            )
            fix = f"move it to before step {since}, and renumber the references"
            yield _issue(number, Fault.OUT_OF_ORDER, why, fix)
        elif rank > latest:
            latest, since = rank, number


def _explanation(verdict: StepCheck) -> str:
    why = verdict.counterexample or verdict.witness
    return f"{verdict.reason or verdict.support}" + (f" ({why})" if why else "")


def _issue(step: int | None, fault: FaultWord, explanation: str, suggested_fix: str | None = None) -> Issue:
    return Issue(by="machine", step=step, fault=fault, explanation=explanation, suggested_fix=suggested_fix)
