"""The card that srt import prints, on the command line as a user sees it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eval.benchmarks.external.column_names import parse_columns
from srt.cli import make_app
from srt.io.errors import UserError

ROWS = "id,question,A,B,answer,picture\n1,Which way?,A. up,B. down,B,one.png\n2,How many?,,,7,\n3,Who?,,,,\n"


@pytest.fixture
def run(tmp_path: Path, draw: Callable[..., Path]) -> Callable[..., str]:
    """``run(option, ...)``: what ``srt import plain`` prints of :data:`ROWS`."""
    draw(tmp_path / "data" / "one.png")
    (tmp_path / "data" / "items.csv").write_text(ROWS, "utf-8")

    def make(*options: str) -> str:
        command = ["import", "plain", str(tmp_path / "data" / "items.csv"), "-o", str(tmp_path / "p.jsonl"), *options]
        found = CliRunner().invoke(make_app(), command)
        assert found.exit_code == 0, found.output
        return found.output

    return make


def test_the_card_shows_records_a_rolled_prompt_refusals_and_counts(run: Callable[..., str]) -> None:
    printed = run()
    assert "question: Which way?\n  A. up\n  B. down\n  pictures: " in printed
    assert "gold: B (choice set)" in printed
    assert "A. down\n  B. up\n" in printed  # rolled, without the letters of the file
    assert "(gold: A)" in printed
    assert "refused: 3: " in printed
    lines = {" ".join(line.split()) for line in printed.splitlines()}
    assert {"options per problem: 2 1", "options per problem: none 1", "gold: B 1", "gold: number 1"} <= lines
    assert "pictures: PNG 1, 12 x 12" in lines
    assert "golds that do not equal themselves 0" in lines


def test_the_card_as_data(run: Callable[..., str]) -> None:
    summary: dict[str, Any] = json.loads(run("--json"))
    assert [one["id"] for one in summary["card"]["records"]] == ["1", "2"]
    assert [one["item"] for one in summary["card"]["refused"]] == ["3"]
    assert summary["gold"] == {"B": 1, "number": 1}


def test_columns_on_the_command_line(run: Callable[..., str]) -> None:
    assert "gold: 7 (number)" in run("--columns", "question=question,choices=A,B,answer=answer")
    assert parse_columns('question=Problem text,choices=a,b,answer="Gold"') == {
        "question": "Problem text",
        "choices": ["a", "b"],
        "answer": "Gold",
    }
    for wrong in ("question", "=a", "question=", ",", "a=b,a=c"):
        with pytest.raises(UserError, match="--columns"):
            parse_columns(wrong)
