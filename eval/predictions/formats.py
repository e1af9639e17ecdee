"""Which format a file of predictions has, by its name and its first row; and its answers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from eval.benchmarks.external.external_rows import Row, rows_of
from eval.predictions import harness_samples, inspect_logs, tables, vlmevalkit_rows
from eval.predictions.foreign_row import ForeignRow
from srt.io.errors import UserError
from srt.io.strict_json import JsonFault, load_json

SUFFIXES: Final = (".eval", ".xlsx", ".json", ".jsonl", ".csv", ".tsv", ".parquet")
_SAMPLES: Final = re.compile(r"samples_.+_\d{4}-\d\d-\d\dT.*\.jsonl|\d{8}_\d{6}_samples_.+\.jsonl")
"""What lm-eval and lmms-eval call their files, which are in a folder with the name of the model."""


class GivenFile(NamedTuple):
    """A file of predictions: the name of its format, its answers, and what its system is called."""

    format: str
    rows: list[ForeignRow]
    name: str

    @property
    def models(self) -> list[str]:
        """The systems whose answers are in it, by name; one, unless each row names its own."""
        return list(dict.fromkeys(row.model or self.name for row in self.rows)) or [self.name]


def read_given(file: Path, columns: Mapping[str, str]) -> GivenFile:
    """The answers in ``file``. ``columns`` says what a table calls our :data:`eval.predictions.tables.COLUMNS`.

    Raises:
        UserError: no such file; none of the formats; a row at fault. The message names the format.
    """
    suffix = file.suffix.lower()
    if suffix == ".pkl":
        raise UserError(
            f"{file}: {vlmevalkit_rows.NAME}: a pickle could run code here, so it is not opened; run VLMEvalKit with "
            "PRED_FORMAT=tsv, or write the table as CSV"
        )
    if not file.is_dir() and suffix not in SUFFIXES:
        raise UserError(f"{file}: predictions are in a file of {', '.join(SUFFIXES)}")
    if not file.exists():
        raise UserError(f"{file}: no such file")
    if suffix == ".eval" or (suffix == ".json" and _is_log(file)):
        return _given(inspect_logs.NAME, inspect_logs.read_inspect(file), file)
    rows = vlmevalkit_rows.spreadsheet_rows(file) if suffix == ".xlsx" else rows_of(file)
    first = next(rows, None)
    if first is None:
        return GivenFile(tables.NAME, [], file.stem)
    rows = itertools.chain([first], rows)
    # Names are given for one table of several: a file that has no such columns is read by its own.
    if columns and set(columns.values()) <= first.values.keys():
        return _given(tables.NAME, tables.read_table(rows, columns), file)
    if (kind := harness_samples.kind_of(first.values)) is not None:
        return _given(kind, harness_samples.read_samples(rows, kind), file)
    if vlmevalkit_rows.is_vlmevalkit(first.values):
        return _given(vlmevalkit_rows.NAME, vlmevalkit_rows.read_vlmevalkit(rows), file)
    if suffix == ".xlsx" and not columns and not tables.is_table(first.values):
        raise UserError(
            f"{first.place}: {vlmevalkit_rows.NAME}: no column 'index' or 'prediction'; this file has "
            f"{', '.join(first.values)}"
        )
    named = {} if tables.is_table(first.values) else columns
    return _given(tables.NAME, tables.read_table(_not_results(rows), named), file)


def _given(form: str, rows: Iterator[ForeignRow], file: Path) -> GivenFile:
    return GivenFile(form, list(rows), _name(form, file))


def _name(form: str, file: Path) -> str:
    """What the system is called: the folder where the tool names it so, else the file."""
    place = file.resolve().parent
    if form in (harness_samples.LM_EVAL, harness_samples.LMMS_EVAL) and _SAMPLES.fullmatch(file.name):
        return place.name or file.stem
    if form == vlmevalkit_rows.NAME:
        # outputs/MODEL/MODEL_DATASET.xlsx, or one folder further down, by date.
        for folder in (place, place.parent):
            if folder.name and file.stem.startswith(f"{folder.name}_"):
                return folder.name
    return file.stem


def _is_log(file: Path) -> bool:
    """Whether the JSON ``file`` is one of Inspect's. A file of results of a harness has no predictions at all."""
    try:
        data = load_json(file.read_bytes())
    except JsonFault as error:
        raise UserError(f"{file}: {error}") from None
    if isinstance(data, dict) and {"results", "configs"} <= data.keys():
        raise UserError(
            f"{file}: the results of lm-eval or lmms-eval, without predictions; give the samples beside it, which "
            "--log_samples writes"
        )
    return inspect_logs.is_inspect(data)


def _not_results(rows: Iterator[Row]) -> Iterator[Row]:
    for row in rows:
        if "filtered_resps" in row.values or "resps" in row.values:
            raise UserError(
                f"{row.place}: {harness_samples.LM_EVAL}, or those of lmms-eval: no key 'doc_id'; every line was "
                "expected to have one"
            )
        yield row
