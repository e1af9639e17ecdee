"""Sequences that are longer than the recipe allows: nothing is ever truncated."""

from __future__ import annotations

from train.data.token_table import TokenizedExamples
from train.recipe import Recipe


def length_fault(recipe: Recipe, examples: TokenizedExamples) -> str | None:
    """A line if ``examples`` are longer than ``recipe.max_length``: how many, and the longest."""
    lengths = examples.lengths
    over = int((lengths > recipe.max_length).sum())
    if not over:
        return None
    longest = int(lengths.argmax())
    pictures = int(examples.picture_tokens[longest])
    return (
        f"{recipe.data}: max_length: {over} of {len(examples)} sequences have more than {recipe.max_length} "
        f"tokens (the longest {lengths[longest]}, {f'{pictures} of them pictures, ' if pictures else ''}"
        f"problem {examples.problem_id(longest)}); raise max_length{', lower pictures.max_pixels' if pictures else ''} "
        "or remove them: nothing is truncated"
    )
