"""What is certain and what is not, on disk: over runs, and in journals of older versions."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import orjson
import pytest

from srt.llm.accounts import CUT_OFF, describe_doubts, model_usage
from srt.llm.bills.reconcile import reconcile
from srt.llm.budget import Budget
from srt.llm.config import Price
from srt.llm.journal import NO_COUNT, NO_REPLY, Journal, Overrun, read_only
from srt.llm.request import Reply

REPLY = Reply(text="x", finish_reason="stop", input_tokens=100, output_tokens=10, seconds=0)
PRICES = {"teacher": Price(input=1.0, output=2.0)}
OLDER = """
CREATE TABLE requests (
    key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, problem_id TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL NOT NULL, finish_reason TEXT NOT NULL,
    reply TEXT NOT NULL, request TEXT NOT NULL);
CREATE TABLE at_risk (
    id INTEGER PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, problem_id TEXT NOT NULL, cost REAL NOT NULL);
CREATE TABLE overruns (
    model TEXT PRIMARY KEY, prompt INTEGER NOT NULL, picture INTEGER NOT NULL, output INTEGER NOT NULL);
INSERT INTO overruns VALUES ('teacher', 5, 6, 7);
CREATE TABLE finished (question TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE left_out (
    model TEXT NOT NULL, name TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (model, name));
PRAGMA user_version=1;
"""


def older_journal(path: Path, request: Any) -> None:
    keys = request.keys
    reply = REPLY.model_dump(mode="json", exclude={"stored_tokens"})
    with sqlite3.connect(path) as db:
        db.executescript(OLDER)
        text = Reply.model_validate(reply).model_dump_json(exclude={"stored_tokens"})
        row = (keys.request, "teacher", "teacher", "0", 100, 10, 0.25, "stop", text, request.model_dump_json())
        db.execute("INSERT INTO requests VALUES (?,?,?,?,?,?,?,?,?,?)", row)
        db.execute("INSERT INTO finished VALUES (?,?)", (keys.question, keys.request))
        db.execute("INSERT INTO at_risk VALUES (7,'teacher','teacher','1',0.5)")
    db.close()


def test_a_journal_of_an_older_version_is_read_and_continued(tmp_path: Path, ask: Any) -> None:
    path = tmp_path / "teach.sqlite"
    older_journal(path, ask())
    with read_only(path) as db:  # as srt teach --status, which writes nothing
        (usage,) = model_usage(db.execute)
        assert (usage.cost, usage.lost, usage.doubts) == (0.25, 0.5, {CUT_OFF: 1})
        found = reconcile([], db.execute, "USD")
        assert (found.undated, found.not_billed) == (1, ["teacher"])
    for _ in range(2):
        with Journal(path) as journal:
            assert journal.overruns() == [Overrun(model="teacher", prompt=5, picture=6, output=7)]
            assert journal.get(ask().keys) == REPLY
            journal.put(ask(1), REPLY, 0.125, journal.add_risk(ask(1), 1.0))
            journal.set_risk(journal.add_risk(ask(2), 1.0), 1.0, NO_REPLY)
    with read_only(path) as db:
        (usage,) = model_usage(db.execute)
        assert (usage.cost, usage.lost, usage.doubts) == (0.375, 2.5, {CUT_OFF: 1, NO_REPLY: 2})
    assert Budget(9.0, PRICES, [usage]).total == usage.booked == 2.875


def test_a_reply_that_an_older_version_set_aside_is_taken_in(tmp_path: Path, ask: Any) -> None:
    path = tmp_path / "teach.sqlite"
    older_journal(path, ask())
    keys, text = ask(5).keys, REPLY.model_dump_json(exclude={"stored_tokens"})
    row = (keys.request, "teacher", "teacher", "5", 100, 10, 0.25, "stop", text, ask(5).model_dump_json())
    statement = ("INSERT OR REPLACE INTO requests VALUES (?,?,?,?,?,?,?,?,?,?)", row)
    path.with_name("teach.sqlite.unwritten").write_bytes(orjson.dumps([statement]))
    with Journal(path) as journal:
        assert journal.get(keys) == REPLY
        (usage,) = model_usage(journal.read)
    assert (usage.requests, usage.cost) == (2, 0.5)


def test_what_a_reply_leaves_in_doubt_stays_booked(tmp_path: Path, ask: Any) -> None:
    path = tmp_path / "teach.sqlite"
    with Journal(path) as journal:
        journal.put(ask(1), REPLY, 0.25, journal.add_risk(ask(1), 1.0), doubt=0.5)
        journal.put(ask(2), REPLY, 0.25, journal.add_risk(ask(2), 1.0))
    with Journal(path) as journal:
        (usage,) = model_usage(journal.read)
        assert (usage.requests, usage.cost, usage.lost, usage.doubts) == (2, 0.5, 0.5, {NO_COUNT: 1})
        assert describe_doubts(usage, "USD") == f"at most 0.5000 USD: 1 {NO_COUNT}"
        # Answered all the same: it is not asked, and paid for, again.
        assert journal.get(ask(1).keys) == REPLY
        assert Budget(9.0, PRICES, [usage]).total == pytest.approx(1.0)
