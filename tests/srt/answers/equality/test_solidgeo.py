"""The figures on the SolidGeo sample: gold written in other ways is met, wrong answers are not."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

from benchmarks.evaluation import answer_equality

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.slow
def test_figures() -> None:
    folder = Path(os.environ.get("SRT_SOLIDGEO") or ROOT.parent / "shared" / "data" / "solidgeo_sample")
    if not folder.exists():
        warnings.warn("SolidGeo is not here: set SRT_SOLIDGEO to run the tests on real data", stacklevel=1)
        pytest.skip("no SolidGeo: set SRT_SOLIDGEO")
    items, refused = answer_equality.read_items(folder)
    rows = answer_equality.measure(items, 10)
    for name, row in rows.items():
        share = row.accepted / row.tried
        if name.endswith((" (strict)", " (lenient)")):
            assert share >= 0.98, (name, row.odd)
        else:
            assert share <= 0.01, (name, row.odd)
    assert not {item.item for item in refused} & {item.id for item in items}
