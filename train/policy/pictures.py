"""The pictures of the problems that a policy is asked: their tokens in prompts, and what the model takes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import ProcessorMixin

from srt.io.errors import UserError
from srt.io.records import Problem
from train.data.image_tokens import Picture, PictureTokens, open_pictures
from train.models.families.positions import kinds_of_tokens
from train.models.model_files import read_config
from train.recipe import Recipe

Shown = tuple[Picture, ...]
Features = dict[str, torch.Tensor]


class PolicyPictures:
    """Places pictures in prompts, and opens them when texts are drawn or learned from.

    Sets the size limits of ``recipe`` in the ``processor``.

    Raises:
        UserError: the processor does not support the limits.
    """

    def __init__(self, processor: ProcessorMixin, recipe: Recipe) -> None:
        self.processor = processor
        self._tokens = PictureTokens(processor, recipe.pictures)
        self._config = read_config(recipe.model.path)
        # A model in bfloat16 would round the pixels itself.
        self._dtype = torch.bfloat16 if recipe.model.dtype == "bfloat16" else torch.float32

    @property
    def image_token(self) -> int:
        """The token that stands for a part of a picture. None may be sampled: it would have no picture."""
        return self._tokens.image_token_id

    def place(self, problem: Problem, root: Path, prompt: Sequence[int]) -> tuple[list[int], Shown]:
        """The ids of ``prompt`` with those of the problem's pictures, and the pictures, in the folder ``root``.

        Raises:
            UserError: the problem has no picture, one of them cannot be read, or the prompt has no place for it.
        """
        if not problem.images:
            raise UserError(
                "images: it has none, and a model that reads pictures learns by objective: grpo from problems with "
                "pictures alone; take others, or a model that reads text"
            )
        shown = self._tokens.plan(root, problem.images, problem.id)
        return self._tokens.expand(prompt, shown, problem.id), shown

    def features(self, texts: Sequence[Shown]) -> Features:
        """What the model takes of the pictures of ``texts``, in order; texts of one problem share what is opened.

        ``pixel_values`` [patches, values of a patch] and ``image_grid_thw`` [pictures, 3].

        Raises:
            PictureFault: a picture does not decode, or is not the one that its problem names.
        """
        opened: dict[Shown, Features] = {}
        for shown in texts:
            if shown not in opened:
                opened[shown] = open_pictures(shown, self._image_processor)
        joined = {name: torch.cat([opened[shown][name] for shown in texts]) for name in opened[texts[0]]}
        return joined | {"pixel_values": joined["pixel_values"].to(self._dtype)}

    def kinds(self, prompts: torch.Tensor, length: int | None = None) -> torch.Tensor:
        """``mm_token_type_ids`` of the ids ``prompts`` [texts, tokens]: 1 for a token of a picture, else 0.

        With ``length`` the rows are so long: what a model has written after its prompt is text.
        """
        kinds = kinds_of_tokens(self._config, prompts)
        return kinds if length is None else torch.nn.functional.pad(kinds, (0, length - kinds.size(1)))

    @property
    def _image_processor(self) -> Any:
        return self.processor.image_processor
