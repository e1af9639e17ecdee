"""Every experiment that the repository ships is read without a fault; training recipes: tests/train/test_recipes.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.experiment.experiment_recipe import load_experiment

RECIPES = Path(__file__).resolve().parents[1] / "recipes"


@pytest.mark.parametrize(
    "path", sorted([*RECIPES.glob("*.yaml"), *RECIPES.glob("ladder/*.yaml")]), ids=lambda path: path.name
)
def test_experiments(path: Path) -> None:
    assert load_experiment(path).name == path.stem
