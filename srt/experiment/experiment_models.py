"""The models of an experiment: the weights that its arms start from, and what is evaluated."""

from __future__ import annotations

from pathlib import Path

from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.model_stages import TrainedModel

PROBE = "probe"
"""In file names, in place of an arm: what belongs to the probe of a vision model's eyes."""


def initial_model(experiment: Experiment, seed: int) -> Path:
    """The folder of the model that is given, or of the random weights of ``seed``."""
    return experiment.model if isinstance(experiment.model, Path) else ExperimentFolder(experiment.output).start(seed)


def start_of_arms(experiment: Experiment, seed: int) -> Path:
    """The weights that every arm starts from with ``seed``: those that have passed the probe, if there is one."""
    if experiment.probe is None:
        return initial_model(experiment, seed)
    return ExperimentFolder(experiment.output).model(PROBE, experiment.seeds[0] if experiment.probe.shared else seed)


def trained_model(experiment: Experiment, seed: int, trained: Path | None) -> TrainedModel:
    """What is evaluated of an arm with ``seed`` that was trained in the folder ``trained``, or was not (``None``)."""
    start = start_of_arms(experiment, seed)
    if trained is None:
        return TrainedModel(start)
    return TrainedModel(start, trained) if experiment.train.get("lora") is not None else TrainedModel(trained)


def trained_at(experiment: Experiment, arm: str, seed: int, items: int) -> TrainedModel:
    """The model of an arm and a seed at a point of its learning curve."""
    origin = experiment.trained_as(arm)
    kept = ExperimentFolder(experiment.output).weights(origin, seed, items) if origin else None
    return trained_model(experiment, seed, kept)
