"""From the examples of a micro-batch to the tensors that a model takes."""

from __future__ import annotations

from typing import Any

import torch

from train.examples import IGNORED, Example, Role

MEMBERS = "examples"  # the column of a dataset that names the examples of a micro-batch


class PaddedCollator:
    """Sequences side by side, padded at their ends to the longest.

    Gives ``input_ids``, ``labels``, ``attention_mask`` and ``roles``, each of shape [batch, length].
    """

    def __init__(self, examples: list[Example], pad_id: int) -> None:
        self._examples, self._pad_id = examples, pad_id

    def __call__(self, rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        """The tensors of the one micro-batch in ``rows``."""
        members = [self._examples[index] for row in rows for index in row[MEMBERS]]
        return {
            "input_ids": _padded([example.input_ids for example in members], self._pad_id),
            "labels": _padded([example.labels for example in members], IGNORED),
            "attention_mask": _padded([[1] * len(example.input_ids) for example in members], 0),
            "roles": _padded([example.roles for example in members], Role.PROMPT),
        }


def _padded(rows: list[list[int]], filler: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [filler] * (width - len(row)) for row in rows])
