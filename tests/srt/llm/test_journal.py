from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from srt.io.errors import UserError
from srt.llm.accounts import model_usage
from srt.llm.budget import Budget
from srt.llm.journal import Journal, read_only
from srt.llm.request import Reply

REPLY = Reply(text="<b>", finish_reason="length", refusal="no", input_tokens=3, output_tokens=4, seconds=0.5)


def rows(journal: Journal, sql: str) -> list[tuple[Any, ...]]:
    return list(journal.read(sql))


def test_what_was_put_is_there_after_reopening(tmp_path: Path, ask: Any) -> None:
    path = tmp_path / "new" / "teach.sqlite"
    with Journal(path) as journal:
        assert journal.get(ask().keys) is None
        journal.put(ask(), REPLY, 0.5)
        assert journal.get(ask().keys) == REPLY
    with Journal(path) as journal:
        assert journal.get(ask().keys) == REPLY
        assert rows(journal, "SELECT role, model, problem_id, cost FROM requests") == [("teacher", "teacher", "0", 0.5)]


def test_a_risk_is_removed_with_the_reply(tmp_path: Path, ask: Any) -> None:
    with Journal(tmp_path / "teach.sqlite") as journal:
        risks = [journal.add_risk(ask(n), 0.1) for n in range(3)]
        assert len(set(risks)) == 3
        journal.put(ask(1), REPLY, 0.05, risks[1])
        journal.remove_risk(risks[2])
        assert rows(journal, "SELECT problem_id FROM at_risk") == [("0",)]
    with Journal(tmp_path / "teach.sqlite") as journal:
        assert journal.add_risk(ask(5), 0.1) != risks[0]


def test_a_transaction_is_whole_or_not_at_all(tmp_path: Path) -> None:
    with Journal(tmp_path / "teach.sqlite") as journal:
        journal.write("CREATE TABLE cases (id TEXT PRIMARY KEY)")
        journal.write("INSERT INTO cases VALUES (?)", ("0",))
        with pytest.raises(sqlite3.IntegrityError):
            journal.write("INSERT INTO cases VALUES (?)", ("0",))
        with pytest.raises(sqlite3.OperationalError):
            journal.write_all([("INSERT INTO cases VALUES ('x')", ()), ("INSERT INTO nowhere VALUES (1)", ())])
        journal.write("INSERT INTO cases VALUES ('1')")
        assert rows(journal, "SELECT id FROM cases ORDER BY id") == [("0",), ("1",)]


def test_a_full_disk_is_one_clear_line(tmp_path: Path, ask: Any) -> None:
    with Journal(tmp_path / "teach.sqlite") as journal:
        pages = rows(journal, "PRAGMA page_count")[0][0]
        rows(journal, f"PRAGMA max_page_count={pages}")
        large = ask("x" * 100_000)
        with pytest.raises(UserError, match=r"teach\.sqlite"):
            journal.put(large, REPLY, 0.0)
        assert journal.get(large.keys) is None
        rows(journal, "PRAGMA max_page_count=100000")
        journal.put(ask("after"), REPLY, 0.0)  # there is room again
        assert journal.get(ask("after").keys) == REPLY


OLD = """
CREATE TABLE requests (
    key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, problem_id TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL NOT NULL, finish_reason TEXT NOT NULL,
    reply TEXT NOT NULL, request TEXT NOT NULL);
CREATE TABLE at_risk (
    id INTEGER PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, problem_id TEXT NOT NULL, cost REAL NOT NULL);
CREATE TABLE cases (position INTEGER PRIMARY KEY, problem_id TEXT NOT NULL UNIQUE, state TEXT NOT NULL,
    record BLOB NOT NULL);
INSERT INTO requests VALUES ('%s', 'teacher', 'teacher', '0', 5, 6, 0.5, 'stop',
    '{"text":"hi","finish_reason":"stop","refusal":null,"input_tokens":5,"output_tokens":6,"seconds":1.0}', '{}');
INSERT INTO at_risk VALUES (7, 'checker', 'teacher', '1', 0.25);
PRAGMA user_version=1;
"""


def test_a_journal_of_an_earlier_version_is_opened_and_its_replies_are_reused(tmp_path: Path, ask: Any) -> None:
    with sqlite3.connect(tmp_path / "teach.sqlite") as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.executescript(OLD % "e5bf9eca1fef3ba51d37958cc65fef2d07df658a747882857cc939eacd604d71")
    with Journal(tmp_path / "teach.sqlite") as journal:
        found = journal.get(ask().keys)
        assert found is not None
        assert (found.text, found.reasoning) == ("hi", None)
        usage = model_usage(journal.read)
        assert Budget(None, {}, usage).total == 0.75
        assert [(one.role, one.lost) for one in usage] == [("checker", 0.25), ("teacher", 0.0)]
        assert journal.add_risk(ask(), 0.1) > 7


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with Journal(tmp_path / "teach.sqlite"), pytest.raises(UserError, match=re.escape(str(tmp_path))):
        Journal(tmp_path / "teach.sqlite")
    with Journal(tmp_path / "teach.sqlite"):
        pass  # let go


def test_a_file_that_is_no_journal(tmp_path: Path) -> None:
    (tmp_path / "teach.sqlite").write_bytes(b"not a database" * 100)
    with pytest.raises(UserError, match=r"teach\.sqlite"):
        Journal(tmp_path / "teach.sqlite")
    with pytest.raises(UserError, match=r"teach\.sqlite"), read_only(tmp_path / "teach.sqlite"):
        pass
    with sqlite3.connect(tmp_path / "other.sqlite") as db:
        db.execute("CREATE TABLE t (x)")
    with pytest.raises(UserError, match=r"other\.sqlite"):
        Journal(tmp_path / "other.sqlite")
    with pytest.raises(UserError, match=r"none\.sqlite"), read_only(tmp_path / "none.sqlite"):
        pass
    with Journal(tmp_path / "fine.sqlite"):
        pass  # the folder was let go each time


def test_a_reader_beside_the_writer(tmp_path: Path, ask: Any) -> None:
    with Journal(tmp_path / "teach.sqlite") as journal:
        journal.put(ask(), REPLY, 0.0)
        with read_only(tmp_path / "teach.sqlite") as db:
            assert db.execute("SELECT count(*) FROM requests").fetchone() == (1,)
            with pytest.raises(sqlite3.OperationalError):
                db.execute("DELETE FROM requests")


WRITER = """
import sys
from pathlib import Path
from srt.llm.budget import Budget
from srt.llm.journal import Journal

with Journal(Path(sys.argv[1])) as journal:
    journal.write("CREATE TABLE cases (id INTEGER PRIMARY KEY)")
    for n in range(10**6):
        journal.write("INSERT INTO cases VALUES (?)", (n,))
        print(n, flush=True)
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


def test_replies_that_a_lock_keeps_out_to_the_end_are_taken_in_by_the_next_run(
    tmp_path: Path, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("srt.llm.journal.LONGEST_LOCK_S", 0.2)
    path = tmp_path / "teach.sqlite"
    with Journal(path):
        pass
    other = sqlite3.connect(path, isolation_level=None)
    journal = Journal(path)
    risk = journal.add_risk(ask(), 0.1)
    waited: list[float] = []
    journal.delayed.append(waited.append)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(UserError, match="locked"):
        journal.put(ask(), REPLY, 0.5, risk)
    assert waited[0] >= 0.2
    with pytest.raises(UserError, match="locked"):
        journal.__exit__()
    other.execute("ROLLBACK")
    with Journal(path) as journal:
        assert journal.get(ask().keys) == REPLY
        assert rows(journal, "SELECT * FROM at_risk") == []
    assert not path.with_name("teach.sqlite.unwritten").exists()
