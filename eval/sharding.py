"""One run shared by several processes, on the GPUs of one machine or of several with a common file system.

``accelerate launch --num_processes 8 -m srt eval ...`` starts the same command eight times; each process finds its
``RANK`` and ``WORLD_SIZE`` in the environment, takes the batches whose number it is (modulo their count) and writes to
a log of its own, ``predictions-RANK.jsonl``. What is done counts wherever it stands, so a run goes on with any number
of processes. Whoever comes last merges the logs into ``predictions.jsonl``; so does scoring, where they were copied
together from machines that share no disk. No process talks to another.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from srt.errors import UserError
from srt.folder_lock import FolderHeld, hold_folder
from srt.jsonl import AppendLog, read_numbered, write_records
from srt.records import Prediction

MERGED = "predictions.jsonl"


@dataclass(frozen=True)
class Shard:
    """The part of a run that this process takes: ``rank`` of ``count``, and ``local_rank`` on its machine."""

    rank: int = 0
    count: int = 1
    local_rank: int = 0

    @property
    def log(self) -> str:
        """The name of the file that it writes."""
        return MERGED if self.count == 1 else f"predictions-{self.rank}.jsonl"

    def takes(self, batch: int) -> bool:
        """Whether the batch of that number in the plan of the whole run is its own."""
        return batch % self.count == self.rank

    def take_device(self) -> None:
        """Leave this process one GPU of its machine, its own; to be called before anything looks for one."""
        if self.count == 1:
            return
        there = os.environ.get("CUDA_VISIBLE_DEVICES")
        devices = None if there is None else [name for name in there.split(",") if name]
        if devices is None or len(devices) > self.local_rank:
            os.environ["CUDA_VISIBLE_DEVICES"] = str(self.local_rank) if devices is None else devices[self.local_rank]

    @contextmanager
    def hold(self, folder: Path) -> Iterator[None]:
        """Hold ``folder`` alone, or, as one of several, its own log in it against others of its rank.

        Raises:
            UserError: another process holds what is needed.
        """
        with ExitStack() as held:
            held.enter_context(hold_folder(folder, shared=self.count > 1))
            if self.count > 1:
                held.enter_context(hold_folder(folder, name=f".{self.log}.lock"))
            yield


def this_shard() -> Shard:
    """What the environment says; one process that was not launched by another is all of it."""
    values = {}
    for name, default in (("RANK", 0), ("WORLD_SIZE", 1), ("LOCAL_RANK", 0)):
        text = os.environ.get(name, str(default))
        if not text.isdigit():
            raise UserError(f"environment: {name}: a whole number was expected, not {text!r}")
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
    """The keys of all predictions in ``folder``. The log ``own`` is whole; another may be growing: its torn last line
    is not read.

    Raises:
        UserError: two predictions in one file have the same key.
        RecordError: a line is not a prediction.
    """
    keys: set[str] = set()
    for log in logs_of(folder):
        lines: dict[str, int] = {}
        for number, prediction in read_numbered(log, Prediction, growing=log.name != own):
            if prediction.key in lines:
                raise UserError(
                    f"{log}:{number}: key: the prediction on line {lines[prediction.key]} has it too (problem "
                    f"{prediction.problem_id!r}, variant {prediction.variant!r}, repeat {prediction.repeat}); one "
                    "prediction a key was expected: remove one of the two lines"
                )
            lines[prediction.key] = number
        keys |= lines.keys()
    return keys


def merge_shards(folder: Path) -> bool:
    """Bring the logs of all shards in ``folder`` into one; whether that was possible: not while one is being written.

    A kill at any moment loses nothing: the merged file is there whole before a shard's log goes, and a prediction that
    stands in both, the same, is taken once.

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
