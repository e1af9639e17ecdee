"""``srt solve``: the exact teacher over a file of problems. A problem that it does not solve is refused and counted."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from pydantic import Field

from srt.io.errors import UserError
from srt.io.output_paths import beside
from srt.io.record_lines import dump, parse_record
from srt.io.record_reader import Line, UniqueValues, count_lines, read_lines
from srt.io.record_writer import open_records
from srt.io.records import Problem, Record, Refusal
from srt.language.trace import Trace
from srt.pipeline.record_stage import KILLED, LineCounts, StageOutput, Work, run_stage
from srt.worlds.world import NEEDED, REFUSALS, Refused
from srt.worlds.world_registry import check_offered, world_of


class SolveSummary(Record):
    """Counts of a file: ``refused`` by reason, ``gold`` the problems whose answer is known.

    ``agreed`` are the solved ones among them: a solution that disagrees with gold is a refusal.
    """

    problems: int
    solved: int
    refused: dict[str, int] = Field(default_factory=dict)
    gold: int
    agreed: int

    def as_dict(self) -> dict[str, Any]:
        """For printing. ``agreement`` with gold counts refusals as wrong; ``None`` if no answer is known."""
        return {**self.model_dump(), "agreement": self.agreed / self.gold if self.gold else None}


def solve_one(problem: Problem, plan: str = NEEDED) -> Trace | Refusal:
    """The exact trace of ``problem`` with the steps of ``plan``, or why there is none."""
    world = world_of(problem)
    if world is None:
        return Refusal(problem_id=problem.id, reason="no_world", detail="no exact world knows problems of this shape")
    if plan not in world.plans:
        detail = f"unknown plan {plan!r}: {world.name} offers {', '.join(world.plans)}"
        return Refusal(problem_id=problem.id, reason="no_such_plan", detail=detail)
    try:
        return world.solve(problem, plan)
    except Refused as refused:
        if refused.reason not in {**REFUSALS, **world.extras.refusals}:
            raise ValueError(f"{world.name}: {refused.reason!r} is not among its refusals") from refused
        return refused.record(problem.id)


def solve_file(
    problems: str | Path,
    out: str | Path,
    refusals: str | Path | None = None,
    *,
    plan: str = NEEDED,
    workers: int = 1,
    keep_going: bool = False,
) -> SolveSummary:
    """Solve the problems of a file, one by one, into a file of traces and a file of refusals.

    Both are written atomically; after an error neither is there. The refusals file is ``out`` with ``.refusals`` before
    its suffix by default; it is written even if it is empty. ``plan`` says which steps a trace has, and ``workers``
    processes share the work; the output does not depend on them. With ``keep_going`` a problem that kills its process
    is refused; without, it ends the stage.

    Raises:
        UserError: an unknown plan, the file is missing or empty, a line is not a problem, or an id is not unique.
    """
    work = line_solver(plan)
    out = Path(out)
    refusals = Path(refusals) if refusals else beside(out, "refusals")
    if len({Path(problems).resolve(), out.resolve(), refusals.resolve()}) < 3:
        raise UserError(f"{out}: the problems, the traces and the refusals must be three different files")
    with open_records({out: Trace, refusals: Refusal}) as (traces, refused):
        counted = run_stage(
            work,
            read_lines(problems, Problem),
            count_lines(problems),
            "solve",
            out=traces,
            refused=refused,
            ids=UniqueValues(problems, "id"),
            workers=workers,
            killed=_killed if keep_going else None,
        )
        if not counted.read:
            raise UserError(f"{problems}: no problem in this file; at least one was expected")
    return summary_of(counted)


def line_solver(plan: str) -> Work[Line]:
    """:func:`solve_line` with the steps of ``plan``. Raises a :class:`UserError` if no world has such a plan."""
    check_offered("plan", plan)
    return partial(solve_line, plan=plan)


def summary_of(counted: LineCounts) -> SolveSummary:
    """The summary of what :func:`solve_line` counted."""
    gold, solved, agreed = (counted.counts[name] for name in ("gold", "solved", "agreed"))
    refused = counted.group("refused")
    return SolveSummary(problems=counted.read, solved=solved, refused=refused, gold=gold, agreed=agreed)


def solve_line(line: Line, made: StageOutput, *, plan: str = NEEDED) -> None:
    """The trace of a problem, or why there is none.

    Raises:
        RecordError: the line is not a problem.
    """
    problem = _problem_of(line, made)
    outcome = solve_one(problem, plan)
    if isinstance(outcome, Trace):
        made.lines += dump(outcome)
        made.counts["solved"] += 1
        made.counts["agreed"] += problem.answer is not None
    else:
        made.refuse(outcome, outcome.reason)


def _killed(line: Line, made: StageOutput) -> None:
    problem = _problem_of(line, made)
    refusal = Refusal(problem_id=problem.id, reason="process_killed", detail=f"{line.place}: {KILLED}")
    made.refuse(refusal, refusal.reason)


def _problem_of(line: Line, made: StageOutput) -> Problem:
    problem = parse_record(line.data, Problem, line.place)
    made.ids.append((problem.id, line.number))
    made.counts["gold"] += problem.answer is not None
    return problem
