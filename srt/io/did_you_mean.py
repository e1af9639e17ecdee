"""The name that was probably meant: the one end of every message about an unknown name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_NEAR = 0.65
"""Similarity, from 0 to 1, that a known name needs: two letters of ``cot`` may change places (0.67)."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The name of ``known`` that resembles ``word`` most, whatever their case; None if none is near."""
    folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=_NEAR)
    return folded[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about the unknown ``word``: `` (did you mean 'seating'?)``, or nothing if none is near."""
    near = nearest(word, known)
    return "" if near is None else f" (did you mean {near!r}?)"


def suggested(near: str | None, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the ``near`` one, or all of ``known``."""
    return f"did you mean {near}?" if near else f"known are {', '.join(known)}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """The same, with the nearest one of ``known``."""
    names = list(known)
    return suggested(nearest(word, names), names)
