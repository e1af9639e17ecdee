"""The tests share :mod:`engines`, :mod:`input_faults`, what one machine makes, and the problems of curation."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from srt.pipeline.build import build_file
from srt.pipeline.check import check_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "curate")]


@pytest.fixture(scope="session")
def stages_of_one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one machine makes at each stage of the one before: problems, traces, checked traces, sequences."""
    root = tmp_path_factory.mktemp("one")
    generate_file("seating", 40, "train", root / "p.jsonl", {})
    solve_file(root / "p.jsonl", root / "t.jsonl")
    check_file(root / "t.jsonl", root / "p.jsonl", root / "c.jsonl")
    build_file(root / "c.jsonl", root / "p.jsonl", "srt", root / "d")
    return root
