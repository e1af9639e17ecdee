"""The journal of requests: what was asked, what came back, what it cost. What is in it is never paid for again.

The contract. Whatever is written is on disk when the call returns (SQLite in WAL mode, ``synchronous=FULL``, one
commit for each call), so that ``kill -9`` at any moment loses nothing. One process at a time holds the folder.

A request that may cost money is written to ``at_risk`` before it leaves (:meth:`Journal.add_risk`) and removed in the
transaction that keeps its reply. What is still there when the journal is next opened was sent and never answered: the
budget counts it as spent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final

from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder
from srt.io.records import Record
from srt.llm.request import LlmRequest, Reply

VERSION: Final = 1

_DISK_FAULTS: Final = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CORRUPT", "SQLITE_NOTADB")
"""Error names that are the user's to mend; the others are faults of a statement."""

# The JSON is in the last columns: a scan of the small ones need not read it.
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS requests (
    key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, problem_id TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL NOT NULL, finish_reason TEXT NOT NULL,
    reply TEXT NOT NULL, request TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS at_risk (
    id INTEGER PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, problem_id TEXT NOT NULL, cost REAL NOT NULL);
CREATE TABLE IF NOT EXISTS overruns (
    model TEXT PRIMARY KEY, prompt INTEGER NOT NULL, picture INTEGER NOT NULL, output INTEGER NOT NULL);
"""

Statement = tuple[str, Sequence[Any]]
Query = Callable[[str], Iterable[Sequence[Any]]]
"""Runs SQL that reads the journal: ``journal.read``, or ``connection.execute`` of a connection to its file."""


class ModelUsage(Record):
    """What one role used of one model. ``cost`` is in the currency of the prices.

    ``lost`` is the most that requests without a reply may have cost: timed out, cut off by a kill, or in flight at
    this moment. It is not part of ``cost``.
    """

    role: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float
    lost: float = 0.0


class Overrun(Record):
    """Tokens that a model was billed for beyond the bounds of its requests (:mod:`srt.llm.budget`).

    ``prompt`` beyond the text, ``output`` beyond ``max_tokens``; ``picture`` is the most for one picture.
    """

    model: str
    prompt: int = 0
    picture: int = 0
    output: int = 0


class Journal:
    """The SQLite file ``path``; its folder is made, and held against other processes.

    Use it as ``with Journal(folder / "teach.sqlite") as journal:``, in one thread.

    Raises:
        UserError: another process holds the folder, or the file is no journal, or of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with ExitStack() as stack:
            stack.enter_context(hold_folder(path.parent))
            try:
                # isolation_level=None: transactions begin and end where we say so.
                self._db = stack.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.execute("PRAGMA journal_mode=WAL")
                version = self._db.execute("PRAGMA user_version").fetchone()[0]
                tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
                if version != VERSION and (version or tables):
                    raise UserError(f"{path}: not a journal, or of another version of srt: name another folder")
                self._db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
            except sqlite3.DatabaseError as error:
                raise UserError(f"{path}: cannot be opened as a journal: {error}") from None
            self._kept = stack.pop_all()

    def get(self, key: str) -> Reply | None:
        """The reply to the request with that :attr:`~srt.llm.request.LlmRequest.key`; ``None`` where there is none."""
        row = self._db.execute("SELECT reply FROM requests WHERE key = ?", (key,)).fetchone()
        return None if row is None else Reply.model_validate_json(row[0])

    def put(
        self,
        request: LlmRequest,
        reply: Reply,
        cost: float,
        risk: int | None = None,
        overrun: Overrun | None = None,
    ) -> None:
        """Keep ``reply``, as it came, and what was learnt from it; remove the entry ``risk``.

        Raises as :meth:`write` does.
        """
        row = (
            request.key,
            request.role,
            request.model,
            request.problem_id,
            reply.input_tokens,
            reply.output_tokens,
            cost,
            reply.finish_reason,
            reply.model_dump_json(),
            request.model_dump_json(),
        )
        statements: list[Statement] = [("INSERT OR REPLACE INTO requests VALUES (?,?,?,?,?,?,?,?,?,?)", row)]
        if risk is not None:
            statements.append(("DELETE FROM at_risk WHERE id = ?", (risk,)))
        if overrun is not None:
            learnt = (overrun.model, overrun.prompt, overrun.picture, overrun.output)
            statements.append(("INSERT OR REPLACE INTO overruns VALUES (?,?,?,?)", learnt))
        self.write_all(statements)

    def add_risk(self, request: LlmRequest, cost: float) -> int:
        """Note that ``request`` is about to leave and may cost ``cost``; the id of the entry."""
        row = (request.role, request.model, request.problem_id, cost)
        return self.write("INSERT INTO at_risk (role, model, problem_id, cost) VALUES (?,?,?,?)", row)

    def set_risk(self, risk: int, cost: float) -> None:
        """The request of that entry may cost ``cost``."""
        self.write("UPDATE at_risk SET cost = ? WHERE id = ?", (cost, risk))

    def remove_risk(self, risk: int) -> None:
        """The request of that entry cost nothing."""
        self.write("DELETE FROM at_risk WHERE id = ?", (risk,))

    def overruns(self) -> list[Overrun]:
        """What was learnt of models whose bills exceed the bounds of their requests."""
        rows = self.read("SELECT model, prompt, picture, output FROM overruns")
        return [Overrun.model_validate(dict(zip(Overrun.model_fields, row, strict=True))) for row in rows]

    def write(self, sql: str, params: Sequence[Any] = ()) -> int:
        """Run one statement; it is on disk when this returns. The id of the last row that was inserted.

        Raises:
            sqlite3.Error: the statement is at fault.
            UserError: the file cannot be written to (disk full, no permission).
        """
        return self.write_all([(sql, params)])

    def write_all(self, statements: Sequence[Statement]) -> int:
        """Run ``statements`` in one transaction, all or none; returns and raises as :meth:`write` does."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            last = 0
            for sql, params in statements:
                last = self._db.execute(sql, params).lastrowid or last
            self._db.execute("COMMIT")
        except (sqlite3.Error, OverflowError) as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if getattr(error, "sqlite_errorname", "").startswith(_DISK_FAULTS):
                raise UserError(f"{self.path}: cannot be written to: {error}") from None
            raise
        return last

    def read(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Rows of a query, one at a time."""
        return self._db.execute(sql)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()


@contextmanager
def read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads, beside a run that may be writing; the folder is not held.

    Raises:
        UserError: there is no such file, or it is no journal.
    """
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
        try:
            version = db.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise UserError(f"{path}: not a journal of srt: {error}") from None
        if version != VERSION:
            raise UserError(f"{path}: not a journal of srt, or of another version of it")
        yield db


def model_usage(query: Query) -> list[ModelUsage]:
    """What was used, by role and model, from the journal."""
    rows = query(
        "SELECT role, model, SUM(requests), SUM(input), SUM(output), SUM(cost), SUM(lost) FROM ("
        " SELECT role, model, 1 AS requests, input_tokens AS input, output_tokens AS output, cost, 0.0 AS lost"
        " FROM requests UNION ALL SELECT role, model, 0, 0, 0, 0.0, cost FROM at_risk"
        ") GROUP BY role, model ORDER BY role, model"
    )
    return [ModelUsage.model_validate(dict(zip(ModelUsage.model_fields, row, strict=True))) for row in rows]
