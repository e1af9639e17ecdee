"""One row of an external file, read through the mapping that names its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.benchmarks.definition.variants import FLIP, Twin, with_twin
from eval.benchmarks.external.column_names import missing_column
from eval.benchmarks.external.external_images import mirrored, picture_of
from eval.benchmarks.external.mapping_file import FIELDS, Column, FieldMap, Form
from eval.benchmarks.external.printed_gold import GoldRules, gold_of
from eval.benchmarks.external.row import Row
from srt.corpora.cells.no_values import says_nothing
from srt.corpora.cells.option_cells import Options, read_options
from srt.corpora.corpus_reader import LONGEST_TEXT, ImportRequest, ItemRefused, refusing_pictures
from srt.corpora.gold_answers import Gold
from srt.corpora.layouts.layout import Layout
from srt.io.errors import UserError
from srt.io.records import MOST_PICTURES, AnswerKind, Image, Problem, language_of
from srt.io.strict_json import JsonFault, load_json

_LETTERS = "ABCDEFGHIJ"


@dataclass(frozen=True)
class RowSource:
    """What is read: the mapping's folder, the request, what the benchmark makes of the file, the mapping, how answers
    are read, and the layout, if the file has one: then the values of a row are its fields. ``shown`` are the pictures
    of the rows before, by id."""

    folder: Path
    request: ImportRequest
    form: Form
    mapping: FieldMap
    rules: GoldRules
    layout: Layout | None = None
    shown: dict[str, list[Image]] = field(default_factory=dict)


class MappedItem:
    """One row, read through the mapping of the items, or through ``fields``, the mapping of another form of them."""

    def __init__(self, source: RowSource, row: Row, fields: Mapping[str, str | list[str]] | None = None) -> None:
        self._source, self._form, self._row = source, source.form, row
        self._is_twin = fields is not None
        self._fields = source.mapping.fields if fields is None else fields

    def check_columns(self) -> None:
        """Check that the row has every column that the mapping names and, unless it is a twin's, every required one."""
        names = list(self._row.values)
        for name, columns in self._fields.items():
            for column in [columns] if isinstance(columns, str) else columns:
                if column not in names:
                    raise UserError(f"{self._row.place}: no column {column!r} (field {name}); {_there(names)}")
        needed = ["question", "answer"] if self._form.question else ["answer"]
        needed += [name for name, column in self._form.columns.items() if column.needed]
        missing = [] if self._is_twin else [name for name in needed if name not in self._fields and name not in names]
        if missing:
            fault = missing_column(missing, self._row.values, self._fields)
            raise UserError(f"{self._row.place}: {fault}; {_there(names)}")

    def columns_not_read(self) -> list[str]:
        """The columns of the row that no field and no form of an item reads."""
        fields = {name: self._fields.get(name, name) for name in (*FIELDS, *self._form.columns)}
        twins = [columns for twin in self._source.mapping.twins.values() for columns in twin.fields.values()]
        read = {
            one
            for columns in (*fields.values(), *twins)
            for one in ([columns] if isinstance(columns, str) else columns)
        }
        options = set(_LETTERS) if "choices" not in self._fields else set()
        return [name for name in self._row.values if name not in read | options]

    def problem(self, ident: str) -> Problem:
        """The problem in this row.

        Raises:
            ItemRefused: it cannot be read, or has two readings.
        """
        question = self._question()
        own = {name: self._own(name, column) for name, column in self._form.columns.items()}
        options = self.options()
        self._check_options(options)
        kind: AnswerKind | None = self._row.values.get("kind") if self._source.layout else None
        choices = options.texts
        if self._form.options is not None:
            choices, kind = self._form.options(own, choices)
            options = Options(choices, options.labels, options.by_file)
        category, subcategory = self._form.categories(own)
        gold = Gold(None) if self._form.without_answer(own) else self._gold(options, kind, question)
        single = self._source.mapping.single_choice or self._form.single_choice(own)
        if self._source.layout is not None:
            single = self._row.values.get("single_choice", False)
        problem = Problem(
            id=ident,
            source=self._form.source,
            lang=self._source.mapping.lang or language_of(question),
            question=question,
            choices=choices,
            single_choice=single and (bool(choices) or kind == "choice_set"),
            images=self._images(),
            diagram_description=self.text("diagram_description") or None,
            answer=gold.answer,
            solution=self.text("solution") or gold.explanation,
            category=category or self.text("category") or None,
            subcategory=subcategory or self.text("subcategory") or None,
            group_id=self.text("group") or None,
            meta={"answer": self.printed_answer(), **{name: value for name, value in own.items() if value}},
        )
        # Not checked: a split keeps the name that it has in the file ("testmini").
        return problem.model_copy(update={"split": split}) if (split := self.text("split")) else problem

    def add_to(self, problem: Problem, name: str) -> Problem:
        """``problem`` with this form of it under ``name``; as it is if all fields of the form are empty."""
        self.check_columns()
        if all(self._cell(one) in ("", None, []) for one in self._fields if one != "id"):
            return problem
        options = self.options() if "choices" in self._fields else Options(problem.choices)
        images = self._images() if "picture" in self._fields else None
        question = self._question() if "question" in self._fields else None
        form = Twin(
            question=question,
            choices=options.texts if "choices" in self._fields else None,
            answer=self._gold(options, None, question or problem.question).answer if "answer" in self._fields else None,
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

    def options(self) -> Options:
        """The options of this row."""
        given, in_columns = self._cell("choices"), False
        if given is None and not self._is_twin and "choices" not in self._fields:
            # A table whose options are in columns A, B, C needs no mapping.
            given = [self._row.values.get(letter) for letter in _LETTERS if letter in self._row.values]
            in_columns = True
        if isinstance(given, str):
            _bounded(given, "choices")
        separator = self._source.mapping.option_separator
        return read_options(given, separator, str(self.printed_answer()), in_columns=in_columns)

    def printed_answer(self) -> Any:
        """The answer as it is printed, or in the words that the mapping has for it."""
        printed = self._cell("answer")
        renamed = self._source.mapping.values.get("answer", {})
        return renamed.get(printed.strip(), printed) if isinstance(printed, str) else renamed.get(str(printed), printed)

    def _cell(self, name: str) -> Any:
        column = self._fields.get(name, None if self._is_twin else name)
        if isinstance(column, list):
            return [self._row.values.get(one) for one in column]
        return self._row.values.get(column) if column is not None else None

    def _question(self) -> str:
        question = self.text("question")
        if not question and self._form.question:
            raise ItemRefused("no_question", "question: empty")
        if says_nothing(question) and self._form.question:
            raise ItemRefused("no_question", f"question: {question!r} is no question")
        return question

    def _own(self, name: str, column: Column) -> str:
        value = self.text(name)
        if not value and column.needed:
            raise ItemRefused("unreadable", f"{name}: empty, and every item needs one")
        if value and column.values and value not in column.values:
            raise ItemRefused("unreadable", f"{name}: {' or '.join(column.values)} was expected, not {value!r}")
        return value

    def _check_options(self, options: Options) -> None:
        allowed, paste = self._source.mapping.allow, self._source.rules.paste
        texts = [text for text in options.texts.values() if text]
        empty = [letter for letter, text in options.texts.items() if not text]
        if empty:
            raise ItemRefused("unreadable", f"choices: option {empty[0]} is empty")
        if len(options.texts) == 1 and "one option" not in allowed:
            raise ItemRefused(
                "ambiguous",
                f"choices: one option alone, {''.join(texts)[:60]!r}; if several stand in it, save the mapping "
                f"{paste(option_separator=',')} with what stands between them; if it is one, "
                f"{paste(allow=['one option'])}; and import that",
            )
        if len(set(texts)) < len(texts) and "equal options" not in allowed:
            twice = next(text for text in texts if texts.count(text) > 1)
            raise ItemRefused(
                "ambiguous",
                f"choices: {twice[:60]!r} is there {texts.count(twice)} times; if that is meant, save the mapping "
                f"{paste(allow=['equal options'])} and import that",
            )

    def _gold(self, options: Options, kind: AnswerKind | None, question: str) -> Gold:
        return gold_of(self.printed_answer(), options, kind, self._source.rules, question)

    def _images(self) -> list[Image]:
        other = self._row.values.get("same_picture_as") if self._source.layout else None
        if other is not None:
            if other not in self._source.shown:
                raise ItemRefused("picture", f"picture: that of {other!r}, which is no row before this one")
            return self._source.shown[other]
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
        try:
            with refusing_pictures("picture"):
                return [picture_of(one, root, self._source.request.pictures, self._row.place) for one in each]
        except ItemRefused as fault:
            if not fault.detail.endswith("no such file") or self._source.mapping.pictures != ".":
                raise
            paste = self._source.rules.paste(pictures="FOLDER")
            raise ItemRefused(fault.reason, f"{fault.detail}; a mapping names their folder: {paste}") from None


def _there(names: list[str]) -> str:
    return f"there are {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"


def _bounded(text: str, name: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise ItemRefused("unreadable", f"{name}: {len(text)} characters; at most {LONGEST_TEXT} are read")
    return text
