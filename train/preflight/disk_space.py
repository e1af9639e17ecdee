"""The disk space that a run needs, and whether it is free."""

from __future__ import annotations

import shutil
from pathlib import Path

from train.preflight.memory_estimate import ParameterCounts
from train.recipe import Recipe

_MOST_CHECKPOINTS = 3  # two are kept, and the next is written before the oldest is removed


def disk_faults(recipe: Recipe, counts: ParameterCounts) -> list[str]:
    """A line if the disk of the output folder has too little free space for the run.

    Written are checkpoints (weights and the moments of the optimizer) and the final weights; with an adapter, only what
    is trained. Tokenizer, logs and curves are small and not counted.
    """
    weights = 4 * (counts.trained if recipe.lora else counts.all)
    checkpoints = (
        _MOST_CHECKPOINTS * (weights + 4 * counts.moments)
        if recipe.save_steps is not None or recipe.load_best_model_at_end
        else 0
    )
    needed = weights + checkpoints
    output = Path(recipe.output).absolute()
    free = shutil.disk_usage(next(path for path in (output, *output.parents) if path.exists())).free
    if needed <= free:
        return []
    return [
        f"output: about {needed / 1e9:.1f} GB will be written to {recipe.output}, but {free / 1e9:.1f} GB are free "
        f"(up to {_MOST_CHECKPOINTS} checkpoints, and the final weights)"
    ]
