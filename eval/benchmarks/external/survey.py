"""What a file as a whole shows before its rows are read: its layout, and what its columns settle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from eval.benchmarks.external.external_rows import all_rows
from eval.benchmarks.external.mapping_file import FieldMap
from eval.benchmarks.external.printed_gold import GoldRules
from eval.benchmarks.external.row import BadRow, ClassName, Row
from srt.corpora.cells.decimal_commas import decimal_sign
from srt.corpora.cells.one_hot import marked
from srt.corpora.cells.option_cells import Options
from srt.corpora.cells.positions import WholeNumbers, whole_number
from srt.corpora.cells.worked_solutions import behind_final_mark
from srt.corpora.corpus_reader import ItemRefused
from srt.corpora.layouts.layout import Layout
from srt.corpora.layouts.layout_registry import recognised

_FIRST_ROWS = 50
Cells = Callable[[Row], tuple[Options, Any]]
"""Options and printed answer of a row."""
Rows = Callable[[], Iterator[Row | BadRow]]


def rows_again(path: Path, encoding: str) -> Rows:
    """A function that gives the rows of ``path`` from the first, each time it is called. JSON is parsed once: it is
    read in one piece. ``encoding`` is that of a table.

    Raises:
        UserError: as :func:`~eval.benchmarks.external.external_rows.all_rows` does; so does the function.
    """
    if path.suffix.lower() == ".json":
        held = list(all_rows(path))
        return lambda: iter(held)
    return lambda: all_rows(path, encoding)


def first_columns(rows: Rows) -> list[str]:
    """The names of the columns of the first row that can be read."""
    return next((list(row.values) for row in _good(rows())), [])


def find_layout(rows: Rows) -> Layout | None:
    """The layout of a file, by its first rows; ``None`` where it has none of the known ones."""
    first = [row.values for row in islice(_good(rows()), _FIRST_ROWS)]
    return recognised(first) if first else None


def gold_rules(rows: Rows, mapping: FieldMap, cells: Cells, *, semicolons: bool) -> GoldRules:
    """How the answers in ``rows`` are read: as ``mapping`` says, or as all of them show.

    ``semicolons``: they are of a table whose cells stand between semicolons.
    """
    numbers = WholeNumbers()
    free: list[str] = []
    if mapping.answer_is is None or mapping.decimal is None:
        for options, printed in _cells(_good(rows()), cells):
            if isinstance(printed, list) and options.texts and _is_refused_or_marked(printed, options):
                continue
            for one in printed if isinstance(printed, list) else [printed]:
                text = str(one).strip()
                if not options.texts:
                    free.append((behind_final_mark(text) or (text,))[0][:100])
                elif (number := whole_number(text)) is not None and not _has_label(one, text, options):
                    numbers.add(number, options.texts)
    return GoldRules(
        mapping=mapping,
        numbers_are=numbers.settled() if numbers.count else None,
        proposed=numbers.likely(),
        decimal=mapping.decimal or (decimal_sign(free) if semicolons else "."),
        semicolons=semicolons,
    )


def _is_refused_or_marked(printed: list[Any], options: Options) -> bool:
    """Whether the numbers of ``printed`` are no places: a 0 or 1 for each option."""
    try:
        return marked(printed, sorted(options.texts)) is not None
    except ItemRefused:
        return True


def _has_label(printed: Any, text: str, options: Options) -> bool:
    return text in options.labels or isinstance(printed, ClassName)


def _cells(rows: Iterable[Row], cells: Cells) -> Iterator[tuple[Options, Any]]:
    for row in rows:
        try:
            yield cells(row)
        except ItemRefused:
            continue  # it is refused by name when it is read


def _good(rows: Iterable[Row | BadRow]) -> Iterator[Row]:
    return (row for row in rows if isinstance(row, Row))
