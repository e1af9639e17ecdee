"""Reading files of records: one JSON object a line, UTF-8; or Parquet, by the suffix ``.parquet``.

Whatever the form, a record is passed on as a line of JSON, with its place: ``file:line``, or ``file: row N``. A line
that cannot be read is an error that names file, line and field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from srt.io.errors import RecordError, cannot_read
from srt.io.locations import Location, open_to_read
from srt.io.parquet_files import count_rows, is_parquet, record_place, rows_as_lines
from srt.io.record_lines import parse_record
from srt.io.strict_json import JsonFault, load_json

M = TypeVar("M", bound=BaseModel)


def read_records(path: str | Location, model: type[M]) -> Iterator[M]:
    """Yield the records of ``path`` as ``model``.

    Raises:
        UserError: there is no such file.
        RecordError: a line is not JSON or not a ``model``, has a key twice or an integer over 64 bits; the message
            names file, line and field.
    """
    for _, record in read_numbered(path, model):
        yield record


def read_numbered(path: str | Location, model: type[M], *, growing: bool = False) -> Iterator[tuple[int, M]]:
    """Yield ``(number of the line or row, record)``, from 1; raises as :func:`read_records` does.

    ``growing``: another process appends to the file; an incomplete last line is not read.
    """
    for place, number, line in _lines(path, model):
        # The writer is in the middle of this line; its reader comes again for the rest.
        if growing and not line.endswith(b"\n"):
            return
        yield number, parse_record(line, model, place)


class Line(NamedTuple):
    """A record that is not parsed yet: ``place`` opens what is said about it, ``data`` is its JSON."""

    place: str
    number: int
    data: bytes


def read_lines(path: str | Location, model: type[BaseModel]) -> Iterator[Line]:
    """Yield the records of ``path``, numbered from 1, as lines that are not parsed, but blank ones.

    ``model`` is what they should be: it says which cells of a Parquet file are JSON.

    Raises:
        UserError: the file cannot be read.
    """
    for place, number, line in _lines(path, model):
        yield Line(place, number, line)


def read_unique(path: str | Path, model: type[M], field: str, *, growing: bool = False) -> Iterator[tuple[int, M]]:
    """As :func:`read_numbered`, for a file in which no two records may have the same ``field`` (an attribute).

    Raises:
        RecordError: also where two lines have it; the message names both.
    """
    values = UniqueValues(path, field)
    for number, record in read_numbered(path, model, growing=growing):
        values.add(getattr(record, field), number)
        yield number, record


class UniqueValues:
    """The values of ``field`` in the file ``path``, where no two records may have the same."""

    def __init__(self, path: str | Path, field: str) -> None:
        self._path = path
        self._field = field
        self._lines: dict[object, int] = {}

    def add(self, value: object, number: int) -> None:
        """Note the ``value`` of record ``number``. Raises a :class:`RecordError` that names both that have it."""
        if value in self._lines:
            there = f"{'in row' if is_parquet(self._path) else 'on line'} {self._lines[value]}"
            fault = f"{self._field}: {value!r} is {there} already; remove one of them"
            raise RecordError(f"{record_place(self._path, number)}: {fault}")
        self._lines[value] = number

    def update(self, values: Iterable[tuple[object, int]]) -> None:
        """Note ``(value, line)`` of each; raises as :meth:`add` does."""
        for value, number in values:
            self.add(value, number)


def read_rows(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield ``(line number, object)`` of a JSONL file that is not ours; raises as :func:`read_records` does."""
    for number, line in text_lines(path):
        if not line.strip():
            continue
        try:
            row = load_json(line, "a line of JSON")
        except JsonFault as error:
            raise RecordError(f"{path}:{number}: {error}") from None
        if not isinstance(row, dict):
            raise RecordError(f"{path}:{number}: a JSON object was expected, not {type(row).__name__}")
        yield number, row


def count_lines(path: str | Path) -> int:
    """The line ends or rows of ``path``, for progress; 0 for a pipe, which is read once.

    Raises:
        UserError: the file cannot be read.
    """
    # Counting would consume what the pipe holds.
    if Path(path).is_fifo():
        return 0
    if is_parquet(path):
        return count_rows(Path(path))
    try:
        with open(path, "rb") as file:
            # Line ends, not records: exact enough for a progress bar, and nothing is parsed twice.
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError as error:
        raise cannot_read(path, error) from None


def _lines(path: str | Location, model: type[BaseModel]) -> Iterator[tuple[str, int, bytes]]:
    """Place, number and line of each record."""
    if is_parquet(path):
        for number, line in enumerate(rows_as_lines(path, model), 1):
            yield record_place(path, number), number, line
        return
    for number, line in text_lines(path):
        if line.strip():
            yield record_place(path, number), number, line


def text_lines(path: str | Location) -> Iterator[tuple[int, bytes]]:
    """Number and line of each line of ``path``; raises a :class:`UserError` where the file cannot be read."""
    try:
        with open_to_read(path) as file:
            # Blank lines are counted too: the number is the one that an editor shows.
            yield from enumerate(file, 1)
    except OSError as error:
        raise cannot_read(path, error) from None
