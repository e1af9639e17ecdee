"""``srt curate`` on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from srt.cli import main
from srt.curate import CHECKS
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem

PROBLEM = Problem(
    id="a",
    source="made up",
    split="train",
    lang="en",
    question="Find the volume of a cone of base radius 3 and height 4.",
    answer=Answer(kind="expression", value="12\\pi"),
    solution="So the answer is $12\\pi$.",
)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["srt", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    again = PROBLEM.model_copy(update={"id": "b", "question": PROBLEM.question.upper()})
    write_records(tmp_path / "p.jsonl", [PROBLEM, again, PROBLEM.model_copy(update={"id": "c", "solution": None})])
    return tmp_path / "p.jsonl"


def test_the_summary_and_the_report(
    problems: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, report = problems.with_name("k.jsonl"), problems.with_name("report.json")
    assert run(monkeypatch, "curate", problems, "-o", out, "--report", report, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["found"] == {"drop exact_duplicate": 1, "drop no_solution": 1}
    assert summary == json.loads(report.read_text(encoding="utf-8"))
    skipped = [word for check in CHECKS for word in ("--skip", check)]
    assert run(monkeypatch, "curate", problems, "-o", out, *skipped) == 0
    assert "kept" in capsys.readouterr().out
    assert len(out.read_bytes().splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--skip", "nothing"], "--skip"),
        (["--text-review", "0.95"], "--text-review"),
        (["--base-url", "http://x"], "--base-url"),
        (["--embeddings", ""], "--embeddings"),
    ],
)
def test_wrong_options_are_one_line(
    problems: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    assert run(monkeypatch, "curate", problems, "-o", problems.with_name("k.jsonl"), *arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_import_knows_its_languages(
    problems: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("import", "mathspatial", problems.parent, "-o", problems.with_name("x.jsonl"), "--lang", "de")
    assert run(monkeypatch, *arguments) == 2
    error = capsys.readouterr().err
    assert "--lang" in error
    assert "'de'" in error
