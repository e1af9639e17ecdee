"""Tables: what they hold for several runs, on common problems, and how they are written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.benchmarks.benchmark_registry import BENCHMARKS
from eval.benchmarks.definition.benchmark import Benchmark, Published, Table
from eval.benchmarks.plain import PROBLEMS
from eval.benchmarks.run_tables import run_tables
from eval.benchmarks.tables.breakdown import breakdown, cell_text, markdown_table
from eval.benchmarks.tables.published_rows import published_rows
from eval.records.run_records import Run
from srt.cli import main


@pytest.fixture
def sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark of made-up problems, by the ``side`` in their ``meta``."""

    def tables(runs: Any) -> list[Table]:
        return [breakdown("Sides", runs, ("left", "right"), lambda it: it.meta["sides"], last=("overall", "tokens"))]

    monkeypatch.setitem(BENCHMARKS, "sides", Benchmark(name="sides", about="sides", read=PROBLEMS.read, tables=tables))


@pytest.fixture
def problems(tmp_path: Path, write_jsonl: Any) -> Path:
    row = {"source": "mine", "split": "test", "lang": "en", "answer": {"kind": "number", "value": 1}}
    sides = {"1": ["left"], "2": ["left", "right"], "3": []}
    rows = [{**row, "id": name, "question": f"item {name}", "meta": {"sides": side}} for name, side in sides.items()]
    return write_jsonl(tmp_path / "p.jsonl", rows)  # type: ignore[no-any-return]


def test_a_row_for_each_run_on_the_problems_asked_for(sides: None, problems: Path, run_of: Callable[..., Run]) -> None:
    one = run_of("sides", problems, lambda name: "1", arm="one")
    two = run_of("sides", problems, lambda name: "1" if name == "2" else "0", arm="two")
    runs = {"one": one, "two": two}
    [table] = run_tables(runs)
    assert table.header == ["arm", "left", "right", "overall", "tokens"]
    assert [row[:4] for row in table.rows] == [["one", 1.0, 1.0, 1.0], ["two", 0.5, 1.0, pytest.approx(1 / 3)]]
    assert table.counts == [None, 2, 1, 3, None]
    [table] = run_tables(runs, only=["1", "3"])
    assert [row[:4] for row in table.rows] == [["one", 1.0, None, 1.0], ["two", 0.0, None, 0.0]]
    assert table.counts == [None, 1, 0, 2, None]


def test_runs_of_two_benchmarks_have_no_tables_together(
    sides: None, problems: Path, run_of: Callable[..., Run]
) -> None:
    one = run_of("sides", problems, lambda name: "1", arm="one")
    two = run_of("plain", problems, lambda name: "1", arm="two")
    assert run_tables({"one": one, "two": two}) == []
    assert run_tables({"two": two}) == []


def test_a_table_as_markdown() -> None:
    table = Table(
        title="Made up",
        header=["arm", "left", "tokens"],
        rows=[["a|b <i>", 0.125, 7.25], ["c", None, None]],
        units={"tokens": "tokens"},
        counts=[None, 1200, None],
        published=[
            Published(model="theirs", figures={"left": 0.5, "elsewhere": 1.0}, source="a paper"),
            Published(model="students", figures={"tokens": 3}, source="a paper", human=True),
        ],
        note="Said once.",
    )
    assert markdown_table(table).split("\n") == [
        "## Made up",
        "",
        "| arm | left | tokens |",
        "| --- | ---: | ---: |",
        "| a\\|b &lt;i> | 12.5 | 7.2 |",
        "| c | - | - |",
        "| problems | 1,200 |  |",
        "| theirs (published) | 50.0 | - |",
        "| students (human, published) | - | 3.0 |",
        "",
        "Said once.",
        "",
        "Published: a paper.",
    ]


def test_cells() -> None:
    units = ("percent", "points", "share", "ratio", "tokens", "count")
    assert [cell_text(0.12345, unit) for unit in units] == ["12.3", "+12.3", "0.1235", "0.12", "0.1", "0.12345"]
    assert cell_text("left", "percent") == "left"


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("mathspatial", "subtypes"),
        ("solidgeo", "types"),
        ("solidgeo", "mathspatial"),
        ("geoeval", "overall"),
        *(("space2025", table) for table in ("totals", "subset", "labels", "scenes zh", "scenes en", "right options")),
    ],
)
def test_published_figures_are_shares_with_a_source(name: str, table: str) -> None:
    rows = published_rows(name, table)
    assert rows
    for row in rows:
        assert row.source
        assert all(0 <= value <= 1 for column, value in row.figures.items() if column != "tokens")


def test_space2025_s_published_totals_follow_from_its_subtasks() -> None:
    """Copied right: each published score is the mean of what it is made of, to the digits printed."""
    for row in published_rows("space2025", "totals"):
        it = row.figures
        language = (it["DSA"] + it["RSE"] + it["RSR"]) / 3
        reasoning = (it["SPR zh"] + it["SPR en"]) / 2
        assert it["language"] == pytest.approx(language, abs=6e-5), row.model
        assert it["reasoning"] == pytest.approx(reasoning, abs=11e-5), row.model
        assert it["total"] == pytest.approx((language + reasoning) / 2, abs=11e-5), row.model


def test_srt_score_prints_them(
    problems: Path,
    run_of: Callable[..., Run],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = run_of("geoeval", problems, lambda name: "1")
    for flags in ([], ["--json"]):
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["srt", "score", str(run.folder), *flags])
        with pytest.raises(SystemExit) as end:
            main()
        out = capsys.readouterr().out
        assert not end.value.code
        assert ("| model | 100.0 | 10.0 |" in out) == (not flags), out
        assert ('"title": "GeoEval"' in out) == bool(flags)
