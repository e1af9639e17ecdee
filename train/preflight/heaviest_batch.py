"""The micro-batch of a run that needs the most memory."""

from __future__ import annotations

import numpy as np

from train.data.batches import BatchPlan
from train.data.token_table import TokenizedExamples
from train.models.flops import patches_per_token
from train.models.model_files import read_config
from train.preflight.activations import MicroBatchShape
from train.recipe import Recipe


def heaviest_micro_batch(
    plan: BatchPlan, examples: TokenizedExamples, recipe: Recipe
) -> tuple[list[int], MicroBatchShape]:
    """The micro-batch of ``plan`` with the most computed tokens, and among these the most pictures; and its shape."""
    micro = plan.micro_batches
    rows = np.diff(micro.bounds) if recipe.pack is None else np.ones(len(micro), dtype=np.int64)
    lengths = micro.largest(examples.lengths) if recipe.pack is None else micro.sums(examples.lengths)
    in_pictures = micro.sums(examples.picture_tokens)
    at = int(np.lexsort((in_pictures, rows * lengths))[-1])
    patches = patches_per_token(read_config(recipe.model.path)) * int(in_pictures[at])
    trained = int(examples.trained_tokens[micro[at]].sum())
    return micro[at], MicroBatchShape(int(rows[at]), int(lengths[at]), trained, patches)
