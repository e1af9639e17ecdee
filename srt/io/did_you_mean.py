"""The name that was probably meant, for every message about an unknown name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_NEAR = 0.65
"""Similarity, from 0 to 1, that a known name needs: two letters of ``cot`` may change places (0.67)."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The name of ``known`` that resembles ``word`` most, whatever their case; ``None`` if none is near."""
    folded = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=_NEAR)
    return folded[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """What follows the unknown ``word``: `` (did you mean 'seating'?)``, or nothing if no name is near."""
    near = nearest(word, known)
    return "" if near is None else f" (did you mean {near!r}?)"


def suggested(near: str | None, known: Iterable[str]) -> str:
    """The end of a message about an unknown key of a file: the ``near`` one, or all of ``known``."""
    return f"did you mean {near}?" if near else f"known are {', '.join(known)}"
