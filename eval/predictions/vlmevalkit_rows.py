"""Predictions of VLMEvalKit: ``<model>_<dataset>.xlsx``, or ``.tsv`` or ``.json`` by ``PRED_FORMAT``.

``inference.py`` and ``smp/file.py`` of open-compass/VLMEvalKit: the columns of the data set but the pictures
(``index``, ``question``, ``answer`` and so on), then ``prediction``. A call that failed says so instead of an answer. A
file that could not be written is a ``.pkl`` there, which is code to whoever opens it: it is refused.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final

from eval.benchmarks.external.external_rows import Row
from eval.predictions.cells import id_of, text_of, token_counts
from eval.predictions.foreign_row import ForeignRow
from eval.predictions.tables import is_table, model_of
from srt.io.errors import UserError

NAME: Final = "VLMEvalKit predictions"
FAILED: Final = "Failed to obtain answer"
"""What VLMEvalKit writes, and looks for, instead of a missing answer."""
_OPTIONS: Final = ascii_uppercase
"""A column for each option, by its letter (``dataset/image_mcq.py``)."""
_MOST_UNPACKED: Final = 2**30
"""Bytes of a spreadsheet once it is unpacked."""


def is_vlmevalkit(columns: Iterable[str]) -> bool:
    """Whether a table with these columns is one of VLMEvalKit's: a table of one's own may have an ``index``, too."""
    names = set(columns)
    return {"index", "prediction"} <= names and ("question" in names or not is_table(names))


def read_vlmevalkit(rows: Iterable[Row]) -> Iterator[ForeignRow]:
    """The predictions in ``rows``, in order.

    Raises:
        UserError: a row without a column that is needed, or with a value that it cannot have.
    """
    for position, row in enumerate(rows):
        values = row.values
        for name in ("index", "prediction"):
            if name not in values:
                raise UserError(f"{row.place}: {NAME}: no column {name!r}; this file has {', '.join(values)}")
        text = text_of(row.place, "prediction", values["prediction"])
        failed = text.startswith(FAILED)
        # Our own export has a status of each answer, which VLMEvalKit has not.
        cut = "problem_id" in values and values.get("status") == "truncated"
        yield ForeignRow(
            row.place,
            {name: found for name in ("problem_id", "id", "index") if (found := id_of(values.get(name)))},
            "" if failed else text,
            position=position,
            shown=tuple(id_of(values.get(name)) for name in ("question", *_OPTIONS) if name in values)
            if "question" in values
            else (),
            target=text_of(row.place, "answer", values.get("answer")).strip() or None,
            variant=id_of(values.get("variant")) or None if "problem_id" in values else None,
            tokens=token_counts(row.place, values),
            finish_reason="error" if failed else "length" if cut else "stop",
            model=model_of(row.place, values) if "model" in values else None,
        )


def spreadsheet_rows(file: Path) -> Iterator[Row]:
    """The rows of the first sheet of ``file`` (``.xlsx``); its first row has the names of the columns.

    Raises:
        UserError: openpyxl is not installed, or the file is no such spreadsheet.
    """
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise UserError(
            f"{file}: {NAME} in .xlsx need openpyxl: pip install openpyxl, or run VLMEvalKit with PRED_FORMAT=tsv"
        ) from None
    try:
        with zipfile.ZipFile(file) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
        if unpacked > _MOST_UNPACKED:
            raise UserError(f"{file}: more than {_MOST_UNPACKED // 2**20} MiB once it is unpacked; save it as TSV")
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        rows = book.worksheets[0].iter_rows(values_only=True)
        header = [str(name or "").strip() for name in next(rows, ())]
        table: list[tuple[Any, ...]] = list(rows)
        book.close()
    except UserError:
        raise
    except Exception as error:  # hostile files: zip and XML raise what they like
        raise UserError(f"{file}: not a spreadsheet that can be read: {' '.join(str(error).split())[:120]}") from None
    if not any(header):
        raise UserError(f"{file}: row 1: a header with the name of each column was expected")
    for number, cells in enumerate(table, 2):
        if any(cell is not None for cell in cells):
            yield Row(f"{file}: row {number}", dict(zip(header, cells, strict=False)))
