"""What is known of a run before PyTorch is imported and processes are started: files are missing, or it is finished.

Importing PyTorch takes ten seconds and more, a launch with several processes longer; an answer of one line must not
wait for that. Everything is checked again, with the rest, by the training processes.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from srt.io.bundled_files import no_model_folder
from srt.io.errors import UserError
from train.data.line_checks import CountedFaults, check_lines, record_of
from train.preflight.gpus_at_hand import launch_option
from train.preflight.report import PreflightReport
from train.recipe import Recipe, Reporter
from train.recipe_reader import Examined, examine_recipe
from train.run.hub import hub_faults
from train.run.launch import Cluster, Launch, launch_faults, read_launch
from train.run.resume import SUMMARY, TrainSummary, finished_summary
from train.run.run_manifest import fingerprint

_KNOWN = {"__num_processes", "__num_machines", "__machine_rank", "__main_process_ip", "__main_process_port"}
"""Options of ``accelerate launch`` that do not change how processes share a model."""
_PACKAGES: dict[Reporter, str] = {"wandb": "wandb", "tensorboard": "tensorboardX", "trackio": "trackio"}


class FirstChecks(NamedTuple):
    """What a preflight knows without PyTorch: the recipe as far as it can be read, the launch, and their ``faults``."""

    read: Examined
    launch: Launch
    faults: list[str]


def first_checks(path: Path, changes: Iterable[str], launch_path: Path | None) -> FirstChecks:
    """Check the recipe ``path``, with ``changes`` (``KEY=VALUE``), and the accelerate file ``launch_path``.

    Raises:
        UserError: the recipe is missing or not YAML, so nothing can be checked.
    """
    read, launch = examine_recipe(path, changes), Launch()
    recipe = read.recipe
    faults = [f"{path}: {fault}" for fault in read.faults]
    try:
        launch = launch if launch_path is None else read_launch(launch_path)
    except UserError as error:
        faults.append(str(error))
    if read.knows("data", "stages", "mix"):
        faults += data_faults(recipe)
    faults += [*held_out_faults(recipe), *reporting_faults(recipe)]
    return FirstChecks(read, launch, faults + launch_faults(launch, recipe, None) + hub_faults(recipe))


def report_without_model(first: FirstChecks) -> PreflightReport | None:
    """The whole report where the model folder is missing, since nothing else needs PyTorch then; else ``None``."""
    read, faults = first.read, list(first.faults)
    recipe = read.recipe
    if not read.knows("model.path") or Path(recipe.model.path).is_dir():
        return None
    faults.append(str(no_model_folder(recipe.model.path, "model.path: ", recipe.model.hub_id)))
    files = [part.data_file for part in recipe.parts()] if has_data(read) else []
    for file in [*files, *([Path(recipe.eval_data)] if recipe.eval_data else [])]:
        if file.is_file():
            counted = CountedFaults()
            check_lines(file, counted, record_of(recipe))
            faults += counted.lines()
    return PreflightReport(faults)


def finished_before(recipe: Recipe, launch: Path | None, options: Sequence[str] = ()) -> TrainSummary | None:
    """The summary of the run that ``recipe`` describes, if it is finished; ``None`` if there is something to train.

    ``launch`` is the accelerate file that it would be started with, ``options`` are those of ``accelerate launch``.

    Raises:
        UserError: the model folder or a data file is missing, or the output folder holds another finished run.
    """
    if not Path(recipe.model.path).is_dir():
        raise no_model_folder(recipe.model.path, "model.path: ", recipe.model.hub_id)
    if faults := data_faults(recipe):
        raise UserError("; ".join(faults))
    output = Path(recipe.output)
    # Only a finished run is worth the hashes of all its files: the training processes compute them again.
    if not (output / SUMMARY).exists():
        return None
    cluster = Cluster() if launch is None else read_launch(launch).cluster
    processes = launch_option(options, "num_processes") or str(cluster.processes)
    others = {option.partition("=")[0].replace("-", "_") for option in options if option.startswith("--")} - _KNOWN
    if others or not processes.isdecimal():
        return None  # only accelerate knows what they make of the launch
    sharding = "none" if processes == "1" and cluster.method == "ddp" else cluster.sharding
    return finished_summary(output, fingerprint(recipe, int(processes), sharding))


def has_data(read: Examined) -> bool:
    """Whether it is known what a recipe trains on."""
    recipe = read.recipe
    return read.knows("data", "stages", "mix") and bool(recipe.data or recipe.stages or recipe.mix)


def data_faults(recipe: Recipe) -> list[str]:
    """A line for each data file that does not exist, or is a folder."""
    own = [("data", recipe.data)] if recipe.data else []
    own += [(f"stages: {stage.name}: data", stage.data) for stage in recipe.stages or ()]
    own += [("mix: data", file.data) for file in recipe.mix or ()]
    named = [*own, *(("other_arms", path) for path in recipe.other_arms)]
    made_by = "srt build makes one" if recipe.objective.dpo is None else "srt pairs makes one"
    if (grpo := recipe.objective.grpo) is not None and isinstance(grpo.problems, str):
        named, made_by = [("objective.grpo.problems", grpo.problems)], "srt generate makes one"
    return [
        f"{key}: a file was expected, this is a folder: {path}; srt build writes {Path(path) / 'sequences.jsonl'}"
        if Path(path).is_dir()
        else f"{key}: no such file: {path}; {made_by}"
        for key, path in named
        if not Path(path).is_file()
    ]


def held_out_faults(recipe: Recipe) -> list[str]:
    """A line for each file of held-out data that does not exist."""
    files = {
        "eval_data": recipe.eval_data,
        "generations.problems": recipe.generations and recipe.generations.problems,
    }
    if (grpo := recipe.objective.grpo) is not None:
        files["objective.grpo.held_out"] = grpo.held_out if isinstance(grpo.held_out, str) else None
    return [f"{key}: no such file: {path}" for key, path in files.items() if path and not Path(path).is_file()]


def reporting_faults(recipe: Recipe) -> list[str]:
    """A line for each package that ``logging.report_to`` needs and that is not installed."""
    return [
        f"logging.report_to: {name} needs the package {package}, which is not installed: pip install {package}"
        for name, package in _PACKAGES.items()
        if name in recipe.logging.report_to and importlib.util.find_spec(package) is None
    ]
