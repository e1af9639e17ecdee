"""``srt solve``: the exact teacher over a file of problems. What it does not solve is refused by name and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from srt.errors import UserError
from srt.jsonl import dump, write_atomically, write_records
from srt.language.trace import Trace
from srt.problems import stream_problems
from srt.records import Problem, Record, Refusal
from srt.worlds import world_of
from srt.worlds.world import Refused


class SolveSummary(Record):
    """What came of a file. ``refused`` counts by reason; ``gold`` are the problems whose answer is known.

    ``agreed`` are those of them that were solved, and so with that answer: a disagreement is a refusal.
    """

    problems: int
    solved: int
    refused: dict[str, int] = Field(default_factory=dict)
    gold: int
    agreed: int

    def as_dict(self) -> dict[str, Any]:
        """For printing. ``agreement`` with gold counts refusals as wrong; ``None`` where no answer is known."""
        return {**self.model_dump(), "agreement": self.agreed / self.gold if self.gold else None}


def solve(problems: Iterable[Problem]) -> Iterator[Trace | Refusal]:
    """The exact trace of each problem, or why there is none, in order."""
    for problem in problems:
        yield solve_one(problem)


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

    Both are written atomically; a fault on the way leaves neither. The refusals file is ``out`` with ``.refusals``
    before its suffix where none is named; it is written even where it is empty.

    Raises:
        UserError: no such file, a record that is none (:class:`~srt.errors.RecordError`), no problem at all, or an id
            that stands twice.
    """
    out = Path(out)
    refusals = Path(refusals) if refusals else out.with_name(f"{out.stem}.refusals{out.suffix}")
    if len({Path(problems).resolve(), out.resolve(), refusals.resolve()}) < 3:
        raise UserError(f"{out}: the problems, the traces and the refusals must be three different files")
    refused: list[Refusal] = []
    counts: Counter[str] = Counter()

    def lines() -> Iterator[bytes]:
        for problem in stream_problems(problems):
            outcome = solve_one(problem)
            solved = isinstance(outcome, Trace)
            counts["problems"] += 1
            counts["solved"] += solved
            counts["gold"] += problem.answer is not None
            counts["agreed"] += solved and problem.answer is not None
            if isinstance(outcome, Trace):
                yield dump(outcome)
            else:
                refused.append(outcome)
        write_records(refusals, refused)

    write_atomically(out, lines())
    return SolveSummary(
        problems=counts["problems"],
        solved=counts["solved"],
        refused=dict(Counter(refusal.reason for refusal in refused)),
        gold=counts["gold"],
        agreed=counts["agreed"],
    )
