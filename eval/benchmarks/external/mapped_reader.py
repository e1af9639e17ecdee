"""Reading a benchmark from the user's own file: through the mapping that names its fields (:mod:`.mapping_file`), or in
one of the layouts that are known by their columns (:mod:`srt.corpora.layouts`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from eval.benchmarks.definition.variants import twin as twin_of
from eval.benchmarks.external.column_names import other_names
from eval.benchmarks.external.external_rows import rows_of
from eval.benchmarks.external.mapped_item import MappedItem, RowSource
from eval.benchmarks.external.mapping_file import Column, FieldMap, Form, TwinMapping, read_mapping
from eval.benchmarks.external.printed_gold import GoldRules
from eval.benchmarks.external.row import BadRow, Row
from eval.benchmarks.external.survey import Rows, find_layout, first_columns, gold_rules, rows_again
from eval.benchmarks.external.table_encoding import table_encoding
from eval.benchmarks.external.table_rows import separator_of
from eval.benchmarks.external.unread_columns import leaves_out, option_fields, refuse_unread
from srt.corpora.cells.option_cells import Options
from srt.corpora.corpus_reader import ImportRefusal, ImportRequest, ItemRefused
from srt.corpora.layouts.layout import Layout, fields_of
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.judging.gold_fault import gold_fault

__all__ = ["Column", "Form", "read_mapped"]


def read_mapped(path: Path, request: ImportRequest, form: Form) -> Iterator[Problem | ImportRefusal]:
    """The items that the mapping ``path`` (or ``mapping.yaml`` in that folder) describes, as problems with the columns
    of ``form`` in their ``meta``; a refused item is named with its line.

    A file of data, or the folder of a dataset, may be given instead of the mapping. It is read in its layout, if
    ``form`` takes such and the mapping says nothing of fields and answers; else with our names for its fields. Columns
    that nothing reads, and how the file is read, are noted in ``request``.

    Raises:
        UserError: a fault of the file or of the mapping: a column that is not there, named with the line.
    """
    if (path / "mapping.yaml").is_file():
        path = path / "mapping.yaml"
    mapping = read_mapping(path, form, request.columns)
    data = path.parent / mapping.data
    is_table = data.suffix.lower() in (".csv", ".tsv") and data.is_file()
    encoding = mapping.encoding or (table_encoding(data) if is_table else "utf-8")
    if encoding == "cp1252" and mapping.encoding is None:
        request.read_as.append("text: Windows-1252, since it is not UTF-8")
    rows = rows_again(data, encoding)
    semicolons = is_table and separator_of(data, encoding) == ";"
    layout = find_layout(rows) if form.layouts and not mapping.says_how_to_read() else None
    if layout is not None and leaves_out(layout, rows):
        layout = None
    if form.layouts and layout is None and (path == data or not mapping.fields):
        mapping = _with_other_names(mapping, rows, request)
    folder = path if path.is_dir() else path.parent
    blank = RowSource(folder, request, form, mapping, GoldRules(mapping), layout)
    source = replace(blank, rules=_rules(blank, rows, semicolons=semicolons))
    twin_rows = {name: _rows_by_id(source, twin) for name, twin in mapping.twins.items() if twin.file is not None}
    taken: dict[str, str] = {}
    noted = False
    for number, row in enumerate(rows(), 1):
        if isinstance(row, BadRow):
            yield ItemRefused("unreadable", row.fault).record(_last_part(row.place), row.place)
            continue
        if not noted:
            _note_columns(source, row, rows)
            noted = True
        for part, values in enumerate([row.values] if layout is None else layout.parts(row.values, mapping.turns), 1):
            ident = f"{form.source}-{number}" if part == 1 else f"{form.source}-{number}-{part}"
            try:
                item = MappedItem(source, Row(row.place, _fields(source, values)))
                ident = item.text("id") or ident
                ident = _taken_id(ident, row, taken, layout)
                problem = _with_twins(item.problem(ident), source, row, twin_rows)
                source.shown[ident] = problem.images
                yield problem
            except ItemRefused as fault:
                yield fault.record(ident, row.place)


def _fields(source: RowSource, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a row under our names, where the file has a layout."""
    if source.layout is None:
        return dict(values)
    problems = 1 if source.mapping.turns else len(source.layout.parts(values, "each"))
    if problems > 1:
        paste = source.rules.paste(turns="first")
        detail = f"{problems} questions in one conversation; save the mapping {paste} (or each) and import that"
        raise ItemRefused("ambiguous", detail)
    return dict(fields_of(source.layout, values))


def _taken_id(ident: str, row: Row, taken: dict[str, str], layout: Layout | None) -> str:
    """``ident``, which is ``taken`` from now on; with a number, where the ids of ``layout`` repeat."""
    if ident in taken and layout is not None and layout.ids_repeat:
        ident = next(new for n in count(2) if (new := f"{ident}-{n}") not in taken)
    if ident in taken:
        raise ItemRefused("duplicate", f"id: stands at {taken[ident]} already")
    taken[ident] = row.place
    return ident


def _with_twins(problem: Problem, source: RowSource, row: Row, twin_rows: dict[str, dict[str, Row]]) -> Problem:
    """``problem`` with its other forms: from further columns of ``row``, or from the files in ``twin_rows``."""
    for name, twin in source.mapping.twins.items():
        found = twin_rows[name].get(problem.id) if name in twin_rows else row
        if found is None:
            continue
        problem = MappedItem(source, found, twin.fields).add_to(problem, name)
        other = twin_of(problem, name)
        if other is not None and (unmet := gold_fault(other)) is not None:
            raise ItemRefused("answer_cannot_be_met", f"{name}: {unmet}")
    return problem


def _rules(blank: RowSource, rows: Rows, *, semicolons: bool) -> GoldRules:
    """How answers are read; noted in the request. A layout settles it by itself."""
    read_as, mapping = blank.request.read_as, blank.mapping
    if blank.layout is not None:
        read_as.append(f"{blank.layout.name}: {blank.layout.about}")
        return GoldRules(mapping, decimal=".")

    def cells(row: Row) -> tuple[Options, Any]:
        item = MappedItem(blank, row)
        return item.options(), item.printed_answer()

    rules = gold_rules(rows, mapping, cells, semicolons=semicolons)
    if rules.numbers_are is not None and mapping.answer_is is None:
        read_as.append(f"whole numbers as answers: {rules.numbers_are}")
    if rules.decimal == ",":
        read_as.append("numbers: with decimal commas")
    return rules


def _with_other_names(mapping: FieldMap, rows: Rows, request: ImportRequest) -> FieldMap:
    """``mapping`` with the fields whose column has another name that means nothing else; noted in ``request``."""
    names = first_columns(rows)
    others = {**option_fields(names, rows, mapping), **other_names(names)}
    others = {field: column for field, column in others.items() if field not in mapping.fields}
    request.read_as.extend(f"{field}: {_listed(column)}" for field, column in others.items())
    return mapping.model_copy(update={"fields": {**others, **mapping.fields}})


def _listed(columns: str | list[str]) -> str:
    return f"column {columns}" if isinstance(columns, str) else f"columns {', '.join(columns)}"


def _note_columns(source: RowSource, row: Row, rows: Rows) -> None:
    """Check the columns of the first ``row``, and note those that nothing reads; refuse the file if one is needed."""
    if source.layout is not None:
        source.request.not_read.update(set(row.values) - source.layout.columns - source.layout.uses)
        return
    item = MappedItem(source, row)
    item.check_columns()
    not_read = item.columns_not_read()
    if source.form.options is None:
        refuse_unread(row, not_read, rows, source.mapping)
    source.request.not_read.update(not_read)


def _rows_by_id(source: RowSource, twin: TwinMapping) -> dict[str, Row]:
    """The rows of the file of ``twin``."""
    rows: dict[str, Row] = {}
    ident = twin.fields.get("id", source.mapping.fields.get("id", "id"))
    for row in rows_of(source.folder / str(twin.file)):
        MappedItem(source, row, {"id": ident, **twin.fields}).check_columns()
        key = str(row.values[str(ident)]).strip()
        if key in rows:
            raise UserError(f"{row.place}: id: {key!r} stands at {rows[key].place} already")
        rows[key] = row
    return rows


def _last_part(place: str) -> str:
    """``line 3`` of ``items.csv:3``; ``item 3`` of ``items.json: item 3``."""
    _, _, last = place.rpartition(":")
    return f"line {last}" if last.isdecimal() else last.strip()
