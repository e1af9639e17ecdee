"""Cells that somebody wrote to be misread: each is read rightly, or its row is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.benchmarks.benchmark_registry import import_benchmark
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Problem

FOUR = ["cat", "dog", "cow", "hen"]
COLUMNS = "ABCD"


def columns(*texts: str | None) -> dict[str, str | None]:
    return dict(zip(COLUMNS, texts, strict=False))


def read(folder: Path, row: dict[str, Any], mapping: str = "") -> Problem:
    """The problem of ``row``."""
    (folder / "data").mkdir()
    (folder / "data" / "items.jsonl").write_bytes(orjson.dumps({"question": "Which is it?"} | row))
    (folder / "data" / "mine.yaml").write_text(f"data: items.jsonl\n{mapping}", "utf-8")
    import_benchmark("plain", folder / "data" / ("mine.yaml" if mapping else "items.jsonl"), folder / "out.jsonl")
    [problem] = read_records(folder / "out.jsonl", Problem)
    return problem


def gold(problem: Problem) -> list[str]:
    assert problem.answer is not None
    assert problem.answer.kind == "choice_set"
    return list(problem.answer.value)


@pytest.mark.parametrize(
    ("row", "right"),
    [
        ({"choices": FOUR, "answer": [0, 1, 0, 0]}, ["B"]),
        ({"choices": FOUR, "answer": [0, 0, 1, 0]}, ["C"]),
        ({"choices": FOUR, "answer": [1, 0, 0, 1]}, ["A", "D"]),
        ({"choices": FOUR[:2], "answer": [False, True]}, ["B"]),
        ({"choices": FOUR, "answer": ["A", "C"]}, ["A", "C"]),
        ({**columns("$C$", "$B$", "$A$"), "answer": "$C$"}, ["A"]),
        ({**columns("x", "y", "z"), "answer": "$C$"}, ["C"]),
        ({**columns("a", "b", "c"), "answer": "b"}, ["B"]),
        ({**columns("cat", "dog"), "answer": "b"}, ["B"]),
        ({**columns("None", "dog"), "answer": "None"}, ["A"]),
    ],
)
def test_the_gold_is_the_right_option(tmp_path: Path, row: dict[str, Any], right: list[str]) -> None:
    assert gold(read(tmp_path, row)) == right


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"choices": FOUR[:2], "answer": [0, 1]}, "two places"),
        ({"choices": FOUR, "answer": [0, 0, 0, 0]}, "marks no option"),
        ({"choices": FOUR, "answer": [0, 1, 0]}, "neither places"),
        ({"choices": FOUR, "answer": [None]}, "answer: empty"),
        ({**columns("c", "a", "b"), "answer": "c"}, "answer_is: letter"),
        ({"choices": {"A": "c", "B": "a", "C": "b"}, "answer": "c"}, "answer_is: letter"),
        ({**columns("(C)", "(A)", "(B)"), "answer": "(C)"}, "answer_is: letter"),
        ({**columns("x", "y", "z", "A, C"), "answer": "A, C"}, "answer_is: letter"),
        ({**columns("r", "", "g", "p"), "answer": "A"}, "option B is empty"),
        ({**columns("r", None, "g", "p"), "answer": "B"}, "option B is empty"),
        ({"choices": ["r", None, "g"], "answer": "A"}, "option B is empty"),
        ({**columns("r", "g", ""), "answer": "C"}, "answer: 'C'"),
        ({**columns("A. r", "B.", "C. g"), "answer": "B"}, "option B is empty"),
        ({"question": "nan", "choices": FOUR, "answer": "A"}, "question: 'nan'"),
        ({"question": "N/A", "answer": "12"}, "question: 'N/A'"),
        ({**columns("B. cat", "A. dog"), "answer": "A"}, "bear the letters B, A"),
        ({**columns("A)B", "B)C", "C)D"), "answer": "A"}, "column A"),
        *[({"answer": text}, "no answer") for text in ("None", "N/A", "null", "#N/A", "-", "nan", "NaN")],
        ({"choices": FOUR, "answer": "None"}, "no answer"),
    ],
)
def test_what_cannot_be_settled_is_refused(tmp_path: Path, row: dict[str, Any], reason: str) -> None:
    with pytest.raises(UserError) as caught:
        read(tmp_path, row)
    assert reason in str(caught.value)


@pytest.mark.parametrize(("answer_is", "right"), [("letter", "C"), ("option text", "A")])
def test_the_mapping_says_whether_a_letter_or_a_text_is_meant(tmp_path: Path, answer_is: str, right: str) -> None:
    row = {**columns("c", "a", "b"), "answer": "c"}
    assert gold(read(tmp_path, row, f"answer_is: {answer_is}\n")) == [right]


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["①②", "②③", "③④"], ["①②", "②③", "③④"]),
        (["① only", "② only", "③ only"], ["① only", "② only", "③ only"]),
        (["(1)(2)", "(2)(3)"], ["(1)(2)", "(2)(3)"]),
        (["a.png", "b.jpg"], ["a.png", "b.jpg"]),
        (["A. cat", "B. dog"], ["cat", "dog"]),
        (["(A) cat", "(B) dog"], ["cat", "dog"]),
        (["A．猫", "B．狗"], ["猫", "狗"]),
        (["A. cat", "dog"], ["A. cat", "dog"]),
        (["a) cat", "b) dog"], ["cat", "dog"]),
    ],
)
def test_in_columns_of_their_own_only_the_letter_of_the_column_is_a_label(
    tmp_path: Path, texts: list[str], kept: list[str]
) -> None:
    assert list(read(tmp_path, {**columns(*texts), "answer": "B"}).choices.values()) == kept
