"""The answer at the end of a worked solution: behind ``####`` (GSM8K), or in the last ``\\boxed{}`` (MATH)."""

from __future__ import annotations

import re

from srt.answers.equality.normal_form import closing

_FINAL = re.compile(r"(?:(?<=\s)|^)####\s*(?=\S)")
_CALCULATOR = re.compile(r"<<[^<>]*>>")
_BOXED = re.compile(r"\\f?box(?:ed)?\s*(?=\{)|\\boxed\s+(?P<bare>[^\s$]+)")

_MOST_OPEN = 20
"""Boxes from the end that are tried: one that is not closed is followed to the end of the text."""


def behind_final_mark(text: str) -> tuple[str, str] | None:
    """Answer and solution of ``... <<3+4=7>>7.\\n#### 7``, without calculator marks; ``None`` without ``####``."""
    marks = list(_FINAL.finditer(text))
    if not marks:
        return None
    return text[marks[-1].end() :].strip(), without_calculator_marks(text[: marks[-1].start()])


def without_calculator_marks(text: str) -> str:
    """``text`` without ``<<3+4=7>>``, which GSM8K has for a calculator."""
    return _CALCULATOR.sub("", text).strip()


def last_boxed(text: str) -> str | None:
    """What the last ``\\boxed{}`` of ``text`` holds; ``None`` if there is none that closes."""
    for match in list(_BOXED.finditer(text))[: -_MOST_OPEN - 1 : -1]:
        if match["bare"] is not None:
            return match["bare"].rstrip(".")
        end = closing(text, match.end())
        if end > match.end():
            return text[match.end() + 1 : end].strip()
    return None
