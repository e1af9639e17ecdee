"""``srt solve``: the exact teacher over a file of problems. A problem that it does not solve is refused and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from srt.io.errors import UserError
from srt.io.jsonl import Line, UniqueValues, beside, count_lines, dump, parse_record, read_lines, write_together
from srt.io.records import Problem, Record, Refusal
from srt.language.trace import Trace
from srt.pipeline.line_stage import KILLED, map_lines
from srt.worlds.world import Refused
from srt.worlds.world_registry import world_of


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


def solve_one(problem: Problem) -> Trace | Refusal:
    """The exact trace of ``problem``, or why there is none."""
    world = world_of(problem)
    if world is None:
        return Refusal(problem_id=problem.id, reason="no_world", detail="no exact world knows problems of this shape")
    try:
        return world.solve(problem)
    except Refused as refused:
        return refused.record(problem.id)


def solve_file(
    problems: str | Path,
    out: str | Path,
    refusals: str | Path | None = None,
    *,
    workers: int = 1,
    keep_going: bool = False,
) -> SolveSummary:
    """Solve the problems of a file, one by one, into a file of traces and a file of refusals.

    Both are written atomically; after an error neither is there. The refusals file is ``out`` with ``.refusals`` before
    its suffix by default; it is written even if it is empty. ``workers`` processes share the work; the output does not
    depend on them. With ``keep_going`` a problem that kills its process is refused; without, it ends the stage.

    Raises:
        UserError: the file is missing or empty, a line is not a problem, or an id is not unique.
    """
    out = Path(out)
    refusals = Path(refusals) if refusals else beside(out, "refusals")
    if len({Path(problems).resolve(), out.resolve(), refusals.resolve()}) < 3:
        raise UserError(f"{out}: the problems, the traces and the refusals must be three different files")
    refused: list[Refusal] = []
    counts: Counter[str] = Counter()

    def lines() -> Iterator[bytes]:
        ids = UniqueValues(problems, "id")
        on_kill = _killed if keep_going else None
        solved_lines = map_lines(_solve_line, read_lines(problems), count_lines(problems), "solve", workers, on_kill)
        for outcome in solved_lines:
            ids.add(outcome.problem_id, outcome.number)
            solved = outcome.refusal is None
            counts.update({"problems": 1, "solved": solved, "gold": outcome.gold, "agreed": solved and outcome.gold})
            if outcome.refusal is None:
                yield outcome.trace
            else:
                refused.append(outcome.refusal)
        if not counts["problems"]:
            raise UserError(f"{problems}: no problem in this file; at least one was expected")

    write_together({out: lines(), refusals: map(dump, refused)})
    return SolveSummary(refused=dict(Counter(refusal.reason for refusal in refused)), **counts)


class _SolvedLine(NamedTuple):
    """A problem of the file: ``trace`` as a line, or why there is none; ``gold``: whether its answer is known."""

    problem_id: str
    number: int
    gold: bool
    trace: bytes
    refusal: Refusal | None


def _solve_line(line: Line) -> _SolvedLine:
    problem = parse_record(line.data, Problem, line.place)
    outcome, gold = solve_one(problem), problem.answer is not None
    if isinstance(outcome, Trace):
        return _SolvedLine(problem.id, line.number, gold, dump(outcome), None)
    return _SolvedLine(problem.id, line.number, gold, b"", outcome)


def _killed(line: Line) -> _SolvedLine:
    problem = parse_record(line.data, Problem, line.place)
    refusal = Refusal(problem_id=problem.id, reason="process_killed", detail=f"{line.place}: {KILLED}")
    return _SolvedLine(problem.id, line.number, problem.answer is not None, b"", refusal)
