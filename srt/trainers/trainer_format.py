"""What the data format of a trainer is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from srt.io.parquet_files import is_parquet
from srt.io.records import Problem, Record, Sequence


@dataclass(frozen=True)
class TrainerFormat:
    """A data format: files of the records ``model``, one row for each training sequence and its problem.

    ``row`` is also given the paths of the pictures, relative to the file, or ``None`` for a file without pictures. It
    raises a :class:`~srt.io.errors.UserError` where the format cannot say what the sequence says. ``llama_factory``:
    the entry of LLaMA-Factory's ``dataset_info.json``, but for ``file_name`` and the column of pictures; ``None`` where
    it does not read the format. ``stem`` names the file in a folder; by default, the arm does.
    """

    model: type[Record]
    row: Callable[[Sequence, Problem, list[str] | None], Record]
    llama_factory: dict[str, Any] | None = None
    stem: str | None = None
    suffix: str = ".jsonl"

    def file(self, out: Path, arm: str) -> Path:
        """The file to write: ``out`` itself if it is a ``.parquet``, else one in the folder ``out``."""
        return out if is_parquet(out) else out / f"{self.stem or arm}{self.suffix}"
