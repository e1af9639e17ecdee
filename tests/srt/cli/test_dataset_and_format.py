"""``srt dataset`` and ``srt build --format`` as they are typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RECIPE = "{name: few, license: cc0-1.0, description: A few., splits: {dev: [{world: routes, n: 2}]}}"


def test_a_data_set(srt: Any, folder: Path) -> None:
    (folder / "few.yaml").write_text(RECIPE)
    ran = srt("dataset", "few.yaml", "-o", "few", "--workers", 1, "--json")
    assert ran.status == 0, ran.err
    assert json.loads(ran.out)["dev"] == 2
    assert "`srt dataset few.yaml -o few`" in (folder / "few" / "README.md").read_text()


def test_a_recipe_of_another_kind(refuses: Callable[..., str]) -> None:
    assert "srt experiment" in refuses("dataset", "recipes/demo.yaml", "-o", "few")
    assert "seating" in refuses("dataset", "seatting", "-o", "few")


def test_a_format(srt: Any, folder: Path) -> None:
    ran = srt("build", "traces.jsonl", "--problems", "problems.jsonl", "--format", "alpaca", "-o", "theirs", "--json")
    assert ran.status == 0, ran.err
    summary = json.loads(ran.out)
    assert (summary["file"], summary["sequences"]) == ("theirs/srt.jsonl", 8)
    assert summary["dataset_info"] == "theirs/dataset_info.json: srt"


def test_formats_that_are_refused(refuses: Callable[..., str]) -> None:
    build = ("build", "traces.jsonl", "--problems", "problems.jsonl", "-o", "theirs", "--format")
    assert "alpaca" in refuses(*build, "alpacca")
    assert "--format verl" in refuses(*build, "verl", "--engine", "ray")
