"""Starting and resuming a run: what its output folder holds, and what a kill may leave in it.

The contract: ``manifest.json`` is written before the first step; a checkpoint counts only once it contains
``whole.json``, which is written last; ``train.json`` (the summary) is written after the final weights. Each of the
three is written atomically. So a run that is started again finds nothing, or an unfinished run to resume (from its last
complete checkpoint, if there is one), or a finished run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError, field_validator

from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.records import Record
from train.run.run_manifest import (
    MANIFEST,
    OLD_MANIFEST,
    Attempt,
    TrainingManifest,
    bound_to_length,
    environment_changes,
    fingerprint_differences,
    is_beginning_of,
    manifest_path,
    only_longer,
    read_manifest,
    write_manifest,
)

SUMMARY = "train.json"
WATCHED = ("wandb", "tensorboard", "generations.jsonl")  # what is written while a run is watched
DROPPED = "dropped.jsonl"  # the problems that too_long: drop leaves out
COMPLETE = "whole.json"  # marks a checkpoint as completely written
_CHECKPOINT = re.compile(r"checkpoint-([0-9]+)")


class TrainSummary(Record):
    """``train.json``. A loss is the mean over the steps since the previous one; padding is not counted in tokens.

    ``examples`` are the sequences that were trained on; those of ``dropped_problems`` were too long.
    ``history`` has a row for each time that something was logged (:mod:`train.loop.monitor`). ``seconds`` is the time
    in the training loop, summed over all attempts. ``eval_history`` has a row for each evaluation on held-out data, and
    ``best_step`` is that of the lowest loss; the weights are those after ``result_step`` (by default the last).
    """

    recipe_hash: str
    steps: int
    final_loss: float
    losses: list[tuple[int, float]]
    history: list[dict[str, float]]
    examples: int
    dropped_problems: int = 0
    dropped_sequences: int = 0
    tokens: int
    trained_tokens: int
    parameters: int
    trainable_parameters: int
    processes: int
    seconds: float
    eval_history: list[dict[str, float]] = Field(default_factory=list)
    best_step: int | None = None
    result_step: int | None = None

    @field_validator("history")
    @classmethod
    def _read_old_names(cls, rows: list[dict[str, float]]) -> list[dict[str, float]]:
        return [with_new_names(row) for row in rows]

    @property
    def line(self) -> str:
        """What a run prints at its end."""
        return f"done: {self.steps} steps, loss {self.final_loss:.4f}, {self.seconds:.0f} s"


class StartPoint(NamedTuple):
    """Where a run starts: at a checkpoint that took ``seconds`` to reach, or at the first step (``None``)."""

    checkpoint: Path | None
    seconds: float

    @property
    def step(self) -> int:
        """The last step that is done."""
        return int(self.checkpoint.name.rpartition("-")[2]) if self.checkpoint else 0


def finished_summary(output: Path, fingerprint: dict[str, Any]) -> TrainSummary | None:
    """The summary of the run in ``output``, if that run is finished and was made with ``fingerprint``.

    Raises:
        UserError: ``output`` holds another finished run (the differences are named), or its summary is invalid.
    """
    path = output / SUMMARY
    if not path.exists():
        return None
    try:
        summary = TrainSummary.model_validate_json(path.read_bytes())
    except ValidationError:
        raise UserError(f"{path}: not the summary of a training run; choose another output") from None
    _check_same_run(output, fingerprint)
    return summary


def find_start(output: Path, fingerprint: dict[str, Any], resume: bool) -> StartPoint:
    """Where a run into ``output`` starts: in an empty folder at its first step, with ``resume`` at the last checkpoint.

    The unfinished run in the folder may be the beginning of this one.

    Raises:
        UserError: the folder holds another run (the differences are named), an unfinished run without ``resume``, a
            checkpoint with a file that is missing or cut off, or files that do not belong to a training run.
    """
    existing = next(path for path in (output.absolute(), *output.absolute().parents) if os.path.lexists(path))
    if not existing.is_dir():
        raise UserError(f"{output}: output must be a folder, but {existing} is not one")
    files = _files(output)
    if not files:
        return StartPoint(None, 0.0)
    if manifest_path(output) is None:
        raise UserError(f"{output}: output holds files that are not from a training run; choose an empty folder")
    if not is_beginning_of(read_manifest(output).fingerprint, fingerprint):
        _check_same_run(output, fingerprint)
    complete = {
        int(match[1]): file for file in files if (match := _CHECKPOINT.fullmatch(file.name)) and is_complete(file)
    }
    if not resume:
        progress = f"up to step {max(complete)}" if complete else "without a checkpoint yet"
        raise UserError(f"{output}: output holds this run unfinished, {progress}: continue with --resume, or remove it")
    if not complete:
        return StartPoint(None, 0.0)
    checkpoint = complete[max(complete)]
    return StartPoint(checkpoint, _checked_seconds(checkpoint))


def _checked_seconds(checkpoint: Path) -> float:
    """The training time up to ``checkpoint``, whose files must be as long as they were when it was written.

    Raises:
        UserError: one of them is not: a copy that broke off, a full disk.
    """
    marker = json.loads((checkpoint / COMPLETE).read_bytes())
    for name, size in marker.get("files", {}).items():  # Earlier versions did not record them.
        found = (checkpoint / name).stat().st_size if (checkpoint / name).is_file() else None
        if found != size:
            state = "is missing" if found is None else f"has {found:,} bytes"
            raise UserError(
                f"{checkpoint / name}: {state}, but {size:,} bytes were written: copy it again, or remove {checkpoint} "
                "to continue from the one before, if there is one"
            )
    return float(marker["seconds"])


def kept_by_ctrl_c(output: Path) -> str:
    """What an interrupted run has left in ``output``, and how to continue, for a message."""
    files = _files(output)
    complete = {
        int(match[1]): file for file in files if (match := _CHECKPOINT.fullmatch(file.name)) and is_complete(file)
    }
    if complete:
        return f"{complete[max(complete)]} is kept; continue with --resume"
    return "no checkpoint was written yet; start again" + (" with --resume" if files else "")


def claim_folder(output: Path, fingerprint: dict[str, Any], attempt: Attempt) -> list[str]:
    """Make ``output`` ready for ``attempt``: record it in the manifest, and remove incomplete checkpoints.

    Returns what has changed in the environment since the previous attempt.
    """
    output.mkdir(parents=True, exist_ok=True)
    before = read_manifest(output).attempts if manifest_path(output) else []
    write_manifest(output, TrainingManifest(fingerprint=fingerprint, attempts=[*before, attempt]))
    remove_checkpoints(output, incomplete_only=True)
    return environment_changes(before[-1], attempt) if before else []


def release_folder(output: Path) -> None:
    """After a failure without a checkpoint, empty the folder, so that a corrected recipe can use it."""
    remove_checkpoints(output, incomplete_only=True)
    written_first = {MANIFEST, OLD_MANIFEST, DROPPED}
    # Anything else in it, such as a complete checkpoint, can be resumed from.
    if {file.name for file in _files(output)} <= written_first:
        for name in written_first:
            (output / name).unlink(missing_ok=True)


def with_new_names(row: dict[str, float]) -> dict[str, float]:
    """The figures of one step; in older runs the role ``other`` was called ``between``."""
    return {name.replace("/between", "/other"): value for name, value in row.items()}


def checkpoint_of(output: Path, step: int) -> Path:
    """The folder of the checkpoint after ``step``."""
    return output / f"checkpoint-{step}"


def is_complete(checkpoint: Path) -> bool:
    """Whether the checkpoint was written to its end."""
    return (checkpoint / COMPLETE).exists()


def mark_complete(checkpoint: Path, seconds: float) -> None:
    """Record that all of ``checkpoint`` is on disk, and how long each file is.

    ``seconds`` is the training time up to here.
    """
    files = {
        str(file.relative_to(checkpoint)): file.stat().st_size
        for file in sorted(checkpoint.rglob("*"))
        if file.is_file() and file.name != COMPLETE
    }
    _write_json(checkpoint / COMPLETE, {"seconds": seconds, "files": files})


def remove_checkpoints(output: Path, *, incomplete_only: bool) -> None:
    """Remove the checkpoints in ``output``."""
    for file in output.iterdir():
        if _CHECKPOINT.fullmatch(file.name) and not (incomplete_only and is_complete(file)):
            # The marker goes first: a kill during the removal must not leave a marker on half a checkpoint.
            (file / COMPLETE).unlink(missing_ok=True)
            shutil.rmtree(file)


def write_summary(output: Path, summary: TrainSummary) -> None:
    """Write ``train.json``: from here on the run is finished."""
    _write_json(output / SUMMARY, summary.model_dump(mode="json"))


def _files(output: Path) -> list[Path]:
    """What is in ``output``, except hidden files and what is only there to be looked at."""
    if not output.is_dir():
        return []
    return [file for file in output.iterdir() if not file.name.startswith(".") and file.name not in WATCHED]


def _check_same_run(output: Path, fingerprint: dict[str, Any]) -> None:
    saved = read_manifest(output).fingerprint
    if differ := fingerprint_differences(saved, fingerprint):
        why = ""
        if only_longer(saved, fingerprint):
            why = f" (it cannot be made longer: {bound_to_length(fingerprint) or 'it is finished'})"
        raise UserError(
            f"{output}: output holds another run; what differs: {', '.join(differ)}{why}; choose another output"
        )


def _write_json(path: Path, values: dict[str, Any]) -> None:
    write_atomically(path, [json.dumps(values, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"])
