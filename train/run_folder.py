"""The output folder of a run, and what a kill may leave in it.

The contract: ``stamp.json`` (what the run is made from) is there before the first step; a checkpoint counts only once
``whole.json`` lies in it, which is written last; ``train.json`` (the summary) is written after the final weights. Each
of the three is written whole or not at all. So a run that is started again finds one of: nothing, an unfinished run to
go on with (from its last whole checkpoint, if it came to one), or a finished run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from srt.errors import UserError
from srt.jsonl import write_atomically
from train.stamp import STAMP, Attempt, Stamp, changed_surroundings, differences, read_stamp, write_stamp

SUMMARY = "train.json"
WHOLE = "whole.json"
_CHECKPOINT = re.compile(r"checkpoint-([0-9]+)")
# What W&B writes there is of no run of its own.
_BESIDE = {"wandb"}


class TrainSummary(BaseModel):
    """``train.json``. Losses are means over the steps since the one before; tokens are real ones, padding left out.

    ``history`` is all that was logged (:mod:`train.watch`), a row for each time.

    ``seconds`` is the time in the training loop, over all the processes that a run was killed and resumed in.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    recipe_hash: str
    steps: int
    final_loss: float
    losses: list[tuple[int, float]]
    history: list[dict[str, float]]
    examples: int
    tokens: int
    trained_tokens: int
    parameters: int
    trainable_parameters: int
    processes: int
    seconds: float


class Start(NamedTuple):
    """Where to begin: at a checkpoint, with the seconds it took so far, or from the first step (``None``)."""

    checkpoint: Path | None
    seconds: float


def finished(output: Path, decides: dict[str, Any]) -> TrainSummary | None:
    """The summary, if ``output`` holds the run that ``decides`` (:func:`train.stamp.fingerprint`) tells of, finished.

    Raises:
        UserError: it holds another finished run (what differs is named), or a summary that is none.
    """
    path = output / SUMMARY
    if not path.exists():
        return None
    try:
        summary = TrainSummary.model_validate_json(path.read_bytes())
    except ValidationError:
        raise UserError(f"{path}: not the summary of a training run; choose another output") from None
    _check_same(output, decides)
    return summary


def find_start(output: Path, decides: dict[str, Any], resume: bool) -> Start:
    """Where a run into ``output`` begins: at its first step in a folder without a run, else where ``resume`` finds it.

    Raises:
        UserError: the folder holds another run (what differs is named), an unfinished one without ``resume``, or files
            of no run.
    """
    if (at := _no_folder(output)) is not None:
        raise UserError(f"{output}: output must be a folder, and {at} is none")
    files = _files(output)
    if not files:
        return Start(None, 0.0)
    if not (output / STAMP).exists():
        raise UserError(f"{output}: output holds files that are of no training run; choose an empty folder")
    _check_same(output, decides)
    whole = {int(match[1]): file for file in files if (match := _CHECKPOINT.fullmatch(file.name)) and is_whole(file)}
    if not resume:
        there = f"up to step {max(whole)}" if whole else "without a checkpoint yet"
        raise UserError(f"{output}: output holds this run unfinished, {there}: go on with --resume, or remove it")
    if not whole:
        return Start(None, 0.0)
    checkpoint = whole[max(whole)]
    return Start(checkpoint, float(json.loads((checkpoint / WHOLE).read_bytes())["seconds"]))


def claim_folder(output: Path, decides: dict[str, Any], attempt: Attempt) -> list[str]:
    """Make ``output`` ready: the stamp has this attempt in it, and no half-written checkpoint is left of a kill.

    Gives what this attempt runs under that differs from the one before it.
    """
    output.mkdir(parents=True, exist_ok=True)
    before = read_stamp(output).attempts if (output / STAMP).exists() else []
    write_stamp(output, Stamp(decides=decides, attempts=[*before, attempt]))
    remove_checkpoints(output, whole_too=False)
    return changed_surroundings(before[-1], attempt) if before else []


def give_up_folder(output: Path) -> None:
    """After a failure: remove the stamp of a run that came to no checkpoint, so that a mended recipe finds room."""
    remove_checkpoints(output, whole_too=False)
    if {file.name for file in _files(output)} <= {STAMP}:
        (output / STAMP).unlink(missing_ok=True)


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


def _no_folder(output: Path) -> Path | None:
    """What stands where ``output`` or a folder above it would be: a file, or a link to nothing."""
    there = next(path for path in (output.absolute(), *output.absolute().parents) if os.path.lexists(path))
    return None if there.is_dir() else there


def _files(output: Path) -> list[Path]:
    if not output.is_dir():
        return []
    return [file for file in output.iterdir() if not file.name.startswith(".") and file.name not in _BESIDE]


def _check_same(output: Path, decides: dict[str, Any]) -> None:
    if differ := differences(read_stamp(output).decides, decides):
        raise UserError(f"{output}: output holds another run; what differs: {', '.join(differ)}; choose another output")


def _write_json(path: Path, values: dict[str, Any]) -> None:
    write_atomically(path, [json.dumps(values, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"])
