"""Reading the recipe of an experiment: one YAML file, checked as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from srt.experiment.experiment_recipe import SET_BY_EXPERIMENT, Experiment
from srt.experiment.experiment_rules import LENGTH, contradictions
from srt.io.bundled_files import find_bundled
from srt.io.yaml_config import ConfigFaults, extended_file, merged, parse_config, read_yaml

TRAINING: Final = "recipes/train"
"""The folder of training recipes."""


def load_experiment(path: Path, changes: Iterable[str] = ()) -> Experiment:
    """Read an experiment's YAML file; every fault in it is named at once in one :class:`UserError`.

    ``changes`` win over the file: ``key=value`` each, as on the command line. ``train: {extends: FILE}`` builds on a
    training recipe, but for the keys that the experiment sets itself.
    """
    path = find_bundled(path, "recipes")
    values = read_yaml(path, changes)
    train = values.get("train")
    if isinstance(train, dict) and isinstance(train.get("extends"), str):
        own = {key: value for key, value in train.items() if key != "extends"}
        base = read_yaml(extended_file(path, train["extends"], TRAINING), bundled=TRAINING)
        length = LENGTH if "curve" in values or "stages" in values else ()
        for key in (*SET_BY_EXPERIMENT, *length, "model.hub_id"):
            *block, name = key.split(".")
            place = base.get(block[0]) if block else base
            if isinstance(place, dict):
                place.pop(name, None)
        values["train"] = merged(base, own)
    return parse_experiment(values, str(path))


def parse_experiment(values: Mapping[str, Any], place: str) -> Experiment:
    """The experiment that ``values`` spell out; ``place`` begins the message.

    Raises:
        ConfigFaults: all keys and values that are refused at once, or all that contradict each other.
    """
    experiment = parse_config(Experiment, values, place)
    if faults := contradictions(experiment):
        raise ConfigFaults(place, faults)
    return experiment
