"""Predictions in a table of one's own: CSV, TSV, JSON, JSON Lines or Parquet, with names for the columns.

``id`` (or ``problem_id``) and ``prediction`` (all that the system wrote, or its answer alone) are needed.
``output_tokens``, ``input_tokens``, ``reasoning_tokens`` (part of the output), ``finish_reason`` (a text that the token
budget cut off is truncated, not complete), ``variant`` (of a benchmark that asks a problem in several), ``repeat`` (0,
1, ..., of several samples) and ``model`` (where a file has the answers of several) may be there. What stands in
``question``, and in ``gold`` or ``target``, is compared with the problem that the id leads to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from eval.benchmarks.external.column_names import parse_columns
from eval.benchmarks.external.external_rows import Row
from eval.predictions.cells import COUNTS, ended, id_of, text_of, token_counts, whole_number
from eval.predictions.foreign_row import ForeignRow
from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError

NAME = "table"
COLUMNS = ("id", "prediction", "model", "variant", "repeat", "finish_reason", *COUNTS)
"""The columns that are read; ``--columns`` says what a file calls them."""
_ID = ("id", "problem_id")
_GOLD = ("gold", "target")


def named_columns(text: str) -> dict[str, str]:
    """What ``--columns`` says: our :data:`COLUMNS` with the names that a file has for them.

    Raises:
        UserError: ``text`` is not ``FIELD=COLUMN,...``, names an unknown field, or gives a field several columns.
    """
    found: dict[str, str] = {}
    for field, column in parse_columns(text).items():
        if field not in COLUMNS:
            raise UserError(
                f"--columns {text}: {field!r} is not one of {', '.join(COLUMNS)}{did_you_mean(field, COLUMNS)}"
            )
        if not isinstance(column, str):
            raise UserError(f"--columns {text}: {field}: one column was expected, not {' and '.join(column)}")
        found[field] = column
    return found


def is_table(columns: Iterable[str]) -> bool:
    """Whether a file with these columns can be read without further names."""
    names = set(columns)
    return "prediction" in names and not names.isdisjoint(_ID)


def read_table(rows: Iterable[Row], columns: Mapping[str, str]) -> Iterator[ForeignRow]:
    """The predictions in ``rows``; ``columns`` has what they call our :data:`COLUMNS`, where it is another name.

    Raises:
        UserError: a column is missing, or has a value that it cannot have.
    """
    for row in rows:
        values = dict(row.values)
        for ours, theirs in columns.items():
            if theirs not in row.values:
                raise UserError(
                    f"{row.place}: no column {theirs!r} (--columns {ours}={theirs}); this file has "
                    f"{', '.join(row.values)}"
                )
            values[ours] = row.values[theirs]
        named = [name for name in _ID if name in values]
        if not named or "prediction" not in values:
            missing = "prediction" if named else "id"
            raise UserError(
                f"{row.place}: no column {missing!r}; the columns id and prediction are needed, this file has "
                f"{', '.join(row.values)} (--columns {missing}=NAME says what it calls it)"
            )
        # What --columns names is meant, whatever else is there.
        ids = {name: found for name in (["id"] if "id" in columns else named) if (found := id_of(values[name]))}
        if not ids:
            raise UserError(f"{row.place}: {named[0]}: empty; the id of a problem was expected")
        yield ForeignRow(
            row.place,
            ids,
            text_of(row.place, "prediction", values["prediction"]),
            shown=tuple(_said(values, ("question",), columns)),
            target=next(_said(values, _GOLD, columns), None),
            variant=id_of(values.get("variant")) or None,
            repeat=whole_number(row.place, "repeat", values.get("repeat")) or 0,
            tokens=token_counts(row.place, values),
            finish_reason=ended(row.place, values.get("finish_reason")),
            model=model_of(row.place, values) if "model" in values else None,
        )


def _said(values: Mapping[str, object], names: Iterable[str], columns: Mapping[str, str]) -> Iterator[str]:
    """What a row says of its problem in the columns ``names``, but for those that ``--columns`` takes for others."""
    for name in names:
        value = values.get(name)
        if isinstance(value, list) and len(value) == 1:
            [value] = value
        if name not in columns.values() and isinstance(value, str | int | float) and (text := id_of(value)):
            yield text


def model_of(place: str, values: Mapping[str, object]) -> str:
    """The name in the column ``model``; raises a :class:`UserError` where it is empty."""
    name = id_of(values["model"])
    if not name:
        raise UserError(f"{place}: model: empty; the name of the system was expected in every row, or no such column")
    return name
