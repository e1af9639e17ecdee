"""The micro-batch of a run that needs the most memory."""

from __future__ import annotations

from train.data.batches import BatchPlan
from train.data.examples import Example
from train.models.flops import patches_per_token
from train.models.model_files import read_config
from train.preflight.activations import MicroBatchShape
from train.recipe import Recipe


def heaviest_micro_batch(plan: BatchPlan, examples: list[Example], recipe: Recipe) -> tuple[list[int], MicroBatchShape]:
    """The micro-batch of ``plan`` with the most computed tokens, and among these the most pictures; and its shape."""
    patches = patches_per_token(read_config(recipe.model.path))
    shapes = {}
    for members in {tuple(micro) for micro in plan.micro_batches}:
        chosen = [examples[at] for at in members]
        lengths = [len(example.input_ids) for example in chosen]
        rows, length = (len(lengths), max(lengths)) if recipe.pack is None else (1, sum(lengths))
        trained = sum(example.trained_tokens for example in chosen)
        in_pictures = sum(example.picture_tokens for example in chosen)
        shapes[members] = MicroBatchShape(rows, length, trained, patches * in_pictures)
    members = max(shapes, key=lambda key: (shapes[key].tokens, shapes[key].patches, key))
    return list(members), shapes[members]
