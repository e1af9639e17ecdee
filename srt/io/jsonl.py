"""Files of records: one JSON object a line, UTF-8; or Parquet, by the suffix ``.parquet``.

Whatever the form, a record is passed on as a line of JSON, with its place: ``file:line``, or ``file: row N``.

The contract: a file written by :func:`write_records` is either whole or absent (temporary file, fsync, rename); a line
appended by :class:`AppendLog` is on disk before the call returns, and an incomplete last line (of a killed process) is
cut off when the log is next opened. A line that cannot be read is an error that names file, line and field.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from srt.io.errors import RecordError, UserError, cannot_read, fault_in_words
from srt.io.full_disk import name_file
from srt.io.locations import Location, move_into_place, open_to_read, temporary_place
from srt.io.parquet_files import RowWriter, count_rows, is_parquet, record_place, rows_as_lines
from srt.io.records import Problem, Record, Sequence
from srt.io.strict_json import JsonFault, load_json, not_utf8_text

M = TypeVar("M", bound=BaseModel)
P = TypeVar("P", bound=Location)


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


def count_lines(path: str | Path) -> int:
    """The line ends or rows of ``path``, for progress; 0 for a pipe, which is read once.

    Raises:
        UserError: the file cannot be read.
    """
    if Path(path).is_fifo():
        return 0
    if is_parquet(path):
        return count_rows(Path(path))
    try:
        with open(path, "rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError as error:
        raise cannot_read(path, error) from None


def read_offsets(path: str | Path, model: type[M]) -> Iterator[tuple[int, M]]:
    """Yield ``(offset of the line in bytes, record)``, for :func:`read_at`; raises as :func:`read_records` does."""
    offset = 0
    for number, line in _text_lines(path):
        if line.strip():
            yield offset, parse_record(line, model, f"{path}:{number}")
        offset += len(line)


def read_at(path: str | Path, offset: int, model: type[M]) -> M:
    """The record whose line begins at ``offset``; raises as :func:`read_records` does."""
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            return parse_record(file.readline(), model, f"{path}: byte {offset}")
    except OSError as error:
        raise cannot_read(path, error) from None


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


def parse_record(line: bytes, model: type[M], place: str) -> M:
    """One record from one line of JSON. ``place`` (``file:line``) opens the message of a :class:`RecordError`.

    If the line is a record of another kind, or nothing like a record, the message says so, and how to make the right
    file.
    """
    try:
        values = load_json(line, "a line of JSON")
    except JsonFault as error:
        unlike = "" if line.lstrip().startswith(b"{") or not_utf8_text(line) else _how_to_make(model)
        raise RecordError(f"{place}: {error}{unlike}") from None
    try:
        return model.model_validate(values)
    except ValidationError as error:
        if (other := _kind_of(values)) is not None and other is not model:
            wrong = f"a {_name(model)} was expected, this is a {_name(other)}"
            how = "" if model is Problem else _how_to_make(model)
            raise RecordError(f"{place}: {wrong}; --help shows which file goes where{how}") from None
        missing = sum(fault["type"] == "missing" for fault in error.errors())
        unlike = _how_to_make(model) if missing > 1 or not isinstance(values, dict) else ""
        raise RecordError(f"{place}: not a {_name(model)}: {validation_fault(error)}{unlike}") from None


def _name(model: type[BaseModel]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", model.__name__).lower()  # TeachingCase: teaching case


def _how_to_make(model: type[BaseModel]) -> str:
    return f"; {model.how_to_make}" if issubclass(model, Record) and model.how_to_make else ""


def _kind_of(values: object) -> type[BaseModel] | None:
    """The record whose fields ``values`` has: all that it must have, and no others."""
    todo, known = [Record], list[type[BaseModel]]()
    while todo:
        subclasses = todo.pop().__subclasses__()
        todo += subclasses
        known += subclasses
    if not isinstance(values, dict):
        return None
    for model in known:
        needed = {name for name, field in model.model_fields.items() if field.is_required()}
        if len(needed) > 1 and needed <= values.keys() <= model.model_fields.keys():
            return model
    return None


def validation_fault(error: ValidationError) -> str:
    """The first fault of a record, as ``field: what is wrong``."""
    fault = error.errors(include_url=False)[0]
    field = ".".join(map(str, fault["loc"])) or "record"
    return f"{field}: {fault_in_words(fault)}"


def read_rows(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield ``(line number, object)`` of a JSONL file that is not ours; raises as :func:`read_records` does."""
    for number, line in _text_lines(path):
        if not line.strip():
            continue
        try:
            row = load_json(line, "a line of JSON")
        except JsonFault as error:
            raise RecordError(f"{path}:{number}: {error}") from None
        if not isinstance(row, dict):
            raise RecordError(f"{path}:{number}: a JSON object was expected, not {type(row).__name__}")
        yield number, row


def keep_apart(out: str | Path, *sources: str | Path | None) -> None:
    """Raise a :class:`UserError` if the file ``out`` is one of the files that it is made from; ``None`` is no file."""
    if any(source is not None and Path(out).resolve() == Path(source).resolve() for source in sources):
        raise UserError(f"{out}: is also an input and would be overwritten; name another file")


def keep_outside(out: str | Path, folder: str | Path | None) -> None:
    """Raise a :class:`UserError` if ``out`` is in ``folder``, which it is made from."""
    if folder is not None and Path(folder).is_dir() and Path(out).resolve().is_relative_to(Path(folder).resolve()):
        raise UserError(f"{out}: is in {folder}, which is an input; name a file outside that folder")


def beside(path: str | Path, word: str) -> Path:
    """The file beside ``path`` that has ``word`` before its suffix: ``kept.dropped.jsonl`` beside ``kept.jsonl``.

    Raises:
        UserError: ``path`` names no file.
    """
    path = Path(path)
    if not path.name:
        raise UserError(f"{path}: a file was expected, this is a folder")
    return path.with_name(f"{path.stem}.{word}{path.suffix}")


def check_place(path: str | Path) -> None:
    """Raise a :class:`UserError` if no file can be written at ``path``: its folder is missing, or it is no file.

    A device or a pipe is refused, since a file that is written atomically takes its place: ``/dev/null`` would be gone.
    """
    path = Path(path)
    try:
        if not path.parent.is_dir():
            raise UserError(f"{path}: the folder {path.parent} does not exist")
        if path.is_dir():
            raise UserError(f"{path}: a file was expected, this is a folder")
        if path.exists() and not path.is_file():
            raise UserError(f"{path}: a file was expected, this is a device or a pipe")
    except OSError as error:  # a name that is too long
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


def write_records(path: str | Path, records: Iterable[BaseModel]) -> int:
    """Write ``records``, all of one kind, to ``path`` atomically and return how many there were."""
    rest = iter(records)
    first = list(islice(rest, 1))
    count = 0
    with open_records({Path(path): type(first[0]) if first else Record}) as (write,):
        for record in chain(first, rest):
            count += 1
            write(dump(record))
    return count


Sink = Callable[[bytes | bytearray], object]
"""Takes lines of records: the ``write`` of a file."""


@contextmanager
def open_records(files: Mapping[P, type[BaseModel]], *, pictures: bool = False) -> Iterator[list[Sink]]:
    """Yield what takes the lines of each of ``files``, which are Parquet or JSON Lines by their suffixes.

    After the block all files are there; after an error in it, none is. With ``pictures``, training sequences have them.

    Raises:
        UserError: a file cannot be written.
    """
    with open_together(*files) as opened:
        sinks: list[Sink] = []
        writers: list[RowWriter] = []
        for (path, model), file in zip(files.items(), opened, strict=True):
            if is_parquet(path):
                writers.append(RowWriter(file, model, path.parent if pictures and model is Sequence else None))
                sinks.append(writers[-1].write)
            else:
                sinks.append(file.write)
        try:
            yield sinks
            for writer in writers:
                writer.close()
        finally:
            for writer in writers:
                writer.release()


def write_atomically(path: str | Location, chunks: Iterable[bytes]) -> None:
    """Write ``chunks`` to ``path``: a reader sees the old file or the complete new one, never a part."""
    write_together({Path(path) if isinstance(path, str) else path: chunks})


def write_together(files: Mapping[P, Iterable[bytes]]) -> None:
    """Write several files, each as :func:`write_atomically` does, and none before all of them are on disk."""
    with open_together(*files) as opened:
        for file, chunks in zip(opened, files.values(), strict=True):
            file.writelines(chunks)


@contextmanager
def open_together(*paths: Location) -> Iterator[list[IO[bytes]]]:
    """Files to write to, all of which are at ``paths`` after the block; after an error in it, none is.

    Raises:
        UserError: a file cannot be written.
    """
    for path in paths:
        if isinstance(path, Path):
            check_place(path)
    temporary = {path: temporary_place(path) for path in paths}
    try:
        with ExitStack() as stack:
            files: list[IO[bytes]] = []
            for path in paths:
                try:
                    files.append(stack.enter_context(open(temporary[path], "wb")))
                except OSError as error:
                    raise UserError(f"{path}: cannot be written: {error.strerror}") from None
            yield files
            for file in files:
                file.flush()
                os.fsync(file.fileno())
        for path in paths:
            move_into_place(temporary[path], path)
    except OSError as error:
        name_file(error, next(iter(paths), None))
        raise
    finally:
        for unfinished in temporary.values():
            unfinished.unlink(missing_ok=True)


def dump(record: BaseModel) -> bytes:
    """One record as one line, newline included; fields with their default value are left out."""
    return orjson.dumps(record.model_dump(mode="json", exclude_defaults=True), option=orjson.OPT_APPEND_NEWLINE)


class AppendLog:
    """A file of records that only grows, each record on disk (fsync) before :meth:`append` returns.

    Opening it cuts off an incomplete last line. Only one process may write at a time, which the caller ensures.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise UserError(f"{path}: the folder {self.path.parent} does not exist")
        try:
            if self.path.exists():
                _cut_incomplete_line(self.path)
            self._file = open(self.path, "ab")  # noqa: SIM115 (closed by __exit__)
        except OSError as error:
            raise UserError(f"{path}: cannot be written to: {error.strerror}") from None

    def append(self, *records: BaseModel) -> None:
        """Write ``records`` as one group: a single fsync for all of them."""
        try:
            self._file.write(b"".join(dump(r) for r in records))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            name_file(error, self.path)
            raise

    def __enter__(self) -> AppendLog:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _lines(path: str | Location, model: type[BaseModel]) -> Iterator[tuple[str, int, bytes]]:
    """Place, number and line of each record."""
    if is_parquet(path):
        for number, line in enumerate(rows_as_lines(path, model), 1):
            yield record_place(path, number), number, line
        return
    for number, line in _text_lines(path):
        if line.strip():
            yield record_place(path, number), number, line


def _text_lines(path: str | Location) -> Iterator[tuple[int, bytes]]:
    try:
        with open_to_read(path) as file:
            yield from enumerate(file, 1)
    except OSError as error:
        raise cannot_read(path, error) from None


def _cut_incomplete_line(path: Path) -> None:
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        with open(path, "r+b") as file:
            file.truncate(data.rfind(b"\n") + 1)
            file.flush()
            os.fsync(file.fileno())
