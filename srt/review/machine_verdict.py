"""The machine's verdict on a trace that a person wants to save.

A person decides on everything that the machine cannot prove wrong. What it proves wrong cannot be saved: a refuted
step, claim or answer, an answer other than gold, a reference to a step or a clue that does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.teaching.case_store.case_records import Issue
from srt.teaching.loop.machine_audit import MachineAudit, audit

# Only what a machine can prove: all else in the audit is an opinion, and a person may overrule it.
_PROVED_WRONG = frozenset(
    {Fault.WRONG_ANSWER, Fault.FALSE_CLAIM, Fault.DANGLING_REFERENCE, Fault.ORDER_BROKEN, Fault.MALFORMED}
)


@dataclass(frozen=True)
class MachineVerdict:
    """The audit of a trace; ``blocking`` are the issues that nobody may overrule."""

    audit: MachineAudit
    blocking: tuple[Issue, ...]


def machine_verdict(problem: Problem, trace: Trace) -> MachineVerdict:
    """Audit ``trace`` as the loop does, and select the issues that keep it from being saved."""
    audited = audit(problem, trace)
    blocking = [issue for issue in audited.issues if issue.fault in _PROVED_WRONG]
    steps = {issue.step for issue in blocking}
    verdicts = [*enumerate(audited.checks.steps, 1), (None, audited.checks.answer)]
    for step, verdict in verdicts:
        # Refuted, but of a class that usually is no proof of anything wrong: the proof counts.
        if verdict.support == "refuted" and step not in steps:
            why = verdict.counterexample or verdict.reason or "it is refuted"
            blocking.append(Issue(by="machine", step=step, fault=Fault.FALSE_CLAIM, explanation=why))
    return MachineVerdict(audited, tuple(sorted(blocking, key=lambda issue: issue.step or len(trace.steps) + 1)))
