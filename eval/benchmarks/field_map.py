"""The file that tells where a benchmark has its fields in the user's own file, and what a benchmark can be told.

:mod:`eval.benchmarks.mapping` says what such a file looks like and reads by it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field, ValidationError

from eval.variants import FLIP
from srt.errors import UserError
from srt.extending import read_extending
from srt.records import AnswerKind, Lang, Record

FIELDS = ("id", "question", "choices", "answer", "picture", "diagram_description", "solution", "group")


class TwinMapping(Record):
    """Where another form of each item stands: in further columns, or in a ``file`` of its own, paired by
    ``id``."""

    file: str | None = None
    fields: dict[str, str | list[str]] = Field(min_length=1)


class FieldMap(Record):
    """A mapping file. ``data`` is relative to it; ``fields`` gives our names theirs, ``values`` translates what stands
    in a field."""

    data: str
    lang: Lang | None = None
    pictures: str = "."
    fields: dict[str, str | list[str]] = Field(default_factory=dict)
    values: dict[str, dict[str, str]] = Field(default_factory=dict)
    twins: dict[str, TwinMapping] = Field(default_factory=dict)


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
    ``question``: whether every item has a text of its own.
    """

    source: str
    columns: Mapping[str, Column] = field(default_factory=dict)
    twins: tuple[str, ...] = (FLIP,)
    options: Callable[[Mapping[str, str], dict[str, str]], tuple[dict[str, str], AnswerKind]] | None = None
    question: bool = True


def read_mapping(path: Path, form: Form) -> FieldMap:
    """The mapping in the file ``path``, seen to name no field that ``form`` does not know.

    Raises:
        UserError: no such file, not a mapping, an unknown field, value or form, with what is known.
    """
    try:
        mapping = FieldMap.model_validate(read_extending(path))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise UserError(f"{path}: {'.'.join(map(str, fault['loc']))}: {fault['msg']}") from None
    known = (*FIELDS, *form.columns)
    _known(mapping.fields, known, f"{path}: fields")
    _known(mapping.values, known, f"{path}: values")
    _known(mapping.twins, form.twins, f"{path}: twins")
    for name, one in mapping.twins.items():
        _known(one.fields, FIELDS[:6], f"{path}: twins.{name}.fields")
    for name, column in form.columns.items():
        if column.values:
            for theirs, ours in mapping.values.get(name, {}).items():
                _known([ours], column.values, f"{path}: values.{name}.{theirs}")
    return mapping


def _known(names: Iterable[str], known: Sequence[str], place: str) -> None:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known) or 'none'}"
            raise UserError(f"{place}: {name!r} is not known{hint}")
