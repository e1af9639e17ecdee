"""Rows of an external file (JSON, JSONL, CSV or TSV), each with the place that error messages name."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from srt.images.open import MAX_BYTES
from srt.io.errors import RecordError, UserError
from srt.io.jsonl import read_rows
from srt.io.strict_json import JsonFault, load_json

SUFFIXES = (".json", ".jsonl", ".csv", ".tsv")
_MOST_JSON = 512 * 2**20
_MOST_CELL = MAX_BYTES * 4 // 3 + 1024
"""Characters of a cell: a picture in base64 is a third longer than its file."""


class Row(NamedTuple):
    """One row. ``place`` is ``file:line`` (of JSON: ``file: item N``); values are text, or what JSON holds."""

    place: str
    values: dict[str, Any]


def rows_of(path: Path) -> Iterator[Row]:
    """The rows of ``path``, by its suffix: a JSON list (or object by id, whose key becomes ``id``) of objects, JSON
    lines, or a table with a header, separated by commas or tabs. Tables and lines are read one at a time.

    Raises:
        UserError: no such file, another suffix, text that is not UTF-8, a table without a header.
        RecordError: a row that is not an object, or has another number of cells than the header.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UserError(f"{path}: a file of {', '.join(SUFFIXES)} was expected")
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    if suffix == ".jsonl":
        return (Row(f"{path}:{number}", row) for number, row in read_rows(path))
    return _json(path) if suffix == ".json" else _table(path, "\t" if suffix == ".tsv" else ",")


def _json(path: Path) -> Iterator[Row]:
    if path.stat().st_size > _MOST_JSON:
        raise UserError(f"{path}: more than {_MOST_JSON // 2**20} MiB of JSON in one piece; give it as JSONL")
    try:
        data = load_json(path.read_bytes())
    except JsonFault as error:
        raise UserError(f"{path}: {error}") from None
    if isinstance(data, dict):
        items = [(key, {"id": key, **row} if isinstance(row, dict) else row) for key, row in data.items()]
    elif isinstance(data, list):
        items = [(str(number), row) for number, row in enumerate(data, 1)]
    else:
        raise UserError(f"{path}: a list of items was expected, not {type(data).__name__}")
    for key, row in items:
        if not isinstance(row, dict):
            raise RecordError(f"{path}: item {key}: a JSON object was expected, not {type(row).__name__}")
        yield Row(f"{path}: item {key}", row)


def _table(path: Path, separator: str) -> Iterator[Row]:
    csv.field_size_limit(max(csv.field_size_limit(), _MOST_CELL))
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator)
        try:
            header = [name.strip() for name in next(reader, [])]
            if not any(header) or len(set(header)) < len(header):
                raise UserError(f"{path}:1: a header with the name of each column, none twice, was expected")
            at = reader.line_num + 1
            for cells in reader:
                place, at = f"{path}:{at}", reader.line_num + 1
                if not any(cells):
                    continue
                if len(cells) != len(header):
                    raise RecordError(f"{place}: {len(cells)} cells; the header has {len(header)}")
                yield Row(place, dict(zip(header, cells, strict=True)))
        except UnicodeDecodeError as error:
            raise UserError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from None
        except csv.Error as error:
            raise RecordError(f"{path}:{reader.line_num}: {error}") from None
