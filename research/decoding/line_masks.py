"""A mask of tokens under which a greedy text has only lines that the checker proves, without one drawn again."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

import torch

from research.decoding.provable_lines import ProvableLines
from srt.io.records import Problem


class LineMask:
    """Leaves, of the tokens that begin or continue a line of :class:`ProvableLines`, the likeliest.

    Tokens are compared by their characters, so that any spelling of a line is allowed. The text may end behind an
    answer line that is proved; it also ends where no token is left, and is then no proved trace. ``says`` are the texts
    of all tokens, by id.
    """

    def __init__(self, problem: Problem, says: Sequence[str], ends: Set[int], decode: Callable[[Any], str]) -> None:
        self._lines, self._says, self._ends, self._decode = ProvableLines(problem), says, ends, decode

    def __call__(self, ids: Sequence[int], scores: torch.Tensor) -> None:
        """Mask ``scores`` [vocabulary], in place."""
        kept, broken, line = self._decode(ids).rpartition("\n")
        order = scores.argsort(descending=True).tolist()
        found = next((token for token in order if self._may_follow(kept + broken, line, token)), min(self._ends))
        best = scores[found].item()
        scores.fill_(float("-inf"))
        scores[found] = best

    def _may_follow(self, text: str, line: str, token: int) -> bool:
        if token in self._ends:
            return self._lines.ends(line) and self._lines.proved(text, line)
        said, broken, after = self._says[token].partition("\n")
        line += said
        if not broken:
            return bool(said) and self._lines.begins(text, line)
        if self._lines.ends(line) or not self._lines.proved(text, line):
            return False
        return not after or self._lines.begins(f"{text}{line}\n", after)
