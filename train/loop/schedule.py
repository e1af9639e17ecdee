"""The learning rate at each step: one formula for every schedule."""

from __future__ import annotations

import math
from collections.abc import Callable

from train.recipe import Recipe


def schedule(recipe: Recipe, steps: int) -> Callable[[int], float]:
    """The learning rate of each step (the first is 0) of a run of so many ``steps``, as a share of the recipe's.

    In a warmup of w steps, step s has (s + 1) / w: the schedules of transformers begin at 0, so that the first step
    trains nothing. Otherwise they are the same: these are theirs of a run of ``steps + 1``, without its first step.
    From the whole rate on, it falls towards ``min_learning_rate``, which a step after the last would have.
    """
    warmup, decay = recipe.warmup_steps(steps), recipe.decay_steps(steps)
    whole = max(warmup, 1) - 1  # the step at which the rate is first whole
    floor = recipe.min_learning_rate / recipe.learning_rate

    def share(step: int) -> float:
        if step < whole:
            return (step + 1) / warmup
        left = min(1.0, max(0, steps - step) / max(1, steps - whole))
        if recipe.scheduler == "cosine":
            left = (1 - math.cos(math.pi * left)) / 2
        elif recipe.scheduler == "constant":
            left = min(1.0, max(0, steps - step) / decay) if decay else 1.0
        return floor + (1 - floor) * left

    return share
