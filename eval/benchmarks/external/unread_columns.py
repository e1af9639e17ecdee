"""Columns without which a problem is another one: its options, its picture. A file is refused where nothing reads them,
with the option of the command line that names them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any

from eval.benchmarks.external.mapping_file import FieldMap
from eval.benchmarks.external.option_columns import (
    bare_option_columns,
    option_columns,
    picture_columns,
    probable_options,
)
from eval.benchmarks.external.row import Row
from eval.benchmarks.external.survey import Rows
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Layout, fields_of
from srt.io.errors import UserError

_MOST_ROWS = 1000
"""Rows whose answers are looked at."""


def option_fields(names: Sequence[str], rows: Rows, mapping: FieldMap) -> dict[str, str | list[str]]:
    """``choices``, if the columns ``names`` of a file have one option each and no column has all of them."""
    if {"choices", "options", "A"} & set(names):
        return {}
    free = _free(names, mapping)
    run = option_columns(free) or bare_option_columns(free, _golds(rows, mapping))
    return {"choices": run} if run else {}


def leaves_out(layout: Layout, rows: Rows) -> bool:
    """Whether ``layout`` reads neither the columns of options nor those of pictures that the file has beside it."""
    first = [row for row in islice(rows(), 20) if isinstance(row, Row) and layout.columns <= row.values.keys()]
    if not first:
        return False
    read = layout.columns | layout.uses
    rest = [name for name in first[0].values if name not in read]
    if not picture_columns(read) and _filled(picture_columns(rest), first):
        return True
    if not option_columns(rest):
        return False
    try:
        return not any(fields_of(layout, row.values).get("choices") for row in first)
    except ItemRefused:
        return False


def refuse_unread(row: Row, not_read: Collection[str], rows: Rows, mapping: FieldMap) -> None:
    """Check that the columns ``not_read`` of a file that begins with ``row`` are neither options nor pictures.

    Raises:
        UserError: they probably are.
    """
    rest = [name for name in row.values if name in not_read]
    first = [one for one in islice(rows(), 20) if isinstance(one, Row)]
    if "picture" not in mapping.fields and "same_picture_as" not in row.values:
        there = [one for one in ("picture",) if one in row.values]
        pictures = _filled(picture_columns(rest), first)
        if pictures and not there:
            raise _unread(row, pictures, "picture", "pictures")
    if "choices" in mapping.fields or {"choices", "A"} & row.values.keys():
        return
    golds = _golds(rows, mapping)
    run = option_columns(rest) or probable_options(rest, golds)
    if run:
        raise _unread(row, run, "choices", "options")


def _unread(row: Row, columns: Sequence[str], field: str, what: str) -> UserError:
    names = ",".join(f'"{name}"' if " " in name else name for name in columns)
    return UserError(
        f"{row.place}: columns {', '.join(columns)}: nothing reads them, and they may be {what}; run it again with "
        f"--columns {field}={names}; if they are none, take them out of the file"
    )


def _free(names: Sequence[str], mapping: FieldMap) -> list[str]:
    taken = {one for given in mapping.fields.values() for one in ([given] if isinstance(given, str) else given)}
    return [name for name in names if name not in taken]


def _filled(columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Those of ``columns`` that are not empty everywhere."""
    return [name for name in columns if any(row.values.get(name) not in ("", None, [], "nan") for row in rows)]


def _golds(rows: Rows, mapping: FieldMap) -> list[str]:
    """The printed answers of the first rows; none of them where one is a list, or empty."""
    column = mapping.fields.get("answer", "answer")
    if not isinstance(column, str):
        return []
    given: list[Any] = [row.values.get(column) for row in islice(rows(), _MOST_ROWS) if isinstance(row, Row)]
    return [] if any(isinstance(one, list | dict) for one in given) else [str(one) for one in given if one is not None]
