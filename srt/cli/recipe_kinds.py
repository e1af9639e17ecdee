"""A recipe of one command that is given to another: said in one line instead of a list of unknown keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from srt.io.bundled_files import find_bundled
from srt.io.errors import UserError
from srt.io.yaml_config import read_yaml


class _Kind(NamedTuple):
    """What takes such files, where some of them are, and their keys at the top."""

    taken_by: str
    folder: str
    keys: Callable[[], set[str]]


def _train() -> set[str]:
    from train.recipe import Recipe
    from train.recipe_reader import RENAMED

    return {*Recipe.model_fields, *RENAMED}


def _eval() -> set[str]:
    from eval.run.eval_recipe import RENAMED, EvalRecipe

    return {*EvalRecipe.model_fields, *RENAMED}


def _experiment() -> set[str]:
    from srt.experiment.experiment_recipe import Experiment

    return {*Experiment.model_fields}


def _teach() -> set[str]:
    from srt.teaching.teach_config import TeachConfig

    return {*TeachConfig.model_fields}


def _judge() -> set[str]:
    from eval.errors.judge_model import JudgeConfig

    return {*JudgeConfig.model_fields}


def _dataset() -> set[str]:
    from srt.publish.dataset_recipe import DatasetRecipe

    return {*DatasetRecipe.model_fields}


def _launch() -> set[str]:
    """The keys that every launch file of configs/ has, of the many that accelerate knows."""
    return {"compute_environment", "distributed_type", "use_cpu", "num_machines", "num_processes", "mixed_precision"}


_KINDS = {
    "train": _Kind("srt train and srt preflight", "recipes/train", _train),
    "eval": _Kind("srt eval --config", "recipes/eval", _eval),
    "experiment": _Kind("srt experiment", "recipes", _experiment),
    "teach": _Kind("srt teach --config", "recipes/teach", _teach),
    "judge": _Kind("srt ask-judge --config and srt errors --judge", "recipes/judge", _judge),
    "dataset": _Kind("srt dataset", "recipes/dataset", _dataset),
    "launch": _Kind("--accelerate", "configs", _launch),
}


def require_kind(path: Path, kind: str) -> None:
    """Refuse a file whose keys are those of another kind of config than ``kind``: all of them, or most.

    A file that cannot be read, and single wrong keys, are left to the reader of that kind.

    Raises:
        UserError: naming the command that takes such a file.
    """
    own = _KINDS[kind]
    try:
        given = read_yaml(path, bundled=own.folder).keys()
    except UserError:
        return
    unknown = len(given - own.keys())
    if not unknown:
        return
    others = {name: len(given - other.keys()) for name, other in _KINDS.items()}
    best = min(others, key=lambda name: others[name])
    if others[best] == 0 or (2 * unknown > len(given) and 2 * others[best] < len(given)):
        raise UserError(
            f"{path}: this is a file for {_KINDS[best].taken_by}; for {own.taken_by} there are examples "
            f"in {own.folder}/"
        )


def find_launch_file(path: Path) -> Path:
    """The accelerate file ``path``, or the one of that name that comes with the toolkit.

    Raises:
        UserError: there is none, or it is a file of another kind.
    """
    found = find_bundled(path, "configs")
    if not found.is_file():
        raise UserError(f"{path}: no such accelerate file; there are some in configs/")
    require_kind(found, "launch")
    return found
