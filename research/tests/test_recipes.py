"""The recipes of research/ are read from where they lie, with what they extend and go on from, and rehearsed."""

from __future__ import annotations

from pathlib import Path

import pytest

from research.families import read_families
from srt.experiment.experiment_blocks import ContinuedModel
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_models import initial_model
from srt.experiment.experiment_reader import load_experiment
from tests.test_recipes import assert_rehearsal_is_small

RECIPES = Path(__file__).resolve().parents[1] / "recipes"
STUDIES = {"guided-decoding", "noisy-teacher", "without-solutions"}
"""Recipes of programs of their own."""
EXPERIMENTS = sorted(path for path in RECIPES.glob("*.yaml") if path.stem not in STUDIES)


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.name)
def test_a_recipe_is_read_from_any_folder(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_experiment(path).name == path.stem
    # As the pages write it: a path in the checkout is found from any folder.
    assert load_experiment(Path("research/recipes") / path.name) == load_experiment(path)


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.name)
def test_every_recipe_has_a_rehearsal(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # without the recipe's model
    assert_rehearsal_is_small(path)


def test_what_is_extended_is_read() -> None:
    narrow, wide = (load_experiment(RECIPES / f"{name}.yaml") for name in ("booths-narrow", "hexagon-wide"))
    assert wide.train["batch_size"] == narrow.train["batch_size"]
    assert wide.train["max_length"] == 384  # of hexagon-chains, between them
    # Of another folder: recipes/train, which the wheel carries.
    assert load_experiment(RECIPES / "r1-distill-7b.yaml").train["lora"]["r"] > 0


def test_a_recipe_that_trains_on_names_the_model_of_the_first() -> None:
    """Both paths are relative to the current folder, so both recipes are to be run from the same one."""
    first, then = (load_experiment(RECIPES / f"space2025-booths{name}.yaml") for name in ("", "-all"))
    assert first.curve is not None
    assert then.model == ExperimentFolder(first.output).weights("srt", 0, first.curve.items[-1])
    assert (first.arms, first.seeds) == (["srt"], [0])


def test_a_recipe_that_goes_on_names_the_folder_of_the_first() -> None:
    first, then = (load_experiment(RECIPES / f"space2025-{name}.yaml") for name in ("tenfold", "questions"))
    assert isinstance(then.model, ContinuedModel)
    assert first.curve is not None
    assert then.model.items in first.curve.items
    assert set(then.arms) <= set(first.arms)
    assert then.model.continues == first.output
    assert initial_model(then, "srt", 0) == ExperimentFolder(first.output).weights("srt", 0, then.model.items)


def test_every_filed_family_has_its_recipe() -> None:
    names = {path.stem for path in EXPERIMENTS} | {
        path.stem for path in (RECIPES.parents[1] / "recipes").glob("*.yaml")
    }
    assert {family.name for family in read_families()} <= names
