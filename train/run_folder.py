"""The output folder of a run, and what a kill may leave in it.

The contract: ``recipe.json`` (what the run is made from) is there before the first step; a checkpoint counts only once
``whole.json`` lies in it, which is written last; ``train.json`` (the summary) is written after the final weights. Each
of the three is written whole or not at all. So a run that is started again finds one of: nothing, a whole checkpoint to
go on from, or a finished run.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from srt.errors import UserError
from srt.jsonl import write_atomically
from train.recipe import Recipe

STAMP = "recipe.json"
SUMMARY = "train.json"
WHOLE = "whole.json"
_CHECKPOINT = re.compile(r"checkpoint-([0-9]+)")
# What changes where a run writes or how it speaks, and not the weights that it ends with.
_NOT_OF_THE_RUN = {"data", "output", "logging", "save_steps", "threads", "resume"}


class TrainSummary(BaseModel):
    """``train.json``. Losses are means over the steps since the one before; tokens are real ones, padding left out.

    ``seconds`` is the time in the training loop, over all the processes that a run was killed and resumed in.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    recipe_hash: str
    steps: int
    final_loss: float
    losses: list[tuple[int, float]]
    examples: int
    tokens: int
    trained_tokens: int
    parameters: int
    trainable_parameters: int
    processes: int
    seconds: float
    versions: dict[str, str]


class Start(NamedTuple):
    """Where to begin: at a checkpoint, with the seconds it took so far, or from the first step (``None``)."""

    checkpoint: Path | None
    seconds: float


def fingerprint(recipe: Recipe, processes: int) -> dict[str, Any]:
    """All that decides the weights a run ends with: keys of the recipe, and SHA-256 of the data and the model."""
    keys = {name: value for name, value in recipe.model_dump(mode="json").items() if name not in _NOT_OF_THE_RUN}
    keys["model"] = {**keys["model"], "path": None}
    return {
        **_flat(keys),
        "data (contents)": _sha256([Path(recipe.data)]),
        "model (contents)": _sha256(sorted(file for file in Path(recipe.model.path).iterdir() if file.is_file())),
        "processes": processes,
    }


def fingerprint_hash(keys: dict[str, Any]) -> str:
    """The recipe hash: SHA-256 of :func:`fingerprint`, 16 hex digits."""
    return hashlib.sha256(json.dumps(keys, sort_keys=True).encode()).hexdigest()[:16]


def finished(output: Path, keys: dict[str, Any]) -> TrainSummary | None:
    """The summary, if ``output`` holds this very run, finished."""
    path = output / SUMMARY
    if not path.exists():
        return None
    try:
        summary = TrainSummary.model_validate_json(path.read_bytes())
    except ValidationError:
        raise UserError(f"{path}: not the summary of a training run; choose another output") from None
    _check_same(output, keys)
    return summary


def find_start(output: Path, keys: dict[str, Any], resume: str) -> Start:
    """Where a run into ``output`` begins.

    Raises:
        UserError: the folder holds another run (the keys that differ are named), or files of no run.
    """
    files = [file for file in output.iterdir() if not file.name.startswith(".")] if output.is_dir() else []
    if output.exists() and not output.is_dir():
        raise UserError(f"{output}: output must be a folder")
    if not files:
        return Start(None, 0.0)
    if resume == "never":
        raise UserError(f"{output}: output is not empty, and resume is never")
    if not (output / STAMP).exists():
        raise UserError(f"{output}: output holds files that are of no training run; choose an empty folder")
    _check_same(output, keys)
    whole = {int(match[1]): file for file in files if (match := _CHECKPOINT.fullmatch(file.name)) and is_whole(file)}
    if not whole:
        return Start(None, 0.0)
    checkpoint = whole[max(whole)]
    return Start(checkpoint, float(json.loads((checkpoint / WHOLE).read_bytes())["seconds"]))


def open_folder(output: Path, keys: dict[str, Any]) -> None:
    """Make ``output`` ready: the stamp is written, and checkpoints that a kill left half-written are removed."""
    output.mkdir(parents=True, exist_ok=True)
    _write_json(output / STAMP, keys)
    remove_checkpoints(output, whole_too=False)


def is_whole(checkpoint: Path) -> bool:
    """Whether the checkpoint was written to its end."""
    return (checkpoint / WHOLE).exists()


def mark_whole(checkpoint: Path, seconds: float) -> None:
    """Say that all of ``checkpoint`` is on disk. ``seconds`` is the time that the run took up to here."""
    _write_json(checkpoint / WHOLE, {"seconds": seconds})


def remove_checkpoints(output: Path, whole_too: bool) -> None:
    """Remove the checkpoints in ``output``, or only those that are not whole."""
    for file in output.iterdir():
        if _CHECKPOINT.fullmatch(file.name) and (whole_too or not is_whole(file)):
            # The mark goes first: a kill in the midst of the removal must not leave a mark on half a checkpoint.
            (file / WHOLE).unlink(missing_ok=True)
            shutil.rmtree(file)


def write_summary(output: Path, summary: TrainSummary) -> None:
    """Write ``train.json``: from here on the run is finished."""
    _write_json(output / SUMMARY, summary.model_dump(mode="json"))


def _check_same(output: Path, keys: dict[str, Any]) -> None:
    try:
        there = json.loads((output / STAMP).read_bytes())
    except (OSError, ValueError):
        there = None
    if not isinstance(there, dict):
        raise UserError(
            f"{output / STAMP}: cannot be read, so the run in this folder is unknown; choose another output"
        )
    missing = object()
    differ = [key for key in {**there, **keys} if there.get(key, missing) != keys.get(key, missing)]
    if differ:
        faults = ", ".join(_difference(key, there, keys) for key in differ)
        raise UserError(f"{output}: output holds another run; what differs: {faults}; choose another output")


def _difference(key: str, there: dict[str, Any], here: dict[str, Any]) -> str:
    if key.endswith("(contents)"):
        return key
    return f"{key} ({there.get(key, 'absent')} there, {here.get(key, 'absent')} here)"


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _sha256(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        with open(path, "rb") as file:
            digest.update(f"{path.name if len(files) > 1 else ''}:".encode())
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def _write_json(path: Path, values: dict[str, Any]) -> None:
    write_atomically(path, [json.dumps(values, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"])
