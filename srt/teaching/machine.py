"""The machine's part of the loop: it speaks first and last, and knows where a Reviewer is wrong.

What it holds against a trace are :class:`~srt.teaching.records.Issue` records of the one taxonomy. A trace of an exact
world is held to everything, because its checker is complete: a step that is not proved is an issue. A trace in prose is
held to what a machine can be sure of: refuted claims, references, steps that nothing uses, points that the problem does
not have, and gold.

The policy on gold: an answer that differs from it, or that cannot be read as an answer of its kind, is an issue. Where
no machine can tell (an answer in words, an expression that cannot be read), the audit has no issue but a *doubt*, which
is put to the Reviewer; without a review that answers it, such a trace may not be accepted. Nothing is taken for equal
because it could not be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from srt.answers import canonical_text
from srt.checking.free.citations import citation_faults, premises_of
from srt.checking.free.entities import strangers
from srt.checking.free.givens import givens_of
from srt.checking.free.operations import wrong_operation
from srt.language.faults import Fault
from srt.language.premises import Premise
from srt.language.trace import OPERATIONS, ClaimCheck, Step, StepCheck, Trace, TraceCheck
from srt.records import Problem
from srt.teaching.gold import AgainstGold, against_gold
from srt.teaching.records import Issue
from srt.teaching.residue import says_no_more
from srt.verify import check_with_truth

_OF_THE_WHOLE = frozenset({Fault.UNUSED_STEP, Fault.MALFORMED, Fault.WRONG_ANSWER})
"""Faults that the proof of one step does not exclude."""
_OF_CALCULATION = frozenset({Fault.FALSE_CLAIM, Fault.ANOTHER_NUMBER, Fault.DOES_NOT_FOLLOW})


@dataclass(frozen=True)
class MachineAudit:
    """What the machine says of one trace.

    ``gold`` is how the answer compares with gold, ``doubt`` a line for the Reviewer where that is ``undecided``.
    ``closed`` are the steps (from 1) whose proof covers all that they say. ``world``: the exact checker has spoken.
    ``found`` are the steps whose references all lead to something for certain.
    """

    checks: TraceCheck
    issues: tuple[Issue, ...]
    gold: AgainstGold
    doubt: str | None
    closed: frozenset[int]
    world: bool
    found: frozenset[int] = frozenset()

    @property
    def accepts(self) -> bool:
        """Nothing is held against the trace. With a ``doubt`` the Reviewer must still say that the answer is gold."""
        return not self.issues


def audit(problem: Problem, trace: Trace) -> MachineAudit:
    """Everything that a machine can say of ``trace``, which is one of ``problem``.

    Raises:
        UserError: ``trace`` is a trace of another problem.
    """
    checks = check_with_truth(problem, trace)
    world = trace.kind == "world"
    gold = against_gold(problem, trace.answer)
    issues = [*_gold_issues(problem, trace, gold), *(_of_world if world else _of_prose)(problem, trace, checks)]
    issues += [_issue(number, Fault.UNUSED_STEP, _UNUSED) for number in checks.unused]
    issues.sort(key=lambda issue: issue.step or len(trace.steps) + 1)
    doubt = None
    if gold == "undecided" and problem.answer is not None:
        doubt = (
            f"A machine cannot tell whether the answer '{trace.answer}' means the same as the gold answer "
            f"'{canonical_text(problem.answer)}'. If it does not, that is an issue of type {Fault.WRONG_ANSWER.value}."
        )
    return MachineAudit(checks, tuple(issues), gold, doubt, _closed(trace, checks), world, _found(trace))


def knows(issue: Issue, audit: MachineAudit) -> bool:
    """Whether the machine knows that ``issue``, raised by a Reviewer, is wrong, and overrules it.

    In a trace of an exact world a proved step says nothing false and follows from what it cites, which excludes every
    fault of its own. In prose a proof excludes faults of calculation, and only where the step says nothing but its
    calculation: a wrong model calculated rightly, a redundant step and bad style are the Reviewer's to judge. A
    reference is known to lead somewhere where it is one to an earlier step, the scene or the question.
    """
    steps = audit.checks.steps
    if issue.step is None:
        right = audit.gold == "equal" and audit.checks.answer.support == "proved"
        return issue.fault is Fault.WRONG_ANSWER and right and audit.checks.proved and audit.world
    if not 1 <= issue.step <= len(steps):
        return False
    if issue.fault is Fault.DANGLING_REFERENCE and issue.step in audit.found:
        return True
    if issue.fault in _OF_THE_WHOLE or steps[issue.step - 1].support != "proved":
        return False
    return audit.world or (issue.step in audit.closed and issue.fault in _OF_CALCULATION)


def coverage(checks: TraceCheck) -> Counter[str]:
    """How much was decided: ``steps`` and ``claims``, and each with a verdict, as in ``claims proved``."""
    counts = Counter({"steps": len(checks.steps), "claims": len(checks.claims)})
    counts.update(f"steps {step.support}" for step in checks.steps)
    counts.update(f"claims {claim.support}" for claim in checks.claims)
    return counts


_UNUSED = "neither a later step nor the answer uses it: cite it where it is needed, or leave it out"


def _gold_issues(problem: Problem, trace: Trace, gold: AgainstGold) -> Iterator[Issue]:
    if problem.answer is None or gold not in ("differs", "unreadable"):
        return
    right = canonical_text(problem.answer)
    told = f"the answer is '{trace.answer}', but the gold answer is '{right}'"
    if gold == "unreadable":
        told = f"'{trace.answer}' cannot be read as an answer of the kind {problem.answer.kind}; gold is '{right}'"
    yield _issue(None, Fault.WRONG_ANSWER, told, suggested_fix=f"reach the answer {right}")


def _of_world(problem: Problem, trace: Trace, checks: TraceCheck) -> Iterator[Issue]:
    """Every step that the exact checker does not prove, and the answer where it does not follow."""
    bad = {fault.step: fault for fault in reversed(citation_faults(problem, trace, givens_of(problem)))}
    for number, verdict in enumerate(checks.steps, 1):
        if verdict.support == "proved":
            continue
        if number in bad and verdict.support != "refuted":
            yield _issue(number, bad[number].fault, f"the step {bad[number].told}")
        elif verdict.support == "refuted":
            yield _issue(number, Fault.FALSE_CLAIM, _told(verdict))
        elif verdict.support == "unchecked":
            yield _issue(number, Fault.MALFORMED, _told(verdict))
        elif right := _right_operation(problem, trace, number):
            yield _issue(number, Fault.MISLABELLED, _told(verdict), suggested_fix=f"the operation is {right}")
        else:
            yield _issue(number, Fault.DOES_NOT_FOLLOW, _told(verdict))
    if checks.answer.support == "refuted":
        yield _issue(None, Fault.WRONG_ANSWER, _told(checks.answer))
    elif checks.answer.support != "proved":
        yield _issue(None, Fault.LEAP, _told(checks.answer))


def _of_prose(problem: Problem, trace: Trace, checks: TraceCheck) -> Iterator[Issue]:
    for number, (step, verdict) in enumerate(zip(trace.steps, checks.steps, strict=True), 1):
        yield from (_false_claim(number, claim) for claim in verdict.claims if claim.support == "refuted")
        if wrong := wrong_operation(problem, step, verdict.claims):
            yield _issue(number, Fault.MISLABELLED, f"the step {wrong}")
    yield from (_false_claim(None, claim) for claim in checks.prose if claim.support == "refuted")
    for fault in citation_faults(problem, trace, givens_of(problem)):
        yield _issue(fault.step, fault.fault, f"the step {fault.told}")
    for stranger in strangers(problem, trace):
        yield _issue(stranger.step, Fault.HALLUCINATED_ENTITY, stranger.told)
    if checks.answer.support == "refuted":
        yield _issue(None, Fault.WRONG_ANSWER, f"the answer is '{trace.answer}', but {checks.answer.reason}")


def _false_claim(step: int | None, claim: ClaimCheck) -> Issue:
    why = claim.counterexample or claim.reason
    return _issue(step, Fault.FALSE_CLAIM, f"{claim.claim} is wrong" + (f": {why}" if why else ""))


def _right_operation(problem: Problem, trace: Trace, number: int) -> str | None:
    """The operation under which step ``number`` would be proved, if there is one: then only the label is wrong."""
    for op in OPERATIONS:
        if op == trace.steps[number - 1].op:
            continue
        steps = list(trace.steps)
        steps[number - 1] = steps[number - 1].model_copy(update={"op": op})
        checks = check_with_truth(problem, trace.model_copy(update={"steps": tuple(steps)}))
        if checks.steps[number - 1].support == "proved":
            return op
    return None


def _closed(trace: Trace, checks: TraceCheck) -> frozenset[int]:
    def covered(step: Step, verdict: StepCheck) -> bool:
        if verdict.support != "proved":
            return False
        every = all(claim.support == "proved" for claim in verdict.claims)
        return trace.kind == "world" or (every and says_no_more(step.assertion or "", verdict.claims))

    pairs = enumerate(zip(trace.steps, checks.steps, strict=True), 1)
    return frozenset(number for number, (step, verdict) in pairs if covered(step, verdict))


def _found(trace: Trace) -> frozenset[int]:
    """The steps that cite nothing but earlier steps, the scene and the question; what ``(k)`` is may be open."""

    def sure(number: int, premise: Premise) -> bool:
        return premise.kind in ("scene", "question") or (premise.kind == "step" and premise.number < number)

    steps = enumerate(trace.steps, 1)
    return frozenset(n for n, step in steps if all(sure(n, premise) for premise in premises_of(step)))


def _told(verdict: StepCheck) -> str:
    why = verdict.counterexample or verdict.witness
    return f"{verdict.reason or verdict.support}" + (f" ({why})" if why else "")


def _issue(step: int | None, fault: Fault, explanation: str, suggested_fix: str | None = None) -> Issue:
    return Issue(by="machine", step=step, fault=fault, explanation=explanation, suggested_fix=suggested_fix)
