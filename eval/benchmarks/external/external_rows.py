"""Rows of an external file, each with the place that error messages name.

JSON, JSONL, tables of text (CSV with any usual separator, TSV), Parquet, and folders of a Hugging Face dataset.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval.benchmarks.external.hub_rows import dataset_rows, parquet_rows
from eval.benchmarks.external.json_rows import json_items, json_lines
from eval.benchmarks.external.row import BadRow, Row
from eval.benchmarks.external.table_rows import table_rows
from srt.io.errors import RecordError, UserError

__all__ = ["Row", "all_rows", "rows_of"]
SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".parquet")


def rows_of(path: Path) -> Iterator[Row]:
    """The rows of ``path``, of which none may be bad; otherwise as :func:`all_rows`.

    Raises:
        RecordError: also for a row that is not an object, or has another number of cells than the header.
    """
    return map(_good, all_rows(path))


def all_rows(path: Path, encoding: str = "utf-8") -> Iterator[Row | BadRow]:
    """The rows of ``path``, by its suffix: a JSON list (or object by id, whose key becomes ``id``) of objects, JSON
    lines, Parquet, or a table with a header, whose separator (``,``, ``;``, ``|`` or tab) is the one that the header
    has most of. ``encoding`` is that of a table. A folder is a dataset; where its parts are named
    (``train-00000-of-00001.parquet``), rows without a ``split`` get that name. All but JSON is read in pieces.

    Raises:
        UserError: no such file, another suffix, text that is not UTF-8, a table without a header, a folder without
            data.
        RecordError: a quotation mark in a table that is never closed.
    """
    if path.is_dir():
        return dataset_rows(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UserError(
            f"{path}: a file of {', '.join(SUFFIXES)} was expected; unpack archives, and save spreadsheets as CSV"
        )
    if not path.is_file():
        raise UserError(f"{path}: no such file")
    if suffix == ".jsonl":
        return json_lines(path)
    if suffix == ".parquet":
        return parquet_rows(path)
    return json_items(path) if suffix == ".json" else table_rows(path, encoding)


def _good(row: Row | BadRow) -> Row:
    if isinstance(row, BadRow):
        raise RecordError(f"{row.place}: {row.fault}")
    return row
