"""Files of problems: one by one, all by id, or as lines beside those of their traces. The ids of a file are unique."""

from __future__ import annotations

import shutil
from array import array
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

import orjson

from srt.io.errors import UserError, cannot_read
from srt.io.parquet_files import is_parquet, record_place, rows_as_lines
from srt.io.record_lines import parse_record
from srt.io.record_reader import Line, UniqueValues, read_lines, read_unique
from srt.io.records import Problem, Record


def stream_problems(path: str | Path) -> Iterator[Problem]:
    """Yield the problems of ``path`` in the file's order; only their ids are held in memory.

    Raises:
        UserError: no such file, or no problem in it.
        RecordError: a line is not a problem, or has the id of an earlier one.
    """
    empty = True
    for _, problem in read_unique(path, Problem, "id"):
        empty = False
        yield problem
    if empty:
        raise UserError(f"{path}: no problem in this file; at least one was expected")


def read_problems(path: str | Path) -> dict[str, Problem]:
    """The problems of ``path`` by id, in the file's order; raises as :func:`stream_problems` does."""
    return {problem.id: problem for problem in stream_problems(path)}


class TraceLine(NamedTuple):
    """The line of a trace, not parsed yet, and that of its problem; ``None`` if the problem is not in its file."""

    place: str
    trace: bytes
    problem: Line | None


class ProblemLines:
    """The lines of a file of problems, for traces that come in any order: only ids are held in memory."""

    def __init__(self, path: Path) -> None:
        """Note where each problem stands.

        Raises:
            UserError: no such file, or no problem in it.
            RecordError: a line has not the keys of a problem, or the id of an earlier one. Values are not looked at.
        """
        self._path = path
        self._index: dict[str, int] = {}
        # Eight bytes a number: a file may have millions of problems.
        self._numbers, self._offsets = array("Q"), array("Q")
        ids, offset = UniqueValues(path, "id"), 0
        try:
            self._file = _seekable(path)
            for number, data in enumerate(self._file, 1):
                if data.strip():
                    name = problem_id(Line(record_place(path, number), number, data))
                    ids.add(name, number)
                    self._index[name] = len(self._index)
                    self._numbers.append(number)
                    self._offsets.append(offset)
                offset += len(data)
        except OSError as error:
            raise cannot_read(path, error) from None
        if not self._index:
            raise UserError(f"{path}: no problem in this file; at least one was expected")

    def beside(self, traces: Path, model: type[Record]) -> Iterator[TraceLine]:
        """Each record of the file ``traces``, which should be a ``model``, with the line of its problem.

        A line that has no readable ``problem_id`` is passed on without one: who parses it says what is wrong.

        Raises:
            UserError: no such file.
        """
        for line in read_lines(traces, model):
            try:
                values = orjson.loads(line.data)
            except ValueError:
                values = None
            name = values.get("problem_id") if isinstance(values, dict) else None
            yield TraceLine(line.place, line.data, self._line_of(name))

    def _line_of(self, name: object) -> Line | None:
        at = self._index.get(name) if isinstance(name, str) else None
        if at is None:
            return None
        self._file.seek(self._offsets[at])
        number = self._numbers[at]
        return Line(record_place(self._path, number), number, self._file.readline())


def _seekable(path: Path) -> IO[bytes]:
    """The file, or a temporary copy in JSON Lines of what comes out of a pipe or is in Parquet."""
    if is_parquet(path):
        lines = TemporaryFile()  # noqa: SIM115 (open as long as the lines are read)
        lines.writelines(rows_as_lines(path, Problem))
        lines.seek(0)
        return lines
    file = path.open("rb")
    if file.seekable():
        return file
    copy = TemporaryFile()  # noqa: SIM115 (open as long as the lines are read)
    with file:
        shutil.copyfileobj(file, copy)
    copy.seek(0)
    return copy


_NEEDED = Problem.must_have()


def problem_id(line: Line) -> str:
    """The id of the problem of ``line``, of which only the keys are looked at; raises as :class:`ProblemLines` does."""
    try:
        values = orjson.loads(line.data)
    except ValueError:
        values = None
    if isinstance(values, dict) and values.keys() >= _NEEDED and isinstance(values["id"], str):
        return values["id"]
    # Parsing says what is wrong, or what other record this is.
    return parse_record(line.data, Problem, line.place).id
