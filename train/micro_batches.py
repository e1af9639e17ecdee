"""The micro-batch of a run that needs the most memory."""

from __future__ import annotations

from typing import Any

from transformers import ProcessorMixin

from train.activations import Load
from train.batches import BatchPlan
from train.examples import IGNORED, Example
from train.recipe import Recipe


def heaviest(
    plan: BatchPlan, examples: list[Example], recipe: Recipe, processor: ProcessorMixin | None
) -> tuple[list[int], Load]:
    """The micro-batch of ``plan`` that computes the most tokens (of those the one with the most pictures)."""
    seen = {tuple(micro) for micro in plan.micro_batches}
    loads = {members: _load(members, examples, recipe, processor) for members in seen}
    members = max(loads, key=lambda key: (loads[key].tokens, loads[key].patches, key))
    return list(members), loads[members]


def _load(members: tuple[int, ...], examples: list[Example], recipe: Recipe, processor: Any) -> Load:
    lengths = [len(examples[at].input_ids) for at in members]
    trained = sum(int((examples[at].labels != IGNORED).sum()) for at in members)
    pictures = sum(picture.tokens for at in members for picture in examples[at].pictures)
    # Two by two patches become one token, in Qwen2.5-VL and in InternVL.
    merge = getattr(getattr(processor, "image_processor", None), "merge_size", 2)
    if recipe.pack is not None:
        return Load(1, sum(lengths), trained, pictures * merge**2)
    return Load(len(lengths), max(lengths), trained, pictures * merge**2)
