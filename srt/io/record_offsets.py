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


def read_offsets(path: str | Path, model: type[M]) -> Iterator[tuple[int, M]]:
    """Yield ``(offset of the line in bytes, record)``, for :func:`read_at`.

    Raises as :func:`.record_reader.read_records` does.
    """
    offset = 0
    for number, line in text_lines(path):
        if line.strip():
            yield offset, parse_record(line, model, f"{path}:{number}")
        # Blank lines too: an offset is a place in the file, not a number among records.
        offset += len(line)


def read_at(path: str | Path, offset: int, model: type[M]) -> M:
    """The record whose line begins at ``offset``; raises as :func:`.record_reader.read_records` does."""
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            return parse_record(file.readline(), model, f"{path}: byte {offset}")
    except OSError as error:
        raise cannot_read(path, error) from None
