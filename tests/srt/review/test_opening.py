"""A taught folder that is opened for review: what is there again, what is named, and how fast."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from taught_folder import (
    RIGHT_BOX,
    RIGHT_CASE,
    WRONG_CASE,
    box,
    case_of,
    editor_rows,
    picture,
    serve,
    write_folder,
)

from srt.io.errors import UserError
from srt.io.folder_lock import LOCK, hold_folder
from srt.io.record_lines import parse_record
from srt.io.record_writer import write_records
from srt.review.page_view import session_view
from srt.review.review_queue import read_queue
from srt.review.session import ReviewSession
from srt.teaching.case_store.decisions import DECISIONS


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


def test_review_leaves_no_lock_behind(folder: Path) -> None:
    with serve(folder) as served:
        assert (folder / LOCK).exists()
        served.stop()
    assert not (folder / LOCK).exists()


def test_decisions_are_there_again_at_the_next_start(folder: Path) -> None:
    """Also one of an earlier trace, which does not count any more; the digest leaves the verdicts out."""
    with serve(folder) as served:
        assert served.decide(WRONG_CASE, "edit", draft=editor_rows())[0] == 200
        assert served.decide(RIGHT_CASE, "accept")[0] == 200
    cases = (folder / "cases.jsonl").read_text()
    (folder / "cases.jsonl").write_text(cases.replace("one layer holds 3 * 4 = 13 cubes", "a layer of 3 * 4 = 13"))
    with serve(folder) as served:
        listed = served.call("GET", "/api/session")[1]["cases"]
        assert [one["decided"] for one in listed[:2]] == [None, "accept"]
        assert [served.case(n)["decided"] for n in (WRONG_CASE, RIGHT_CASE)] == [None, "accept"]
        assert len(served.case(WRONG_CASE)["history"]) == 1


def test_a_case_that_cannot_be_read_in_full_is_one_line_when_it_is_opened(folder: Path) -> None:
    cases = (folder / "cases.jsonl").read_text().splitlines(keepends=True)
    cases[RIGHT_CASE] = cases[RIGHT_CASE].replace('"made_by":"teacher"', '"made_by":"nobody"')
    (folder / "cases.jsonl").write_text("".join(cases))
    with serve(folder) as served:
        assert len(served.call("GET", "/api/session")[1]["cases"]) == 4
        status, data = served.call("GET", f"/api/cases/{RIGHT_CASE}")
        assert (status, "rounds.0.made_by" in data["error"]) == (500, True)
        assert served.call("GET", f"/api/cases/{WRONG_CASE}")[0] == 200


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
