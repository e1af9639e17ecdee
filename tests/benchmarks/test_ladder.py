"""The page of the ladder: made from filed results alone, with the figures that they have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson
import pytest

from benchmarks.ladder import page, results
from srt.experiment.learning_curve import CurvePoint
from srt.io.jsonl import write_records

PUZZLES = [problem // 2 for problem in range(200)]
SHARES = {
    "answer": {1000: 0.2, 4000: 0.25},
    "cot": {1000: 0.2, 4000: 0.4},
    "srt": {1000: 0.2, 4000: 0.8},
    "srt-drop-INFER": {1000: 0.2, 4000: 0.5},
}


def points() -> Iterator[CurvePoint]:
    for seed in (0, 1):
        ease = np.random.default_rng(seed).permutation(len(PUZZLES)) / len(PUZZLES)
        for arm, curve in SHARES.items():
            for items, share in curve.items():
                yield CurvePoint(
                    test="test",
                    arm=arm,
                    seed=seed,
                    items=items,
                    tokens=items * (80 if arm == "cot" else 40),
                    labelled_tokens=items * 20,
                    right="".join("1" if easy < share else "0" for easy in ease),
                    output_tokens=20.0,
                    proved=0.5,
                    first_wrong={"INFER contradiction": 3, "CORRELATE misread": 1},
                )


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    run = tmp_path / "run"
    (run / "curve").mkdir(parents=True)
    (run / "runs" / "srt-0" / "model").mkdir(parents=True)
    (run / "runs" / "srt-0" / "model" / "manifest.json").write_text("{}")
    (run / "experiment.json").write_bytes(orjson.dumps({"name": "toys", "arms": list(SHARES)}))
    sizes = {"puzzles": PUZZLES, "training_problems": 900, "trained_puzzles": 300, "puzzles_at_least": 300}
    (run / "curve" / "test.json").write_bytes(orjson.dumps(sizes))
    monkeypatch.setattr(results, "FILED", tmp_path / "filed")
    monkeypatch.setattr(page, "DOCS", tmp_path / "docs")
    (tmp_path / "docs").mkdir()
    return tmp_path


def test_the_page_says_what_was_measured(folders: Path) -> None:
    run, written = folders / "run", list(points())
    # In two portions: what is filed already stays.
    for portion in (written[:5], written[5:]):
        write_records(run / "curve" / "points.jsonl", portion)
        results.main([str(run)])
    assert len(results.read_filed()[0].points) == len(written)
    assert (folders / "filed" / "toys" / "manifests" / "srt-0.json").exists()
    page.main()
    text = (folders / "docs" / "does-structure-pay.md").read_text()
    assert (folders / "docs" / "ladder" / "toys.svg").read_text().startswith("<?xml")
    assert "| toys | 300 | 300 | 200, 100 |" in text
    row = next(line for line in text.splitlines() if line.startswith("| srt | 20.0 ["))
    assert re.search(r"\| 80\.0 \[[\d.]+, [\d.]+\], 2 \|", row)
    needed = next(line for line in text.splitlines() if line.startswith("| srt | 50%"))
    assert re.search(r"\| 2,000 \[1,\d00, 2,\d00\] \| 1,000, 4,000; 1,000, 4,000 \| at most 0\.50 ", needed)
    assert "| srt | 90% | more than 4,000 | 4,000, ∞; 4,000, ∞ |  |" in text
    assert "| toys | srt − cot | 4,000 | 2 | +40.0 [" in text
    assert "| toys | srt-drop-INFER − srt | 4,000 | 2 | −30.0 [" in text
    # cot after half of its tokens: halfway between its two points, in the logarithm.
    assert "| toys | 160,000 | 30.0 | 80.0 |" in text
    assert "INFER contradiction 75, CORRELATE misread 25" in text
