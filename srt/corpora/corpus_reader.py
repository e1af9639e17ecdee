"""What a reader of a corpus is: it yields problems, published traces, and refusals that name an item and the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from srt.images.store import CannotCopy, PictureFolder
from srt.io.errors import UserError
from srt.io.records import MOST_PICTURES, Lang, Problem, Record
from srt.language.trace import Trace

ImportRefusalReason = Literal[
    "unreadable",
    "no_question",
    "no_translation",
    "no_answer",
    "answer_is_no_option",
    "ambiguous",
    "answer_cannot_be_met",
    "picture",
    "duplicate",
    "no_trace",
    "trace_malformed",
    "trace_without_answer",
    "disagrees_with_gold",
]


LONGEST_TEXT = 20_000
"""A question of more characters is refused: real ones have a few thousand, and patterns run over every one of them."""


class ImportRefusal(Record):
    """An item of a corpus that was not imported, or whose published trace was not. ``item`` is its id in the corpus."""

    item: str
    what: Literal["problem", "trace"]
    reason: ImportRefusalReason
    detail: str


class ItemRefused(Exception):
    """Raised while one item is read: the item is not imported."""

    def __init__(self, reason: ImportRefusalReason, detail: str) -> None:
        self.reason, self.detail = reason, detail

    def record(self, item: str, place: str | None = None) -> ImportRefusal:
        """The refusal of the problem ``item``; ``place`` (file and line) opens its detail."""
        detail = self.detail if place is None else f"{place}: {self.detail}"
        return ImportRefusal(item=item, what="problem", reason=self.reason, detail=detail)


def picture_paths(listed: Any, field: str) -> list[str]:
    """The paths in ``listed``, an item's ``field``, with forward slashes; anything else refuses the item."""
    if not isinstance(listed, list) or len(listed) > MOST_PICTURES or not all(isinstance(path, str) for path in listed):
        raise ItemRefused("unreadable", f"{field}: a list of at most {MOST_PICTURES} paths was expected")
    return [path.replace("\\", "/") for path in listed]


@contextmanager
def refusing_pictures(field: str | None = None) -> Iterator[None]:
    """A picture that cannot be read here refuses its item; ``field`` opens the detail.

    A folder of copies that cannot be written is a fault of the run, and is raised as it is.
    """
    try:
        yield
    # A kind of UserError, but no fault of the item.
    except CannotCopy:
        raise
    except UserError as error:
        raise ItemRefused("picture", f"{field}: {error}" if field else str(error)) from None


@dataclass(frozen=True)
class ImportRequest:
    """What to import: ``lang``, where a corpus has both; whether the published ``traces`` too; where pictures go.

    ``columns`` names the columns of a user's file for our fields. A reader adds to ``not_read`` the columns that it has
    no use for, and to ``read_as`` how it reads the file.
    """

    lang: Lang
    traces: bool
    pictures: PictureFolder
    columns: Mapping[str, str | list[str]] = field(default_factory=dict)
    not_read: set[str] = field(default_factory=set)
    read_as: list[str] = field(default_factory=list)


CorpusReader = Callable[[Path, ImportRequest], Iterator[Problem | Trace | ImportRefusal]]
"""Reads a corpus at a path. A trace comes after its problem."""
