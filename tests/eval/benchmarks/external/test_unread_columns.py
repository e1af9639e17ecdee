"""Options and pictures in columns of usual names are read, or named in a refusal; never left out without a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.benchmarks.external.column_names import parse_columns
from srt.io.errors import UserError
from srt.io.records import Answer, Problem

Imported = Callable[..., tuple[list[Problem], list[dict[str, Any]], dict[str, Any]]]
ROWS = "Which animal barks?,cat,dog,cow,B\nWhich flies?,mole,hen,eagle,C\n"


@pytest.mark.parametrize(
    "options",
    [
        "option_a,option_b,option_c",
        "a,b,c",
        "option1,option2,option3",
        "Choice 1,Choice 2,Choice 3",
        "opt0,opt1,opt2",
        "1,2,3",
        "Option A,Option B,Option C",
    ],
)
def test_a_run_of_columns_is_the_options(options: str, tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "o.csv").write_text(f"question,{options},answer\n{ROWS}", "utf-8")
    problems, refused, summary = imported("plain", tmp_path / "o.csv")
    assert refused == []
    assert problems[1].choices == {"A": "mole", "B": "hen", "C": "eagle"}
    assert [one.answer for one in problems] == [Answer(kind="choice_set", value=[letter]) for letter in "BC"]
    assert summary["read as"] == [f"choices: columns {options.replace(',', ', ')}"]


@pytest.mark.parametrize("golds", [("B", "C"), ("2", "3")])
def test_columns_that_may_be_options_are_named(golds: tuple[str, str], tmp_path: Path, imported: Imported) -> None:
    rows = ROWS.replace(",B\n", f",{golds[0]}\n").replace(",C\n", f",{golds[1]}\n")
    (tmp_path / "o.csv").write_text(f"question,pick 1,pick 2,pick 3,answer\n{rows}", "utf-8")
    with pytest.raises(UserError, match='--columns choices="pick 1","pick 2","pick 3"'):
        imported("plain", tmp_path / "o.csv")


def test_a_layout_without_options_does_not_hide_them(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "o.csv").write_text(f"problem,option_a,option_b,option_c,answer\n{ROWS}", "utf-8")
    with pytest.raises(UserError, match='--columns question="problem"'):
        imported("plain", tmp_path / "o.csv")
    problems, _, _ = imported("plain", tmp_path / "o.csv", columns={"question": "problem"})
    assert list(problems[0].choices.values()) == ["cat", "dog", "cow"]


def test_coefficients_are_no_options(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "o.csv").write_text("question,a,b,answer\nWhat is a + b?,3,4,7\n", "utf-8")
    problems, _, summary = imported("plain", tmp_path / "o.csv")
    assert (problems[0].choices, summary["columns that are not read"]) == ({}, "a, b")


@pytest.mark.parametrize("column", ["img", "image_1", "Image", "figure path"])
def test_a_column_of_pictures_that_nothing_reads_is_named(column: str, tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "p.csv").write_text(f"question,{column},answer\nHow many sides?,1.png,4\n", "utf-8")
    with pytest.raises(UserError, match="--columns picture="):
        imported("plain", tmp_path / "p.csv")


HINT = """Nr.,Problem text,Possible answers,Correct one
Q-01,Which comes first in the alphabet?,A) red; B) blue; C) green,B
Q-02,Which animal barks?,A) cat; B) horse; C) dog,C
"""


def test_what_is_proposed_is_what_imports_rightly(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "h.csv").write_text(HINT, "utf-8")
    proposal = 'question="Problem text",answer="Correct one",choices="Possible answers"'
    with pytest.raises(UserError, match=f"--columns {proposal};"):
        imported("plain", tmp_path / "h.csv")
    problems, refused, _ = imported("plain", tmp_path / "h.csv", columns=parse_columns(proposal))
    assert refused == []
    assert problems[1].choices == {"A": "cat", "B": "horse", "C": "dog"}
    assert problems[1].answer == Answer(kind="choice_set", value=["C"])


@pytest.mark.parametrize(
    "text", ["prompt,answer A,answer B\nWhich barks?,dog,mole\n", "prompt,solutions,topic\nWhich?,A) cat B) dog,x\n"]
)
def test_where_it_is_unsure_no_answer_is_proposed(text: str, tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "h.csv").write_text(text, "utf-8")
    with pytest.raises(UserError, match='question="prompt",answer="COLUMN"'):
        imported("plain", tmp_path / "h.csv")
