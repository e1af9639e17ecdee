"""Pairs of completions to one prompt: their tokens, and the tensors of a micro-batch of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from srt.io.records import Pair, Sequence
from train.data.collate import MEMBERS, Batch, padded
from train.data.examples import IGNORED
from train.data.token_table import TokenizedExamples


def sides(record: Pair | Sequence) -> list[Sequence]:
    """The sequences that a record is encoded as: both sides of a pair, the chosen one first."""
    if isinstance(record, Sequence):
        return [record]
    return [
        Sequence(
            problem_id=record.problem_id,
            trace_id=f"{record.problem_id} ({side})",
            arm=record.arm,
            lang=record.lang,
            prompt=record.prompt,
            completion=completion,
        )
        for side, completion in (("chosen", record.chosen), ("rejected", record.rejected))
    ]


class TokenizedPairs(TokenizedExamples):
    """Pairs: as a sequence, their chosen sides; ``rejected`` are the others, in the same order.

    ``lengths``, ``trained_tokens`` and ``picture_tokens`` are those of both sides together.
    """

    rows_each = 2

    def __init__(self, both: TokenizedExamples) -> None:
        """``both``: the sides of all pairs, as :func:`sides` gives them."""
        rows = np.arange(len(both)) if both._selected is None else both._selected
        super().__init__(both._table, both._root, rows[0::2], both.dropped)
        self.rejected = TokenizedExamples(both._table, both._root, rows[1::2])
        self._longest = np.maximum(self.lengths, self.rejected.lengths)
        self.lengths = self.lengths + self.rejected.lengths
        self.trained_tokens = self.trained_tokens + self.rejected.trained_tokens
        self.picture_tokens = self.picture_tokens + self.rejected.picture_tokens


@dataclass(frozen=True)
class PairCollator:
    """The chosen sides of a micro-batch, then the rejected ones, padded at their ends to the longest: TRL's form.

    Returns ``input_ids``, ``attention_mask`` and ``completion_mask`` (1 for a token that is trained on), each of shape
    [2 * pairs, length].
    """

    pairs: TokenizedPairs
    pad_id: int

    def __call__(self, rows: list[dict[str, Any]]) -> Batch:
        """The tensors of the micro-batch in ``rows``."""
        members = [index for row in rows for index in row[MEMBERS]]
        examples = [side[index] for side in (self.pairs, self.pairs.rejected) for index in members]
        return {
            "input_ids": padded([example.input_ids for example in examples], self.pad_id),
            "attention_mask": padded([np.ones(len(example.input_ids)) for example in examples], 0),
            "completion_mask": padded([example.labels != IGNORED for example in examples], 0),
        }


def chosen_tokens(batch: dict[str, torch.Tensor]) -> torch.Tensor:
    """How many tokens of the chosen sides are trained on. The first token of a row is never predicted."""
    mask = batch["completion_mask"]
    return mask[: len(mask) // 2, 1:].sum()
