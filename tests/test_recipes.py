"""Every experiment that the repository ships is read without a fault, and so is its rehearsal.

Training recipes: tests/train/test_recipes.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import load_experiment
from srt.experiment.rehearsal.tiny_experiment import tiny_experiment

RECIPES = Path(__file__).resolve().parents[1] / "recipes"


EXPERIMENTS = sorted([*RECIPES.glob("*.yaml"), *RECIPES.glob("ladder/*.yaml")])


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.name)
def test_experiments(path: Path) -> None:
    assert load_experiment(path).name == path.stem


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.name)
def test_every_experiment_has_a_rehearsal(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its model, and with no more points of a curve than it has: its scheduler may need a single one."""
    monkeypatch.chdir(tmp_path)
    experiment = load_experiment(path)
    tiny = tiny_experiment(experiment)
    assert len(tiny.curve.items if tiny.curve else ()) <= len(experiment.curve.items if experiment.curve else ())


def test_a_recipe_that_trains_on_names_the_model_of_the_first() -> None:
    """Both paths are relative to the current folder, so both recipes are to be run from the same one."""
    first, then = (load_experiment(RECIPES / "ladder" / f"space2025-booths{name}.yaml") for name in ("", "-all"))
    assert then.model == ExperimentFolder(first.output).model("srt", 0)
    assert (first.arms, first.seeds) == (["srt"], [0])
