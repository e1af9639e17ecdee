"""The journal of requests: what was asked, what came back, what it cost. What is in it is never paid for again.

The contract. Whatever is written is on disk when the call returns (SQLite in WAL mode, ``synchronous=FULL``, one
commit for each call), so that ``kill -9`` at any moment loses nothing. One process at a time holds the folder.

A reply that was paid for outlives a full disk and a lock: while the journal is open, a file of :data:`RESERVE_BYTES`
beside it keeps room for the replies in flight, and a reply that cannot be written now is written when the journal is
closed, or else to a file beside it that the next run takes in. From then on no request may leave
(:meth:`Journal.add_risk` raises). The reader of replies is told of each wait for a lock (``delayed``), so that a reply
that has come meanwhile is not taken for one that never came.

A request that may cost money is written to ``at_risk`` before it leaves (:meth:`Journal.add_risk`) and removed in the
transaction that keeps its reply. What is still there when the journal is next opened was sent and never answered: the
budget counts it as spent. A reply without a count that can be leaves the rest of its maximum there
(:mod:`srt.llm.accounts`).
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import orjson

from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder
from srt.io.records import Record
from srt.llm.request import LlmRequest, Reply, RequestKeys

VERSION: Final = 1

RESERVE_BYTES: Final = 4 * 2**20
LONGEST_LOCK_S: Final = 20.0
"""How long a lock of another process (a backup, a database browser) is waited for."""
_DELAY_S: Final = 0.1
"""A write that takes longer is a wait."""

_LOCKED: Final = ("SQLITE_BUSY", "SQLITE_LOCKED")
_DISK_FAULTS: Final = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CORRUPT", "SQLITE_NOTADB")
"""Errors that the user can fix; the others are faults of a statement."""

# The JSON is in the last columns: a scan of the small ones need not read it.
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS requests (
    key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, problem_id TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL NOT NULL, finish_reason TEXT NOT NULL,
    day TEXT, reply TEXT NOT NULL, request TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS at_risk (
    id INTEGER PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, problem_id TEXT NOT NULL, cost REAL NOT NULL,
    day TEXT, why TEXT);
CREATE TABLE IF NOT EXISTS overruns (
    model TEXT PRIMARY KEY, prompt INTEGER NOT NULL, picture INTEGER NOT NULL, output INTEGER NOT NULL,
    dearness TEXT);
CREATE TABLE IF NOT EXISTS finished (question TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS left_out (
    model TEXT NOT NULL, name TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (model, name));
"""

_ADDED: Final = (("requests", "day"), ("at_risk", "day"), ("at_risk", "why"), ("overruns", "dearness"))
"""Columns that older journals lack; they are NULL there."""

_PUT: Final = (
    "INSERT OR REPLACE INTO requests (key, role, model, problem_id, input_tokens, output_tokens, cost, finish_reason,"
    " day, reply, request) VALUES (?,?,?,?,?,?,?,?,?,?,?)"
)
_SET_RISK: Final = "UPDATE at_risk SET cost = ?, why = ? WHERE id = ?"
NO_REPLY: Final = "without a reply"
NO_COUNT: Final = "without a count that can be"
COUNTED: Final = "failed, with a count"
"""Why it is not certain what a request cost; of the last it is, though there is no reply."""

Statement = tuple[str, Sequence[Any]]
Query = Callable[[str], Iterable[Sequence[Any]]]
"""Runs SQL that reads the journal: ``journal.read``, or ``connection.execute`` of a connection to its file."""


class Overrun(Record):
    """Tokens that a model was billed for beyond the bounds of its requests (:mod:`srt.llm.budget`).

    ``prompt`` beyond the text, ``output`` beyond ``max_tokens``; ``picture`` is the most for one picture.
    ``dearness`` is the most that the server's own cost of a reply was, in terms of what the prices give.
    """

    model: str
    prompt: int = 0
    picture: int = 0
    output: int = 0
    dearness: float = 1.0


class Journal:
    """The SQLite file ``path``; its folder is made, and locked against other processes.

    Use it as ``with Journal(folder / "teach.sqlite") as journal:``, in one thread.

    Raises:
        UserError: another process holds the folder, or the file is no journal, or of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reserve = path.with_name(f"{path.name}.reserve")
        self._aside = path.with_name(f"{path.name}.unwritten")
        self._unwritten: list[Statement] = []
        self._broken: UserError | None = None
        self.delayed: list[Callable[[float], None]] = []
        with ExitStack() as stack:
            stack.enter_context(hold_folder(path.parent))
            try:
                # isolation_level=None: transactions begin and end where we say so.
                self._db = stack.enter_context(closing(sqlite3.connect(path, LONGEST_LOCK_S, isolation_level=None)))
                # In WAL mode the default would lose the last commits when the machine loses power.
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.execute("PRAGMA journal_mode=WAL")
                version = self._db.execute("PRAGMA user_version").fetchone()[0]
                tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
                if version != VERSION and (version or tables):
                    raise UserError(f"{path}: not a journal, or of another version of srt: name another folder")
                self._db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
            except sqlite3.DatabaseError as error:
                raise UserError(f"{path}: cannot be opened as a journal: {error}") from None
            _keep_room(self._reserve)
            if self._aside.exists():
                self.write_all([(sql, params) for sql, params in orjson.loads(self._aside.read_bytes())])
                self._aside.unlink()
            # After what an older version set aside: its rows have as many columns as its tables.
            for table, column in _ADDED:
                if column not in columns(self.read, table):
                    self.write(f"ALTER TABLE {table} ADD COLUMN {column} TEXT")
            self._kept = stack.pop_all()

    def get(self, keys: RequestKeys) -> Reply | None:
        """The reply to the request of these keys, or to its question if that was not cut off; ``None`` without one."""
        try:
            row = self._db.execute("SELECT reply FROM requests WHERE key = ?", (keys.request,)).fetchone()
            if row is None:
                sql = "SELECT reply FROM finished JOIN requests USING (key) WHERE question = ?"
                row = self._db.execute(sql, (keys.question,)).fetchone()
        except sqlite3.Error as error:
            raise self._fault(error) from None
        return None if row is None else Reply.model_validate_json(row[0])

    def put(
        self,
        request: LlmRequest,
        reply: Reply,
        cost: float,
        risk: int | None = None,
        overrun: Overrun | None = None,
        left_out: Mapping[str, str] = MappingProxyType({}),
        keys: RequestKeys | None = None,
        doubt: float = 0.0,
    ) -> None:
        """Keep ``reply``, as it came, and what was learnt from it; remove the entry ``risk``.

        What its counts leave in ``doubt`` stays at risk.

        ``left_out`` are parameters that the endpoint does not take of this model, with its words; ``keys`` those of
        ``request`` where they are known.

        Raises as :meth:`write` does; it is kept in memory then, and written when the journal is closed.
        """
        keys = keys or request.keys
        row = (
            keys.request,
            request.role,
            request.model,
            request.problem_id,
            reply.input_tokens,
            reply.output_tokens,
            cost,
            reply.finish_reason,
            today(),
            reply.model_dump_json(),
            request.model_dump_json(),
        )
        statements: list[Statement] = [(_PUT, row)]
        if reply.finish_reason != "length":
            statements.append(("INSERT OR REPLACE INTO finished VALUES (?,?)", (keys.question, keys.request)))
        for name, reason in left_out.items():
            statements.append(("INSERT OR REPLACE INTO left_out VALUES (?,?,?)", (request.model, name, reason)))
        if risk is not None and doubt:
            statements.append((_SET_RISK, (doubt, NO_COUNT, risk)))
        elif risk is not None:
            statements.append(("DELETE FROM at_risk WHERE id = ?", (risk,)))
        if overrun is not None:
            names = ", ".join(Overrun.model_fields)
            learnt = [getattr(overrun, name) for name in Overrun.model_fields]
            statements.append((f"INSERT OR REPLACE INTO overruns ({names}) VALUES (?,?,?,?,?)", learnt))
        try:
            self.write_all(statements)
        except UserError:
            self._unwritten += statements
            raise

    def add_risk(self, request: LlmRequest, cost: float) -> int:
        """Note that ``request`` is about to leave and may cost ``cost``; the id of the entry. Raises as :meth:`put`."""
        if self._broken is not None:
            raise self._broken
        row = (request.role, request.model, request.problem_id, cost, today())
        return self.write("INSERT INTO at_risk (role, model, problem_id, cost, day) VALUES (?,?,?,?,?)", row)

    def set_risk(self, risk: int, cost: float, why: str) -> None:
        """The request of that entry may cost ``cost``; ``why`` that is not certain."""
        self.write(_SET_RISK, (cost, why, risk))

    def remove_risk(self, risk: int) -> None:
        """The request of that entry cost nothing."""
        self.write("DELETE FROM at_risk WHERE id = ?", (risk,))

    def models(self) -> set[str]:
        """The models that have answered."""
        return {model for (model,) in self.read("SELECT DISTINCT model FROM requests")}

    def overruns(self) -> list[Overrun]:
        """What was learnt of models whose bills exceed the bounds of their requests."""
        rows = self.read("SELECT model, prompt, picture, output, coalesce(dearness, 1.0) FROM overruns")
        return [Overrun.model_validate(dict(zip(Overrun.model_fields, row, strict=True))) for row in rows]

    def write(self, sql: str, params: Sequence[Any] = ()) -> int:
        """Run one statement; it is on disk when this returns. The id of the last row that was inserted.

        Raises:
            sqlite3.Error: the statement is at fault.
            UserError: the file cannot be written to (disk full, no permission, locked by another process).
        """
        return self.write_all([(sql, params)])

    def write_all(self, statements: Sequence[Statement]) -> int:
        """Run ``statements`` in one transaction, all or none; returns and raises as :meth:`write` does."""
        try:
            return self._transaction(statements)
        except sqlite3.Error as error:
            fault = self._fault(error)
            if not getattr(error, "sqlite_errorname", "").startswith("SQLITE_FULL") or not self._reserve.exists():
                raise fault from None
            # The room that was kept is for this: once, for replies that are paid for.
            self._reserve.unlink()
        return self.write_all(statements)

    def read(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Rows of a query, one at a time."""
        return self._db.execute(sql)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        with self._kept:
            if self._unwritten:
                self._db.execute(f"PRAGMA busy_timeout={int(1000 * LONGEST_LOCK_S)}")
                try:
                    self.write_all(self._unwritten)
                except UserError:
                    write_atomically(self._aside, [orjson.dumps(self._unwritten)])
                    raise
            self._reserve.unlink(missing_ok=True)

    def _transaction(self, statements: Sequence[Statement]) -> int:
        began = time.monotonic()
        try:
            # Takes the lock at once: a wait is here, and not in the middle of a transaction.
            self._db.execute("BEGIN IMMEDIATE")
            last = 0
            for sql, params in statements:
                last = self._db.execute(sql, params).lastrowid or last
            self._db.execute("COMMIT")
        # OverflowError: an integer of more than 64 bits.
        except (sqlite3.Error, OverflowError):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        finally:
            if (waited := time.monotonic() - began) > _DELAY_S:
                for informed in self.delayed:
                    informed(waited)
        return last

    def _fault(self, error: sqlite3.Error) -> Exception:
        """The error to raise: ``error`` itself where it is a fault of ours. Else nothing leaves from now on."""
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(_LOCKED):
            self._db.execute("PRAGMA busy_timeout=0")  # it was waited for once; the replies in flight come soon
            self._broken = UserError(f"{self.path}: another process keeps it locked: end it, and start again")
        elif name.startswith(_DISK_FAULTS):
            self._broken = UserError(f"{self.path}: cannot be written to: {error}")
        else:
            return error
        return self._broken


def _keep_room(reserve: Path) -> None:
    try:
        with open(reserve, "wb") as file:
            # Allocated, not only long: a sparse file keeps no room.
            os.posix_fallocate(file.fileno(), 0, RESERVE_BYTES)
    except OSError as error:
        reserve.unlink(missing_ok=True)
        room = f"{RESERVE_BYTES // 2**20} MiB are kept for replies in flight"
        raise UserError(f"{reserve.parent}: cannot be written to: {error.strerror} ({room})") from None


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


def left_out(query: Query) -> dict[str, dict[str, str]]:
    """The parameters that were left out of the requests to each model, with the endpoint's words."""
    found: dict[str, dict[str, str]] = {}
    for model, name, reason in query("SELECT model, name, reason FROM left_out ORDER BY model, name"):
        found.setdefault(model, {})[name] = reason
    return found


def columns(query: Query, table: str) -> set[str]:
    """The names of the columns of ``table``."""
    return {row[1] for row in query(f"PRAGMA table_info({table})")}


def today() -> str:
    """The day by which providers bill, ``2026-01-31`` in UTC."""
    return datetime.now(UTC).date().isoformat()
