"""``srt check``: the checker's verdicts of support, and beside them the truth column from the independent solver.

This is the one place that uses both the checker (:mod:`srt.checking`) and the solver (:mod:`srt.worlds`), which do not
know of each other. A verdict of support never depends on the truth column.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from srt.checking import check
from srt.io.errors import UserError
from srt.io.locations import Location
from srt.io.output_paths import keep_apart
from srt.io.problem_files import ProblemLines, TraceLine
from srt.io.record_lines import dump, parse_record
from srt.io.record_reader import count_lines
from srt.io.record_writer import open_records
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import Step, StepCheck, Trace, TraceCheck, Truth
from srt.pipeline.record_stage import KILLED, LineCounts, StageOutput, run_stage
from srt.prose.checking.check_free import check_free
from srt.worlds.world_registry import world_of


@dataclass(frozen=True)
class CheckSummary:
    """Counts over a file of traces; ``support`` and ``truth`` count steps, ``claims`` those found in prose.

    ``proved`` are traces of exact worlds, ``computed`` are in prose: the two say different things and are not added up.
    ``skipped`` traces are in no other count: their problem is not in the file (``unknown_problem``), or they killed
    their process (``process_killed``).
    ``classes`` counts the steps, and answers, whose fault has a class (``leap``, ``too_large``); ``unread`` the traces
    whose problem has a clue that the checker cannot read. ``faults`` are those of the first traces that have one.
    """

    traces: int
    proved: int
    computed: int
    refuted: int
    steps: int
    skipped: dict[str, int]
    support: dict[str, int]
    truth: dict[str, int]
    claims: dict[str, int]
    classes: dict[str, int]
    unread: int
    faults: list[str]

    @classmethod
    def of(cls, counted: LineCounts) -> CheckSummary:
        """The summary of what :func:`check_line` counted."""
        summary: dict[str, Any] = {"faults": counted.examples.get("fault", [])}
        for name in ("traces", "proved", "computed", "refuted", "steps", "unread"):
            summary[name] = counted.counts[name]
        for name in ("skipped", "support", "truth", "claims", "classes"):
            summary[name] = counted.group(name)
        return cls(**summary)

    def as_dict(self, show: int) -> dict[str, Any]:
        """For printing, with the first ``show`` faults. Coverage is the share of steps that have a verdict at all."""
        return {
            "traces": self.traces,
            **({"skipped": dict(sorted(self.skipped.items()))} if self.skipped else {}),
            "proved": self.proved,
            "computed": self.computed,
            "refuted": self.refuted,
            "steps": self.steps,
            "coverage": 1 - self.support.get("unchecked", 0) / self.steps if self.steps else 0.0,
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
    with open_records({} if out is None else {out: Trace}) as sinks:
        counted = run_stage(
            check_line,
            ProblemLines(problems).beside(traces, Trace),
            count_lines(traces),
            "check",
            out=sinks[0] if sinks else None,
            workers=workers,
            killed=_killed if keep_going else None,
        )
        require_checked(counted, traces, problems)
    return CheckSummary.of(counted)


def require_checked(counted: LineCounts, traces: Location, problems: Location) -> None:
    """Raise a :class:`UserError` if there was nothing to check: no trace, or none that has its problem."""
    if not counted.read:
        raise UserError(f"{traces}: no traces in this file")
    if not counted.counts["traces"] and "unknown_problem" in counted.examples:
        [first, *_] = counted.examples["unknown_problem"]
        raise UserError(f"{traces}: no trace in this file has its problem in {problems}; {first}")


def check_line(line: TraceLine, made: StageOutput) -> None:
    """The trace of a line with its verdicts, or that its problem is not there; counts as in :class:`CheckSummary`.

    Raises:
        RecordError: the line is not a trace, or that of its problem not a problem.
    """
    trace = parse_record(line.trace, Trace, line.place)
    if line.problem is None:
        made.counts["skipped.unknown_problem"] += 1
        made.example("unknown_problem", f"trace {trace.id}: {trace.problem_id!r} is not there")
        return
    checked = check_with_truth(parse_record(line.problem.data, Problem, line.problem.place), trace)
    _count(checked, made.counts)
    if fault := first_fault(trace, checked):
        made.example("fault", f"{trace.id}: {fault}")
    made.lines += dump(trace.model_copy(update={"checks": checked}))


def _count(checked: TraceCheck, counts: Counter[str]) -> None:
    counts["traces"] += 1
    counts["proved"] += checked.proved
    counts["computed"] += checked.computed
    counts["refuted"] += checked.refuted
    counts["steps"] += len(checked.steps)
    counts["unread"] += bool(checked.unread)
    for step in checked.steps:
        counts[f"support.{step.support}"] += 1
        counts[f"truth.{step.truth}"] += 1
    for claim in checked.claims:
        counts[f"claims.{claim.support}"] += 1
    for verdict in (*checked.steps, checked.answer):
        if verdict.fault is not None:
            counts[f"classes.{verdict.fault}"] += 1


def _killed(line: TraceLine, made: StageOutput) -> None:
    trace = parse_record(line.trace, Trace, line.place)
    made.counts["skipped.process_killed"] += 1
    made.example("fault", f"{trace.id}: {line.place}: {KILLED}")


def check_with_truth(problem: Problem, trace: Trace) -> TraceCheck:
    """The checker's verdicts, with the truth column filled if an exact world can solve the problem."""
    checked = check(problem, trace)
    if trace.kind != "world" or checked.answer.fault is Fault.TOO_LARGE or (world := world_of(problem)) is None:
        return checked
    truth = world.truth(problem, trace)
    steps = tuple(
        _with_truth(verdict, truth(step.claim or "")) for step, verdict in zip(trace.steps, checked.steps, strict=True)
    )
    return checked.model_copy(update={"steps": steps})


def check_claims(problem: Problem, trace: Trace) -> TraceCheck:
    """As :func:`srt.checking.check`, but the claims in prose are checked on a problem of an exact world, too.

    Prose on such a problem gets no verdict otherwise. But what it calculates wrongly is wrong there as well.
    """
    checked = check(problem, trace)
    return check_free(problem, trace) if checked.answer.fault is Fault.ANOTHER_FORM else checked


@lru_cache(maxsize=64)
def _with_truth(verdict: StepCheck, truth: Truth) -> StepCheck:
    """Most verdicts are the same: proved, and true."""
    return verdict.model_copy(update={"truth": truth})


def first_fault(trace: Trace, checked: TraceCheck) -> str | None:
    """Why ``trace`` is not proved or, in prose, what is at fault in it, in one line; ``None`` if nothing is.

    In prose a step that reads what it cites, or says in words what no machine can decide, is not at fault.
    """

    def describe(what: str, verdict: StepCheck) -> str:
        why = verdict.counterexample or verdict.witness
        return f"{what} is {verdict.support}: {verdict.reason or 'no reason given'}" + (f" ({why})" if why else "")

    for claim in checked.prose:
        if claim.support == "refuted":
            return f"{claim.claim} is refuted: {claim.counterexample or claim.reason or 'no reason given'}"
    steps = list(enumerate(zip(trace.steps, checked.steps, strict=True), 1))
    for support in ("refuted", "consistent", "unchecked"):
        for number, (step, verdict) in steps:
            if verdict.support == support and not (trace.kind != "world" and _only_reads(step, verdict)):
                return describe(f"step {number}", verdict)
    if checked.answer.support not in ("proved", "computed"):
        return describe("the answer", checked.answer)
    return f"step {checked.unused[0]} is used by nothing" if checked.unused else None


def _only_reads(step: Step, verdict: StepCheck) -> bool:
    """Whether a step in prose says what its premises say, or nothing that can be decided, and has no fault."""
    may_be_open = verdict.support == "unchecked" or (verdict.support == "consistent" and step.op == "CORRELATE")
    return may_be_open and verdict.fault is None
