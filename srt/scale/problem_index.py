"""Where each problem stands, for traces on any machine, and that no id comes twice.

Two arrays, sorted by a hash of the id, in files that all machines see and map into memory: 28 bytes for each problem.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import orjson

from srt.io.errors import RecordError
from srt.io.jsonl import Line, write_atomically
from srt.io.parquet_files import is_parquet
from srt.io.problem_files import TraceLine, problem_id
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.scale.ray_engine import RunShards
from srt.scale.shards import InputShard

_ENTRY = np.dtype([("hash", "<u8"), ("shard", "<u4"), ("number", "<u8"), ("offset", "<u8")])


@dataclass(frozen=True)
class ProblemIndex:
    """The index of the problems in ``shards``; its files are in ``folder``."""

    shards: tuple[InputShard, ...]
    folder: Path

    def make(self, run: RunShards) -> None:
        """Write the files, unless they are there.

        Raises:
            RecordError: a line has not the keys of a problem, or the id of an earlier one.
        """
        if (self.folder / "places.npy").exists():
            return
        run("index", self.note, [n for n in range(len(self.shards)) if not self._noted(n).exists()])
        noted = [np.load(self._noted(number)) for number in range(len(self.shards))]
        every = np.concatenate([np.empty(0, _ENTRY), *noted])
        every = every[np.argsort(every["hash"], kind="stable")]
        self._check_unique(every)
        save_array(self.folder / "hashes.npy", np.ascontiguousarray(every["hash"]))
        save_array(self.folder / "places.npy", every)

    def note(self, number: int) -> None:
        """Note where the problems of shard ``number`` stand."""
        lines = list(self.shards[number].lines(Problem))
        if is_parquet(self.shards[number].path):
            write_atomically(self._rows(number), (line.data for _, line in lines))
        found = [(hash_of(problem_id(line)), number, line.number, offset) for offset, line in lines]
        save_array(self._noted(number), np.array(found, _ENTRY))

    def beside(self, traces: InputShard) -> list[TraceLine]:
        """Each line of ``traces`` with that of its problem, as :meth:`ProblemLines.beside` gives them."""
        lines = [line for _, line in traces.lines(Trace)]
        problems = self.find([_id_in(line.data, "problem_id") for line in lines])
        return [TraceLine(line.place, line.data, problem) for line, problem in zip(lines, problems, strict=True)]

    def find(self, names: Sequence[str | None]) -> list[Line | None]:
        """The line of each problem by its id; ``None`` where there is no such problem."""
        hashes = np.load(self.folder / "hashes.npy", mmap_mode="r")
        places = np.load(self.folder / "places.npy", mmap_mode="r")
        first = np.searchsorted(hashes, np.array([0 if name is None else hash_of(name) for name in names], np.uint64))
        found = []
        for name, at in zip(names, first.tolist(), strict=True):
            problem = None
            while name is not None and at < len(hashes) and hashes[at] == hash_of(name):
                problem = self._line_at(places[at])
                if _id_in(problem.data, "id") == name:
                    break
                problem, at = None, at + 1
            found.append(problem)
        return found

    def count(self, number: int) -> int:
        """How many problems shard ``number`` has."""
        return len(np.load(self._noted(number), mmap_mode="r"))

    def line(self, number: int, at: int) -> Line:
        """The line of the problem that has ``at`` others before it in shard ``number``."""
        return self._line_at(mapped(self._noted(number))[at])

    def _check_unique(self, every: Any) -> None:
        """Two equal hashes are rare, unless the ids are equal."""
        alike = np.flatnonzero(every["hash"][1:] == every["hash"][:-1])
        for at in alike.tolist():
            lines = [self._line_at(entry) for entry in every[every["hash"] == every["hash"][at]]]
            for one, other in pairwise(sorted(lines, key=lambda line: _id_in(line.data, "id") or "")):
                if (name := _id_in(one.data, "id")) == _id_in(other.data, "id"):
                    raise RecordError(f"{other.place}: id: {name!r} is at {one.place} already; remove one of them")

    def _line_at(self, entry: Any) -> Line:
        shard, number = int(entry["shard"]), int(entry["number"])
        path = self.shards[shard].path
        rows = is_parquet(path)
        with (self._rows(shard) if rows else path).open("rb") as file:
            file.seek(int(entry["offset"]))
            return Line(f"{path}: row {number}" if rows else f"{path}:{number}", number, file.readline())

    def _rows(self, number: int) -> Path:
        """Where the rows of a shard of Parquet are written as lines, to be found again."""
        return self.folder / f"rows-{number:05d}.jsonl"

    def _noted(self, number: int) -> Path:
        return self.folder / f"ids-{number:05d}.npy"


def hash_of(name: str) -> int:
    """64 bits that stand for a text."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def _id_in(data: bytes, field: str) -> str | None:
    """The id in a line; ``None`` where there is none that can be read: who parses it says what is wrong."""
    try:
        values = orjson.loads(data)
    except ValueError:
        return None
    name = values.get(field) if isinstance(values, dict) else None
    return name if isinstance(name, str) else None


def mapped(path: Path) -> Any:
    """The array in a file, which stays on disk; pickles are refused."""
    return _mapped(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4096)
def _mapped(path: Path, _changed: int) -> Any:
    return np.load(path, mmap_mode="r")


def save_array(path: Path, array: Any) -> None:
    """Write ``array`` so that a reader sees all of it or nothing."""
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    with temporary.open("wb") as file:
        np.save(file, array)
    temporary.replace(path)
