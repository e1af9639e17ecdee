"""A mapping (YAML): where the fields of a benchmark are in the user's own file. It was never published as a file.

::

    data: items.csv               # JSON, JSONL, CSV, TSV, Parquet or the folder of a dataset; relative to this file
    lang: en                      # or zh; where it is left out, each text shows it
    encoding: gb18030             # of a table that is not UTF-8
    pictures: figures             # the folder of picture files
    single_choice: true           # exactly one option of each item is right: the prompt asks for one letter
    fields:                       # ours: theirs; a field of the same name need not be listed
      id: qid
      question: stem
      choices: [opt_a, opt_b, opt_c, opt_d]      # columns in the order of the letters, or one column
      answer: key                                # letters, or the text of an option
      picture: figure                            # one column or several: paths, or base64
      dimension: skill                           # a column that this benchmark adds
    values:                       # what they write: what we call it
      dimension: {rotation: B3}
    twins:                        # other forms of an item, paired by id; what a form leaves out stays as it is
      rewritten: {file: rewritten.csv, fields: {question: stem, answer: key}}
      flip: {fields: {answer: mirrored_key}}     # no picture named: it is mirrored here

    answer_is: index from 0       # or index from 1, option text, letter; else each answer shows it
    decimal: ","                  # the decimal sign of answers; else , in a table with semicolons, and otherwise .
    option_separator: ","         # what stands between options in one column
    allow: [one option, equal options]           # what is otherwise refused
    turns: first                  # of a conversation of several questions: the first alone, or each by itself

One column of options holds a list, objects with a text and a label, lines, or ``(A) 5 (B) 6``
(:mod:`srt.corpora.cells.option_cells`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from eval.benchmarks.definition.variants import FLIP
from eval.benchmarks.external.table_encoding import Encoding
from srt.corpora.cells.decimal_commas import Decimal
from srt.corpora.cells.positions import AnswerIs
from srt.io.did_you_mean import nearest, suggested
from srt.io.records import AnswerKind, Lang
from srt.io.yaml_config import Config, ConfigFaults, read_config

FIELDS = (
    "id",
    "question",
    "choices",
    "answer",
    "picture",
    "diagram_description",
    "solution",
    "group",
    "split",
    "category",
    "subcategory",
)
Columns = Annotated[
    Annotated[str, Tag("(one)")] | Annotated[list[str], Tag("(several)")],
    Discriminator(lambda value: "(several)" if isinstance(value, list) else "(one)"),
]


class TwinMapping(Config):
    """Where another form of each item stands: in further columns, or in a ``file`` of its own, paired by
    ``id``."""

    file: str | None = None
    fields: dict[str, Columns] = Field(min_length=1)


class FieldMap(Config):
    """A mapping file. ``data`` is relative to it; ``fields`` gives our names theirs, ``values`` translates what stands
    in a field."""

    data: str
    lang: Lang | None = None
    encoding: Encoding | None = None
    pictures: str = "."
    single_choice: bool = False
    answer_is: AnswerIs | None = None
    decimal: Decimal | None = None
    option_separator: Annotated[str, Field(min_length=1)] | None = None
    allow: list[Literal["one option", "equal options"]] = Field(default_factory=list)
    turns: Literal["first", "each"] | None = None
    fields: dict[str, Columns] = Field(default_factory=dict)
    values: dict[str, dict[str, str]] = Field(default_factory=dict)
    twins: dict[str, TwinMapping] = Field(default_factory=dict)

    def says_how_to_read(self) -> bool:
        """Whether it says where fields are or what answers mean: then no layout is looked for."""
        said = (self.fields, self.values, self.twins, self.answer_is, self.decimal, self.option_separator)
        return any(said)


@dataclass(frozen=True)
class Column:
    """A column of a benchmark's own: whether every item has it, and what it may hold (anything, where it is empty)."""

    needed: bool = False
    values: Sequence[str] = ()


@dataclass(frozen=True)
class Form:
    """What a benchmark makes of a file: the ``source`` of its problems, its own columns (they go to ``meta``), and the
    forms an item may have besides its own.

    ``options`` gives the options and the kind of answer that an item must have, from its own columns and the options
    found; without it, an item with options is answered by letters, and any other as its printed answer shows.
    ``question``: whether every item has a text of its own. ``categories`` gives category and subcategory of an item,
    from its own columns. ``without_answer`` says of which rows, by their own columns, no answer is expected.
    ``single_choice`` says of which items, by their own columns, the protocol has exactly one right option.
    ``layouts``: whether a file without a mapping may have one of the known layouts (:mod:`srt.corpora.layouts`).
    """

    source: str
    columns: Mapping[str, Column] = field(default_factory=dict)
    twins: tuple[str, ...] = (FLIP,)
    options: Callable[[Mapping[str, str], dict[str, str]], tuple[dict[str, str], AnswerKind]] | None = None
    question: bool = True
    categories: Callable[[Mapping[str, str]], tuple[str | None, str | None]] = lambda _: (None, None)
    without_answer: Callable[[Mapping[str, str]], bool] = lambda _: False
    single_choice: Callable[[Mapping[str, str]], bool] = lambda _: False
    layouts: bool = False


def read_mapping(path: Path, form: Form, columns: Mapping[str, str | list[str]] = MappingProxyType({})) -> FieldMap:
    """The mapping in the file ``path``, or that of the data ``path`` themselves; it names no field that ``form`` does
    not know. ``columns`` (of the command line) win over the fields of a file.

    Raises:
        UserError: the file cannot be read, or has unknown fields, values or forms: all of them in one line.
    """
    mapping = read_config(FieldMap, path) if path.suffix.lower() in (".yaml", ".yml") else FieldMap(data=path.name)
    mapping = mapping.model_copy(update={"fields": {**mapping.fields, **columns}})
    fields = (*FIELDS, *form.columns)
    checks: list[tuple[str, Collection[str], Collection[str]]] = [
        ("fields", mapping.fields, fields),
        ("values", mapping.values, fields),
        ("twins", mapping.twins, form.twins),
    ]
    checks += [(f"twins.{name}.fields", twin.fields, FIELDS[:6]) for name, twin in mapping.twins.items()]
    checks += [
        (f"values.{name}.{theirs}", [ours], column.values)
        for name, column in form.columns.items()
        if column.values
        for theirs, ours in mapping.values.get(name, {}).items()
    ]
    faults = [
        f"{place}: {name!r} is not known, {suggested(nearest(name, known), known)}"
        for place, names, known in checks
        for name in names
        if name not in known
    ]
    if faults:
        raise ConfigFaults(str(path), faults)
    return mapping
