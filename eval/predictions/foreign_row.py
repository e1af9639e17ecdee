"""One answer of another system, as its file gives it: not yet known which problem it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from srt.io.records import FinishReason

NO_TOKENS: Mapping[str, int | None] = {"output_tokens": None, "input_tokens": None, "reasoning_tokens": None}


class ForeignRow(NamedTuple):
    """One answer.

    ``place`` is what messages name. ``ids`` are the values that may be the problem's id, by the field they stand in,
    the likeliest first; ``position`` is the place in the data set, from 0. ``shown`` are the texts that the system was
    shown (its prompt, the question, or other fields of the item), none where the file does not say, and ``target`` is
    the gold answer in the file: by these two a problem that was found by a number is known to be the right one.
    """

    place: str
    ids: Mapping[str, str]
    text: str
    position: int | None = None
    shown: tuple[str, ...] = ()
    target: str | None = None
    variant: str | None = None
    repeat: int = 0
    tokens: Mapping[str, int | None] = NO_TOKENS
    finish_reason: FinishReason = "stop"
    model: str | None = None
