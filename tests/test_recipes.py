"""Every experiment that the repository ships is read without a fault, and so is its rehearsal.

Training recipes: tests/train/test_recipes.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.experiment.experiment_reader import load_experiment
from srt.experiment.rehearsal.tiny_experiment import tiny_experiment

RECIPES = Path(__file__).resolve().parents[1] / "recipes"
EXPERIMENTS = sorted(RECIPES.glob("*.yaml"))


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.name)
def test_experiments(path: Path) -> None:
    assert load_experiment(path).name == path.stem


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.name)
def test_every_experiment_has_a_rehearsal(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # without the recipe's model
    assert_rehearsal_is_small(path)


def assert_rehearsal_is_small(path: Path) -> None:
    """As small as docs/experiments.md says, and on this machine alone."""
    experiment = load_experiment(path)
    tiny = tiny_experiment(experiment)
    stages, points = tiny.stages or [], tiny.curve.items if tiny.curve else []
    trained = [tiny.train_problems, *(stage.train_problems for stage in stages)]
    assert max(source.n for sources in trained for source in sources or ()) <= 24
    assert max(test.n for test in (*tiny.test_problems, *tiny.benchmarks)) <= 8
    assert len(tiny.seeds) == 1
    assert tiny.train.get("steps") == (None if stages or points else 4)
    assert tiny.train.get("epochs") is None
    assert {stage.items for stage in stages} <= {8}
    # No more points of a curve than the recipe has: its scheduler may need a single one.
    assert len(points) <= (len(experiment.curve.items) if experiment.curve else 0)
    last = max(len(stages), len(points))
    assert points == [8 * at for at in range(last - len(points) + 1, last + 1)]
    assert tiny.launch is tiny.eval_launch is tiny.train["hub"] is None
    assert tiny.train["logging"]["report_to"] == []
