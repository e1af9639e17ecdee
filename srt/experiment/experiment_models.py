"""The models of an experiment: the weights that its arms start from, and what is evaluated."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from srt.experiment.experiment_blocks import ContinuedModel, InitModel
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.model_stages import TrainedModel
from srt.io.errors import UserError

PROBE = "probe"
"""Used in file names instead of an arm: files of the probe of a vision model."""


def initial_model(experiment: Experiment, arm: str, seed: int) -> Path:
    """The folder of the model that is given, of the weights that are continued, or of the random ones of ``seed``."""
    match experiment.model:
        case Path() as given:
            return given
        case ContinuedModel(continues=folder, items=items):
            return ExperimentFolder(folder).weights(arm, seed, items)
        case _:
            return ExperimentFolder(experiment.output).start(seed)


def check_continued(experiment: Experiment, arms: Collection[str], seeds: Collection[int]) -> None:
    """Look for the weights that are continued, of each of ``arms`` and ``seeds`` that is not trained yet.

    Raises:
        UserError: some are not there, or are those of an adapter.
    """
    if not isinstance(experiment.model, ContinuedModel):
        return
    other, items = ExperimentFolder(experiment.model.continues), experiment.model.items
    key = f"model: continues: {other.root}"
    for arm in arms:
        for seed in seeds:
            weights = other.weights(arm, seed, items)
            if ExperimentFolder(experiment.output).model(arm, seed).exists():
                continue
            if not weights.is_dir():
                kept = other.kept_weights()
                there = ", ".join(f"{run} after {'; '.join(f'{n:,}' for n in points)}" for run, points in kept.items())
                raise UserError(
                    f"{key} has no weights of {arm}, seed {seed}, after {items:,} items; it has "
                    + (there or "none at all, for they are kept at the points of a curve")
                )
            if (weights / "adapter_config.json").exists():
                raise UserError(f"{key} has adapters (LoRA); whole weights were expected")


def example_model(experiment: Experiment) -> Path | InitModel:
    """A model of the kind that the experiment trains: the one to make, or what an arm starts from.

    Of weights that are continued, some may not be there yet, because only a part of the arms is trained now.
    """
    if isinstance(experiment.model, InitModel):
        return experiment.model
    arms = experiment.trained_arms or experiment.arms
    starts = [initial_model(experiment, arm, seed) for arm in arms for seed in experiment.seeds]
    return next((start for start in starts if start.exists()), starts[0])


def start_of_arm(experiment: Experiment, arm: str, seed: int) -> Path:
    """The weights that ``arm`` starts from with ``seed``: those that have passed the probe, if there is one."""
    if experiment.probe is None:
        return initial_model(experiment, arm, seed)
    return ExperimentFolder(experiment.output).model(PROBE, experiment.seeds[0] if experiment.probe.shared else seed)


def trained_model(experiment: Experiment, arm: str, seed: int, trained: Path | None) -> TrainedModel:
    """What is evaluated of ``arm`` with ``seed``, trained in the folder ``trained`` or not at all (``None``)."""
    start = start_of_arm(experiment, arm, seed)
    if trained is None:
        return TrainedModel(start)
    return TrainedModel(start, trained) if experiment.train.get("lora") is not None else TrainedModel(trained)


def trained_at(experiment: Experiment, arm: str, seed: int, items: int) -> TrainedModel:
    """The model of an arm and a seed at a point of its learning curve."""
    origin = experiment.trained_as(arm)
    kept = ExperimentFolder(experiment.output).weights(origin, seed, items) if origin else None
    return trained_model(experiment, origin or arm, seed, kept)
