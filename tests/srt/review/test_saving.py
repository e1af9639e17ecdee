"""What the review's server saves: decisions, of two people too, and what a kill or a full disk leaves behind."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from taught_folder import (
    BOOTH,
    HOSTILE_CASE,
    RIGHT_BOOTH,
    RIGHT_BOX,
    RIGHT_CASE,
    WORLD_CASE,
    WRONG_CASE,
    box,
    case_of,
    editor_rows,
    serve,
    write_folder,
)

from srt.io.record_reader import read_records
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.llm.journal import Journal
from srt.review.draft import Draft
from srt.review.review_queue import read_queue
from srt.review.session import DecisionRefused, DecisionRequest, ReviewSession
from srt.teaching.case_store.case_records import TeachingCase
from srt.teaching.case_store.case_table import CaseTable
from srt.teaching.case_store.decisions import DECISIONS, digest, read_decisions
from srt.teaching.case_store.folder_files import apply_decisions
from srt.teaching.case_store.manifest import JOURNAL


def test_decisions_are_kept_and_the_traces_follow(folder: Path) -> None:
    with serve(folder) as served:
        assert served.decide(WRONG_CASE, "edit", draft=editor_rows())[0] == 200
        assert served.decide(RIGHT_CASE, "accept")[0] == 200
        status, data = served.decide(RIGHT_CASE, "accept")
        assert (status, "accepted" in data["error"]) == (422, True)
        assert served.decide(WORLD_CASE, "reject", fault="misquoted_clue", note="clue 2 says the opposite")[0] == 200
        assert served.decide(HOSTILE_CASE, "accept")[0] == 200
        assert served.decide(HOSTILE_CASE, "undo")[0] == 200
        stale = served.case(RIGHT_CASE)["digest"]
        assert served.decide(RIGHT_CASE, "edit", draft=editor_rows(RIGHT_BOX.replace("the base", "its base")))[0] == 200
        status, data = served.decide(RIGHT_CASE, "accept", digest=stale)
        assert (status, "changed" in data["error"]) == (409, True)
        out, err = served.stop(signal.SIGTERM)
        assert (served.process.returncode, err) == (0, "")
        assert "traces.jsonl: 8 traces" in out
    taken = read_decisions(folder)
    assert [one.action for one in taken] == ["edit", "accept", "reject", "accept", "undo", "edit"]
    assert {one.who for one in taken} == {"ada"}
    assert all(one.when.endswith("+00:00") and one.where == "queue" for one in taken)
    traces = {trace.problem_id: trace for trace in read_records(folder / "traces.jsonl", Trace)}
    assert set(traces) == {"box-wrong", "box-right", *(f"passed-{n}" for n in range(6))}
    assert traces["box-wrong"].answer == "24"
    assert traces["box-wrong"].checks is not None
    assert not traces["box-wrong"].checks.refuted
    assert traces["box-right"].steps[0].assertion == "its base has 3 rows of 4 cubes"


def test_an_audit_shows_the_same_sample_again(folder: Path) -> None:
    with ReviewSession(folder, read_queue(folder, audit=3), "ada") as session:
        first = [case.queued.problem_id for case in session.cases]
        assert len(first) == 3
        session.decide(0, asked_on(session, 0, "reject", note="a leap"))
        session.decide(1, asked_on(session, 1, "accept"))
    with ReviewSession(folder, read_queue(folder, audit=5), "ada") as session:
        assert [case.queued.problem_id for case in session.cases][:3] == first
        decided = [case.last.action if case.last else None for case in session.cases]
        assert decided == ["reject", "accept", None, None, None]
    assert {one.where for one in read_decisions(folder)} == {"audit"}
    assert apply_decisions(folder) == 5
    assert first[0] not in {trace.problem_id for trace in read_records(folder / "traces.jsonl", Trace)}


@pytest.mark.long
def test_a_kill_loses_nothing_that_was_answered(folder: Path) -> None:
    rng = random.Random(7)
    saved: list[str] = []
    for _ in range(2):
        with serve(folder) as served:
            assert served.case(RIGHT_CASE)["decided"] == (saved[-1] if saved and saved[-1] != "undo" else None)
            # Once some are answered, the kill comes at any moment of the next few exchanges.
            killer = threading.Timer(0.03 * rng.random(), served.process.kill)
            before = len(saved)
            with contextlib.suppress(OSError, http.client.HTTPException):
                while True:
                    action = "undo" if served.case(RIGHT_CASE)["decided"] else "accept"
                    if served.decide(RIGHT_CASE, action)[0] == 200:
                        saved.append(action)
                    if len(saved) == before + 5:
                        killer.start()
            killer.join()
        kept = [one.action for one in read_decisions(folder)]
        # One decision may have reached the disk without its answer reaching us.
        assert kept[: len(saved)] == saved
        assert len(kept) <= len(saved) + 1
        saved = kept
    assert saved
    with open(folder / DECISIONS, "ab") as file:
        file.write(b'{"problem_id":"box-right","where":"qu')
    with serve(folder) as served:
        assert served.decide(WRONG_CASE, "edit", draft=editor_rows())[0] == 200
    assert [one.action for one in read_decisions(folder)] == [*saved, "edit"]


def test_a_full_disk_saves_nothing_and_spoils_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ReviewSession(folder, read_queue(folder), "ada") as session:
        asked = asked_on(session, WRONG_CASE, "reject", note="a")
        sync = os.fsync

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            session.decide(WRONG_CASE, asked)
        assert session.open(WRONG_CASE).review.last is None
        monkeypatch.setattr(os, "fsync", sync)
        assert read_decisions(folder) == []
        session.decide(WRONG_CASE, asked)
    assert [one.note for one in read_decisions(folder)] == ["a"]


def test_a_case_without_any_trace_can_be_written_by_hand(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "empty", [(box(), case_of(box(), None, None))])
    with ReviewSession(folder, read_queue(folder), "ada") as session:
        with pytest.raises(DecisionRefused):
            session.decide(0, asked_on(session, 0, "accept"))
        trace = session.decide(0, asked_on(session, 0, "edit", draft=Draft.model_validate(editor_rows()))).review.trace
        assert trace is not None
        assert trace.teacher == "ada"


def test_a_step_that_only_fails_to_be_proved_is_the_persons_to_judge(tmp_path: Path) -> None:
    text = RIGHT_BOOTH.replace("INFER #1 #3: ? = across(Mary)", "INFER #3: ? = across(Mary)")
    folder = write_folder(tmp_path / "loose", [(BOOTH, case_of(BOOTH, text))])
    with ReviewSession(folder, read_queue(folder), "ada") as session:
        assert session.decide(0, asked_on(session, 0, "accept")).review.last is not None


def asked_on(session: ReviewSession, index: int, action: str, **fields: Any) -> DecisionRequest:
    """A decision on the case as it is now."""
    item = session.open(index)
    return DecisionRequest.model_validate(
        {"action": action, "digest": digest(item.review.trace), "seen": len(item.history), **fields}
    )


def test_the_report_counts_the_audit(folder: Path, srt: Any) -> None:
    with Journal(folder / JOURNAL) as journal:
        table = CaseTable(journal)
        for position, case in enumerate(read_records(folder / "cases.jsonl", TeachingCase)):
            table.save(position, case)
    with ReviewSession(folder, read_queue(folder, audit=6), "ada") as session:
        for n in range(6):
            fault = None if n else Fault.LEAP
            session.decide(n, asked_on(session, n, "reject" if fault else "accept", fault=fault))
    assert srt("review", folder, "--apply").out.endswith(": 5 traces\n")
    residual = json.loads((folder / "report.json").read_text())["residual"]
    assert (residual["wrong"], residual["audited"]) == (1, 6)
    assert "<html" in (folder / "report.html").read_text()


def test_a_decision_over_one_that_was_not_seen_is_refused(folder: Path) -> None:
    with serve(folder) as served:
        first = second = seen(served.case(RIGHT_CASE))
        assert served.decide(RIGHT_CASE, "reject", note="ada", **first)[0] == 200
        for action, fields in (
            ("accept", {}),
            ("reject", {"note": "bob"}),
            ("undo", {}),
            ("edit", {"draft": editor_rows(RIGHT_BOX.replace("the base", "its base"))}),
        ):
            status, data = served.decide(RIGHT_CASE, action, **fields, **second)
            assert (status, "look at it again" in data["error"]) == (409, True), action
        # An undo does not bring back the number of decisions that the other window has seen.
        assert served.decide(RIGHT_CASE, "undo")[0] == 200
        assert served.decide(RIGHT_CASE, "accept", **second)[0] == 409
        assert served.decide(RIGHT_CASE, "accept")[0] == 200
        # Nor does what is on another case.
        assert served.decide(WRONG_CASE, "reject", note="bob")[0] == 200
        assert served.decide(RIGHT_CASE, "undo")[0] == 200
    assert [one.action for one in read_decisions(folder)] == ["reject", "undo", "accept", "reject", "undo"]


def seen(view: dict[str, Any]) -> dict[str, Any]:
    return {"digest": view["digest"], "seen": len(view["history"])}


def test_one_of_two_decisions_at_the_same_time_is_saved(folder: Path) -> None:
    with serve(folder) as served:
        as_seen = seen(served.case(RIGHT_CASE))
        with ThreadPoolExecutor(8) as pool:
            said = list(pool.map(lambda n: served.decide(RIGHT_CASE, "reject", note=f"{n}", **as_seen)[0], range(8)))
    assert sorted(said) == [200, *[409] * 7]
    assert len(read_decisions(folder)) == 1
