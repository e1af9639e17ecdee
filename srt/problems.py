"""Files of problems: one by one, or whole by id. An id that stands twice is a fault in either."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from srt.errors import UserError
from srt.jsonl import read_numbered
from srt.records import Problem


def stream_problems(path: str | Path) -> Iterator[Problem]:
    """Yield the problems of ``path`` in the file's order; only their ids are held in memory.

    Raises:
        UserError: no such file, no problem in it, or an id that stands on two lines.
        RecordError: a line is not a problem.
    """
    lines: dict[str, int] = {}
    for number, problem in read_numbered(path, Problem):
        if problem.id in lines:
            raise UserError(
                f"{path}:{number}: id: {problem.id!r} stands on line {lines[problem.id]} already; ids must be unique"
            )
        lines[problem.id] = number
        yield problem
    if not lines:
        raise UserError(f"{path}: there is no problem in it; at least one was expected")


def read_problems(path: str | Path) -> dict[str, Problem]:
    """The problems of ``path`` by id, in the file's order; raises as :func:`stream_problems` does."""
    return {problem.id: problem for problem in stream_problems(path)}
