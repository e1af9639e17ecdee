"""``srt check``: the checker's verdicts of support, and beside them the truth column from the independent solver.

This is the one place that uses both the checker (:mod:`srt.checking`) and the solver (:mod:`srt.worlds`), which do not
know of each other. A verdict of support never depends on the truth column.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from srt.checking import check
from srt.io.errors import UserError
from srt.io.jsonl import count_lines, dump, keep_apart, parse_record, write_atomically
from srt.io.problem_files import ProblemLines, TraceLine
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.pipeline.line_stage import KILLED, map_lines
from srt.worlds.world_registry import world_of


@dataclass
class CheckSummary:
    """Counts over a file of traces; ``support`` and ``truth`` count steps, ``claims`` those found in prose.

    ``skipped`` traces are in no other count: their problem is not in the file (``unknown_problem``), or they killed
    their process (``process_killed``).
    ``classes`` counts the steps, and answers, whose fault has a class (``leap``, ``too_large``); ``unread`` the traces
    whose problem has a clue that the checker cannot read.
    """

    traces: int = 0
    proved: int = 0
    refuted: int = 0
    steps: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    support: Counter[str] = field(default_factory=Counter)
    truth: Counter[str] = field(default_factory=Counter)
    claims: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    unread: int = 0
    faults: list[str] = field(default_factory=list)

    def add(self, trace: Trace, checked: TraceCheck) -> None:
        """Count one trace; the first fault of each trace that is not proved is kept, for the report."""
        self.traces += 1
        self.proved += checked.proved
        self.refuted += checked.refuted
        self.steps += len(checked.steps)
        self.support.update(step.support for step in checked.steps)
        self.truth.update(step.truth for step in checked.steps)
        self.claims.update(claim.support for claim in checked.claims)
        verdicts = (*checked.steps, checked.answer) if checked.answer.fault is not None else checked.steps
        self.classes.update(verdict.fault.value for verdict in verdicts if verdict.fault is not None)
        self.unread += bool(checked.unread)
        if not checked.proved:
            self.faults.append(f"{trace.id}: {first_fault(checked)}")

    def merge(self, other: CheckSummary) -> None:
        """Add the counts and faults of ``other``."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    def as_dict(self, show: int) -> dict[str, Any]:
        """For printing, with the first ``show`` faults. Coverage is the share of steps that have a verdict at all."""
        return {
            "traces": self.traces,
            **({"skipped": dict(sorted(self.skipped.items()))} if self.skipped else {}),
            "proved": self.proved,
            "refuted": self.refuted,
            "steps": self.steps,
            "coverage": 1 - self.support["unchecked"] / self.steps if self.steps else 0.0,
            "support": dict(sorted(self.support.items())),
            "truth": dict(sorted(self.truth.items())),
            "claims in prose": dict(sorted(self.claims.items())),
            "classes of faults": dict(sorted(self.classes.items())),
            "problems with unread clues": self.unread,
            "fault": dict(enumerate(self.faults[:show], 1)),
        }


def check_file(
    traces: Path, problems: Path, out: Path | None = None, *, workers: int = 1, keep_going: bool = False
) -> CheckSummary:
    """Check every trace of a file and, with ``out``, write the traces there with their verdicts.

    A trace whose problem is not in the file, such as one that curation removed, is counted as skipped. ``workers``
    processes share the work; the output does not depend on them. With ``keep_going`` a trace that kills its process is
    skipped too; without, it ends the stage.

    Raises:
        UserError: a file cannot be read or is empty, a problem id is not unique, the problem of every trace is missing,
            or ``out`` is one of the two files.
    """
    if out is not None:
        keep_apart(out, traces, problems)
    lines = ProblemLines(problems).beside(traces)
    checked_lines = map_lines(
        _check_line, lines, count_lines(traces), "check", workers, _killed if keep_going else None
    )
    summary = CheckSummary()

    def checked() -> Iterator[bytes]:
        first: str | None = None
        for one in checked_lines:
            summary.merge(one.summary)
            first = first or one.of_unknown_problem
            if one.trace:
                yield one.trace
        # Raised here, in mid-write, so that a file that is already at `out` is kept.
        if not summary.traces and first is not None:
            raise UserError(f"{traces}: no trace in this file has its problem in {problems}; {first}")
        if not summary.traces and not summary.skipped:
            raise UserError(f"{traces}: no traces in this file")

    if out is None:
        deque(checked(), maxlen=0)
    else:
        write_atomically(out, checked())
    return summary


class _CheckedLine(NamedTuple):
    """The counts of one trace, and its line with the verdicts; or that its problem is not there."""

    summary: CheckSummary
    trace: bytes
    of_unknown_problem: str | None = None


def _check_line(line: TraceLine) -> _CheckedLine:
    trace = parse_record(line.trace, Trace, line.place)
    if line.problem is None:
        skipped = CheckSummary(skipped=Counter(unknown_problem=1))
        return _CheckedLine(skipped, b"", f"trace {trace.id}: {trace.problem_id!r} is not there")
    verdicts = check_with_truth(parse_record(line.problem.data, Problem, line.problem.place), trace)
    summary = CheckSummary()
    summary.add(trace, verdicts)
    return _CheckedLine(summary, dump(trace.model_copy(update={"checks": verdicts})))


def _killed(line: TraceLine) -> _CheckedLine:
    trace = parse_record(line.trace, Trace, line.place)
    faults = [f"{trace.id}: {line.place}: {KILLED}"]
    return _CheckedLine(CheckSummary(skipped=Counter(process_killed=1), faults=faults), b"")


def check_with_truth(problem: Problem, trace: Trace) -> TraceCheck:
    """The checker's verdicts, with the truth column filled if an exact world can solve the problem."""
    checked = check(problem, trace)
    if trace.kind != "world" or checked.answer.fault is Fault.TOO_LARGE or (world := world_of(problem)) is None:
        return checked
    truth = world.truth(problem, trace)
    steps = tuple(
        verdict.model_copy(update={"truth": truth(step.claim or "")})
        for step, verdict in zip(trace.steps, checked.steps, strict=True)
    )
    return checked.model_copy(update={"steps": steps})


def first_fault(checked: TraceCheck) -> str:
    """Why a trace is not proved, in one line."""

    def describe(what: str, verdict: StepCheck) -> str:
        why = verdict.counterexample or verdict.witness
        return f"{what} is {verdict.support}: {verdict.reason or 'no reason given'}" + (f" ({why})" if why else "")

    for claim in checked.prose:
        if claim.support == "refuted":
            return f"{claim.claim} is refuted: {claim.counterexample or claim.reason or 'no reason given'}"
    for support in ("refuted", "consistent", "unchecked"):
        for number, step in enumerate(checked.steps, 1):
            if step.support == support:
                return describe(f"step {number}", step)
    if checked.answer.support != "proved":
        return describe("the answer", checked.answer)
    if not checked.steps:
        return "prose has no steps that could be proved"
    return f"step {checked.unused[0]} is used by nothing"
