"""``srt lift``: free traces as world traces, where a world can read each of their equations in one way."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from pydantic import Field

from srt.checking import check
from srt.io.errors import UserError
from srt.io.output_paths import beside, keep_apart
from srt.io.problem_files import read_problems
from srt.io.record_lines import dump
from srt.io.record_reader import read_unique
from srt.io.record_writer import open_records
from srt.io.records import Problem, Record, Refusal
from srt.language.trace import Trace
from srt.worlds.world import Refused
from srt.worlds.world_registry import world_of


class LiftSummary(Record):
    """Counts of a file: ``traces`` in it, ``read`` those whose problem a world reads, ``refused`` by reason."""

    traces: int
    read: int
    lifted: int
    refused: dict[str, int] = Field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """For printing."""
        return self.model_dump()


def lift_file(traces: Path, problems: Path, out: Path) -> LiftSummary:
    """Write the traces that can be lifted and are proved to ``out``, and why the others are not to a file beside it.

    Raises:
        UserError: a file is missing or empty, a line is no record of its kind or has the id of another, the problem of
            every trace is missing, or an output is one of the inputs. Nothing is written then.
    """
    refusals = beside(out, "refusals")
    keep_apart(out, traces, problems)
    keep_apart(refusals, traces, problems)
    by_id = read_problems(problems)
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    first_unknown = ""
    with open_records({out: Trace, refusals: Refusal}) as (lifted, refused):
        for _, trace in read_unique(traces, Trace, "id"):
            counts["traces"] += 1
            problem = by_id.get(trace.problem_id)
            counts["read"] += problem is not None and _world_lifts(problem)
            found = lift_one(problem, trace)
            if isinstance(found, Trace):
                counts["lifted"] += 1
                lifted(dump(found))
            else:
                reasons[found.reason] += 1
                refused(dump(found))
                first_unknown = first_unknown or (found.detail if found.reason == "unknown_problem" else "")
        if not counts["traces"]:
            raise UserError(f"{traces}: no traces in this file")
        if reasons["unknown_problem"] == counts["traces"]:
            raise UserError(f"{traces}: no trace in this file has its problem in {problems}; {first_unknown}")
    return LiftSummary(
        traces=counts["traces"], read=counts["read"], lifted=counts["lifted"], refused=dict(sorted(reasons.items()))
    )


def lift_one(problem: Problem | None, trace: Trace) -> Trace | Refusal:
    """The world trace of a free trace, proved; or why there is none."""
    if problem is None:
        detail = f"{trace.id}: problem_id: {trace.problem_id!r} is not in the file of problems"
        return _refusal(trace, "unknown_problem", detail)
    world = world_of(problem)
    if world is None or world.extras.lift is None:
        return _refusal(trace, "no_world", f"{trace.id}: no world that lifts traces knows its problem")
    if trace.kind != "free":
        return _refusal(trace, "not_lifted", f"{trace.id}: kind: {trace.kind}; a free trace was expected")
    try:
        lifted = world.extras.lift(problem, trace)
    except Refused as refused:
        return _refusal(trace, refused.reason, f"{trace.id}: {refused.detail}")
    if not check(problem, lifted).proved:
        return _refusal(trace, "not_proved", f"{trace.id}: the lifted trace is not proved")
    return lifted


def _world_lifts(problem: Problem) -> bool:
    world = world_of(problem)
    return world is not None and world.extras.lift is not None


def _refusal(trace: Trace, reason: str, detail: str) -> Refusal:
    return Refusal(problem_id=trace.problem_id, reason=reason, detail=detail)
