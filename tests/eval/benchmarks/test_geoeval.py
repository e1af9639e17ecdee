"""GeoEval through a mapping of the user's file; problems of our own making."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.benchmarks.run_tables import run_tables
from eval.benchmarks.tables.breakdown import markdown_table
from eval.records.run_records import Run
from srt.io.errors import UserError

MAPPING = """
data: items.json
lang: en
pictures: figures
fields:
  id: key
  question: problem_text
  choices: options
  answer: gold
  picture: diagram
  subset: part
  shape: dimension
"""
ITEMS = [
    {
        "key": "g1",
        "problem_text": "item 1: find x.",
        "options": ["3", "4"],
        "gold": "B",
        "diagram": "1.png",
        "part": "2000",
        "dimension": "flat",
    },
    {
        "key": "g2",
        "problem_text": "item 2: find the volume.",
        "options": None,
        "gold": "12",
        "diagram": None,
        "part": "hard",
        "dimension": "solid",
    },
    {
        "key": "g3",
        "problem_text": "item 3: find y.",
        "options": ["3", "4"],
        "gold": "A",
        "diagram": None,
        "part": "hard",
        "dimension": "flat",
    },
]


@pytest.fixture
def mapping(tmp_path: Path, draw: Callable[..., Path]) -> Path:
    folder = tmp_path / "geoeval"
    draw(folder / "figures" / "1.png")
    (folder / "mapping.yaml").write_text(MAPPING, "utf-8")
    (folder / "items.json").write_bytes(orjson.dumps(ITEMS))
    return folder / "mapping.yaml"


def test_by_subset_and_shape(
    mapping: Path, tmp_path: Path, imported: Any, run_of: Callable[..., Run], figures: Any
) -> None:
    problems, refused, summary = imported("geoeval", mapping)
    assert (len(problems), refused) == (3, [])
    assert summary["category"] == {"2000": 1, "hard": 2}
    assert problems[0].images[0].path == "geoeval/figures/1.png"
    runs = {"model": run_of("geoeval", tmp_path / "problems.jsonl", {"1": "B", "2": "12", "3": "B"}.__getitem__)}
    assert figures(runs, "GeoEval by subset")["model"] == {"2000": 1.0, "hard": 0.5, "overall": pytest.approx(2 / 3)}
    assert figures(runs, "GeoEval by shape")["model"] == {"flat": 0.5, "solid": 1.0, "overall": pytest.approx(2 / 3)}
    assert [table.title for table in run_tables(runs)] == ["GeoEval", "GeoEval by subset", "GeoEval by shape"]
    assert "| MathSpatial-Qwen2.5-VL-7B (published) | 19.4 | 367.5 |" in markdown_table(run_tables(runs)[0])


def test_what_is_not_taken_is_named(mapping: Path, imported: Any) -> None:
    rows = [
        ITEMS[0],
        ITEMS[0] | {"key": "g4", "diagram": "4.png", "problem_text": "item 4"},
        ITEMS[1] | {"key": "g5", "gold": ""},
        ITEMS[0] | {"key": "g6"},
    ]
    mapping.with_name("items.json").write_bytes(orjson.dumps(rows))
    problems, refused, _ = imported("geoeval", mapping)
    assert [problem.id for problem in problems] == ["g1"]
    assert {row["item"]: row["reason"] for row in refused} == {"g4": "picture", "g5": "no_answer", "g6": "duplicate"}


def test_a_column_that_is_not_there_is_named(mapping: Path, imported: Any) -> None:
    mapping.write_text(MAPPING.replace("gold", "golden"), "utf-8")
    with pytest.raises(UserError, match="'golden'"):
        imported("geoeval", mapping)
