"""Every experiment that the repository ships is read without a fault; training recipes: tests/train/test_recipes.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import load_experiment

RECIPES = Path(__file__).resolve().parents[1] / "recipes"


@pytest.mark.parametrize(
    "path", sorted([*RECIPES.glob("*.yaml"), *RECIPES.glob("ladder/*.yaml")]), ids=lambda path: path.name
)
def test_experiments(path: Path) -> None:
    assert load_experiment(path).name == path.stem


def test_a_recipe_that_trains_on_names_the_model_of_the_first() -> None:
    """Both paths are relative to the current folder, so both recipes are to be run from the same one."""
    first, then = (load_experiment(RECIPES / "ladder" / f"space2025-booths{name}.yaml") for name in ("", "-all"))
    assert then.model == ExperimentFolder(first.output).model("srt", 0)
    assert (first.arms, first.seeds) == (["srt"], [0])
