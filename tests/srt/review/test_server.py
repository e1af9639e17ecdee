"""The server without a browser: who may talk to it, what it saves, and what a kill leaves behind."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from taught_folder import (
    BOOTH,
    RIGHT_BOOTH,
    RIGHT_BOX,
    Served,
    box,
    case_of,
    picture,
    serve,
    taught,
    trace_of,
    write_folder,
)

from srt.io.errors import UserError
from srt.io.folder_lock import LOCK, hold_folder
from srt.io.record_lines import parse_record
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.llm.journal import Journal
from srt.review.draft import Draft
from srt.review.page_view import session_view
from srt.review.review_queue import read_queue
from srt.review.session import DecisionRefused, DecisionRequest, ReviewSession
from srt.teaching.case_store.case_records import TeachingCase
from srt.teaching.case_store.case_table import CaseTable
from srt.teaching.case_store.decisions import DECISIONS, digest, read_decisions
from srt.teaching.case_store.folder_files import apply_decisions
from srt.teaching.case_store.manifest import JOURNAL

WRONG, RIGHT, WORLD, HOSTILE = range(4)


def draft(text: str = RIGHT_BOX, answer: str | None = None, premises: str | None = None) -> dict[str, Any]:
    """The rows of the editor for a trace in English; ``premises`` are put into its third row."""
    trace = trace_of(BOOTH, text)
    rows = [
        {"op": step.op, "premises": " ".join(step.args), "text": step.assertion or step.claim} for step in trace.steps
    ]
    if premises is not None:
        rows[2]["premises"] = premises
    return {"steps": rows, "answer": answer or trace.answer}


@pytest.fixture(scope="module")
def standing_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """One server for the tests that save nothing."""
    folder = taught(tmp_path_factory.mktemp("review") / "taught")
    with serve(folder) as served:
        yield served, folder
        assert read_decisions(folder) == []


def test_only_the_page_itself_may_talk_to_it(standing_server: tuple[Served, Path]) -> None:
    served, _ = standing_server
    own = f"127.0.0.1:{served.port}"
    body = {"action": "accept", "digest": served.case(RIGHT)["digest"]}
    path = f"/api/cases/{RIGHT}/decide"
    for name in (
        f"evil.example:{served.port}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.0.0.1.evil.example:{served.port}",
        "",
    ):
        for asked in ("/", "/page.js", "/api/session", f"/api/cases/{RIGHT}", f"/api/cases/{WRONG}/pictures/1"):
            assert served.call("GET", asked, headers={"Host": name})[0] == 403, (name, asked)
        assert served.call("POST", path, body, {"Host": name, "Origin": f"http://{name}"})[0] == 403
    for origin in (
        "http://evil.example",
        "null",
        f"https://{own}",
        "http://127.0.0.1",
        f"http://{own}.evil.example",
        None,
    ):
        status, data = served.call("POST", path, body, {"Origin": origin})
        assert (status, list(data)) == (403, ["error"]), origin
    for token in ("", "x" * 32, served.token[:-1], None):
        assert served.call("POST", path, body, {"X-SRT-Token": token})[0] == 403, token
        assert served.call("GET", "/api/session", headers={"X-SRT-Token": token})[0] == 403
        assert served.call("GET", f"/api/cases/{WRONG}/pictures/1", headers={"X-SRT-Token": token})[0] == 403
        assert served.call("GET", f"/?token={token}")[0] == 403
    assert served.call("GET", "/api/session", headers={"X-SRT-Token": "\xff"})[0] == 403
    assert served.call("GET", "/?token=%ff")[0] == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", None):
        assert served.call("POST", path, body, {"Content-Type": kind})[0] == 415
    assert served.call("GET", f"/?token={served.token}")[0] == 200
    assert served.call("GET", "/api/session", headers={"Host": f"localhost:{served.port}"})[0] == 200


def test_every_answer_forbids_what_the_page_does_not_need(standing_server: tuple[Served, Path]) -> None:
    served, _ = standing_server
    for path in (f"/?token={served.token}", "/page.js", "/page.css", "/api/session", "/nothing", "/?token=wrong"):
        served.call("GET", path)
        policy = served.headers["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert served.headers["X-Content-Type-Options"] == "nosniff"
        assert served.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_it_listens_on_the_loopback_address_alone(standing_server: tuple[Served, Path]) -> None:
    served, _ = standing_server
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:] + Path("/proc/net/tcp6").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    assert [at for at in listening if at.endswith(f":{served.port:04X}")] == [f"0100007F:{served.port:04X}"]


def test_only_files_of_the_page_and_pictures_of_cases_are_served(standing_server: tuple[Served, Path]) -> None:
    served, folder = standing_server
    status, data = served.call("GET", f"/api/cases/{WRONG}/pictures/1")
    assert (status, served.headers["Content-Type"]) == (200, "image/png")
    assert data == (folder / "pictures" / "view.png").read_bytes()
    for path in (
        "/../server.py",
        "/page.js/../server.py",
        "/%2e%2e/server.py",
        "/server.py",
        f"/api/cases/{WRONG}/pictures/2",
        f"/api/cases/{WRONG}/pictures/../../../../folder.json",
        f"/api/cases/{WRONG}/pictures/..%2F..%2Ffolder.json",
        f"/api/cases/{WRONG}/pictures/view.png",
        "/api/cases/99",
        "/api/cases/-1",
    ):
        assert served.call("GET", path)[0] in (403, 404), path


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        ({"action": "delete", "digest": ""}, 400),
        ({"action": "accept", "digest": "", "seen": 0, "path": "/etc"}, 400),
        ({"action": "reject", "digest": "", "seen": 0, "fault": "no such fault"}, 400),
        (b" " * (2**20 + 1), 413),
        ({"action": "accept", "digest": ""}, 400),
        ({"action": "accept", "digest": "0" * 64, "seen": 0}, 409),
    ],
)
def test_bad_requests_are_refused(standing_server: tuple[Served, Path], body: Any, status: int) -> None:
    served, _ = standing_server
    given, data = served.call("POST", f"/api/cases/{RIGHT}/decide", body)
    assert given == status
    assert data["error"]


@pytest.mark.parametrize(
    ("index", "action", "fields", "message"),
    [
        (WRONG, "accept", {}, r"step 2 is wrong: .*12"),
        (WORLD, "accept", {}, r"step 2 is wrong"),
        (
            RIGHT,
            "edit",
            {"draft": draft(RIGHT_BOX.replace("2 * 12 = 24 cubes", "2 * 12 = 25 cubes"))},
            "step 3 is wrong",
        ),
        (
            RIGHT,
            "edit",
            {"draft": draft(answer="25")},
            "the trace is wrong: the answer is '25', but the gold answer is",
        ),
        (RIGHT, "edit", {"draft": draft(premises="#7")}, "step 3 is wrong"),
        (
            RIGHT,
            "edit",
            {"draft": draft(premises="#0")},
            "step 3, premises: '#0'",
        ),
        (RIGHT, "edit", {"draft": draft()}, "nothing"),
        (RIGHT, "edit", {}, "an edit"),
        (RIGHT, "reject", {"note": "  "}, "a rejection"),
        (RIGHT, "undo", {}, "there is no decision"),
    ],
)
def test_what_cannot_stand_is_refused(
    standing_server: tuple[Served, Path], index: int, action: str, fields: dict[str, Any], message: str
) -> None:
    status, data = standing_server[0].decide(index, action, **fields)
    assert status == 422
    assert re.match(message, data["error"]), data["error"]


def test_a_draft_is_checked_without_being_saved(standing_server: tuple[Served, Path]) -> None:
    served, _ = standing_server
    status, data = served.call("POST", f"/api/cases/{RIGHT}/check", draft(RIGHT_BOX.replace("2 * 12", "3 * 12")))
    assert status == 200
    assert [step["support"] for step in data["verdict"]["steps"]][2] == "refuted"
    assert data["verdict"]["blocking"][0]["step"] == 3
    status, data = served.call("POST", f"/api/cases/{RIGHT}/check", draft(premises="#0"))
    assert (status, data["verdict"], data["faults"][0]["step"]) == (200, None, 3)


def test_decisions_are_kept_and_the_traces_follow(folder: Path) -> None:
    with serve(folder) as served:
        assert served.decide(WRONG, "edit", draft=draft())[0] == 200
        assert served.decide(RIGHT, "accept")[0] == 200
        status, data = served.decide(RIGHT, "accept")
        assert (status, "accepted" in data["error"]) == (422, True)
        assert served.decide(WORLD, "reject", fault="misquoted_clue", note="clue 2 says the opposite")[0] == 200
        assert served.decide(HOSTILE, "accept")[0] == 200
        assert served.decide(HOSTILE, "undo")[0] == 200
        stale = served.case(RIGHT)["digest"]
        assert served.decide(RIGHT, "edit", draft=draft(RIGHT_BOX.replace("the base", "its base")))[0] == 200
        status, data = served.decide(RIGHT, "accept", digest=stale)
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
            assert served.case(RIGHT)["decided"] == (saved[-1] if saved and saved[-1] != "undo" else None)
            # Once some are answered, the kill comes at any moment of the next few exchanges.
            killer = threading.Timer(0.03 * rng.random(), served.process.kill)
            before = len(saved)
            with contextlib.suppress(OSError, http.client.HTTPException):
                while True:
                    action = "undo" if served.case(RIGHT)["decided"] else "accept"
                    if served.decide(RIGHT, action)[0] == 200:
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
        assert served.decide(WRONG, "edit", draft=draft())[0] == 200
    assert [one.action for one in read_decisions(folder)] == [*saved, "edit"]


def test_a_full_disk_saves_nothing_and_spoils_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ReviewSession(folder, read_queue(folder), "ada") as session:
        asked = asked_on(session, WRONG, "reject", note="a")
        sync = os.fsync

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            session.decide(WRONG, asked)
        assert session.open(WRONG).review.last is None
        monkeypatch.setattr(os, "fsync", sync)
        assert read_decisions(folder) == []
        session.decide(WRONG, asked)
    assert [one.note for one in read_decisions(folder)] == ["a"]


def test_a_case_without_any_trace_can_be_written_by_hand(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "empty", [(box(), case_of(box(), None, None))])
    with ReviewSession(folder, read_queue(folder), "ada") as session:
        with pytest.raises(DecisionRefused):
            session.decide(0, asked_on(session, 0, "accept"))
        trace = session.decide(0, asked_on(session, 0, "edit", draft=Draft.model_validate(draft()))).review.trace
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


def test_one_reviewer_at_a_time_and_clear_faults(folder: Path, tmp_path: Path, srt: Any) -> None:
    with hold_folder(folder):
        ran = srt("review", folder)
        assert (ran.status, ran.err.count("\n")) == (2, 1)
        assert "another process is writing to this folder" in ran.err
    (tmp_path / "bare").mkdir()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for arguments, said in (
            ((tmp_path / "gone",), "gone: no such folder"),
            ((tmp_path / "bare",), "no cases.jsonl in it"),
            ((folder, "--who", " "), "--who: a name was expected"),
            *(
                ((folder, "--who", name), "--who: a name of one line was expected, at most 100 printable characters")
                for name in ("a\nb", "a\u202eb", "a\udcff", "x" * 101)
            ),
            ((folder, "--no-browser", "--port", port), f"--port {port}"),
        ):
            ran = srt("review", *arguments)
            assert (ran.status, ran.err.count("\n")) == (2, 1), ran.err
            assert said in ran.err
    ran = srt("review", folder, "--apply")
    assert (ran.status, ran.out.split(": ")[-1]) == (0, "6 traces\n")
    (folder / DECISIONS).unlink()
    (folder / DECISIONS).mkdir()
    ran = srt("review", folder, "--no-browser")
    assert (ran.status, ran.err.count("\n")) == (2, 1), ran.err
    assert "decisions.jsonl: cannot be written to" in ran.err


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
        first = second = seen(served.case(RIGHT))
        assert served.decide(RIGHT, "reject", note="ada", **first)[0] == 200
        for action, fields in (
            ("accept", {}),
            ("reject", {"note": "bob"}),
            ("undo", {}),
            ("edit", {"draft": draft(RIGHT_BOX.replace("the base", "its base"))}),
        ):
            status, data = served.decide(RIGHT, action, **fields, **second)
            assert (status, "look at it again" in data["error"]) == (409, True), action
        # An undo does not bring back the number of decisions that the other window has seen.
        assert served.decide(RIGHT, "undo")[0] == 200
        assert served.decide(RIGHT, "accept", **second)[0] == 409
        assert served.decide(RIGHT, "accept")[0] == 200
        # Nor does what is on another case.
        assert served.decide(WRONG, "reject", note="bob")[0] == 200
        assert served.decide(RIGHT, "undo")[0] == 200
    assert [one.action for one in read_decisions(folder)] == ["reject", "undo", "accept", "reject", "undo"]


def seen(view: dict[str, Any]) -> dict[str, Any]:
    return {"digest": view["digest"], "seen": len(view["history"])}


def test_one_of_two_decisions_at_the_same_time_is_saved(folder: Path) -> None:
    with serve(folder) as served:
        as_seen = seen(served.case(RIGHT))
        with ThreadPoolExecutor(8) as pool:
            said = list(pool.map(lambda n: served.decide(RIGHT, "reject", note=f"{n}", **as_seen)[0], range(8)))
    assert sorted(said) == [200, *[409] * 7]
    assert len(read_decisions(folder)) == 1


def test_review_leaves_no_lock_behind(folder: Path) -> None:
    with serve(folder) as served:
        assert (folder / LOCK).exists()
        served.stop()
    assert not (folder / LOCK).exists()


def test_decisions_are_there_again_at_the_next_start(folder: Path) -> None:
    """Also one of an earlier trace, which does not count any more; the digest leaves the verdicts out."""
    with serve(folder) as served:
        assert served.decide(WRONG, "edit", draft=draft())[0] == 200
        assert served.decide(RIGHT, "accept")[0] == 200
    cases = (folder / "cases.jsonl").read_text()
    (folder / "cases.jsonl").write_text(cases.replace("one layer holds 3 * 4 = 13 cubes", "a layer of 3 * 4 = 13"))
    with serve(folder) as served:
        listed = served.call("GET", "/api/session")[1]["cases"]
        assert [one["decided"] for one in listed[:2]] == [None, "accept"]
        assert [served.case(n)["decided"] for n in (WRONG, RIGHT)] == [None, "accept"]
        assert len(served.case(WRONG)["history"]) == 1


def test_a_case_that_cannot_be_read_in_full_is_one_line_when_it_is_opened(folder: Path) -> None:
    cases = (folder / "cases.jsonl").read_text().splitlines(keepends=True)
    cases[RIGHT] = cases[RIGHT].replace('"made_by":"teacher"', '"made_by":"nobody"')
    (folder / "cases.jsonl").write_text("".join(cases))
    with serve(folder) as served:
        assert len(served.call("GET", "/api/session")[1]["cases"]) == 4
        status, data = served.call("GET", f"/api/cases/{RIGHT}")
        assert (status, "rounds.0.made_by" in data["error"]) == (500, True)
        assert served.call("GET", f"/api/cases/{WRONG}")[0] == 200


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('"state":"human"', '"state":"lost"', r"cases\.jsonl:1: .*state"),
        ('"category":"counting"', '"category":7', r"cases\.jsonl:1: .*category"),
        ('"rounds":[', '"rounds":[7,', r"cases\.jsonl:1: .*rounds\.0"),
        ('{"problem_id"', "{problem_id", r"cases\.jsonl:1: "),
    ],
)
def test_a_line_that_is_no_case_is_named_at_the_start(folder: Path, old: str, new: str, named: str) -> None:
    cases = (folder / "cases.jsonl").read_text()
    assert old in cases
    (folder / "cases.jsonl").write_text(cases.replace(old, new, 1))
    with pytest.raises(UserError, match=named):
        read_queue(folder)


def test_a_case_without_its_problem_is_named(folder: Path) -> None:
    lines = (folder / "problems.jsonl").read_text().splitlines(keepends=True)
    (folder / "problems.jsonl").write_text("".join(lines[1:]))
    with pytest.raises(UserError, match=r"cases\.jsonl: problem_id: 'box-wrong'"):
        read_queue(folder)


def test_a_trace_of_another_problem_is_named(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "mixed", [(box("one"), case_of(box("two"), RIGHT_BOX))])
    case = case_of(box("two"), RIGHT_BOX).model_copy(update={"problem_id": "one"})
    write_records(folder / "cases.jsonl", [case])
    with pytest.raises(UserError, match=r"cases\.jsonl: one: .*'two'"):
        read_queue(folder)


def test_a_sample_larger_than_what_passed_is_all_of_it(folder: Path) -> None:
    assert len(read_queue(folder, audit=1000).cases) == 6


def test_many_cases_are_listed_without_reading_them_as_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading one takes half a millisecond and 50 kB; what the list shows takes a tenth of that."""
    pairs = [(box(f"p{n}"), case_of(box(f"p{n}"), RIGHT_BOX)) for n in range(1000)]
    folder = write_folder(tmp_path / "many", pairs)
    picture(folder)
    read: list[str] = []

    def counted(line: bytes, model: type, place: str) -> Any:
        read.append(place)
        return parse_record(line, model, place)

    monkeypatch.setattr("srt.io.record_offsets.parse_record", counted)
    monkeypatch.setattr("srt.review.review_queue.parse_record", counted)
    with ReviewSession(folder, read_queue(folder), "ada") as session:
        assert len(session_view(session)["cases"]) == 1000
        assert not read
        assert session.open(7).problem.id == "p7"
        assert len(read) == 2
