"""``srt solve``: the exact teacher over a file of problems. A problem that it does not solve is refused and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from srt.io.errors import UserError
from srt.io.jsonl import beside, dump, write_atomically, write_records
from srt.io.problem_files import stream_problems
from srt.io.records import Problem, Record, Refusal
from srt.language.trace import Trace
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


def solve_file(problems: str | Path, out: str | Path, refusals: str | Path | None = None) -> SolveSummary:
    """Solve the problems of a file, one by one, into a file of traces and a file of refusals.

    Both are written atomically; after an error neither is there. The refusals file is ``out`` with ``.refusals`` before
    its suffix by default; it is written even if it is empty.

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
        for problem in stream_problems(problems):
            outcome = solve_one(problem)
            solved, has_gold = isinstance(outcome, Trace), problem.answer is not None
            counts.update({"problems": 1, "solved": solved, "gold": has_gold, "agreed": solved and has_gold})
            if isinstance(outcome, Trace):
                yield dump(outcome)
            else:
                refused.append(outcome)
        write_records(refusals, refused)

    write_atomically(out, lines())
    return SolveSummary(refused=dict(Counter(refusal.reason for refusal in refused)), **counts)
