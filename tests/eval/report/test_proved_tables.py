"""What a report says of arms that the checker had a say in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eval.report.compare import compare

PROVED = "CORRELATE (1): true\nINFER #1: true\n"


@pytest.fixture
def folders(make_run: Callable[..., Path]) -> list[Path]:
    """Runs of one model without ``decode`` (6 proved), with two budgets (12 and 24), and of prose."""
    folders = []
    for arm, proved, decode in (("srt", 6, None), ("p64", 12, {"tokens": 64}), ("p256", 24, {"tokens": 256})):

        def reply(number: int, proved: int = proved) -> str:
            return (PROVED if number < proved else "") + "ANSWER: B"

        folder = make_run(arm, reply)
        manifest = json.loads((folder / "run.json").read_text())
        manifest["fingerprint"] = "m" * 64
        if decode:
            manifest["settings"]["decode"] = {"proved": {"tries": 6, "back": 1, **decode}}
        (folder / "run.json").write_text(json.dumps(manifest))
        folders.append(folder)
    return [*folders, make_run("cot", lambda number: "She turns round.\nANSWER: B")]


@pytest.fixture
def report(folders: list[Path], tmp_path: Path, blank_plots: None) -> Path:
    """A report of all of them."""
    compare(folders, tmp_path / "report")
    return tmp_path / "report"


def test_one_arm_that_is_proved_step_by_step_leads(folders: list[Path], tmp_path: Path, blank_plots: None) -> None:
    srt, p64, _, cot = folders
    compare([srt, p64, cot], tmp_path / "report")
    text = (tmp_path / "report" / "report.md").read_text()
    said = "p64: 26.7 [14.2, 44.4]% of 30 problems proved and right (24 tokens), one training run."
    assert f"**{said} Right without a checker: srt 66.7% (17 tokens), cot 66.7% (27 tokens).**" in text
    page = (tmp_path / "report" / "report.html").read_text()
    assert said in page
    assert "proved and right, % [95%]" in page
    assert "difference, points [95%]" not in page.split("<nav")[0], "no arm is said to be better or worse"


def test_the_tables_of_proof(report: Path) -> None:
    text = (report / "report.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "]
    alone = text.split("## If only proved answers are given")[1].split("\n## ")[0]
    # Of the first 24 problems 8 have another answer than B.
    assert ["p256", "80.0 [62.7, 90.5]", "66.7 [46.7, 82.0]", "8"] in [row[:4] for row in rows]
    assert "cot" not in alone, "prose has no proof"
    curve = [[row[0], row[1], row[2], row[5]] for row in rows if len(row) == 6 and row[0] in ("srt", "p64", "p256")]
    assert curve == [
        ["srt", "none", "-", "13.3 [5.3, 29.7]"],
        ["p64", "proved", "64", "26.7 [14.2, 44.4]"],
        ["p256", "proved", "256", "53.3 [36.1, 69.8]"],
    ]


def test_what_the_checker_chose_is_not_called_accuracy(report: Path) -> None:
    for file in ("report.md", "report.html"):
        assert "p64 and p256 answered (decode)" in (report / file).read_text()
        assert "decode proved (tries 6, back 1, tokens 64) against none" in (report / file).read_text()
    page = (report / "report.html").read_text()
    assert (report / "proved_tokens.png").is_file()
    assert page.count('id="proved"') == page.count('id="decode"') == 1
    assert page.count("Proved and right against tokens: ") == 1, "one plot, with its alternative text"
