"""MathSpatial-Bench: the paper's table form, runs averaged, published rows marked; problems of our own making."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.benchmarks.mathspatial import SUBTYPES
from eval.benchmarks.run_tables import run_tables
from eval.benchmarks.tables.breakdown import markdown_table
from eval.benchmarks.tables.published_rows import published_rows
from eval.records.run_records import Run
from srt.corpora.mathspatial import CATEGORIES

TITLE = "MathSpatial-Bench by subtype"
CODES = {"1": "3VM", "2": "3VM", "3": "GPC", "4": "GPC", "5": "VT"}
"""Made-up items and their subtypes."""


@pytest.fixture
def benchmark(tmp_path: Path, draw: Any) -> Path:
    """A folder ``benchmark`` in the published layout: five items, one picture each; the odd ones are fill-in."""
    for name, code in CODES.items():
        folder = tmp_path / "MathSpatial" / "benchmark" / f"question{name:0>5}"
        draw(folder / "images" / "1.png", shade=int(name))
        fill = int(name) % 2 == 1
        row = {
            "question": f"item {name}：求结果。",
            "question_en": f"item {name}: find it.",
            "images": ["images/1.png"],
            "choices": {} if fill else {"A": "见图A", "B": "见图B"},
            "answer": "12" if fill else "B",
            "question_type": "填空题" if fill else "选择题",
            "main_category": CATEGORIES[code],
            "sub_category": code,
        }
        (folder / "data.json").write_bytes(orjson.dumps(row))
    return tmp_path / "MathSpatial"


def right_on(*names: str) -> Callable[[str], str]:
    return lambda name: ("12" if int(name) % 2 else "B") if name in names else "A"


def test_the_paper_s_table(
    benchmark: Path, tmp_path: Path, imported: Any, run_of: Callable[..., Run], figures: Any
) -> None:
    problems, refused, summary = imported("mathspatial", benchmark)
    assert (len(problems), refused, summary["problems"]) == (5, [], 5)
    run = run_of("mathspatial", tmp_path / "problems.jsonl", right_on("1", "3", "4"))
    shown = figures({"model": run}, TITLE)["model"]
    assert list(shown) == [*SUBTYPES, "overall", "tokens"]
    assert {name: value for name, value in shown.items() if value is not None} == {
        "3VM": 0.5,
        "GPC": 1.0,
        "VT": 0.0,
        "overall": 0.6,
        "tokens": pytest.approx(sum(row.output_tokens for row in run.predictions.values()) / 5),
    }
    assert figures({"model": run}, "MathSpatial-Bench by category")["model"] == {
        "Holistic Recognition": 0.5,
        "Generative Inference": 0.0,
        "Abstract Deduction": 1.0,
        "overall": 0.6,
    }
    table = run_tables({"model": run})[0]
    assert table.counts == [None, 0, 2, 0, 0, 0, 1, 0, 2, 0, 0, 0, 5, None]
    assert table.note is not None
    assert "3VM 2 of 123" in table.note
    text = markdown_table(table)
    assert "| GPT-5 (published) | 28.6 | 53.7 | 66.2 | 48.2 | 61.6 | 44.8 | 71.7 | 52.3 |" in text
    assert "| 80 students (human, published) | 100.0 | 89.4 |" in text


def test_two_runs_are_averaged(
    benchmark: Path, tmp_path: Path, imported: Any, run_of: Callable[..., Run], figures: Any
) -> None:
    """Two run folders of an arm, pooled as a comparison does, and two repeats of one run: means of two."""
    from eval.records.run_records import pooled

    imported("mathspatial", benchmark)
    file = tmp_path / "problems.jsonl"
    first, second = (
        run_of("mathspatial", file, right_on("1", "2"), arm="x"),
        run_of("mathspatial", file, right_on("1"), arm="y"),
    )
    both = pooled([first, second])
    assert figures({"x": both}, TITLE)["x"]["3VM"] == 0.75
    assert figures({"x": both}, TITLE)["x"]["overall"] == pytest.approx(0.3)
    twice = run_of("mathspatial", file, right_on("1", "2"), arm="z", repeats=2)
    assert figures({"z": twice}, TITLE)["z"]["3VM"] == 1.0
    assert "Means of 2 runs." in str(run_tables({"z": twice})[0].note)


def test_english_is_asked_for_by_name(benchmark: Path, imported: Any) -> None:
    problems, _, _ = imported("mathspatial", benchmark, lang="en")
    assert {problem.lang for problem in problems} == {"en"}


def test_a_missing_picture_is_named_and_never_scored(
    benchmark: Path, tmp_path: Path, imported: Any, run_of: Callable[..., Run], figures: Any
) -> None:
    (benchmark / "benchmark" / "question00005" / "images" / "1.png").unlink()
    problems, refused, summary = imported("mathspatial", benchmark)
    assert len(problems) == 4
    assert [(row["item"], row["reason"]) for row in refused] == [("mathspatial-benchmark-00005", "picture")]
    assert "question00005/images/1.png" in refused[0]["detail"]
    assert summary["refused"] == {"problem picture": 1}
    table = run_tables({"model": run_of("mathspatial", tmp_path / "problems.jsonl", right_on("1"))})[0]
    assert (
        figures({"model": run_of("mathspatial", tmp_path / "problems.jsonl", right_on("1"))}, TITLE)["model"]["VT"]
        is None
    )
    assert "VT 0 of 134" in str(table.note)


def test_the_published_overall_is_over_problems() -> None:
    """GPT-5's overall is the mean of its columns weighted with their problems, not the mean of the columns."""
    row = next(row for row in published_rows("mathspatial", "subtypes") if row.model == "GPT-5")
    weighted = sum(row.figures[code] * count for code, count in SUBTYPES.items()) / sum(SUBTYPES.values())
    assert sum(SUBTYPES.values()) == 2000
    assert round(weighted, 3) == row.figures["overall"]
