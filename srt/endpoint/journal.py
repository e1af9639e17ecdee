"""The journal of requests: what was asked, what came back, what it cost. What is in it is never paid for again.

The contract. A call of :meth:`Journal.write` or :meth:`Journal.put` returns when its rows are on disk (SQLite in WAL
mode, ``synchronous=FULL``), so that ``kill -9`` at any moment loses nothing that was returned. One thread writes:
whatever is asked of it while a commit is under way goes into the next commit together, so that a slow disk costs
latency and not rate. One process at a time holds the folder.

A request that may cost money is written down in ``at_risk`` before it leaves (:meth:`Journal.risk`) and crossed out in
the transaction that keeps its reply. What is still there when the journal is next opened was sent and never answered:
the budget counts it as spent.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Final

from srt.endpoint.messages import Reply, Request
from srt.errors import UserError
from srt.folder_lock import hold_folder

VERSION: Final = 1
GROUP: Final = 1024
"""The most writes in one commit."""
LINGER_S: Final = 0.001
"""So long the writer lets a group gather before it takes it: fewer commits, and fewer changes of thread."""

AT_ONCE: Final = 8
"""So many who waited for a commit go on in one turn of the event loop: answers that came meanwhile are not held up."""

# The JSON stands last: a scan of the small columns need not read it.
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS requests (
    key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, problem_id TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL NOT NULL, finish_reason TEXT NOT NULL,
    reply TEXT NOT NULL, request TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS at_risk (
    id INTEGER PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, problem_id TEXT NOT NULL, cost REAL NOT NULL);
"""

Statement = tuple[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class _Write:
    """What goes into one transaction, and who waits for it (``None``: nobody)."""

    statements: Sequence[Statement]
    done: asyncio.Future[None] | None


class Journal:
    """The SQLite file ``path``; its folder is made, and held against other processes, until :meth:`close`.

    Use it as ``with Journal(folder / "teach.sqlite") as journal:``. Reads happen in the caller's thread and see all
    that was written.

    Raises:
        UserError: another process holds the folder, or the file is no journal, or of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept = ExitStack()
        self._kept.enter_context(hold_folder(path.parent))
        try:
            self._reader = self._kept.enter_context(closing(_connect(path)))
            _prepare(self._reader, path)
            writer = self._kept.enter_context(closing(_connect(path)))
            self._next_risk = 1 + (self._reader.execute("SELECT max(id) FROM at_risk").fetchone()[0] or 0)
        except BaseException:
            self._kept.close()
            raise
        self._queue: SimpleQueue[_Write | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write_groups, args=(writer,), name="journal", daemon=True)
        self._thread.start()

    def get(self, key: str) -> Reply | None:
        """The reply to the request of that :attr:`~srt.endpoint.messages.Request.key`; ``None`` where there is none."""
        row = self._reader.execute("SELECT reply FROM requests WHERE key = ?", (key,)).fetchone()
        return None if row is None else Reply.model_validate_json(row[0])

    async def put(self, request: Request, reply: Reply, cost: float, risk: int | None = None) -> None:
        """Keep ``reply``, as it came, and cross out the entry ``risk``."""
        row = (
            request.key,
            request.role.value,
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
        await self.write_all(statements)

    def new_risk(self) -> int:
        """A number for :meth:`risk` that was never used."""
        number, self._next_risk = self._next_risk, self._next_risk + 1
        return number

    async def risk(self, number: int, request: Request, cost: float) -> None:
        """Write down as ``number`` that ``request`` is about to leave and may cost ``cost``."""
        row = (number, request.role.value, request.model, request.problem_id, cost)
        await self.write("INSERT INTO at_risk VALUES (?,?,?,?,?)", row)

    def cross_out(self, risk: int) -> None:
        """The request of that entry cost nothing. It does not wait for the disk: at worst too much stays booked."""
        self._queue.put(_Write([("DELETE FROM at_risk WHERE id = ?", (risk,))], None))

    async def write(self, sql: str, params: Sequence[Any] = ()) -> None:
        """Run one statement; it is on disk when this returns.

        Raises:
            sqlite3.Error: the statement is at fault; what others wrote meanwhile is not touched.
            UserError: the file cannot be written to (disk full, no permission).
        """
        await self.write_all([(sql, params)])

    async def write_all(self, statements: Sequence[Statement]) -> None:
        """Run ``statements`` in one transaction, all or none; raises as :meth:`write` does."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put(_Write(statements, done))
        await done

    def read(self, sql: str, params: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Rows of a query, one at a time, as they stand when the first is taken."""
        yield from self._reader.execute(sql, params)

    def close(self) -> None:
        """Wait until all is on disk, and let the folder go."""
        self._queue.put(None)
        self._thread.join()
        self._kept.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write_groups(self, db: sqlite3.Connection) -> None:
        """The writer thread: take what is waiting, commit it as one, tell those who wait."""
        last = False
        while not last:
            group: list[_Write] = []
            item = self._queue.get()
            if item is not None:
                time.sleep(LINGER_S)
            while item is not None:
                group.append(item)
                if len(group) == GROUP:
                    break
                try:
                    item = self._queue.get_nowait()
                except Empty:
                    break
            last = item is None
            if group:
                _tell(self._commit(db, group))

    def _commit(self, db: sqlite3.Connection, group: Sequence[_Write]) -> list[tuple[_Write, Exception | None]]:
        """Commit ``group``; where a statement fails, each write alone, so that only the faulty one is refused."""
        try:
            db.execute("BEGIN IMMEDIATE")
            for write in group:
                for sql, params in write.statements:
                    db.execute(sql, params)
            db.execute("COMMIT")
        except (sqlite3.Error, OverflowError) as error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            if len(group) > 1:
                return [told for write in group for told in self._commit(db, [write])]
            return [(group[0], self._fault(error))]
        return [(write, None) for write in group]

    def _fault(self, error: Exception) -> Exception:
        """Faults of the disk are the user's to mend; faults of a statement are its author's."""
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CORRUPT", "SQLITE_NOTADB")):
            return UserError(f"{self.path}: cannot be written to: {error}")
        return error


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
            raise UserError(f"{path}: not a journal of srt teach: {error}") from None
        if version != VERSION:
            raise UserError(f"{path}: not a journal of srt teach, or of another version of it")
        yield db


def _connect(path: Path) -> sqlite3.Connection:
    try:
        # isolation_level=None: transactions begin and end where we say so. The writer's connection changes thread once.
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        db.execute("PRAGMA synchronous=FULL")
        return db
    except sqlite3.DatabaseError as error:
        raise UserError(f"{path}: cannot be opened: {error}") from None


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Settings, and the tables of a new file."""
    try:
        db.execute("PRAGMA journal_mode=WAL")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version != VERSION and (version or tables):
            raise UserError(f"{path}: not a journal of srt teach, or of another version of it: name another folder")
        db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
    except sqlite3.DatabaseError as error:
        raise UserError(f"{path}: not a journal of srt teach: {error}") from None


def _tell(told: Sequence[tuple[_Write, Exception | None]]) -> None:
    """Wake those who wait, with one call into their event loop for all of them, and there a few in each turn."""
    waiting = [(write.done, error) for write, error in told if write.done is not None]
    if not waiting:
        return
    loop = waiting[0][0].get_loop()

    def wake() -> None:
        few, waiting[:AT_ONCE] = waiting[:AT_ONCE], []
        if waiting:
            loop.call_soon(wake)
        for done, error in few:
            if done.done():  # its task was cancelled; the rows are kept all the same
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

    try:
        loop.call_soon_threadsafe(wake)
    except RuntimeError:
        return  # the loop has ended: nobody waits any more
