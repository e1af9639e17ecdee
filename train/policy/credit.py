"""Which tokens of a sampled text bear its advantage: all of them, or only those from its first fault on.

Credit by step needs token-level importance sampling: at sequence level the ratio is one number a text, and its gradient
sees only the sum of the advantages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import torch
from transformers import PreTrainedTokenizerBase


def first_token_of(tokenizer: PreTrainedTokenizerBase, ids: Sequence[int], text: str, character: int) -> int:
    """The first of ``ids`` that writes ``text[character:]``, which they decode to; ``len(ids)`` if none does.

    The ids are those that were sampled: to encode the text again may split it otherwise. A token on both sides of the
    character counts, and so does the first of the tokens that share the bytes of one character: cut there, ids decode
    to a replacement character, which is not in the text.
    """

    def written(tokens: int) -> int:
        """How many characters of the text the first ``tokens`` write to their end."""
        part = tokenizer.decode(ids[:tokens], skip_special_tokens=True)
        return next((at for at, (mine, whole) in enumerate(zip(part, text, strict=False)) if mine != whole), len(part))

    first = bisect_left(range(len(ids) + 1), character, key=written)
    return first if first > len(ids) or written(first) == character else first - 1


def from_first_fault(advantages: torch.Tensor, faults: Sequence[int], length: int) -> torch.Tensor:
    """The advantage of each token, of shape [texts, ``length``], from that of each text, [texts].

    A negative one is laid on the tokens from the text's first faulty one on (``faults``); where there is none, on none.
    Others are laid on all tokens, as without this.
    """
    at = torch.arange(length, device=advantages.device)
    first = torch.tensor(faults, device=advantages.device)
    blamed = at[None] >= first[:, None]
    whole = advantages[:, None].expand(-1, length)
    return torch.where((whole >= 0) | blamed, whole, torch.zeros_like(whole))
