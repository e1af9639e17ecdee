"""Files of problems: one by one, or all by id. The ids of a file are unique."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from srt.io.errors import UserError
from srt.io.jsonl import read_unique
from srt.io.records import Problem


def stream_problems(path: str | Path) -> Iterator[Problem]:
    """Yield the problems of ``path`` in the file's order; only their ids are held in memory.

    Raises:
        UserError: no such file, or no problem in it.
        RecordError: a line is not a problem, or has the id of an earlier one.
    """
    empty = True
    for _, problem in read_unique(path, Problem, "id"):
        empty = False
        yield problem
    if empty:
        raise UserError(f"{path}: no problem in this file; at least one was expected")


def read_problems(path: str | Path) -> dict[str, Problem]:
    """The problems of ``path`` by id, in the file's order; raises as :func:`stream_problems` does."""
    return {problem.id: problem for problem in stream_problems(path)}
