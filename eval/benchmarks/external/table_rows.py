"""Rows of a table of text: CSV with any usual separator, TSV. A row of too few cells is a bad row."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from eval.benchmarks.external.row import BadRow, Row
from eval.records.spreadsheet_cells import as_written, is_ours
from srt.images.open import MAX_BYTES
from srt.io.errors import RecordError, UserError
from srt.io.strict_json import not_utf8_text

_SEPARATORS = ",;\t|"
_MOST_CELL = MAX_BYTES * 4 // 3 + 1024
"""Characters of a cell: a picture in base64 is a third longer than its file."""


def separator_of(path: Path, encoding: str = "utf-8") -> str:
    """The separator of the table ``path``: that which its header has most of; a tab where the name ends with .tsv.

    Raises:
        UserError: the file is not in that encoding.
    """
    if path.suffix.lower() == ".tsv":
        return "\t"
    with open(path, encoding=_with_mark(encoding), newline="") as file:
        try:
            first = re.sub('"[^"]*"', "", file.readline())
        except UnicodeDecodeError:
            raise _not_in(encoding, path) from None
    return max(_SEPARATORS, key=first.count)


def table_rows(path: Path, encoding: str = "utf-8") -> Iterator[Row | BadRow]:
    """The rows of ``path`` by the names in its header; blank lines are passed over.

    Raises:
        UserError: no header, or text that is not in that encoding.
        RecordError: a quotation mark that is never closed: the rows after it cannot be told apart.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _MOST_CELL))
    separator = separator_of(path, encoding)
    with open(path, encoding=_with_mark(encoding), newline="") as file:
        # strict: a quotation mark that is never closed would swallow the rows after it.
        reader = csv.reader(file, delimiter=separator, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            if not any(header) or len(set(header)) < len(header):
                raise UserError(f"{path}:1: a header with the name of each column, none twice, was expected")
            ours = is_ours(header)
            at = reader.line_num + 1
            for cells in reader:
                place, at = f"{path}:{at}", reader.line_num + 1
                if not any(cells):
                    continue
                if len(cells) != len(header):
                    yield BadRow(place, f"{len(cells)} cells; the header has {len(header)}")
                    continue
                yield Row(place, dict(zip(header, map(as_written, cells) if ours else cells, strict=True)))
        except UnicodeDecodeError:
            raise _not_in(encoding, path) from None
        except csv.Error as error:
            raise RecordError(f"{path}:{reader.line_num}: {_quoting(error)}") from None


def _with_mark(encoding: str) -> str:
    """A byte order mark before UTF-8 is no part of the header."""
    return "utf-8-sig" if encoding == "utf-8" else encoding


def _not_in(encoding: str, path: Path) -> UserError:
    fault = not_utf8_text(path.read_bytes()) if encoding == "utf-8" else f"not text in {encoding}"
    return UserError(f"{path}: {fault}")


def _quoting(error: csv.Error) -> str:
    """The csv module speaks of quoting as ``',' expected after '"'`` and ``unexpected end of data``."""
    if "expected after" in str(error) or "unexpected end" in str(error):
        return 'a quotation mark is not closed, or stands alone in a quoted cell (there it is written twice: "")'
    return str(error)
