"""From the examples of a micro-batch to the tensors that a model takes. Runs in the workers of the data loader."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from PIL import Image
from transformers import PreTrainedConfig, ProcessorMixin

from train.architectures import architecture_of
from train.examples import IGNORED, Example, Role
from train.pictures import Picture, open_pictures
from train.recipe import Recipe

MEMBERS = "examples"  # the column of a dataset that names the examples of a micro-batch

Batch = dict[str, Any]


class Collator(Protocol):
    """What a data loader calls with the one micro-batch that it has taken from a :class:`~train.batches.BatchPlan`."""

    def __call__(self, rows: list[dict[str, Any]]) -> Batch:
        """The tensors of the micro-batch in ``rows``."""


def make_collator(
    recipe: Recipe,
    examples: list[Example],
    config: PreTrainedConfig,
    pad_id: int,
    processor: ProcessorMixin | None = None,
) -> Collator:
    """The collator for ``recipe`` and the model of ``config``; ``processor`` if the model sees pictures."""
    mrope = architecture_of(config, recipe.model.path).positions == "mrope"
    pictures = None if processor is None else PictureOpener(processor)
    if recipe.pack is not None:
        return PackedCollator(examples, pictures, MropePositions(config) if mrope else None)
    return PaddedCollator(examples, pad_id, pictures, config.image_token_id if mrope else None)


class PaddedCollator:
    """Sequences side by side, padded at their ends to the longest.

    Gives ``input_ids``, ``labels``, ``attention_mask`` and ``roles``, each of shape [batch, length], and what the image
    processor makes of the pictures. With ``image_token_id`` also ``mm_token_type_ids`` (1 for a token of a picture): a
    model whose positions have rows for height and width works them out from these, and without them gives every token
    of a picture the position of plain text, silently.
    """

    def __init__(
        self,
        examples: list[Example],
        pad_id: int,
        pictures: PictureOpener | None = None,
        image_token_id: int | None = None,
    ) -> None:
        self._examples, self._pad_id = examples, pad_id
        self._pictures, self._image_token_id = pictures, image_token_id

    def __call__(self, rows: list[dict[str, Any]]) -> Batch:
        """The tensors of the one micro-batch in ``rows``."""
        members, pictures = _members(self._examples, rows, self._pictures)
        batch = {
            "input_ids": _padded([example.input_ids for example in members], self._pad_id),
            "labels": _padded([example.labels for example in members], IGNORED),
            "attention_mask": _padded([np.ones(len(example.input_ids)) for example in members], 0),
            "roles": _padded([example.roles for example in members], Role.PROMPT),
            **pictures,
        }
        if self._image_token_id is not None:
            batch["mm_token_type_ids"] = (batch["input_ids"] == self._image_token_id).int()
        return batch


class PackedCollator:
    """The sequences of a micro-batch one after another, in one row.

    Gives ``input_ids``, ``labels`` and ``roles`` of shape [1, length]; ``position_ids`` that start again at 0 with each
    sequence, [1, length], or [4, 1, length] with ``mrope`` (one row for the text, by which transformers' own masks tell
    sequences apart, and those of time, height and width); ``segment_bounds`` and ``longest_segment``, by which ours do
    (:mod:`train.packed_attention`); and what the image processor makes of the pictures, in the order of the row.
    """

    def __init__(
        self, examples: list[Example], pictures: PictureOpener | None = None, mrope: MropePositions | None = None
    ) -> None:
        self._examples, self._pictures, self._mrope = examples, pictures, mrope

    def __call__(self, rows: list[dict[str, Any]]) -> Batch:
        """The tensors of the one micro-batch in ``rows``."""
        members, pictures = _members(self._examples, rows, self._pictures)
        lengths = [len(example.input_ids) for example in members]
        bounds = np.cumsum([0, *lengths])
        labels = _joined([example.labels for example in members])
        if bool((labels[0, bounds[:-1]] != IGNORED).any()):
            raise ValueError(
                "the first token of a sequence has a label: it would be predicted from the sequence before"
            )
        positions = _joined([np.arange(length) for length in lengths])
        if self._mrope is not None:
            positions = torch.cat([positions[None], self._mrope.of(members, pictures.get("image_grid_thw"))])
        return {
            "input_ids": _joined([example.input_ids for example in members]),
            "labels": labels,
            "roles": _joined([example.roles for example in members]),
            "position_ids": positions,
            "segment_bounds": torch.from_numpy(bounds.astype(np.int32)),
            "longest_segment": max(lengths),
            **pictures,
        }


class MropePositions:
    """The places of tokens in time, height and width, by Qwen2.5-VL's own code, which needs no weights."""

    def __init__(self, config: PreTrainedConfig) -> None:
        self.config = config

    def of(self, members: list[Example], grids: torch.Tensor | None) -> torch.Tensor:
        """[3, 1, length] for ``members`` in one row; ``grids`` is ``image_grid_thw`` of all their pictures."""
        from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel

        rows, at = [], 0
        for example in members:
            input_ids = torch.from_numpy(np.asarray(example.input_ids, dtype=np.int64))[None]
            kinds = (input_ids == self.config.image_token_id).int()
            own = None if grids is None else grids[at : at + len(example.pictures)]
            rows.append(Qwen2_5_VLModel.get_rope_index(self, input_ids, kinds, image_grid_thw=own)[0])
            at += len(example.pictures)
        return torch.cat(rows, dim=-1)

    def get_vision_position_ids(self, *args: Any, **kwargs: Any) -> Any:
        """The one method of the model that ``get_rope_index`` calls."""
        from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLModel

        return Qwen2_5_VLModel.get_vision_position_ids(self, *args, **kwargs)


class PictureOpener:
    """Opens the pictures of a micro-batch, and sees to it that there is one.

    A model skips its vision tower when it is given no picture. Under FSDP or ZeRO-3 the other processes, which were,
    would wait for ever for its share of the tower's weights; under DDP a trained tower would miss its gradients. So a
    micro-batch of text alone is given a blank picture, a sequence of its own that nothing looks at and no loss sees. It
    is, on one process too: a gradient of zero is not the same to AdamW as none.
    """

    def __init__(self, processor: ProcessorMixin) -> None:
        self._image_processor: Any = processor.image_processor
        blank = Image.new("RGB", (56, 56))
        inputs = processor(text=[processor.image_token], images=[blank], return_tensors="pt")
        tokens = int((inputs["input_ids"] == processor.image_token_id).sum())
        picture = Picture(Path(), "", "", *blank.size, tokens, "")
        self._blank = Example(
            problem_id="",
            input_ids=np.full(tokens, processor.image_token_id, dtype=np.int32),
            labels=np.full(tokens, IGNORED, dtype=np.int32),
            roles=np.full(tokens, Role.PROMPT, dtype=np.int8),
            pictures=(picture,),
        )
        self._blank_features = {
            name: value for name, value in inputs.items() if name in self._image_processor.model_input_names
        }

    def open(self, members: list[Example]) -> tuple[list[Example], dict[str, torch.Tensor]]:
        """``members``, with the blank one if they have no picture, and what the image processor makes of theirs."""
        pictures = [picture for example in members for picture in example.pictures]
        if not pictures:
            return [*members, self._blank], self._blank_features
        return members, open_pictures(pictures, self._image_processor)


def _members(
    examples: list[Example], rows: list[dict[str, Any]], pictures: PictureOpener | None
) -> tuple[list[Example], dict[str, torch.Tensor]]:
    members = [examples[index] for row in rows for index in row[MEMBERS]]
    return (members, {}) if pictures is None else pictures.open(members)


def _padded(rows: list[Any], filler: int) -> torch.Tensor:
    padded = np.full((len(rows), max(map(len, rows))), filler, dtype=np.int64)
    for at, row in enumerate(rows):
        padded[at, : len(row)] = row
    return torch.from_numpy(padded)


def _joined(rows: list[Any]) -> torch.Tensor:
    return torch.from_numpy(np.concatenate(rows).astype(np.int64))[None]
