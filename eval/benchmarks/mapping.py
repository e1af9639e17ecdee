"""A mapping (YAML) tells where a benchmark that was never published as a file has its fields in the user's own file.

::

    data: items.csv               # JSON, JSONL, CSV or TSV; paths here are relative to this file
    lang: en                      # or zh; where it is left out, each text shows it
    pictures: figures             # the folder of picture files
    fields:                       # ours: theirs; a field that bears the same name there need not be named
      id: qid
      question: stem
      choices: [opt_a, opt_b, opt_c, opt_d]      # columns in the order of the letters, or one column
      answer: key                                # letters, or the text of an option
      picture: figure                            # one column or several: paths, or base64
      dimension: skill                           # a column of the benchmark's own
    values:                       # what they write: what we call it
      dimension: {rotation: B3}
    twins:                        # other forms of an item, paired by id; what a form leaves out stays as it is
      rewritten: {file: rewritten.csv, fields: {question: stem, answer: key}}
      flip: {fields: {answer: mirrored_key}}     # no picture named: it is mirrored here

One column of options holds a list, an object by letter, or lines ``A. text``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from eval.benchmarks.field_map import Column, FieldMap, Form, TwinMapping, read_mapping
from eval.benchmarks.foreign_pictures import mirrored, picture_of
from eval.benchmarks.foreign_rows import Row, rows_of
from eval.variants import FLIP, Twin, with_twin
from srt.answers import read_answer
from srt.corpora.gold import read_gold
from srt.corpora.item import LONGEST_TEXT, MOST_PICTURES, NotImported, Request, Why
from srt.errors import UserError
from srt.picture_folder import CannotCopy
from srt.records import Answer, AnswerKind, Image, Problem

__all__ = ["Column", "Form", "read_mapped"]
_LETTERED = re.compile(r"^\s*[(（]?([A-Z])\s*[.．、:：)）](.*)")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


class _NotTaken(Exception):
    def __init__(self, reason: Why, detail: str) -> None:
        self.reason, self.detail = reason, detail


def read_mapped(path: Path, request: Request, form: Form) -> Iterator[Problem | NotImported]:
    """The items that the mapping ``path`` (or ``mapping.yaml`` in that folder) tells of, as problems with the columns
    of ``form`` in their ``meta``; an item that is not taken is named with its line.

    A file of data in place of the mapping is read with our names for its fields.

    Raises:
        UserError: a fault of the file or of the mapping: a column that is not there, named with the line.
    """
    path = path / "mapping.yaml" if path.is_dir() else path
    if path.suffix.lower() in (".yaml", ".yml"):
        mapping = read_mapping(path, form)
    else:
        mapping = FieldMap(data=path.name)
    reader = _Reader(path.parent, request, form, mapping)
    twins = [reader.twins_of(name, one) for name, one in mapping.twins.items()]
    taken: dict[str, str] = {}
    for row in rows_of(path.parent / mapping.data):
        reader.check_columns(row)
        ident = reader.text(row, "id") or f"{form.source}-{len(taken) + 1}"
        try:
            if ident in taken:
                raise _NotTaken("duplicate", f"id: stands at {taken[ident]} already")
            taken[ident] = row.place
            problem = reader.problem(row, ident)
            for find in twins:
                problem = find(problem, row)
            yield problem
        except _NotTaken as fault:
            yield NotImported(item=ident, what="problem", reason=fault.reason, detail=f"{row.place}: {fault.detail}")


class _Reader:
    """Reads fields of rows through a mapping."""

    def __init__(self, folder: Path, request: Request, form: Form, mapping: FieldMap) -> None:
        self._form, self._mapping, self._request, self._folder = form, mapping, request, folder
        self._pictures = folder / mapping.pictures
        self._checked = False

    def check_columns(self, row: Row, fields: Mapping[str, str | list[str]] | None = None) -> None:
        """Once, by the first row: every column that the mapping names is there, and every one that is needed."""
        if fields is None and self._checked:
            return
        named = dict(self._mapping.fields if fields is None else fields)
        for name, columns in named.items():
            for column in [columns] if isinstance(columns, str) else columns:
                if column not in row.values:
                    raise UserError(f"{row.place}: no column {column!r} (field {name}); {_there(row)}")
        if fields is None:
            needed = ["question", "answer"] if self._form.question else ["answer"]
            needed += [name for name, one in self._form.columns.items() if one.needed]
            for name in needed:
                if name not in named and name not in row.values:
                    raise UserError(f"{row.place}: no column {name!r}, and no mapping names one for it; {_there(row)}")
            self._checked = True

    def problem(self, row: Row, ident: str) -> Problem:
        question = self._question(row, self._mapping.fields)
        own = {name: self._own(row, name, one) for name, one in self._form.columns.items()}
        choices, kind = self._choices(row, self._mapping.fields), None
        if self._form.options is not None:
            choices, kind = self._form.options(own, choices)
        printed = self._cell(row, "answer", self._mapping.fields)
        return Problem(
            id=ident,
            source=self._form.source,
            split="test",
            lang=self._mapping.lang or ("zh" if len(_CHINESE.findall(question)) > 2 else "en"),
            question=question,
            choices=choices,
            images=self._images(row, self._mapping.fields),
            diagram_description=self.text(row, "diagram_description") or None,
            answer=self._answer(printed, choices, kind),
            solution=self.text(row, "solution") or None,
            group_id=self.text(row, "group") or None,
            meta={"answer": printed, **{name: value for name, value in own.items() if value}},
        )

    def twins_of(self, name: str, given: TwinMapping) -> _FindTwin:
        """What adds the form ``name`` to a problem, from its own row or from the file of the forms."""
        if given.file is None:
            return _FindTwin(self, name, given.fields, None)
        rows: dict[str, Row] = {}
        ident = given.fields.get("id", self._mapping.fields.get("id", "id"))
        for row in rows_of(self._folder / given.file):
            self.check_columns(row, {"id": ident, **given.fields})
            key = str(row.values[str(ident)]).strip()
            if key in rows:
                raise UserError(f"{row.place}: id: {key!r} stands at {rows[key].place} already")
            rows[key] = row
        return _FindTwin(self, name, given.fields, rows)

    def twin(self, problem: Problem, row: Row, fields: Mapping[str, str | list[str]]) -> Twin | None:
        """The form that ``fields`` give of ``problem``; ``None`` where they are all empty."""
        if all(self._cell(row, name, fields) in ("", None, []) for name in fields if name != "id"):
            return None
        choices = self._choices(row, fields) if "choices" in fields else None
        answer = None
        if "answer" in fields:
            answer = self._answer(self._cell(row, "answer", fields), problem.choices if choices is None else choices)
        return Twin(
            question=self._question(row, fields) if "question" in fields else None,
            choices=choices,
            answer=answer,
            images=self._images(row, fields) if "picture" in fields else None,
            diagram_description=self._text(row, "diagram_description", fields) or None,
        )

    def mirror(self, images: Sequence[Image]) -> list[Image]:
        """``images`` as a mirror shows them, in files of their own."""
        return [
            self._request.pictures.keep(mirrored(self._request.pictures.root, image), image.path) for image in images
        ]

    def text(self, row: Row, name: str) -> str:
        """The text in the field ``name``, empty where there is none."""
        return self._text(row, name, self._mapping.fields)

    def _text(self, row: Row, name: str, fields: Mapping[str, str | list[str]]) -> str:
        value = self._cell(row, name, fields)
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise _NotTaken("unreadable", f"{name}: a text was expected, not {type(value).__name__}")
        text = str(value).strip()
        if len(text) > LONGEST_TEXT:
            raise _NotTaken("unreadable", f"{name}: {len(text)} characters; at most {LONGEST_TEXT} are read")
        return self._mapping.values.get(name, {}).get(text, text)

    def _cell(self, row: Row, name: str, fields: Mapping[str, str | list[str]]) -> Any:
        column = fields.get(name, name if fields is self._mapping.fields else None)
        if isinstance(column, list):
            return [row.values.get(one) for one in column]
        return row.values.get(column) if column is not None else None

    def _question(self, row: Row, fields: Mapping[str, str | list[str]]) -> str:
        question = self._text(row, "question", fields)
        if not question and self._form.question:
            raise _NotTaken("no_question", "question: empty")
        return question

    def _own(self, row: Row, name: str, column: Column) -> str:
        value = self.text(row, name)
        if not value and column.needed:
            raise _NotTaken("unreadable", f"{name}: empty, and every item needs one")
        if value and column.values and value not in column.values:
            raise _NotTaken("unreadable", f"{name}: {' or '.join(column.values)} was expected, not {value!r}")
        return value

    def _choices(self, row: Row, fields: Mapping[str, str | list[str]]) -> dict[str, str]:
        given = self._cell(row, "choices", fields)
        if given is None and fields is self._mapping.fields and "choices" not in fields:
            # A table whose options stand in columns A, B, C needs no mapping.
            given = [row.values.get(letter) for letter in "ABCDEFGH" if letter in row.values]
        if isinstance(given, str):
            if len(given) > LONGEST_TEXT:
                raise _NotTaken("unreadable", f"choices: {len(given)} characters; at most {LONGEST_TEXT} are read")
            given = _options_in(given)
        if isinstance(given, dict):
            texts = {str(letter).strip(): text for letter, text in given.items()}
        else:
            texts = {chr(ord("A") + place): text for place, text in enumerate(given or [])}
        choices = {letter: "" if text is None else str(text).strip() for letter, text in texts.items()}
        while choices and not choices[max(choices)]:
            del choices[max(choices)]
        if any(not re.fullmatch("[A-Z]", letter) for letter in choices) or len(choices) > 26:
            raise _NotTaken("unreadable", f"choices: capital letters were expected, not {', '.join(choices)!r:.60}")
        return choices

    def _answer(self, printed: Any, choices: dict[str, str], kind: AnswerKind | None = None) -> Answer:
        if isinstance(printed, list):
            printed = ", ".join(str(one) for one in printed)
        text = "" if printed is None else str(printed).strip()
        text = self._mapping.values.get("answer", {}).get(text, text)
        if not text:
            raise _NotTaken("no_answer", "answer: empty")
        if kind is not None or choices:
            found = read_answer(text, kind or "choice_set", choices).answer
        else:
            found = read_gold(text, {}, choice=False).answer
        if found is None:
            reason: Why = "answer_is_no_option" if choices else "no_answer"
            raise _NotTaken(reason, f"answer: {text[:80]!r} is not read as an answer")
        return found

    def _images(self, row: Row, fields: Mapping[str, str | list[str]]) -> list[Image]:
        given = self._cell(row, "picture", fields)
        if isinstance(given, str) and given.lstrip().startswith("["):
            try:
                given = orjson.loads(given)
            except orjson.JSONDecodeError:
                raise _NotTaken("picture", "picture: a path, base64 or a JSON list of such was expected") from None
        each = [one for one in (given if isinstance(given, list) else [given]) if one not in ("", None)]
        if len(each) > MOST_PICTURES or not all(isinstance(one, str) for one in each):
            raise _NotTaken("picture", f"picture: at most {MOST_PICTURES} paths or pictures in base64 were expected")
        try:
            return [picture_of(one, self._pictures, self._request.pictures, row.place) for one in each]
        except CannotCopy:
            raise
        except UserError as error:
            raise _NotTaken("picture", f"picture: {error}") from None


@dataclass(frozen=True)
class _FindTwin:
    reader: _Reader
    name: str
    fields: Mapping[str, str | list[str]]
    rows: Mapping[str, Row] | None

    def __call__(self, problem: Problem, row: Row) -> Problem:
        """``problem`` with its other form, where it has one."""
        if self.rows is None:
            self.reader.check_columns(row, self.fields)
        found = row if self.rows is None else self.rows.get(problem.id)
        form = None if found is None else self.reader.twin(problem, found, self.fields)
        if form is None:
            return problem
        if self.name == FLIP and form.images is None and problem.images:
            form = form.model_copy(update={"images": self.reader.mirror(problem.images)})
        return with_twin(problem, self.name, form)


def _options_in(text: str) -> dict[str, str] | list[str]:
    """The options of a cell: JSON, or a line each, with or without their letters."""
    if text.strip()[:1] in ("[", "{"):
        try:
            found = orjson.loads(text)
        except orjson.JSONDecodeError:
            found = None
        if isinstance(found, list | dict):
            return found
    lines = [line for line in text.splitlines() if line.strip()]
    matches = [_LETTERED.match(line) for line in lines]
    if lines and all(matches):
        return {match[1]: match[2].strip() for match in matches if match}
    return [line.strip() for line in lines]


def _there(row: Row) -> str:
    names = list(row.values)
    return f"there are {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"
