"""The figures on SolidGeo's solutions, as far as they are here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import orjson
import pytest

BENCHMARK = Path(__file__).resolve().parents[4] / "benchmarks" / "teaching" / "prose_claims.py"


@pytest.mark.slow
def test_figures_on_solidgeo(solidgeo: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(BENCHMARK), str(solidgeo), "--n-planted", "60", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    figures = orjson.loads(run.stdout)
    solutions = figures["solutions"]
    assert figures["solutions_with_an_alarm"] <= 0.01 * solutions
    assert figures["solutions_with_a_decided_claim"] >= 0.6 * solutions
    assert figures["equations"]["true"] >= 120
    for kind in ("result digit", "operand", "operator", "root"):
        row = figures["planted"][kind]
        assert row["planted"] == 60
        assert row["refuted"] >= 0.93 * (row["planted"] - row["true"])
        assert row["refuted_though_true"] == 0


def test_the_benchmark_names_a_missing_file(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, str(BENCHMARK), str(tmp_path / "none.json")], capture_output=True, text=True, check=False
    )
    assert run.returncode != 0
    assert "none.json" in run.stderr
    assert "Traceback" not in run.stderr
