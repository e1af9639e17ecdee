"""Turn the examples of a micro-batch into the tensors that a model takes. Runs in the workers of the data loader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from transformers import PreTrainedConfig, PreTrainedTokenizerBase, ProcessorMixin

from train.data.examples import IGNORED, Example, Role
from train.data.image_tokens import Picture, open_pictures
from train.models.families.family_registry import family_of
from train.models.families.positions import Mrope, Positions, kinds_of_tokens, one_per_token
from train.recipe import Recipe

MEMBERS = "examples"  # the dataset column with the indices of the examples of a micro-batch

Batch = dict[str, Any]

Collator = Callable[[list[dict[str, Any]]], Batch]
"""What a data loader calls with one micro-batch: a list with one row of the dataset."""


def make_collator(
    recipe: Recipe,
    examples: Sequence[Example],
    config: PreTrainedConfig,
    pad_id: int,
    processor: ProcessorMixin | None = None,
) -> Collator:
    """The collator for ``recipe`` and the model of ``config``, with its ``processor`` if it reads pictures."""
    half = recipe.model.dtype == "bfloat16"
    pictures = None if processor is None else PictureOpener(processor, torch.bfloat16 if half else torch.float32)
    family = family_of(config, recipe.model.path)
    if recipe.pack is not None:
        return PackedCollator(examples, pictures, config, family.positions, family.packing.numbers_sequences)
    return PaddedCollator(examples, pad_id, pictures, config if isinstance(family.positions, Mrope) else None)


def padding_id(tokenizer: PreTrainedTokenizerBase) -> int:
    """The token that fills rows. Nothing attends to padding, so any will do where a model (Llama 3) has none."""
    padding = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
    return int(padding)


@dataclass(frozen=True)
class PaddedCollator:
    """Sequences side by side, padded at their ends to the longest.

    Returns ``input_ids``, ``labels``, ``attention_mask`` and ``roles``, each of shape [batch, length], and the outputs
    of the image processor. With ``mrope``, the config of a model with such positions, also ``mm_token_type_ids`` (1 for
    a picture token): the model computes positions from these, and without them it silently gives picture tokens the
    positions of plain text.
    """

    examples: Sequence[Example]
    pad_id: int
    pictures: PictureOpener | None = None
    mrope: PreTrainedConfig | None = None

    def __call__(self, rows: list[dict[str, Any]]) -> Batch:
        """The tensors of the micro-batch in ``rows``."""
        members, pictures = _members(self.examples, rows, self.pictures)
        batch = {
            "input_ids": padded([example.input_ids for example in members], self.pad_id),
            "labels": padded([example.labels for example in members], IGNORED),
            "attention_mask": padded([np.ones(len(example.input_ids)) for example in members], 0),
            "roles": padded([example.roles for example in members], Role.PROMPT),
            **pictures,
        }
        if self.mrope is not None:
            batch["mm_token_type_ids"] = kinds_of_tokens(self.mrope, batch["input_ids"])
        return batch


@dataclass(frozen=True)
class PackedCollator:
    """The sequences of a micro-batch one after another, in one row.

    Returns ``input_ids``, ``labels`` and ``roles`` of shape [1, length]; ``position_ids`` that start again at 0 with
    each sequence, by which transformers' own masks separate sequences; ``cu_seq_lens_q``, ``cu_seq_lens_k``,
    ``max_length_q`` and ``max_length_k``, by which flash attention and ours do (:mod:`train.models.packed_attention`);
    with ``numbers_sequences`` also ``seq_idx`` [1, length], int32 (:mod:`train.models.families.packing_needs`); and the
    outputs of the image processor in the order of the row.

    ``positions`` are the family's, and ``config`` is what they need to know of the model.
    """

    examples: Sequence[Example]
    pictures: PictureOpener | None = None
    config: PreTrainedConfig | None = None
    positions: Positions = one_per_token
    numbers_sequences: bool = False

    def __call__(self, rows: list[dict[str, Any]]) -> Batch:
        """The tensors of the micro-batch in ``rows``."""
        members, pictures = _members(self.examples, rows, self.pictures)
        lengths = [len(example.input_ids) for example in members]
        bounds = np.cumsum([0, *lengths])
        numbers = [np.full(length, number) for number, length in enumerate(lengths)]
        labels = _joined([example.labels for example in members])
        if bool((labels[0, bounds[:-1]] != IGNORED).any()):
            raise ValueError(
                "the first token of a sequence has a label: it would be predicted from the sequence before"
            )
        return {
            "input_ids": _joined([example.input_ids for example in members]),
            "labels": labels,
            "roles": _joined([example.roles for example in members]),
            "position_ids": self._position_ids(members, pictures),
            **dict.fromkeys(("cu_seq_lens_q", "cu_seq_lens_k"), torch.from_numpy(bounds.astype(np.int32))),
            **dict.fromkeys(("max_length_q", "max_length_k"), max(lengths)),
            **({"seq_idx": _joined(numbers).int()} if self.numbers_sequences else {}),
            **pictures,
        }

    def _position_ids(self, members: list[Example], pictures: dict[str, torch.Tensor]) -> torch.Tensor:
        """Those of ``members`` in one row; ``pictures`` are the outputs of the image processor for all of them."""
        rows, at, grids = [], 0, pictures.get("image_grid_thw")
        for example in members:
            own = None if grids is None else grids[at : at + len(example.pictures)]
            rows.append(self.positions(self.config, _joined([example.input_ids]), own))
            at += len(example.pictures)
        return torch.cat(rows, dim=-1)


class PictureOpener:
    """Opens the pictures of a micro-batch, and makes sure that there is at least one.

    A model skips its vision tower if there is no picture. Under FSDP or ZeRO-3 the other processes would then wait
    forever for its share of the tower's weights; under DDP a trained tower would miss its gradients. So a micro-batch
    without pictures gets a blank one, in a separate sequence that does not count in the loss. This is done on a single
    process too, because AdamW treats a zero gradient differently from a missing one.
    """

    def __init__(self, processor: ProcessorMixin, dtype: torch.dtype = torch.float32) -> None:
        """``dtype`` is that of the pixels, which a model in bfloat16 would round itself."""
        self._dtype = dtype
        self._image_processor: Any = processor.image_processor
        # The smallest picture that the default limits of Qwen2.5-VL's processor do not enlarge: four tokens there.
        blank = Image.new("RGB", (56, 56))
        inputs = processor(text=[processor.image_token], images=[blank], return_tensors="pt")
        tokens = int((inputs["input_ids"] == processor.image_token_id).sum())
        picture = Picture(Path(), "", "", *blank.size, tokens, "", 0)
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
        """``members``, with the blank one if they have no picture, and the outputs of the image processor."""
        pictures = [picture for example in members for picture in example.pictures]
        if pictures:
            features = open_pictures(pictures, self._image_processor)
        else:
            # At the end, where it moves none of the others.
            members, features = [*members, self._blank], self._blank_features
        return members, features | {"pixel_values": features["pixel_values"].to(self._dtype)}


def _members(
    examples: Sequence[Example], rows: list[dict[str, Any]], pictures: PictureOpener | None
) -> tuple[list[Example], dict[str, torch.Tensor]]:
    members = [examples[index] for row in rows for index in row[MEMBERS]]
    return (members, {}) if pictures is None else pictures.open(members)


def padded(rows: list[Any], filler: int) -> torch.Tensor:
    """``rows`` of numbers side by side, with ``filler`` at their ends: int64 of shape [rows, length of the longest]."""
    filled = np.full((len(rows), max(map(len, rows))), filler, dtype=np.int64)
    for at, row in enumerate(rows):
        filled[at, : len(row)] = row
    return torch.from_numpy(filled)


def _joined(rows: list[Any]) -> torch.Tensor:
    return torch.from_numpy(np.concatenate(rows).astype(np.int64))[None]
