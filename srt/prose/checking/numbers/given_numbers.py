"""The numbers that a problem states, for a solution to calculate with all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from srt.io.records import Lang
from srt.prose.checking.conclusion.question_words import asked_part
from srt.prose.checking.numbers.stated_numbers import WrittenNumber, numbers_in

_NOT_GIVEN = re.compile(
    r"(?<!\d)\d++\s*+/\s*+\d+|\\[dt]?frac\s*+\{?\d{1,9}\}?\s*\{?\d{1,9}\}?|(?<=[:：])\s*+1(?!\d)|(?<![\d.])1\s*+(?=[:：])"
    r"|\b(?:round|correct|accurate)[^.。;；]{0,60}\d|(?:保留|精确到)[^。；，]{0,20}|(?:π|\\pi(?![a-z])|\bpi\b)[^.。，;；]{0,20}\d++(?:\.\d+)?"
    r"|[(（]\s*+\d++\s*+(?:分|points?|marks?)\s*+[)）]|\d{4}\s*+年|[$￥¥]?\s{0,3}90\s*+(?:°|\^\s*+\{?\\circ\}?|degrees|度)",
    re.IGNORECASE,
)
"""Fractions, which are used by their parts, the 1 of a ratio, how to round, a value of pi, marks, and right angles."""


def given_numbers(question: str, lang: Lang) -> Iterator[WrittenNumber]:
    """The numbers in digits that ``question`` states before it asks; those of words may count what needs no number."""
    asked = asked_part(question)
    stated = question if asked == question else question.replace(asked, " ")
    for part in asked.split("; ") if asked != question else ():
        stated = stated.replace(part, " ")
    for written in numbers_in(_NOT_GIVEN.sub(" ", stated), lang):
        if written.text[:1].isdigit() and "/" not in written.text:
            yield written
