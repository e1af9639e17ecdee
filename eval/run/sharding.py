"""One run shared by several processes, on the GPUs of one machine or of several with a common file system.

``accelerate launch --num_processes 8 -m srt eval ...`` starts the same command eight times; each process finds its
``RANK`` and ``WORLD_SIZE`` in the environment, takes every ``WORLD_SIZE``-th batch from its rank on, and writes its own
log, ``predictions-RANK.jsonl``. A prediction counts as done in whichever log it is, so a run can be resumed with any
number of processes. The last process to end merges the logs into ``predictions.jsonl``; scoring does the same for logs
that were copied together from machines without a common disk. Processes do not communicate.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from srt.io.append_log import AppendLog
from srt.io.errors import UserError
from srt.io.folder_lock import FolderHeld, hold_folder
from srt.io.record_reader import read_numbered, read_unique
from srt.io.record_writer import write_records
from srt.io.records import Prediction

MERGED = "predictions.jsonl"


@dataclass(frozen=True)
class Shard:
    """The part of a run that this process takes: ``rank`` of ``count``, and ``local_rank`` on its machine."""

    rank: int = 0
    count: int = 1
    local_rank: int = 0

    @property
    def log(self) -> str:
        """The name of the file that this process writes."""
        return MERGED if self.count == 1 else f"predictions-{self.rank}.jsonl"

    def takes(self, batch: int) -> bool:
        """Whether this process generates the batch of that number in the plan of the whole run."""
        return batch % self.count == self.rank

    def take_device(self) -> None:
        """Make one GPU of its machine visible to this process; call it before anything looks for GPUs."""
        if self.count == 1:
            return
        there = os.environ.get("CUDA_VISIBLE_DEVICES")
        devices = None if there is None else [name for name in there.split(",") if name]
        if devices is None or len(devices) > self.local_rank:
            os.environ["CUDA_VISIBLE_DEVICES"] = str(self.local_rank) if devices is None else devices[self.local_rank]

    @contextmanager
    def hold(self, folder: Path) -> Iterator[None]:
        """Lock ``folder``, or, as one of several processes, only the log of this rank in it.

        Raises:
            UserError: another process holds the lock.
        """
        with ExitStack() as held:
            held.enter_context(hold_folder(folder, shared=self.count > 1))
            if self.count > 1:
                held.enter_context(hold_folder(folder, name=f".{self.log}.lock"))
            yield


def this_shard() -> Shard:
    """The shard that the environment names; a process that was not launched as one of several has all of the run."""
    values = {}
    for name, default in (("RANK", 0), ("WORLD_SIZE", 1), ("LOCAL_RANK", 0)):
        text = os.environ.get(name, str(default))
        if not text.isdigit():
            raise UserError(f"environment: {name}: a non-negative integer was expected, not {text!r}")
        values[name] = int(text)
    if values["RANK"] >= values["WORLD_SIZE"]:
        raise UserError(
            f"environment: RANK is {values['RANK']} and WORLD_SIZE {values['WORLD_SIZE']}: ranks begin at 0"
        )
    return Shard(values["RANK"], values["WORLD_SIZE"], values["LOCAL_RANK"])


def logs_of(folder: Path) -> list[Path]:
    """All files of predictions in ``folder``, the merged one first."""
    shards = sorted(folder.glob("predictions-*.jsonl"), key=lambda path: (len(path.name), path.name))
    return [path for path in (folder / MERGED, *shards) if path.is_file()]


def read_keys(folder: Path, own: str) -> set[str]:
    """The keys of all predictions in ``folder``. The log ``own`` is complete; others may be growing: a torn last line
    in them is ignored.

    Raises:
        UserError: two predictions in one file have the same key.
        RecordError: a line is not a prediction.
    """
    keys: set[str] = set()
    for log in logs_of(folder):
        keys |= {prediction.key for _, prediction in read_unique(log, Prediction, "key", growing=log.name != own)}
    return keys


def merge_shards(folder: Path) -> bool:
    """Merge the logs of all shards in ``folder``; returns False, and does nothing, while one is being written.

    A kill at any moment loses nothing: the merged file is complete before a shard's log is removed, and a prediction
    that is the same in both is taken once.

    Raises:
        UserError: two files have different predictions for one key.
    """
    if logs_of(folder) in ([], [folder / MERGED]):
        return True
    try:
        with hold_folder(folder):
            _merge(folder)
    except FolderHeld:
        return False
    return True


def _merge(folder: Path) -> None:
    found: dict[str, tuple[Path, Prediction]] = {}
    logs = logs_of(folder)
    for log in logs:
        with AppendLog(log):  # cuts off a torn last line
            pass
        for number, row in read_numbered(log, Prediction):
            there, before = found.setdefault(row.key, (log, row))
            if before is not row and (there == log or before != row):
                raise UserError(
                    f"{log}:{number}: key: {there} has a prediction for it already (problem {row.problem_id!r}, "
                    f"variant {row.variant!r}, repeat {row.repeat}); remove one of the two lines"
                )
    write_records(folder / MERGED, (row for _, row in found.values()))
    for log in logs:
        if log.name != MERGED:
            log.unlink()
