"""A file of problems, whole, by id."""

from __future__ import annotations

from pathlib import Path

from srt.errors import UserError
from srt.jsonl import read_numbered
from srt.records import Problem


def read_problems(path: str | Path) -> dict[str, Problem]:
    """The problems of ``path`` by id, in the file's order.

    Raises:
        UserError: no such file, no problem in it, or an id that stands on two lines.
        RecordError: a line is not a problem.
    """
    problems: dict[str, Problem] = {}
    lines: dict[str, int] = {}
    for number, problem in read_numbered(path, Problem):
        if problem.id in problems:
            raise UserError(
                f"{path}:{number}: id: {problem.id!r} stands on line {lines[problem.id]} already; ids must be unique"
            )
        problems[problem.id] = problem
        lines[problem.id] = number
    if not problems:
        raise UserError(f"{path}: there is no problem in it; at least one was expected")
    return problems
