"""What is known of a run before PyTorch is imported and processes are started: files are missing, or it is finished.

Importing PyTorch takes ten seconds and more, a launch with several processes longer; an answer of one line must not
wait for that. Everything is checked again, with the rest, by the training processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from srt.io.errors import UserError, no_model_folder
from train.preflight.gpus_at_hand import launch_option
from train.preflight.launch_file import Cluster, read_launch
from train.recipe import Recipe
from train.run.resume import SUMMARY, TrainSummary, finished_summary
from train.run.run_manifest import fingerprint

_KNOWN = {"__num_processes", "__num_machines", "__machine_rank", "__main_process_ip", "__main_process_port"}
"""Options of ``accelerate launch`` that do not change how processes share a model."""


def finished_before(recipe: Recipe, launch: Path | None, options: Sequence[str] = ()) -> TrainSummary | None:
    """The summary of the run that ``recipe`` describes, if it is finished; ``None`` if there is something to train.

    ``launch`` is the accelerate file that it would be started with, ``options`` are those of ``accelerate launch``.

    Raises:
        UserError: the model folder or a data file is missing, or the output folder holds another finished run.
    """
    if not Path(recipe.model.path).is_dir():
        raise no_model_folder(recipe.model.path, "model.path: ")
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


def data_faults(recipe: Recipe) -> list[str]:
    """A line for each data file that does not exist, or is a folder."""
    own = [("data", recipe.data)] if recipe.data else []
    own += [(f"stages: {stage.name}: data", stage.data) for stage in recipe.stages or ()]
    named = [*own, *(("other_arms", path) for path in recipe.other_arms)]
    return [
        f"{key}: a file was expected, this is a folder: {path}; srt build writes {Path(path) / 'sequences.jsonl'}"
        if Path(path).is_dir()
        else f"{key}: no such file: {path}; srt build makes one"
        for key, path in named
        if not Path(path).is_file()
    ]
