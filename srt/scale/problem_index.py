"""Where each problem stands, for traces on any machine, and that no id comes twice.

Two arrays, sorted by a hash of the id, in files that all machines see: 40 bytes for each problem, beside 32 in those
that each shard has noted. Each process maps the two into memory; those at a URL are copied to its machine first.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from srt.io.atomic_files import open_together, temporary_file, write_atomically
from srt.io.errors import RecordError, cannot_read
from srt.io.locations import Location, open_to_read, read_ranges, version_of
from srt.io.parquet_files import is_parquet, record_place
from srt.io.problem_files import TraceLine, problem_id
from srt.io.record_reader import Line
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.scale.ray_engine import RunShards
from srt.scale.shards import InputShard

_ENTRY = np.dtype([("hash", "<u8"), ("shard", "<u4"), ("number", "<u8"), ("offset", "<u8"), ("size", "<u4")])


@dataclass(frozen=True)
class ProblemIndex:
    """The index of the problems in ``shards``; its files are in ``folder``."""

    shards: tuple[InputShard, ...]
    folder: Location

    def make(self, run: RunShards) -> None:
        """Write the files, unless they are there.

        Raises:
            RecordError: a line has not the keys of a problem, or the id of an earlier one.
        """
        # Written last, so the others are whole where it is.
        if (self.folder / "places.npy").exists():
            return
        run("index", self.note, [n for n in range(len(self.shards)) if not self._noted(n).exists()])
        noted = [load_array(self._noted(number)) for number in range(len(self.shards))]
        every = np.concatenate([np.empty(0, _ENTRY), *noted])
        # Stable: of two problems with one id, the one that comes first in the files is the one that is there already.
        every = every[np.argsort(every["hash"], kind="stable")]
        self._check_unique(every)
        save_array(self.folder / "hashes.npy", np.ascontiguousarray(every["hash"]))
        save_array(self.folder / "places.npy", every)

    def note(self, number: int) -> None:
        """Note where the problems of shard ``number`` stand."""
        lines = list(self.shards[number].lines(Problem))
        # A row of Parquet has no offset: to be read alone later, it is kept as a line.
        if is_parquet(self.shards[number].path):
            write_atomically(self._rows(number), (line.data for _, line in lines))
        found = [(hash_of(problem_id(line)), number, line.number, at, len(line.data)) for at, line in lines]
        save_array(self._noted(number), np.array(found, _ENTRY))

    def beside(self, traces: InputShard) -> list[TraceLine]:
        """Each line of ``traces`` with that of its problem, as :meth:`ProblemLines.beside` gives them."""
        lines = [line for _, line in traces.lines(Trace)]
        problems = self.find([_id_in(line.data, "problem_id") for line in lines])
        return [TraceLine(line.place, line.data, problem) for line, problem in zip(lines, problems, strict=True)]

    def find(self, names: Sequence[str | None]) -> list[Line | None]:
        """The line of each problem by its id; ``None`` where there is no such problem."""
        hashes, places = mapped(self.folder / "hashes.npy"), mapped(self.folder / "places.npy")
        wanted = np.array([0 if name is None else hash_of(name) for name in names], np.uint64)
        # All problems with that hash; their lines say which of them has the name.
        first, end = (np.searchsorted(hashes, wanted, side).tolist() for side in ("left", "right"))
        alike = [[] if name is None else [*range(*at)] for name, *at in zip(names, first, end, strict=True)]
        entries = sorted({at for places_of_name in alike for at in places_of_name})
        lines = dict(zip(entries, self._lines_at(places[np.array(entries, np.int64)]), strict=True))
        return [
            next((lines[at] for at in places_of_name if _id_in(lines[at].data, "id") == name), None)
            for name, places_of_name in zip(names, alike, strict=True)
        ]

    def count(self, number: int) -> int:
        """How many problems shard ``number`` has."""
        return len(map_array(self._noted(number)))

    def line(self, number: int, at: int) -> Line:
        """The line of the problem that has ``at`` others before it in shard ``number``."""
        return self._lines_at(mapped(self._noted(number))[at : at + 1])[0]

    def _check_unique(self, every: Any) -> None:
        """Two equal hashes are rare, unless the ids are equal."""
        alike = np.flatnonzero(every["hash"][1:] == every["hash"][:-1])
        for at in alike.tolist():
            lines = self._lines_at(every[every["hash"] == every["hash"][at]])
            for one, other in pairwise(sorted(lines, key=lambda line: _id_in(line.data, "id") or "")):
                if (name := _id_in(one.data, "id")) == _id_in(other.data, "id"):
                    raise RecordError(f"{other.place}: id: {name!r} is at {one.place} already; remove one of them")

    def _lines_at(self, entries: Any) -> list[Line]:
        """The lines of ``entries``; each file is opened once."""
        of_file: dict[Location, list[int]] = defaultdict(list)
        for at, shard in enumerate(entries["shard"].tolist()):
            path = self.shards[shard].path
            of_file[self._rows(shard) if is_parquet(path) else path].append(at)
        found: dict[int, Line] = {}
        for file, places in of_file.items():
            wanted = entries[places]
            ranges = [*zip(wanted["offset"].tolist(), (wanted["offset"] + wanted["size"]).tolist(), strict=True)]
            try:
                read = read_ranges(file, ranges)
            except OSError as error:
                raise cannot_read(file, error) from None
            for at, (_, shard, number, *_), data in zip(places, wanted.tolist(), read, strict=True):
                path = self.shards[shard].path
                found[at] = Line(record_place(path, number), number, data)
        return [found[at] for at in range(len(entries))]

    def _rows(self, number: int) -> Location:
        """Where the rows of a shard of Parquet are written as lines, to be found again."""
        return self.folder / f"rows-{number:05d}.jsonl"

    def _noted(self, number: int) -> Location:
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


def load_array(path: Location) -> Any:
    """The array in a file; pickles are refused."""
    with open_to_read(path) as file:
        return np.load(file)


def mapped(path: Location) -> Any:
    """As :func:`map_array`, for arrays that are looked into again and again."""
    return _mapped(path, version_of(path))


@lru_cache(maxsize=256)  # each keeps a file open
def _mapped(path: Location, _version: tuple[int, int | str]) -> Any:
    return map_array(path)


def map_array(path: Location) -> Any:
    """The array in a file, which stays on disk; pickles are refused."""
    if isinstance(path, Path):
        return np.load(path, mmap_mode="r")
    with temporary_file(path) as (copy, _):  # on disk for as long as it is mapped
        # Mapped before the file is removed, so that it stays readable (POSIX).
        path.fs.get_file(path.path, str(copy))
        return np.load(copy, mmap_mode="r")


def save_array(path: Location, array: Any) -> None:
    """Write ``array`` so that a reader sees all of it or nothing."""
    with open_together(path) as (file,):
        np.save(file, array)
