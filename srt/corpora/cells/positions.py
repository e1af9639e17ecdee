"""Whole numbers as answers to problems with options: the place of an option, counted from 0 or 1, or its text?

``choices: ["4", "5", "6", "8"]`` with the answer 2 means 6, 5, or nothing at all. A column settles it only as a whole,
and only in two cases; otherwise nothing is guessed, and the mapping has to say it (``answer_is``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

AnswerIs = Literal["letter", "option text", "index from 0", "index from 1"]
INDEX = re.compile(r"[+-]?\d{1,3}(?:\.0+)?")
_NUMBER = re.compile(r"\s*[-+−]?[\d.,]*\d\s*%?\s*")


@dataclass
class WholeNumbers:
    """What a column of answers shows of its whole numbers; :meth:`add` each, then ask :meth:`settled`."""

    count: int = 0
    has_zero: bool = False
    all_are_places: bool = True
    """Counted from 0, each is the place of an option."""
    all_are_texts: bool = True
    """Each is the text of exactly one option."""
    beyond: bool = False
    """One is the place of no option, counted from 0 or from 1."""
    numeric_options: bool = False
    has_last: bool = False
    """One is as large as the number of its options."""

    def add(self, number: int, choices: Mapping[str, str]) -> None:
        """Note the answer ``number`` to a problem with ``choices``."""
        texts = [text.strip() for text in choices.values()]
        self.count += 1
        self.has_zero |= number == 0
        self.all_are_places &= 0 <= number < len(texts)
        self.all_are_texts &= texts.count(str(number)) == 1
        self.beyond |= not 0 <= number <= len(texts)
        self.has_last |= number == len(texts)
        self.numeric_options |= any(map(_NUMBER.fullmatch, texts))

    def likely(self) -> AnswerIs:
        """What to propose where the column does not settle it."""
        if self.all_are_texts:
            return "option text"
        return "index from 1" if self.has_last and not self.has_zero else "index from 0"

    def settled(self) -> AnswerIs | None:
        """What the numbers are: places from 0, if one is 0, none is too large and no option is a number; texts, if all
        are and one cannot be a place. ``None``: the column does not settle it."""
        if self.has_zero and self.all_are_places and not self.numeric_options:
            return "index from 0"
        return "option text" if self.all_are_texts and self.beyond else None


def whole_number(text: str) -> int | None:
    """The whole number that ``text`` is (``2``, or ``2.0`` as pandas writes it); ``None`` if it is none."""
    return int(float(text)) if INDEX.fullmatch(text.strip()) else None
