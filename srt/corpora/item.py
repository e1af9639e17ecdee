"""What the reader of a corpus yields beside problems: items that it does not take, named with their reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from srt.language.trace import Trace
from srt.picture_folder import PictureFolder
from srt.records import Lang, Problem, Record

Why = Literal[
    "unreadable",
    "no_question",
    "no_translation",
    "no_answer",
    "answer_is_no_option",
    "picture",
    "duplicate",
    "no_trace",
    "trace_malformed",
    "trace_without_answer",
    "disagrees_with_gold",
]


LONGEST_TEXT = 20_000
"""A question of more characters is refused: real ones have a few thousand, and patterns run over every one of them."""

MOST_PICTURES = 100
"""An item of more pictures is refused: real ones have a handful."""


class NotImported(Record):
    """One item, or the published trace of one, that was not taken. ``item`` is its id in the corpus."""

    item: str
    what: Literal["problem", "trace"]
    reason: Why
    detail: str


@dataclass(frozen=True)
class Request:
    """What an import asks of a reader: ``lang`` where a corpus has both, its published traces too, picture paths."""

    lang: Lang
    traces: bool
    pictures: PictureFolder


Reader = Callable[[Path, Request], Iterator[Problem | Trace | NotImported]]
"""Reads a corpus at a path. A trace comes after its problem."""
