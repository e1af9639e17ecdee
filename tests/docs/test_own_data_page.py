"""docs/own-data.md: its table of problems is imported and divided as the page says."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eval.benchmarks.benchmark_registry import import_benchmark
from eval.benchmarks.external.mapping_file import FIELDS, FieldMap
from srt.cli import make_app
from srt.corpora.layouts.layout_registry import LAYOUTS
from srt.io.record_reader import read_records
from srt.io.records import Answer, Problem
from srt.pipeline.split import split_file

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "own-data.md").read_text(encoding="utf-8")


@pytest.fixture
def imported(tmp_path: Path) -> tuple[dict[str, Problem], dict[str, Any]]:
    [block] = re.findall(r"<!-- own\.csv -->\n\n((?:    .*\n)+)", PAGE)
    (tmp_path / "mine.csv").write_text(textwrap.dedent(block), encoding="utf-8")
    summary = import_benchmark("plain", tmp_path / "mine.csv", tmp_path / "problems.jsonl")
    return {one.id: one for one in read_records(tmp_path / "problems.jsonl", Problem)}, summary


def test_the_file_of_the_page_is_imported(imported: tuple[dict[str, Problem], dict[str, Any]]) -> None:
    problems, summary = imported
    assert summary == {"problems": 4, "category": {"order": 2, "solids": 2}}
    assert problems["own-1"].answer == Answer(kind="choice_set", value=["B"])
    assert problems["own-2"].answer == Answer(kind="number", value=27, unit="cm^3")
    assert [one.split for one in problems.values()] == ["all"] * 4


def test_it_is_divided(imported: tuple[dict[str, Problem], dict[str, Any]], tmp_path: Path) -> None:
    split_file(tmp_path / "problems.jsonl", tmp_path / "parts", {"train": 0.5, "test": 0.5}, stratify="category")
    parts = [list(read_records(tmp_path / "parts" / f"{name}.jsonl", Problem)) for name in ("train", "test")]
    assert sorted(one.id for part in parts for one in part) == [f"own-{number}" for number in range(1, 5)]
    assert [sorted(one.category or "" for one in part) for part in parts] == [["order", "solids"]] * 2


def test_every_field_is_in_the_table() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} - {"A", "B"} == set(FIELDS)


def test_its_ids_are_those_of_rows_without_an_id(
    imported: tuple[dict[str, Problem], dict[str, Any]], tmp_path: Path
) -> None:
    rows = (tmp_path / "mine.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "plain.csv").write_text("\n".join(row.partition(",")[2] for row in rows), encoding="utf-8")
    import_benchmark("plain", tmp_path / "plain.csv", tmp_path / "plain.jsonl")
    assert [one.id for one in read_records(tmp_path / "plain.jsonl", Problem)] == list(imported[0])
    [said] = re.findall(r"^\| `id` \| (.*) \|$", PAGE, re.MULTILINE)
    assert re.findall(r"`(own-\d)`", said) == list(imported[0])[:2]


def test_split_and_the_page_name_one_field() -> None:
    told = CliRunner().invoke(make_app(), ["split", "--help"], env={"COLUMNS": "200"}).output
    assert "group_id" in told
    assert "`group_id`" in PAGE.partition("## 2. Divide")[2].partition("## 3.")[0]
    [said] = re.findall(r"^\| `group` \| (.*) \|$", PAGE, re.MULTILINE)
    assert "`group_id`" in said
    assert "column group" in " ".join(told.split())


def test_every_key_of_a_mapping_and_every_layout_is_on_the_page() -> None:
    keys = re.findall(r"^\| (\w+) \|", PAGE.partition("| key of a mapping |")[2].partition("\n\n")[0], re.MULTILINE)
    assert set(keys) == set(FieldMap.model_fields)
    text = " ".join(PAGE.split())
    assert not [layout.name for layout in LAYOUTS if layout.name not in text]
