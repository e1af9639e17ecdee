"""The position ids that a family takes: how those of one sequence are computed.

A packed row has the position ids of its sequences one after another, so that they start again with each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch
from transformers import PreTrainedConfig

Positions = Callable[[Any, torch.Tensor, torch.Tensor | None], torch.Tensor]
"""From the config of the model, the ids of one sequence [1, length], and the grids of its pictures [pictures, 3], if it
has any, to its position ids [..., 1, length]."""


def one_per_token(config: PreTrainedConfig | None, input_ids: torch.Tensor, grids: torch.Tensor | None) -> torch.Tensor:
    """0, 1, 2, ...: [1, length]. A token of a picture counts as any other."""
    return torch.arange(input_ids.size(1))[None]


@dataclass(frozen=True)
class Mrope:
    """A token of a picture has a position in time, height and width: multimodal rotary positions.

    Its position ids are [4, 1, length]: one row as of text, by which transformers' own masks separate sequences, and
    those of time, height and width. With three rows, transformers would not see where a sequence ends.

    ``model`` is the class of transformers (``Qwen2_5_VLModel``) whose ``get_rope_index`` computes the three.
    """

    model: Any

    def __call__(self, config: PreTrainedConfig, input_ids: torch.Tensor, grids: torch.Tensor | None) -> torch.Tensor:
        """The position ids of one sequence, [4, 1, length]."""
        # What get_rope_index uses of the model: no weights.
        positions_of = partial(self.model.get_vision_position_ids, None)
        model = SimpleNamespace(config=config, get_vision_position_ids=positions_of)
        kinds = kinds_of_tokens(config, input_ids)
        rows, _ = self.model.get_rope_index(model, input_ids, kinds, image_grid_thw=grids)
        text: torch.Tensor = one_per_token(config, input_ids, grids)
        return torch.cat([text[None], rows])


def kinds_of_tokens(config: PreTrainedConfig, input_ids: torch.Tensor) -> torch.Tensor:
    """``mm_token_type_ids``: 1 for a token of a picture, else 0; the shape is that of ``input_ids``."""
    is_picture: torch.Tensor = input_ids == config.image_token_id
    return is_picture.int()
