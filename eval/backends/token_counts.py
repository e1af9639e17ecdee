"""Counting tokens from ids: the end of a sequence, where reasoning ends, and what a reference tokenizer would count.

A model's own counts never come from tokenizing its text again: a text has many tokenizations, and the model wrote one
of them. A reference tokenizer does count the text again, so that models with different vocabularies can be compared;
such counts are in a separate column.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from srt.answers.answer_places import answer_line_start
from srt.io.errors import UserError
from srt.io.records import Thinking
from srt.language.prompts import THINK_CLOSES, THINK_OPENS
from srt.untrusted.trial import check_tokenizer


class Decoder(Protocol):
    """What is used of a tokenizer; those of transformers fit."""

    def decode(self, token_ids: list[int], *, skip_special_tokens: bool, clean_up_tokenization_spaces: bool) -> str:
        """The text of ``token_ids``."""


def until_end(row: Sequence[int], ends: Collection[int]) -> tuple[list[int], bool]:
    """The ids of ``row`` before its first end of sequence, and whether there is one; what follows is padding."""
    end = next((at for at, token in enumerate(row) if token in ends), None)
    return list(row if end is None else row[:end]), end is not None


def text_of(tokenizer: Decoder, ids: Sequence[int]) -> str:
    """The text of ``ids``, with special tokens and without clean-up."""
    return tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)


def think_state(prompt: str, text: str) -> Thinking | None:
    """Whether the think block that ``prompt`` or ``text``, which follows it, opens is closed in ``text``.

    ``None`` where neither opens one.
    """
    if THINK_CLOSES in text:
        return "closed"
    opened = prompt.rstrip().endswith(THINK_OPENS) or text.lstrip().startswith(THINK_OPENS)
    return "open" if opened else None


def count_reasoning(tokenizer: Decoder, ids: Sequence[int], text: str) -> int | None:
    """How many of the generated ``ids``, whose text is ``text``, lie before the answer.

    Those up to and with the one that ends the last ``</think>``; where there is no think block, those before the first
    that writes a character of the last answer marker's line. ``None`` where the text shows neither. Of a think block
    that is still open nothing is asked here: all of it is reasoning, and none of it an answer.
    """
    closed = text.count(THINK_CLOSES)
    if closed:
        return _first(len(ids), lambda n: text_of(tokenizer, ids[:n]).count(THINK_CLOSES) >= closed)
    start = answer_line_start(text)
    if start is None:
        return None
    # A character that is still incomplete decodes to one replacement character: it counts as begun.
    return _first(len(ids), lambda n: len(text_of(tokenizer, ids[:n])) > start) - 1


class ReferenceTokenizer:
    """The tokenizer in ``folder``, by which the texts of all models are counted alike.

    Raises:
        UserError: there is none that transformers reads by itself.
    """

    def __init__(self, folder: str | Path) -> None:
        from transformers import AutoTokenizer  # a second to import, and most scoring needs none

        self._folder = Path(folder)
        if not self._folder.is_dir():
            raise UserError(f"{folder}: no such folder; a reference tokenizer is a folder with its files")
        check_tokenizer(self._folder)
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(
                self._folder, local_files_only=True, trust_remote_code=False
            )
        except Exception as error:  # transformers checks little of a folder before it uses it
            raise UserError(f"{folder}: its tokenizer cannot be read: {' '.join(str(error).split())}") from None

    @cached_property
    def name(self) -> str:
        """Its folder's name and the first 12 hex digits of the SHA-256 of its vocabulary and merges."""
        backend = getattr(self._tokenizer, "backend_tokenizer", None)
        data = backend.to_str() if backend is not None else repr(sorted(self._tokenizer.get_vocab().items()))
        return f"{self._folder.resolve().name} {hashlib.sha256(data.encode()).hexdigest()[:12]}"

    def count(self, text: str) -> int:
        """Tokens of ``text``; no special token is added, and no end of sequence counted."""
        return len(self._tokenizer.encode(text, add_special_tokens=False))


def _first(count: int, reached: Any) -> int:
    """The smallest n in 1..count for which ``reached(n)``, which stays true once it is."""
    # A handful of decodings instead of one for each token.
    return 1 + bisect_left(range(1, count + 1), True, key=reached)
