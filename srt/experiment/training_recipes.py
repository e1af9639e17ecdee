"""The recipes of the training runs of an experiment, as ``srt train`` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import Experiment
from srt.io.atomic_files import write_atomically
from srt.language.arms import arm_named


def write_recipe(experiment: Experiment, arm: str, seed: int, start: Path) -> Path:
    """The training recipe of one run, as a file in its folder."""
    run = ExperimentFolder(experiment.output).run(arm, seed)
    run.mkdir(parents=True, exist_ok=True)
    recipe = yaml.safe_dump(recipe_of(experiment, arm, seed, start), sort_keys=False)
    write_atomically(run / "recipe.yaml", [recipe.encode()])
    return run / "recipe.yaml"


def recipe_of(experiment: Experiment, arm: str, seed: int, start: Path) -> dict[str, Any]:
    """What ``train/train_srt.py`` is given: the experiment's ``train`` and what differs from run to run."""
    folder = ExperimentFolder(experiment.output)
    # A problem that is too long for one arm is left out of all of them.
    others = [other for other in experiment.trained_arms if other != arm and experiment.train.get("too_long") == "drop"]
    generations = experiment.train.get("generations")
    return {
        **experiment.train,
        **_data(experiment, folder, arm),
        **({"other_arms": [str(folder.sequences(other)) for other in others]} if others else {}),
        **({"eval_data": str(folder.held_out(arm))} if experiment.held_out else {}),
        **({"generations": {**generations, "problems": str(folder.train)}} if generations else {}),
        "output": str(folder.model(arm, seed)),
        "seed": seed,
        "logging": _logging(experiment, arm, seed),
        "model": {**experiment.train.get("model", {}), "path": str(start)},
    }


def _data(experiment: Experiment, folder: ExperimentFolder, arm: str) -> dict[str, Any]:
    """What a run is trained on, and how long it is where ``train`` does not say so."""
    if experiment.stages is not None:
        stages = (stage.model_dump(include={"name", "items"}) for stage in experiment.stages)
        return {"stages": [{**stage, "data": str(folder.sequences(arm, stage["name"]))} for stage in stages]}
    length = {"steps": experiment.curve.items[-1] // experiment.train["batch_size"]} if experiment.curve else {}
    return {"data": str(folder.sequences(arm)), **length}


def _logging(experiment: Experiment, arm: str, seed: int) -> Any:
    """The ``logging`` of one run: named experiment/arm/seed, and in W&B grouped by the experiment."""
    given = experiment.train.get("logging") or {}
    if not isinstance(given, dict):
        return given  # a fault, which train reports
    group = {"group": experiment.name} if "wandb" in (given.get("report_to") or ()) else {}
    return {**group, **given, "name": f"{experiment.name}/{arm}/{seed}"}


def evaluation_settings(experiment: Experiment, name: str, arm: str | None = None) -> dict[str, Any]:
    """The experiment's ``evaluate`` for the run ``name``: with training's limits of pictures, and its
    variables of the chat template.

    A model that is not trained would have those of its own. Only an ``arm`` of worked examples has ``shots``.
    """
    pictures = experiment.train.get("pictures") or {}
    limits = {key: pictures[key] for key in ("min_pixels", "max_pixels") if pictures.get(key)}
    kwargs = {key: experiment.train[key] for key in ("chat_template_kwargs",) if experiment.train.get(key)}
    settings = {**limits, **kwargs, **experiment.evaluate, **reporting_settings(experiment, name)}
    shown = arm_named(arm).shots if arm else None
    if shown is None:
        return {key: value for key, value in settings.items() if key != "shots"}
    return {**settings, "shots_from": ExperimentFolder(experiment.output).sequences(shown)}


def reporting_settings(experiment: Experiment, name: str) -> dict[str, Any]:
    """The experiment's ``evaluate``, named in W&B as trainings are; empty if nothing is reported there."""
    if experiment.evaluate.get("report_to") is None:
        return {}
    return {"group": experiment.name, **experiment.evaluate, "run_name": f"{experiment.name}/{name}"}
