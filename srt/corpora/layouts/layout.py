"""What a layout is: how a file of it is recognised, and how a row of it becomes our fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from srt.corpora.corpus_reader import ItemRefused
from srt.io.records import AnswerKind

Rows = Sequence[Mapping[str, Any]]


class Fields(TypedDict, total=False):
    """A row under our names. ``kind`` and ``single_choice`` are what the protocol of the data set asks for; without
    ``kind``, the answer shows it. ``answer`` is a letter where there are ``choices``, or the label that they have.
    ``same_picture_as``: the ``id`` of an earlier row, whose pictures are shown."""

    id: Any
    question: Any
    choices: Any
    answer: Any
    picture: Any
    solution: Any
    group: Any
    split: Any
    category: Any
    subcategory: Any
    kind: AnswerKind
    single_choice: bool
    same_picture_as: str


@dataclass(frozen=True)
class Layout:
    """One layout.

    Args:
        name: what ``srt import`` says it is.
        about: in a few words, how answer and options are read; printed behind the name.
        columns: those that every row has; others may be there.
        read: the fields of a row; raises :class:`~srt.corpora.corpus_reader.ItemRefused`.
        uses: the columns that ``read`` looks at besides ``columns``.
        parts: the rows that a row is read as, for layouts whose rows may hold several problems; by ``turns`` of the
            mapping.
        ids_repeat: whether several rows may have one id: then a number is added.
        fits: what else the first rows must show. Nothing is decided by columns alone where two layouts share them.
    """

    name: str
    about: str
    columns: frozenset[str]
    read: Callable[[Mapping[str, Any]], Fields]
    uses: frozenset[str] = frozenset()
    parts: Callable[[Mapping[str, Any], str | None], list[Mapping[str, Any]]] = lambda row, _: [row]
    ids_repeat: bool = False
    fits: Callable[[Rows], bool] = lambda _: True


def fields_of(layout: Layout, row: Mapping[str, Any]) -> Fields:
    """The fields of ``row``, read in ``layout``.

    Raises:
        ItemRefused: a column is missing, or holds what the layout does not know.
    """
    missing = sorted(layout.columns - row.keys())
    if missing:
        raise ItemRefused("unreadable", f"no column {missing[0]!r}, as {layout.name} has")
    return layout.read(row)


def letter_at(place: Any, count: int, counted_from: int = 0) -> str | None:
    """The letter of the option at ``place``, a whole number or its text; ``None`` if none of ``count`` is there."""
    try:
        at = int(str(place)) - counted_from
    except ValueError:
        return None
    return chr(ord("A") + at) if 0 <= at < count else None
