"""A mask of tokens under which a greedy text has only lines that the checker proves, without one drawn again."""

from __future__ import annotations

from collections.abc import Sequence, Set

import torch

from research.decoding.provable_lines import ProvableLines
from srt.io.records import Problem


class LineMask:
    """Leaves, of the tokens that begin or continue a line of :class:`ProvableLines`, the likeliest.

    Tokens are compared by their bytes, so that any spelling of a line is allowed. The text may end behind an answer
    line that is proved; it also ends where no token is left, and is then no proved trace. ``says`` are the bytes of all
    tokens, by id.
    """

    def __init__(self, problem: Problem, says: Sequence[bytes], ends: Set[int]) -> None:
        self._lines, self._says, self._ends = ProvableLines(problem), says, ends

    def __call__(self, ids: Sequence[int], scores: torch.Tensor) -> None:
        """Mask ``scores`` [vocabulary], in place."""
        kept, broken, line = b"".join(self._says[token] for token in ids).rpartition(b"\n")
        text = (kept + broken).decode()
        order = scores.argsort(descending=True).tolist()
        found = next((token for token in order if self._may_follow(text, line, token)), min(self._ends))
        best = scores[found].item()
        scores.fill_(float("-inf"))
        scores[found] = best

    def _may_follow(self, text: str, line: bytes, token: int) -> bool:
        said, broken, after = (b"", b"", b"") if token in self._ends else self._says[token].partition(b"\n")
        line += said
        if not broken and token not in self._ends:
            return bool(said) and self._lines.begins(text, line)
        whole = line.decode(errors="replace")
        if self._lines.ends(whole) != (token in self._ends) or not self._lines.proved(text, whole):
            return False
        return not after or self._lines.begins(f"{text}{whole}\n", after)
