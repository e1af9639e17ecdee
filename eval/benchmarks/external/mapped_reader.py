"""Reading a benchmark from the user's own file, through the mapping that names its fields (:mod:`.mapping_file`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from eval.benchmarks.definition.variants import FLIP, Twin, with_twin
from eval.benchmarks.definition.variants import twin as twin_of
from eval.benchmarks.external.external_images import mirrored, picture_of
from eval.benchmarks.external.external_rows import Row, rows_of
from eval.benchmarks.external.mapping_file import FIELDS, Column, FieldMap, Form, TwinMapping, read_mapping
from srt.answers.written_form import read_answer
from srt.corpora.corpus_reader import (
    LONGEST_TEXT,
    ImportRefusal,
    ImportRefusalReason,
    ImportRequest,
    ItemRefused,
    refusing_pictures,
)
from srt.corpora.gold_answers import Gold, read_gold
from srt.io.errors import UserError
from srt.io.records import MOST_PICTURES, AnswerKind, Image, Problem
from srt.io.strict_json import JsonFault, JsonLoss, load_json
from srt.judging.gold_fault import gold_fault

__all__ = ["Column", "Form", "read_mapped"]
_LETTERED = re.compile(r"^\s*[(（]?([A-Z])\s*[.．、:：)）](.*)")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def read_mapped(path: Path, request: ImportRequest, form: Form) -> Iterator[Problem | ImportRefusal]:
    """The items that the mapping ``path`` (or ``mapping.yaml`` in that folder) describes, as problems with the columns
    of ``form`` in their ``meta``; a refused item is named with its line.

    A file of data, or the folder of a dataset, given instead of the mapping is read with our names for its fields.
    Columns that nothing reads are noted in ``request``.

    Raises:
        UserError: a fault of the file or of the mapping: a column that is not there, named with the line.
    """
    if (path / "mapping.yaml").is_file():
        path = path / "mapping.yaml"
    mapping = read_mapping(path, form) if path.suffix.lower() in (".yaml", ".yml") else FieldMap(data=path.name)
    source = _Source(path.parent, request, form, mapping)
    twin_rows = {name: _rows_by_id(source, twin) for name, twin in mapping.twins.items() if twin.file is not None}
    taken: dict[str, str] = {}
    for row in rows_of(path.parent / mapping.data):
        item = _Item(source, row)
        if not taken:
            item.check_columns()
            request.not_read.update(item.columns_not_read())
        ident = item.text("id") or f"{form.source}-{len(taken) + 1}"
        try:
            if ident in taken:
                raise ItemRefused("duplicate", f"id: stands at {taken[ident]} already")
            taken[ident] = row.place
            problem = item.problem(ident)
            for name, twin in mapping.twins.items():
                found = twin_rows[name].get(ident) if name in twin_rows else row
                if found is not None:
                    problem = _Item(source, found, twin.fields).add_to(problem, name)
                    other = twin_of(problem, name)
                    if other is not None and (unmet := gold_fault(other)) is not None:
                        raise ItemRefused("answer_cannot_be_met", f"{name}: {unmet}")
            yield problem
        except ItemRefused as fault:
            yield fault.record(ident, row.place)


class _Source(NamedTuple):
    """What is read: the mapping's folder, the request, what the benchmark makes of the file, and the mapping."""

    folder: Path
    request: ImportRequest
    form: Form
    mapping: FieldMap


def _rows_by_id(source: _Source, twin: TwinMapping) -> dict[str, Row]:
    """The rows of the file of ``twin``."""
    rows: dict[str, Row] = {}
    ident = twin.fields.get("id", source.mapping.fields.get("id", "id"))
    for row in rows_of(source.folder / str(twin.file)):
        _Item(source, row, {"id": ident, **twin.fields}).check_columns()
        key = str(row.values[str(ident)]).strip()
        if key in rows:
            raise UserError(f"{row.place}: id: {key!r} stands at {rows[key].place} already")
        rows[key] = row
    return rows


class _Item:
    """One row, read through the mapping of the items, or through ``fields``, the mapping of another form of them."""

    def __init__(self, source: _Source, row: Row, fields: Mapping[str, str | list[str]] | None = None) -> None:
        self._source, self._form, self._row = source, source.form, row
        self._is_twin = fields is not None
        self._fields = source.mapping.fields if fields is None else fields

    def check_columns(self) -> None:
        """Check that the row has every column that the mapping names and, unless it is a twin's, every required one."""
        names = list(self._row.values)
        there = f"there are {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"
        for name, columns in self._fields.items():
            for column in [columns] if isinstance(columns, str) else columns:
                if column not in names:
                    raise UserError(f"{self._row.place}: no column {column!r} (field {name}); {there}")
        needed = ["question", "answer"] if self._form.question else ["answer"]
        needed += [name for name, column in self._form.columns.items() if column.needed]
        for name in needed:
            if not self._is_twin and name not in self._fields and name not in names:
                raise UserError(f"{self._row.place}: no column {name!r}, and no mapping names one for it; {there}")

    def columns_not_read(self) -> list[str]:
        """The columns of the row that no field and no form of an item reads."""
        fields = {name: self._fields.get(name, name) for name in (*FIELDS, *self._form.columns)}
        twins = [columns for twin in self._source.mapping.twins.values() for columns in twin.fields.values()]
        read = {
            one
            for columns in (*fields.values(), *twins)
            for one in ([columns] if isinstance(columns, str) else columns)
        }
        options = set("ABCDEFGH") if "choices" not in self._fields else set()
        return [name for name in self._row.values if name not in read | options]

    def problem(self, ident: str) -> Problem:
        question = self._question()
        own = {name: self._own(name, column) for name, column in self._form.columns.items()}
        choices, kind = self._choices(), None
        if self._form.options is not None:
            choices, kind = self._form.options(own, choices)
        category, subcategory = self._form.categories(own)
        gold = Gold(None) if self._form.without_answer(own) else self._gold(choices, kind)
        return Problem(
            id=ident,
            source=self._form.source,
            split=self.text("split") or "test",
            lang=self._source.mapping.lang or ("zh" if len(_CHINESE.findall(question)) > 2 else "en"),
            question=question,
            choices=choices,
            single_choice=bool(choices) and (self._source.mapping.single_choice or self._form.single_choice(own)),
            images=self._images(),
            diagram_description=self.text("diagram_description") or None,
            answer=gold.answer,
            solution=self.text("solution") or gold.explanation,
            category=category or self.text("category") or None,
            subcategory=subcategory or self.text("subcategory") or None,
            group_id=self.text("group") or None,
            meta={"answer": self._cell("answer"), **{name: value for name, value in own.items() if value}},
        )

    def add_to(self, problem: Problem, name: str) -> Problem:
        """``problem`` with this form of it under ``name``; as it is if all fields of the form are empty."""
        self.check_columns()
        if all(self._cell(field) in ("", None, []) for field in self._fields if field != "id"):
            return problem
        choices = self._choices() if "choices" in self._fields else None
        images = self._images() if "picture" in self._fields else None
        form = Twin(
            question=self._question() if "question" in self._fields else None,
            choices=choices,
            answer=self._gold(problem.choices if choices is None else choices).answer
            if "answer" in self._fields
            else None,
            images=images,
            diagram_description=self.text("diagram_description") or None,
        )
        if name == FLIP and images is None and problem.images:
            pictures = self._source.request.pictures
            kept = [pictures.keep(mirrored(pictures.root, image), image.path) for image in problem.images]
            form = form.model_copy(update={"images": kept})
        return with_twin(problem, name, form)

    def text(self, name: str) -> str:
        """The text in the field ``name``, empty if it is missing."""
        value = self._cell(name)
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ItemRefused("unreadable", f"{name}: a text was expected, not {type(value).__name__}")
        text = _bounded(str(value).strip(), name)
        return self._source.mapping.values.get(name, {}).get(text, text)

    def _cell(self, name: str) -> Any:
        column = self._fields.get(name, None if self._is_twin else name)
        if isinstance(column, list):
            return [self._row.values.get(one) for one in column]
        return self._row.values.get(column) if column is not None else None

    def _question(self) -> str:
        question = self.text("question")
        if not question and self._form.question:
            raise ItemRefused("no_question", "question: empty")
        return question

    def _own(self, name: str, column: Column) -> str:
        value = self.text(name)
        if not value and column.needed:
            raise ItemRefused("unreadable", f"{name}: empty, and every item needs one")
        if value and column.values and value not in column.values:
            raise ItemRefused("unreadable", f"{name}: {' or '.join(column.values)} was expected, not {value!r}")
        return value

    def _choices(self) -> dict[str, str]:
        given = self._cell("choices")
        if given is None and not self._is_twin and "choices" not in self._fields:
            # A table whose options are in columns A, B, C needs no mapping.
            given = [self._row.values.get(letter) for letter in "ABCDEFGH" if letter in self._row.values]
        if isinstance(given, str):
            given = _options_in(_bounded(given, "choices"))
        if isinstance(given, dict):
            texts = {str(letter).strip(): text for letter, text in given.items()}
        else:
            texts = {chr(ord("A") + place): text for place, text in enumerate(given or [])}
        choices = {letter: "" if text is None else str(text).strip() for letter, text in texts.items()}
        while choices and not choices[max(choices)]:
            del choices[max(choices)]
        if any(not re.fullmatch("[A-Z]", letter) for letter in choices):
            raise ItemRefused("unreadable", f"choices: capital letters were expected, not {', '.join(choices)!r:.60}")
        return choices

    def _gold(self, choices: dict[str, str], kind: AnswerKind | None = None) -> Gold:
        """The gold answer, and what is printed before or behind it: the end of a worked solution (``#### 18``)."""
        printed = self._cell("answer")
        if isinstance(printed, list):
            printed = ", ".join(map(str, printed))
        text = "" if printed is None else str(printed).strip()
        text = self._source.mapping.values.get("answer", {}).get(text, text)
        if not text:
            raise ItemRefused("no_answer", "answer: empty")
        if kind is not None or choices:
            found = Gold(read_answer(text, kind or "choice_set", choices).answer)
        else:
            found = read_gold(text, {}, choice=False)
        if found.answer is None:
            reason: ImportRefusalReason = "answer_is_no_option" if choices else "no_answer"
            raise ItemRefused(reason, f"answer: {text[:80]!r} is not read as an answer")
        return found

    def _images(self) -> list[Image]:
        given = self._cell("picture")
        if isinstance(given, str) and given.lstrip().startswith("["):
            try:
                given = load_json(given)
            except JsonFault:
                raise ItemRefused("picture", "picture: a path, base64 or a JSON list of such was expected") from None
        each = [one for one in (given if isinstance(given, list) else [given]) if one not in ("", None)]
        if len(each) > MOST_PICTURES or not all(isinstance(one, str) for one in each):
            raise ItemRefused("picture", f"picture: at most {MOST_PICTURES} paths or pictures in base64 were expected")
        root = self._source.folder / self._source.mapping.pictures
        with refusing_pictures("picture"):
            return [picture_of(one, root, self._source.request.pictures, self._row.place) for one in each]


def _bounded(text: str, name: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise ItemRefused("unreadable", f"{name}: {len(text)} characters; at most {LONGEST_TEXT} are read")
    return text


def _options_in(text: str) -> dict[str, str] | list[str]:
    """The options of a cell: JSON, or a line each, with or without their letters."""
    if text.strip()[:1] in ("[", "{"):
        try:
            found = load_json(text)
        except JsonLoss as error:
            raise ItemRefused("unreadable", f"choices: {error}") from None
        except JsonFault:
            found = None
        if isinstance(found, list | dict):
            return found
    lines = [line for line in text.splitlines() if line.strip()]
    matches = [_LETTERED.match(line) for line in lines]
    if lines and all(matches):
        return {match[1]: match[2].strip() for match in matches if match}
    return [line.strip() for line in lines]
