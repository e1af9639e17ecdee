"""Rows of an external file, each with the place that error messages name.

JSON, JSONL, tables of text (CSV with any usual separator, TSV), Parquet, and folders of a Hugging Face dataset: what
``save_to_disk`` wrote, or Parquet files as they are downloaded.
"""

from __future__ import annotations

import base64
import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from eval.records.spreadsheet_cells import as_written, is_ours
from srt.images.open import MAX_BYTES
from srt.io.errors import RecordError, UserError
from srt.io.record_reader import read_rows
from srt.io.strict_json import JsonFault, load_json, not_utf8_text

SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".parquet")
_SEPARATORS = ",;\t|"
_BATCH = 256
_MOST_JSON = 512 * 2**20
_MOST_CELL = MAX_BYTES * 4 // 3 + 1024
"""Characters of a cell: a picture in base64 is a third longer than its file."""


class Row(NamedTuple):
    """One row. ``place`` is ``file:line`` (of JSON: ``file: item N``); values are text, or what JSON holds."""

    place: str
    values: dict[str, Any]


def rows_of(path: Path) -> Iterator[Row]:
    """The rows of ``path``, by its suffix: a JSON list (or object by id, whose key becomes ``id``) of objects, JSON
    lines, Parquet, or a table with a header, whose separator (``,``, ``;``, ``|`` or tab) is the one that the header
    has most of. A folder is a dataset; where its parts are named (``train-00000-of-00001.parquet``), rows without a
    ``split`` get that name. All but JSON is read in pieces.

    Raises:
        UserError: no such file, another suffix, text that is not UTF-8, a table without a header, a folder without
            data.
        RecordError: a row that is not an object, or has another number of cells than the header.
    """
    if path.is_dir():
        return _dataset(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UserError(
            f"{path}: a file of {', '.join(SUFFIXES)} was expected; unpack archives, and save spreadsheets as CSV"
        )
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    if suffix == ".jsonl":
        return (Row(f"{path}:{number}", row) for number, row in read_rows(path))
    if suffix == ".parquet":
        return _parquet(path, None)
    return _json(path) if suffix == ".json" else _table(path)


def _dataset(folder: Path) -> Iterator[Row]:
    saved, parts = _saved_parts(folder), _parquet_parts(folder)
    if not saved and not parts:
        raise UserError(
            f"{folder}: no data in this folder: neither mapping.yaml, nor Parquet files, nor what save_to_disk writes; "
            "other files are given one by one"
        )
    for part, split in saved:
        yield from _saved(part, split)
    for part, split in () if saved else parts:
        yield from _parquet(part, split)


def _saved_parts(folder: Path) -> list[tuple[Path, str | None]]:
    """What ``datasets`` saved in ``folder``: each part and its split."""
    if (folder / "dataset_dict.json").is_file():
        return [(one.parent, one.parent.name) for one in sorted(folder.glob("*/state.json"))]
    return [(folder, None)] if (folder / "state.json").is_file() else []


def _parquet_parts(folder: Path) -> list[tuple[Path, str | None]]:
    """The Parquet files in ``folder`` or its ``data``, each with the split that its name begins with."""
    files = sorted([*folder.glob("*.parquet"), *folder.glob("data/*.parquet")])
    named = [re.fullmatch(r"([a-z]+)(?:-\d+-of-\d+)?(?:-[0-9a-f]+)?\.parquet", file.name) for file in files]
    return [(file, match[1] if match else None) for file, match in zip(files, named, strict=True)]


def _saved(folder: Path, split: str | None) -> Iterator[Row]:
    from datasets import Dataset

    try:
        dataset = Dataset.load_from_disk(str(folder)).with_format("arrow")
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"{folder}: not a dataset that can be read: {error}") from None
    tables = (dataset[start : start + _BATCH] for start in range(0, len(dataset), _BATCH))
    return _arrow_rows(tables, folder, split)


def _parquet(path: Path, split: str | None) -> Iterator[Row]:
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
    except (OSError, pyarrow.ArrowInvalid) as error:
        raise UserError(f"{path}: not a Parquet file: {error}") from None
    return _arrow_rows(file.iter_batches(batch_size=_BATCH), path, split)


def _arrow_rows(tables: Iterator[Any], path: Path, split: str | None) -> Iterator[Row]:
    number = 0
    for table in tables:
        for row in table.to_pylist():
            number += 1
            values = {name: _cell(value) for name, value in row.items()}
            yield Row(f"{path}: row {number}", values if split is None else {"split": split, **values})


def _cell(value: Any) -> Any:
    """A value as the other formats have it: pictures (bytes, or ``datasets``' struct of bytes and path) as base64."""
    if isinstance(value, dict) and set(value) == {"bytes", "path"}:
        value = value["path"] if value["bytes"] is None else value["bytes"]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return [_cell(one) for one in value] if isinstance(value, list) else value


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


def _table(path: Path) -> Iterator[Row]:
    csv.field_size_limit(max(csv.field_size_limit(), _MOST_CELL))
    with open(path, encoding="utf-8-sig", newline="") as file:
        try:
            first = re.sub('"[^"]*"', "", file.readline())
        except UnicodeDecodeError:
            raise UserError(f"{path}: {not_utf8_text(path.read_bytes())}") from None
        file.seek(0)
        separator = "\t" if path.suffix == ".tsv" else max(_SEPARATORS, key=first.count)
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
                    raise RecordError(f"{place}: {len(cells)} cells; the header has {len(header)}")
                yield Row(place, dict(zip(header, map(as_written, cells) if ours else cells, strict=True)))
        except UnicodeDecodeError:
            raise UserError(f"{path}: {not_utf8_text(path.read_bytes())}") from None
        except csv.Error as error:
            raise RecordError(f"{path}:{reader.line_num}: {_quoting(error)}") from None


def _quoting(error: csv.Error) -> str:
    """The csv module speaks of quoting as ``',' expected after '"'`` and ``unexpected end of data``."""
    if "expected after" in str(error) or "unexpected end" in str(error):
        return 'a quotation mark is not closed, or stands alone in a quoted cell (there it is written twice: "")'
    return str(error)
