"""docs/statistics.md: its table of problem numbers, the fields that it names, and its commands."""

from __future__ import annotations

import re
from pathlib import Path

from eval.benchmarks.definition.benchmark import Table
from eval.report.comparison_records import Comparison
from eval.scoring.arm_summary import ArmSummary, Share, Tokens
from eval.scoring.differences import Difference
from eval.scoring.sampling import AtK, Sampling
from srt.statistics.power import problems_needed

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")


def test_the_numbers_of_problems() -> None:
    shares = [0.05, 0.1, 0.2, 0.3, 0.4]
    rows = re.findall(r"^\| (\d+) ((?:\| [\d,]* +){5})\|$", PAGE, re.MULTILINE)
    assert len(rows) == 5
    for points, cells in rows:
        shown = [cell.strip().replace(",", "") for cell in cells.split("|")[1:]]
        size = int(points) / 100
        assert shown == [str(problems_needed(size, share)) if share >= size else "" for share in shares]


def test_every_figure_bears_the_name_that_files_have() -> None:
    records = (ArmSummary, Share, Tokens, Difference, Comparison, Sampling, AtK, Table)
    fields = {name for record in records for name in record.model_fields}
    named = {
        name for row in re.findall(r"^\| (`[^|]*`) \|", PAGE, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert len(named) > 20
    assert named <= fields
