"""Layouts that differ in the names of their columns: one invented row of each, and what must be read of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.benchmarks.benchmark_registry import import_benchmark
from srt.corpora.layouts.layout_registry import LAYOUTS
from srt.corpora.layouts.named_columns import turned
from srt.io.record_reader import read_records
from srt.io.records import Problem
from tests.eval.benchmarks.test_layouts import LAYOUTS as FILES

ROWS: list[tuple[str, dict[str, Any], str, list[str], Any]] = [
    (
        "ScienceQA",
        {
            "question": "Which?",
            "choices": ["ice", "fire"],
            "answer": 1,
            "hint": "Touch it.",
            "lecture": "",
            "solution": "",
        },
        "Touch it.\nWhich?",
        ["ice", "fire"],
        "fire",
    ),
    (
        "MMLU-Pro",
        {"question_id": 7, "question": "Which?", "options": list("pqrstuvwxy"), "answer": "I", "answer_index": 8},
        "Which?",
        list("pqrstuvwxy"),
        "x",
    ),
    ("HellaSwag", {"ctx": "He", "endings": ["a", "b", "c", "d"], "label": "3"}, "He", ["a", "b", "c", "d"], "d"),
    (
        "AQuA-RAT",
        {"question": "How far?", "options": ["A)21", "B)22"], "rationale": "So.", "correct": "B"},
        "How far?",
        ["21", "22"],
        "22",
    ),
    (
        "MathQA",
        {"Problem": "How far?", "Rationale": "So.", "options": "a ) 38 , b ) 27.5 , c ) none", "correct": "b"},
        "How far?",
        ["38", "27.5", "none"],
        "27.5",
    ),
    (
        "RACE",
        {"article": "Tom ran.", "question": "Who ran?", "options": ["Ann", "Tom"], "answer": "B", "example_id": "h1"},
        "Tom ran.\nWho ran?",
        ["Ann", "Tom"],
        "Tom",
    ),
    (
        "LogiQA",
        {"context": "All A are B.", "query": "So?", "options": ["yes", "no"], "correct_option": 0},
        "All A are B.\nSo?",
        ["yes", "no"],
        "yes",
    ),
    (
        "PIQA",
        {"goal": "Cut.", "sol1": "by hand", "sol2": "by knife", "label": 1},
        "Cut.",
        ["by hand", "by knife"],
        "by knife",
    ),
    (
        "WinoGrande",
        {"sentence": "The _ barked.", "option1": "cat", "option2": "dog", "answer": "2"},
        "The _ barked.",
        ["cat", "dog"],
        "dog",
    ),
    (
        "Social IQa",
        {
            "context": "Al fell.",
            "question": "How is Al?",
            "answerA": "hurt",
            "answerB": "glad",
            "answerC": "rich",
            "label": "1",
        },
        "Al fell.\nHow is Al?",
        ["hurt", "glad", "rich"],
        "hurt",
    ),
    (
        "SEED-Bench",
        {"question": "Where?", "choice_a": "left", "choice_b": "up", "choice_c": "in", "choice_d": "on", "answer": "C"},
        "Where?",
        ["left", "up", "in", "on"],
        "in",
    ),
    (
        "BoolQ",
        {"question": "is ice cold", "passage": "Ice is cold.", "answer": True},
        "Ice is cold.\nis ice cold",
        [],
        True,
    ),
    (
        "SVAMP",
        {"ID": "s1", "Body": "Ann has 3 pens.", "Question": "How many?", "Answer": 3.0, "Type": "x"},
        "Ann has 3 pens.\nHow many?",
        [],
        3,
    ),
    ("AIME", {"ID": "a1", "Problem": "Find n.", "Solution": "So.", "Answer": 204}, "Find n.", [], 204),
    (
        "OlympiadBench",
        {
            "id": 1,
            "context": "A ball rolls.",
            "question": "How fast?",
            "final_answer": ["5"],
            "unit": "m",
            "solution": ["So."],
        },
        "A ball rolls.\nHow fast?",
        [],
        5,
    ),
    ("problem and answer", {"problem": "<image>Find x.", "images": [], "answer": "7"}, "Find x.", [], 7),
    ("Alpaca", {"instruction": "Add.", "input": "3, 4", "output": "So \\boxed{7}."}, "Add.\n\n3, 4", [], 7),
    (
        "chat messages",
        {"messages": [{"role": "user", "content": "3 + 4?"}, {"role": "assistant", "content": "7"}]},
        "3 + 4?",
        [],
        7,
    ),
    (
        "OpenBookQA",
        {
            "id": "o1",
            "question_stem": "Hot is",
            "choices": {"text": ["ice", "fire"], "label": ["A", "B"]},
            "answerKey": "B",
        },
        "Hot is",
        ["ice", "fire"],
        "fire",
    ),
]
RIGHT_FIRST = {
    "SciQ": {"question": "Q{}?", "correct_answer": "r", "distractor1": "u", "distractor2": "v", "distractor3": "w"},
    "GPQA": {"Question": "Q{}?", "Correct Answer": "r"} | {f"Incorrect Answer {n}": "uvw"[n - 1] for n in (1, 2, 3)},
    "TruthfulQA": {"question": "Q{}?", "mc1_targets": {"choices": ["r", "u", "v", "w"], "labels": [1, 0, 0, 0]}},
}


def imported(folder: Path, rows: list[dict[str, Any]]) -> tuple[list[Problem], str]:
    """The problems of ``rows``, and how the file is read."""
    (folder / "rows.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    summary = import_benchmark("plain", folder / "rows.jsonl", folder / "problems.jsonl")
    return list(read_records(folder / "problems.jsonl", Problem)), summary["read as"][0]


@pytest.mark.parametrize(("name", "row", "question", "options", "right"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_of_each(
    name: str, row: dict[str, Any], question: str, options: list[str], right: Any, tmp_path: Path
) -> None:
    [problem], read_as = imported(tmp_path, [row])
    assert read_as.startswith(f"{name}: ")
    assert (problem.question, list(problem.choices.values())) == (question, options)
    assert problem.answer is not None
    assert right == (problem.choices[problem.answer.value[0]] if options else problem.answer.value)


@pytest.mark.parametrize("name", RIGHT_FIRST)
def test_where_the_right_answer_stands_first_it_is_not_always_a(name: str, tmp_path: Path) -> None:
    rows = [orjson.loads(orjson.dumps(RIGHT_FIRST[name]).replace(b"{}", str(n).encode())) for n in range(12)]
    problems, _ = imported(tmp_path, rows)
    letters = [problem.answer.value[0] for problem in problems if problem.answer is not None]
    assert len(set(letters)) > 2
    assert [problem.choices[letter] for problem, letter in zip(problems, letters, strict=True)] == ["r"] * 12
    assert imported(tmp_path, rows)[0] == problems
    assert turned(["r", "u"], "Q1?") == turned(["r", "u"], "Q1?")


def test_every_layout_has_a_row_here_or_a_file() -> None:
    assert {layout.name for layout in LAYOUTS} == {row[0] for row in ROWS} | RIGHT_FIRST.keys() | FILES.keys() - {
        "MMLU as text"
    }


def test_options_and_pictures_under_other_names_are_read_and_said(tmp_path: Path) -> None:
    [problem], read_as = imported(tmp_path, [{"question": "Which?", "options": ["ice", "fire"], "answer": "B"}])
    assert read_as == "choices: column options"
    assert problem.choices == {"A": "ice", "B": "fire"}
