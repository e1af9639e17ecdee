"""The user's own problems: what is taken, and that nothing bad is scored in silence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.benchmarks.benchmark_registry import BENCHMARKS, find_benchmark, import_benchmark
from eval.records.run_records import Run
from srt.io.errors import UserError
from srt.io.records import Answer

ONE: dict[str, Any] = {
    "id": "one",
    "source": "mine",
    "split": "test",
    "lang": "en",
    "question": "item 1: which?",
    "choices": {"A": "this", "B": "that"},
    "answer": {"kind": "choice_set", "value": ["A"]},
}


def other(number: int, **changes: Any) -> dict[str, Any]:
    return {**ONE, "id": f"q{number}", "question": f"item {number}: which?", **changes}


def test_records_go_through_and_are_scored(
    tmp_path: Path, imported: Any, write_jsonl: Any, draw: Any, run_of: Callable[..., Run]
) -> None:
    picture = draw(tmp_path / "data" / "figures" / "1.png")
    image = {"path": "figures/1.png", "sha256": hashlib.sha256(picture.read_bytes()).hexdigest()}
    rows = [
        {**ONE, "images": [image]},
        other(2, answer={"kind": "number", "value": 3}, choices={}),
        other(3, answer=None),
    ]
    problems, refused, summary = imported("plain", write_jsonl(tmp_path / "data" / "mine.jsonl", rows))
    assert (len(problems), refused, summary["problems"]) == (3, [], 3)
    assert problems[0].images[0].path == "data/figures/1.png"
    run = run_of("plain", tmp_path / "problems.jsonl", {"1": "A", "2": "3", "3": "B"}.__getitem__)
    assert {key[0]: row.value for key, row in run.scores.items()} == {"one": 1.0, "q2": 1.0}


def test_bad_records_are_refused_by_name(tmp_path: Path, imported: Any, write_jsonl: Any, draw: Any) -> None:
    draw(tmp_path / "data" / "1.png")
    rows = [
        ONE,
        other(2, images=[{"path": "missing.png", "sha256": "0" * 64}]),
        other(3, images=[{"path": "1.png", "sha256": "0" * 64}]),
        other(4, images=[{"path": "../../1.png", "sha256": "0" * 64}]),
        other(5, answer={"kind": "number", "value": "three"}),
        other(6, answer={"kind": "choice_set", "value": ["C"]}),
        other(7, lang="fr"),
        ONE,
        {**ONE, "id": "again"},
        other(8),
        {**other(8), "id": "q9", "answer": {"kind": "choice_set", "value": ["B"]}},
    ]
    path = write_jsonl(tmp_path / "data" / "mine.jsonl", rows)
    problems, refused, summary = imported("plain", path)
    assert [problem.id for problem in problems] == ["one"]
    assert [(row["item"], row["reason"]) for row in refused] == [
        ("q2", "picture"),
        ("q3", "picture"),
        ("q4", "picture"),
        ("q5", "no_answer"),
        ("q6", "answer_is_no_option"),
        ("q7", "unreadable"),
        ("one", "duplicate"),
        ("again", "duplicate"),
        ("q8", "duplicate"),
        ("q9", "duplicate"),
    ]
    details = {row["item"]: row["detail"] for row in refused}
    assert "mine.jsonl:2: images: " in details["q2"]
    assert "missing.png" in details["q2"]
    assert "SHA-256 differs" in details["q3"]
    assert "mine.jsonl:5: answer: 'three' is not the value of an answer of kind number" in details["q5"]
    assert "answer: C; the options are A, B" in details["q6"]
    assert "mine.jsonl:7: lang: " in details["q7"]
    assert details["again"] == "question: asks the same as 'one', which is taken"
    assert "have different ones: 'q8' A, 'q9' B" in details["q8"]  # neither can be believed
    assert summary["refused"] == {
        "problem answer_is_no_option": 1,
        "problem duplicate": 4,
        "problem no_answer": 1,
        "problem picture": 3,
        "problem unreadable": 1,
    }
    path.write_bytes(b'{"id": "\\ud83d"}\n' + path.read_bytes())  # a line that cannot be read, before records of ours
    problems, refused, _ = imported("plain", path)
    assert [problem.id for problem in problems] == ["one"]
    assert (refused[0]["item"], refused[0]["reason"]) == ("line 1", "unreadable")


def test_a_file_that_is_none_of_ours_is_read_through_a_mapping(tmp_path: Path, imported: Any) -> None:
    (tmp_path / "items.csv").write_text(
        "nr,text,x,y,key\n1,item 1: which?,this,that,B\n2,item 2: which?,this,that,E\n", "utf-8"
    )
    (tmp_path / "mine.yaml").write_text(
        "data: items.csv\nfields: {id: nr, question: text, choices: [x, y], answer: key}\n", "utf-8"
    )
    problems, refused, _ = imported("plain", tmp_path / "mine.yaml")
    assert [(one.id, one.choices, one.answer) for one in problems] == [
        ("1", {"A": "this", "B": "that"}, Answer(kind="choice_set", value=["B"]))
    ]
    assert [(row["item"], row["reason"]) for row in refused] == [("2", "answer_is_no_option")]


def test_nothing_is_written_where_nothing_is_taken(tmp_path: Path, write_jsonl: Any) -> None:
    path = write_jsonl(tmp_path / "data" / "mine.jsonl", [other(1, lang="fr")])
    with pytest.raises(UserError, match="1 refused: q1: "):
        import_benchmark("plain", path, tmp_path / "out.jsonl")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["data"]


def test_a_benchmark_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match=f"'best': .*{', '.join(sorted(BENCHMARKS))}"):
        find_benchmark("best")
