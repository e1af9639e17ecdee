"""The cases of a run, in the same SQLite file as the journal: one row a problem that has ended, or that waits.

The invariant of a folder is checked here: the problems of ``problems.jsonl`` and the rows are walked side by side, and
every problem comes out with exactly one state. A row that belongs to no problem is a fault, not a rounding error.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import orjson

from srt.endpoint.journal import Journal
from srt.errors import UserError
from srt.jsonl import dump
from srt.records import Problem
from srt.teaching.records import Case, State

Read = Callable[[str], Iterable[Sequence[Any]]]

_TABLE = (
    "CREATE TABLE IF NOT EXISTS cases"
    " (position INTEGER PRIMARY KEY, problem_id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, record BLOB NOT NULL)"
)


class Cases:
    """The table of cases in ``journal``. Positions are those of the problems, from 0."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def open(self) -> None:
        """Make the table where there is none."""
        await self._journal.write(_TABLE)

    async def keep(self, position: int, case: Case) -> None:
        """Write ``case``; it is on disk when this returns. A pending one is replaced by what a later run makes."""
        await self._journal.write(
            "INSERT OR REPLACE INTO cases VALUES (?, ?, ?, ?)",
            (position, case.problem_id, case.state.value, dump(case)),
        )

    def ended(self, count: int) -> bytearray:
        """One byte for each of ``count`` positions: 1 where the case has ended."""
        marks = bytearray(count)
        for (position,) in self._journal.read(f"SELECT position FROM cases WHERE state != '{State.PENDING.value}'"):
            if position >= count:
                raise UserError(f"{self._journal.path}: a case at position {position}, but there are {count} problems")
            marks[position] = 1
        return marks


def with_cases(problems: Iterable[Problem], read: Read) -> Iterator[tuple[Problem, Case]]:
    """Each problem with its case, in order; pending where it has no row. ``read`` runs a query on the journal.

    Raises:
        UserError: a row whose problem is another one, or none: the folder's files do not belong together.
    """
    rows = iter(read("SELECT position, problem_id, state, record FROM cases ORDER BY position") if _there(read) else ())
    row = next(rows, None)
    for position, problem in enumerate(problems):
        if row is None or row[0] != position:
            yield problem, Case(problem_id=problem.id, category=problem.category, state=State.PENDING)
            continue
        if row[1] != problem.id:
            raise UserError(f"case {row[1]!r} is that of problem {position + 1}, which is {problem.id!r}")
        case = Case.model_validate(orjson.loads(row[3]))
        if case.state.value != row[2] or case.problem_id != row[1]:
            raise UserError(f"case {row[1]!r}: its record says {case.problem_id!r}, {case.state.value}")
        yield problem, case
        row = next(rows, None)
    if row is not None:
        raise UserError(f"case {row[1]!r} is of no problem of the folder")


def reader(connection: sqlite3.Connection) -> Read:
    """``read`` of :func:`with_cases` on a connection of one's own."""
    return lambda sql: connection.execute(sql)


def _there(read: Read) -> bool:
    return any(True for _ in read("SELECT 1 FROM sqlite_master WHERE name = 'cases'"))
