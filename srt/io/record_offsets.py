"""Records by their offset in a file of lines: an index holds a number for each record, and the text stays on disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from srt.io.errors import cannot_read
from srt.io.record_lines import parse_record
from srt.io.record_reader import text_lines

M = TypeVar("M", bound=BaseModel)


def line_offsets(path: str | Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield ``(offset in bytes, number from 1, line)`` of each line that is not blank, for :func:`line_at`.

    Raises:
        UserError: the file cannot be read.
    """
    offset = 0
    for number, line in text_lines(path):
        if line.strip():
            yield offset, number, line
        # Blank lines too: an offset is a place in the file, not a number among records.
        offset += len(line)


def read_offsets(path: str | Path, model: type[M]) -> Iterator[tuple[int, M]]:
    """Yield ``(offset of the line in bytes, record)``, for :func:`read_at`.

    Raises as :func:`.record_reader.read_records` does.
    """
    for offset, number, line in line_offsets(path):
        yield offset, parse_record(line, model, f"{path}:{number}")


def line_at(path: str | Path, offset: int) -> bytes:
    """The line that begins at ``offset``; raises a :class:`~srt.io.errors.UserError` where it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            return file.readline()
    except OSError as error:
        raise cannot_read(path, error) from None


def read_at(path: str | Path, offset: int, model: type[M]) -> M:
    """The record whose line begins at ``offset``; raises as :func:`.record_reader.read_records` does."""
    return parse_record(line_at(path, offset), model, f"{path}: byte {offset}")
