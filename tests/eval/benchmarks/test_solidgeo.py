"""SolidGeo: the published table form, levels, forms and languages; several types, parts and units; items of our own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.benchmarks.run_tables import run_tables
from eval.benchmarks.solidgeo import TYPES
from eval.benchmarks.tables.breakdown import markdown_table
from eval.records.run_records import Run
from eval.report.compare import compare
from eval.report.leaderboard import leaderboard
from eval.scoring.score import score
from tests.eval.benchmarks.solidgeo_item import CUBE
from tests.published_copies import copy_in

VIEWS = CUBE | {
    "question": "item 2: which is the top view?\n<image1>",
    "choices": ["a square", "a circle", "a line"],
    "answer": "B\n\n[Analysis] Look from above.",
    "answer_type": "choice",
    "problem_type": ["Multi-view Projection", "Spatial Metric Relations"],
    "complexity_level": "Level 2",
}
PARTS = CUBE | {
    "question": "item 3：求圆柱的体积与侧面积。<image1>",
    "answer": "(1) 6; (2) 4",
    "answer_type": "multi-step",
    "problem_type": ["Spatial Metric Relations"],
    "complexity_level": "Level 3",
}
REPLIES = {"1": "8 cm^3", "2": "B", "3": "(1) 6; (2) 5"}


@pytest.fixture
def data(tmp_path: Path, draw: Callable[..., Path]) -> Path:
    draw(tmp_path / "data" / "images" / "1.jpg")
    rows = {str(number): row for number, row in enumerate((CUBE, VIEWS, PARTS))}
    (tmp_path / "data" / "SolidGeo.json").write_bytes(orjson.dumps(rows))
    return tmp_path / "data"


def test_the_tables(data: Path, tmp_path: Path, imported: Any, run_of: Callable[..., Run], figures: Any) -> None:
    problems, refused, _ = imported("solidgeo", data)
    assert (len(problems), refused) == (3, [])
    runs = {"model": run_of("solidgeo", tmp_path / "problems.jsonl", REPLIES.__getitem__)}
    by_type = figures(runs, "SolidGeo by problem type")["model"]
    assert list(by_type) == ["overall", *TYPES.values(), "tokens"]
    there = {name: value for name, value in by_type.items() if value is not None and name != "tokens"}
    # Item 2 counts under both of its types; item 3 is wrong for one wrong part.
    assert there == {"overall": pytest.approx(2 / 3), "MVP": 1.0, "SMR": 0.5, "MSGF": 1.0}
    assert figures(runs, "SolidGeo by level")["model"] == {
        "Level 1": 1.0,
        "Level 2": 1.0,
        "Level 3": 0.0,
        "overall": pytest.approx(2 / 3),
    }
    forms = figures(runs, "SolidGeo by form of the answer")["model"]
    assert (forms["single-step"], forms["choice"], forms["multi-step"]) == (1.0, 1.0, 0.0)
    languages = figures(runs, "SolidGeo by language")["model"]
    assert (languages["English"], languages["Chinese"]) == (1.0, 0.0)
    text = markdown_table(run_tables(runs)[0])
    assert "| Qwen2.5-VL-Instruct-7B (published) | 15.5 | 8.4 | 8.8 | 30.1 |" in text
    assert "3 of the 3,113 published items." in text


@pytest.mark.long
def test_beside_published_rows_both_policies_stand(
    data: Path, tmp_path: Path, imported: Any, run_of: Callable[..., Run], figures: Any
) -> None:
    """A unit that is missing is wrong in the one row and right in the other; nothing else is different."""
    imported("solidgeo", data)
    problems = tmp_path / "problems.jsonl"
    run_of("solidgeo", problems, {**REPLIES, "1": "8"}.__getitem__, arm="bare")
    run_of("solidgeo", problems, REPLIES.__getitem__, arm="whole")
    comparison = compare([tmp_path / "runs" / "bare", tmp_path / "runs" / "whole"], tmp_path / "report")
    table = comparison.tables[0]
    assert {str(row[0]): row[1] for row in table.rows} == {
        "bare": pytest.approx(1 / 3),
        "bare, lenient": pytest.approx(2 / 3),
        "whole": pytest.approx(2 / 3),
    }
    assert table.note is not None
    assert "Answers: strict policy; rows say where the other policy changes a figure." in table.note
    ranked = {
        row.name: (row.kind, row.score) for row in leaderboard(comparison).arms + leaderboard(comparison).published
    }
    assert ranked["bare, lenient"] == ("measured", pytest.approx(2 / 3))
    assert ranked["bare"][1] == pytest.approx(1 / 3)
    places = [(row.name, row.rank) for row in leaderboard(comparison).arms]
    assert places == [("whole", 1), ("bare", 2), ("bare, lenient", None)]
    assert "bare, lenient" in (tmp_path / "report" / "report.html").read_text()
    assert [arm.accuracy.right for arm in comparison.arms] == [1, 2]  # the tests use the one policy alone
    for name in ("bare", "whole"):
        score(tmp_path / "runs" / name, policy="lenient")
    again = compare([tmp_path / "runs" / "bare", tmp_path / "runs" / "whole"], tmp_path / "again").tables[0]
    assert {str(row[0]): row[1] for row in again.rows} == {
        "bare": pytest.approx(2 / 3),
        "bare, strict": pytest.approx(1 / 3),
        "whole": pytest.approx(2 / 3),
    }


def test_what_cannot_be_scored_is_named(data: Path, imported: Any) -> None:
    bad = {
        "0": CUBE,
        "1": CUBE | {"image": ["images\\2.jpg"], "question": "item 4"},
        "2": CUBE | {"answer": "see the analysis", "question": "item 5"},
        "3": VIEWS | {"answer": "F", "question": "item 6"},
    }
    (data / "SolidGeo.json").write_bytes(orjson.dumps(bad))
    problems, refused, summary = imported("solidgeo", data)
    assert len(problems) == 1
    assert {row["item"]: row["reason"] for row in refused} == {
        "solidgeo-1": "picture",
        "solidgeo-2": "no_answer",
        "solidgeo-3": "answer_is_no_option",
    }
    assert summary["refused"] == {
        "problem answer_is_no_option": 1,
        "problem no_answer": 1,
        "problem picture": 1,
    }


def test_the_published_sample(tmp_path: Path, imported: Any, run_of: Callable[..., Run], figures: Any) -> None:
    """On the user's copy: every item that is read falls under a type, a level and a form."""
    problems, refused, summary = imported("solidgeo", copy_in("SRT_SOLIDGEO"))
    assert len(problems) + len(refused) == summary["problems"] + len(refused)
    assert len(refused) < 0.1 * len(problems)
    for problem in problems:
        assert {TYPES.get(name) for name in problem.meta["problem_type"]} - {None}, problem.id
        assert problem.meta["complexity_level"].startswith("Level "), problem.id
        assert problem.meta["answer_type"] in ("choice", "single-step", "multi-step"), problem.id
