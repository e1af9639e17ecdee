"""The cases of a run: a table in the SQLite file of the journal, one row for each problem that ended or is pending.

:func:`with_cases` checks the invariant of a folder: it walks ``problems.jsonl`` and the rows side by side, and every
problem gets exactly one state. A row that belongs to no problem is an error.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator

import orjson

from srt.io.errors import UserError
from srt.io.record_lines import dump
from srt.io.records import Problem
from srt.llm.journal import Journal, Query
from srt.teaching.case_store.case_records import State, TeachingCase


class CaseTable:
    """The table of cases in ``journal``, created if it has none. Positions are those of the problems, from 0."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        journal.write(
            "CREATE TABLE IF NOT EXISTS cases (position INTEGER PRIMARY KEY, problem_id TEXT NOT NULL UNIQUE,"
            " state TEXT NOT NULL, record BLOB NOT NULL)"
        )

    def save(self, position: int, case: TeachingCase) -> None:
        """Write ``case``; it is on disk when this returns. A pending one replaces none that has ended."""
        # A run that is stopped reports its open cases as pending; none of them may undo a case that has ended
        # meanwhile.
        only = f"WHERE state = '{State.PENDING.value}'" if case.state is State.PENDING else ""
        self._journal.write(
            "INSERT INTO cases VALUES (?, ?, ?, ?) ON CONFLICT (position)"
            f" DO UPDATE SET state = excluded.state, record = excluded.record {only}",
            (position, case.problem_id, case.state.value, dump(case)),
        )

    def ended(self, count: int, again: Collection[State] = (), decided: Container[str] = ()) -> bytearray:
        """One byte for each of ``count`` positions: 1 if the case is not to be taken up now, because it has ended.

        With ``again``, only cases in these states are taken up, unless their problem is one of ``decided``: nothing is
        started, and paid for, that the caller did not ask for.
        """
        marks = bytearray([1] * count if again else count)
        for position, problem_id, state in self._journal.read("SELECT position, problem_id, state FROM cases"):
            if position >= count:
                raise UserError(f"{self._journal.path}: a case at position {position}, but there are {count} problems")
            taken = State(state) in again and problem_id not in decided if again else State(state) is State.PENDING
            marks[position] = not taken
        return marks


def with_cases(problems: Iterable[Problem], query: Query) -> Iterator[tuple[Problem, TeachingCase]]:
    """Each problem with its case, in order; a problem without a row is pending.

    Raises:
        UserError: the row of a different problem, or of none: the files of the folder do not belong together.
    """
    has_table = any(True for _ in query("SELECT 1 FROM sqlite_master WHERE name = 'cases'"))
    rows = iter(query("SELECT position, problem_id, state, record FROM cases ORDER BY position") if has_table else ())
    row = next(rows, None)
    for position, problem in enumerate(problems):
        if row is None or row[0] != position:
            yield problem, TeachingCase(problem_id=problem.id, category=problem.category, state=State.PENDING)
            continue
        # Positions alone would pair every later case with another problem, silently.
        if row[1] != problem.id:
            raise UserError(f"case {row[1]!r}: is at position {position + 1}, where the problem is {problem.id!r}")
        case = TeachingCase.model_validate(orjson.loads(row[3]))
        if case.state is not State(row[2]) or case.problem_id != row[1]:
            raise UserError(f"case {row[1]!r}: state {row[2]!r}, but its record has {case.problem_id!r}, {case.state}")
        yield problem, case
        row = next(rows, None)
    if row is not None:
        raise UserError(f"case {row[1]!r}: the folder has no such problem")
