"""What a run writes, against the room that there is."""

from __future__ import annotations

import shutil
from pathlib import Path

from train.memory import Counts
from train.recipe import Recipe

_KEPT = 3  # checkpoints at once: two are kept, and the next is written before the oldest goes


def disk_bytes(recipe: Recipe, counts: Counts) -> int:
    """Bytes that the output folder has at most: checkpoints (weights, two moments of AdamW) and the final weights.

    Of an adapter only what is trained is written. Tokenizer, logs and curves are small beside these.
    """
    weights = 4 * (counts.trained if recipe.lora else counts.all)
    checkpoint = weights + 8 * counts.trained
    return weights + (_KEPT * checkpoint if recipe.save_steps is not None else 0)


def disk_fault(recipe: Recipe, counts: Counts) -> str | None:
    """A line if the disk of the output folder has too little room for the run."""
    output = Path(recipe.output).absolute()
    there = next(path for path in (output, *output.parents) if path.exists())
    free, need = shutil.disk_usage(there).free, disk_bytes(recipe, counts)
    if need <= free:
        return None
    return (
        f"output: about {need / 1e9:.1f} GB will be written to {recipe.output}, and {free / 1e9:.1f} GB are free "
        f"({_KEPT} checkpoints at most, and the final weights)"
    )
