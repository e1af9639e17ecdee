"""The language that a step is written in."""

from __future__ import annotations

import re

from srt.io.records import Lang

_FORMULA = re.compile(r"\$[^$]*\$|\\[A-Za-z]+|\{[^{}]*\}")
_HAN = re.compile(r"[\u3400-\u9fff]")
_ENGLISH_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]?[a-z]{2,}(?![A-Za-z])")
_FEWEST_WORDS = 4
"""Fewer may be a name, units, or a term in brackets."""


def written_in(text: str) -> Lang | None:
    """The language of ``text``; ``None`` if its words, formulas left out, are too few to tell or are of both."""
    plain = _FORMULA.sub(" ", text)
    han, words = len(_HAN.findall(plain)), len(_ENGLISH_WORD.findall(plain))
    if words >= _FEWEST_WORDS and han < words:
        return "en"
    if han >= _FEWEST_WORDS and words * 2 < han:
        return "zh"
    return None
