"""The difference between two traces, step by step and word by word.

Steps are paired first (in order, by the share of words in common), then the words of each pair are compared. A word is
a run of Latin letters or digits, a LaTeX command, a Chinese character or a punctuation mark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Mark = Literal["same", "added", "removed"]
Change = Literal["same", "changed", "added", "removed"]

_WORD = re.compile(r"\\[A-Za-z]+|[A-Za-z]+|[0-9]+|\s+|.", re.DOTALL)
_MIN_SIMILARITY = 0.3
# Pairing and comparing take time proportional to the product of the lengths: longer texts are not compared.
_MAX_PAIRS = 20_000
_MAX_WORDS = 600


@dataclass(frozen=True)
class LineDiff:
    """One line of the new text, or a removed one. ``old`` and ``new`` are its numbers (from 1) in the two texts."""

    change: Change
    old: int | None
    new: int | None
    words: tuple[tuple[Mark, str], ...]


def diff_lines(old: Sequence[str], new: Sequence[str]) -> list[LineDiff]:
    """The lines of both texts in order, each paired with the line that it came from, if any."""
    found = []
    for left, right in _pairs(old, new):
        if right is None:
            assert left is not None
            found.append(LineDiff("removed", left + 1, None, (("removed", old[left]),)))
        elif left is None:
            found.append(LineDiff("added", None, right + 1, (("added", new[right]),)))
        else:
            change: Change = "same" if old[left] == new[right] else "changed"
            found.append(LineDiff(change, left + 1, right + 1, diff_words(old[left], new[right])))
    return found


def diff_words(old: str, new: str) -> tuple[tuple[Mark, str], ...]:
    """The pieces of both lines in order; the ``same`` and ``added`` ones together are ``new``."""
    if old == new:
        return (("same", new),)
    left, right = _WORD.findall(old), _WORD.findall(new)
    if max(len(left), len(right)) > _MAX_WORDS:
        return (("removed", old), ("added", new))
    pieces: list[tuple[Mark, str]] = []
    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(("same", "".join(right[c:d])))
            continue
        if a < b:
            pieces.append(("removed", "".join(left[a:b])))
        if c < d:
            pieces.append(("added", "".join(right[c:d])))
    return tuple(pieces)


def _pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int | None, int | None]]:
    """The pairing in order with the greatest total similarity: a weighted longest common subsequence."""
    if len(old) * len(new) > _MAX_PAIRS:
        both = min(len(old), len(new))
        return [
            *((n, n) for n in range(both)),
            *((n, None) for n in range(both, len(old))),
            *((None, n) for n in range(both, len(new))),
        ]
    bags_old, bags_new = [Counter(_WORD.findall(line)) for line in old], [Counter(_WORD.findall(line)) for line in new]
    like = [[_similarity(a, b) for b in bags_new] for a in bags_old]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    # best[i][j]: the most that old[i:] and new[j:] can have in common.
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + like[i][j])
    pairs: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and like[i][j] and best[i][j] == best[i + 1][j + 1] + like[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif j == len(new) or (i < len(old) and best[i][j] == best[i + 1][j]):
            pairs.append((i, None))
            i += 1
        else:
            pairs.append((None, j))
            j += 1
    return pairs


def _similarity(left: Counter[str], right: Counter[str]) -> float:
    shared = 2 * (left & right).total() / max(1, left.total() + right.total())
    return shared if shared >= _MIN_SIMILARITY else 0.0
