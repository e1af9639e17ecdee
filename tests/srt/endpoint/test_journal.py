from __future__ import annotations

import asyncio
import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from srt.endpoint.journal import AT_ONCE, Journal, read_only
from srt.endpoint.messages import Reply
from srt.errors import UserError

REPLY = Reply(text="<b>", finish_reason="length", refusal="no", input_tokens=3, output_tokens=4, seconds=0.5)


def rows(journal: Journal, sql: str) -> list[tuple[Any, ...]]:
    return list(journal.read(sql))


def test_what_was_put_is_there_after_reopening(tmp_path: Path, ask: Any) -> None:
    path = tmp_path / "new" / "teach.sqlite"
    with Journal(path) as journal:
        assert journal.get(ask().key) is None
        asyncio.run(journal.put(ask(), REPLY, 0.5))
        assert journal.get(ask().key) == REPLY
    with Journal(path) as journal:
        assert journal.get(ask().key) == REPLY
        assert rows(journal, "SELECT role, model, problem_id, cost FROM requests") == [("teacher", "teacher", "0", 0.5)]


def test_a_risk_is_crossed_out_with_the_reply(tmp_path: Path, ask: Any) -> None:
    with Journal(tmp_path / "teach.sqlite") as journal:
        numbers = [journal.new_risk() for _ in range(3)]
        for n, number in enumerate(numbers):
            asyncio.run(journal.risk(number, ask(n), 0.1))
        asyncio.run(journal.put(ask(1), REPLY, 0.05, numbers[1]))
        journal.cross_out(numbers[2])
        asyncio.run(journal.write("SELECT 1"))
        assert rows(journal, "SELECT problem_id FROM at_risk") == [("0",)]
    with Journal(tmp_path / "teach.sqlite") as journal:
        assert journal.new_risk() > numbers[0]


def test_what_waits_together_is_committed_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Any) -> None:
    groups: list[int] = []
    commit = Journal._commit
    monkeypatch.setattr(
        Journal, "_commit", lambda self, db, group: groups.append(len(group)) or commit(self, db, group)
    )

    async def run() -> None:
        with Journal(tmp_path / "teach.sqlite") as journal:
            await asyncio.gather(*(journal.put(ask(n), REPLY, 0.0) for n in range(200)))
            assert rows(journal, "SELECT count(*) FROM requests") == [(200,)]

    asyncio.run(run())
    assert sum(groups) == 200
    assert len(groups) < 20


def test_those_who_waited_for_a_commit_hold_nobody_up(tmp_path: Path) -> None:
    turns: list[int] = []

    async def run() -> None:
        loop = asyncio.get_running_loop()
        ended = 0

        async def one(n: int) -> None:
            nonlocal ended
            await journal.write("INSERT INTO t VALUES (?)", (n,))
            ended += 1

        def turn() -> None:
            turns.append(ended)
            if ended < 100:
                loop.call_soon(turn)

        with Journal(tmp_path / "teach.sqlite") as journal:
            await journal.write("CREATE TABLE t (x)")
            loop.call_soon(turn)
            await asyncio.gather(*(one(n) for n in range(100)))

    asyncio.run(run())
    assert max(after - before for before, after in itertools.pairwise(turns)) <= AT_ONCE


def test_a_faulty_statement_is_refused_alone(tmp_path: Path) -> None:
    async def run() -> None:
        with Journal(tmp_path / "teach.sqlite") as journal:
            await journal.write("CREATE TABLE cases (id TEXT PRIMARY KEY)")
            writes = [journal.write("INSERT INTO cases VALUES (?)", (str(n % 3),)) for n in range(4)]
            together = [("INSERT INTO cases VALUES ('x')", ()), ("INSERT INTO nowhere VALUES (1)", ())]
            outcomes = await asyncio.gather(*writes, journal.write_all(together), return_exceptions=True)
            assert outcomes[:3] == [None] * 3
            assert isinstance(outcomes[3], sqlite3.IntegrityError)
            assert isinstance(outcomes[4], sqlite3.OperationalError)
            assert rows(journal, "SELECT id FROM cases ORDER BY id") == [("0",), ("1",), ("2",)]

    asyncio.run(run())


def test_a_full_disk_is_one_clear_line(tmp_path: Path) -> None:
    async def run() -> None:
        with Journal(tmp_path / "teach.sqlite") as journal:
            await journal.write("CREATE TABLE big (x BLOB)")
            await journal.write("PRAGMA user_version")  # a read among the writes does no harm
            fault = sqlite3.OperationalError("database or disk is full")
            fault.sqlite_errorname = "SQLITE_FULL"  # type: ignore[misc]
            told = journal._fault(fault)
            assert isinstance(told, UserError)
            assert str(told) == f"{journal.path}: cannot be written to: database or disk is full"

    asyncio.run(run())


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with Journal(tmp_path / "teach.sqlite"), pytest.raises(UserError, match="another process"):
        Journal(tmp_path / "teach.sqlite")
    with Journal(tmp_path / "teach.sqlite"):
        pass  # let go


def test_a_file_that_is_no_journal(tmp_path: Path) -> None:
    (tmp_path / "teach.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(UserError, match=r"teach\.sqlite: .*not a"):
        Journal(tmp_path / "teach.sqlite")
    with pytest.raises(UserError, match=r"teach\.sqlite: not a journal"), read_only(tmp_path / "teach.sqlite"):
        pass
    with sqlite3.connect(tmp_path / "other.sqlite") as db:
        db.execute("CREATE TABLE t (x)")
    with pytest.raises(UserError, match="not a journal of srt teach, or of another version"):
        Journal(tmp_path / "other.sqlite")
    with pytest.raises(UserError, match="no such file"), read_only(tmp_path / "none.sqlite"):
        pass


def test_a_reader_beside_the_writer(tmp_path: Path, ask: Any) -> None:
    with Journal(tmp_path / "teach.sqlite") as journal:
        asyncio.run(journal.put(ask(), REPLY, 0.0))
        with read_only(tmp_path / "teach.sqlite") as db:
            assert db.execute("SELECT count(*) FROM requests").fetchone() == (1,)
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                db.execute("DELETE FROM requests")


WRITER = """
import asyncio, sys
from pathlib import Path
from srt.endpoint.journal import Journal

async def run():
    with Journal(Path(sys.argv[1])) as journal:
        await journal.write("CREATE TABLE cases (id INTEGER PRIMARY KEY)")
        async def one(n):
            await journal.write("INSERT INTO cases VALUES (?)", (n,))
            print(n, flush=True)
        for group in range(10**6):
            await asyncio.gather(*(one(8 * group + n) for n in range(8)))
asyncio.run(run())
"""


def test_what_was_returned_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "teach.sqlite"
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(random.uniform(0.05, 0.4))
    os.kill(process.pid, signal.SIGKILL)
    told = {0} | {int(line) for line in process.stdout.read().split("\n")[:-1]}
    process.wait()
    with Journal(path) as journal:
        kept = {n for (n,) in journal.read("SELECT id FROM cases")}
    assert told <= kept
