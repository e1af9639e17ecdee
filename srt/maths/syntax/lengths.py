"""Lengths in words: ``AB 长为 5``, ``the side AB is 5 cm``."""

from __future__ import annotations

import re

_SIDE = re.compile(r"[A-Z][0-9']*[A-Z][0-9']*")
_IS = re.compile(r"is|的?长?度?[为是]|的?长度?")
_BEFORE = re.compile(
    r"(?:^|[.,;:，。；：、\n(（]|\b(?:where|that|if|length of|side|edge|segment|diameter|radius|height)|"
    r"[若知设棱边高径段线弦])\s*\$?$"
)
_PLAIN = re.compile(
    r"\s*\$?\s*\d+(?:\.\d+)?\s*(?:[cdmk]?m\b|厘米|分米|米|inch(?:es)?|units?)?\s*\$?\s*(?:[.,;，。；、)）\n]|$|and\b)"
)


def tells_length(text: str, name: str, start: int, verb: re.Match[str]) -> bool:
    """Whether ``verb`` says what the length of the side ``name``, which begins at ``start``, is: a plain number.

    What is said of more than the side (``the distance from P to AB is 5``, ``AB is 5 cm longer``) is not read.
    """
    return (
        _SIDE.fullmatch(name) is not None
        and _IS.fullmatch(verb[0]) is not None
        and _BEFORE.search(text[max(0, start - 30) : start]) is not None
        and _PLAIN.match(text, verb.end()) is not None
    )
