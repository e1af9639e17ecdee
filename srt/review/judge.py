"""What the machine says of a trace before a person may let it pass.

A person decides on everything that a machine cannot prove wrong. What it can prove wrong is not up for decision: a
refuted step, claim or answer, an answer other than gold, a reference to a step or a clue that is not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from srt.language.faults import Fault
from srt.language.trace import StepCheck, Trace
from srt.records import Problem
from srt.teaching.machine import MachineAudit, audit
from srt.teaching.records import Issue

_PROVED_WRONG = frozenset(
    {Fault.WRONG_ANSWER, Fault.FALSE_CLAIM, Fault.DANGLING_REFERENCE, Fault.ORDER_BROKEN, Fault.MALFORMED}
)


@dataclass(frozen=True)
class Judgement:
    """The machine's audit of a trace, and ``barred``: the issues in it that nobody may overrule."""

    audit: MachineAudit
    barred: tuple[Issue, ...]


def judge(problem: Problem, trace: Trace) -> Judgement:
    """Audit ``trace`` as the loop does, and say what bars it from being saved."""
    audited = audit(problem, trace)
    barred = [issue for issue in audited.issues if issue.fault in _PROVED_WRONG]
    told = {issue.step for issue in barred}
    barred += [issue for issue in _refuted(audited) if issue.step not in told]
    return Judgement(audited, tuple(sorted(barred, key=lambda issue: issue.step or len(trace.steps) + 1)))


def _refuted(audited: MachineAudit) -> Iterator[Issue]:
    """Every refuted verdict as an issue."""

    def issue(step: int | None, verdict: StepCheck) -> Issue:
        why = verdict.counterexample or verdict.reason or "it is refuted"
        return Issue(by="machine", step=step, fault=Fault.FALSE_CLAIM, explanation=why)

    for number, verdict in enumerate(audited.checks.steps, 1):
        if verdict.support == "refuted":
            yield issue(number, verdict)
    if audited.checks.answer.support == "refuted":
        yield issue(None, audited.checks.answer)
