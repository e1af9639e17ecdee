"""Shards: parts of the input that are worked on apart, and whose outputs, in order, are the output of the whole.

The input is a file, cut at ends of lines (JSON Lines) or of row groups (Parquet), or the folder of an earlier stage,
whose parts are taken as they are. A line keeps the place that it has in its file, so messages name the same line as on
one machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

from pydantic import BaseModel

from srt.io.errors import UserError, cannot_read
from srt.io.locations import Location, open_to_read, read_ranges, size_of, version_of
from srt.io.parquet_files import is_parquet, record_place, rows_as_lines, rows_in_groups
from srt.io.record_reader import Line
from srt.scale.shard_folder import whole_parts

SHARD_BYTES: Final = 8 * 2**20
"""Some thousands of records: seconds of work, so that little is done again, and little of it is overhead."""


@dataclass(frozen=True)
class InputShard:
    """``size`` bytes of ``path`` from ``offset`` on, whole lines; the first of them is line ``number``.

    Of a Parquet file, ``size`` and ``offset`` count row groups, and ``number`` rows.
    """

    path: Location
    offset: int
    size: int
    number: int

    def __str__(self) -> str:
        """What it is, for a message."""
        return f"{self.path}: the part from {'row' if is_parquet(self.path) else 'line'} {self.number} on"

    def lines(self, model: type[BaseModel]) -> Iterator[tuple[int, Line]]:
        """Its lines that are not blank, records of ``model`` if they are right, each with its offset in the file.

        That of a row is its offset if all rows of the shard are written as lines.

        Raises:
            UserError: the file cannot be read.
        """
        if is_parquet(self.path):
            offset = 0
            rows = rows_as_lines(self.path, model, range(self.offset, self.offset + self.size))
            for number, row in enumerate(rows, self.number):
                yield offset, Line(record_place(self.path, number), number, row)
                offset += len(row)
            return
        try:
            [data] = read_ranges(self.path, [(self.offset, self.offset + self.size)])
        except OSError as error:
            raise cannot_read(self.path, error) from None
        offset = self.offset
        for number, line in enumerate(BytesIO(data), self.number):  # a line ends with \n alone, as on one machine
            if line.strip():
                yield offset, Line(record_place(self.path, number), number, line)
            offset += len(line)


def cut(source: Location, size: int = SHARD_BYTES) -> list[InputShard]:
    """The shards of ``source``, in order, of about ``size`` bytes where it is a file.

    Raises:
        UserError: it cannot be read, or is the folder of a stage that has not ended.
    """
    source = source.resolve()  # other machines have other working folders
    if source.is_dir():
        return [
            InputShard(part, 0, len(rows_in_groups(part)) if is_parquet(part) else held, 1)
            for part, held in whole_parts(source).items()
        ]
    # Parquet is cut between row groups: within one, nothing can be read by itself.
    if is_parquet(source):
        return list(_cut_rows(source, size))
    shards: list[InputShard] = []
    number, offset = 1, 0
    try:
        with open_to_read(source) as file:
            # One pass over the file, since line numbers have to be counted anyway: messages name them.
            while data := file.read(size):
                # Up to the end of the line that the cut falls into.
                data += file.readline()
                shards.append(InputShard(source, offset, len(data), number))
                number += data.count(b"\n")
                offset += len(data)
    except OSError as error:
        raise cannot_read(source, error) from None
    return shards


def _cut_rows(source: Location, size: int) -> Iterator[InputShard]:
    """Row groups together, so that a shard is about ``size`` bytes of the file."""
    rows = rows_in_groups(source)
    most = max(1, len(rows) * size // max(1, size_of(source) or 0))
    for first in range(0, len(rows), most):
        yield InputShard(source, first, len(rows[first : first + most]), 1 + sum(rows[:first]))


def identity(source: Location) -> list[Any]:
    """What tells whether ``source`` is still the same: where it is, and its version (of a folder: of its manifest).

    Raises:
        UserError: it cannot be read.
    """
    file = source / "manifest.json" if source.is_dir() else source
    try:
        version = version_of(file)
    except FileNotFoundError as error:
        if source.is_dir():
            raise UserError(f"{source}: has no manifest.json: no stage with --engine ray has ended there") from None
        raise cannot_read(source, error) from None
    return [str(source.resolve()), *version]
