"""What people watch while a model trains: speed, utilisation, padding, memory, time left; and the line on the console.

The amounts of a step (tokens, padding, operations) are known from the plan before it begins, so that nothing is counted
and nothing waited for while the device works.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np
import psutil  # type: ignore[import-untyped]
import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from train.batches import BatchPlan
from train.examples import IGNORED, Example
from train.flops import FlopCount
from train.loss import WATCHED

_NAMED = 8  # problems that a message names


class Amounts(NamedTuple):
    """Of some optimizer steps, over all processes.

    ``tokens`` are real ones, those of pictures among them; ``places`` are tokens and padding; ``operations`` are what
    the model needs for the tokens (:mod:`train.flops`).
    """

    tokens: float
    places: float
    picture_tokens: float
    operations: float


class StepAmounts:
    """The :class:`Amounts` of each of ``steps`` optimizer steps; the rows of a ``packed`` run have no padding."""

    def __init__(self, examples: list[Example], plan: BatchPlan, steps: int, flops: FlopCount, *, packed: bool) -> None:
        of_example = np.array([_amounts_of(example, flops) for example in examples])
        rows = np.zeros((steps + 1, len(Amounts._fields)))
        for step in range(steps):
            for micro in filter(None, plan.of_step(step)):
                amounts = of_example[micro]
                rows[step + 1] += amounts.sum(axis=0)
                if not packed:
                    rows[step + 1, 1] += amounts[:, 0].max() * len(micro) - amounts[:, 0].sum()
        self._until = rows.cumsum(axis=0)

    def between(self, start: int, stop: int) -> Amounts:
        """Those of the steps from ``start`` up to and without ``stop``, the first being 0."""
        return Amounts(*(self._until[stop] - self._until[start]).tolist())


class Watch(TrainerCallback):  # type: ignore[misc]
    """Times the steps, and prints a line whenever the trainer logs.

    ``operations_per_second`` is what all devices together could do, ``None`` where that is not known; there is no MFU
    then.
    """

    def __init__(self, amounts: StepAmounts, operations_per_second: float | None) -> None:
        self._amounts, self._peak = amounts, operations_per_second
        self._last: tuple[int, float] = (0, 0.0)

    def figures(self, step: int, steps: int) -> dict[str, float]:
        """Means since the last call, of a run at ``step`` of ``steps``.

        ``tokens_per_second`` (real ones, over all processes), ``mfu``, the shares ``padding`` (of all places computed)
        and ``picture_tokens`` (of real tokens), ``minutes_left``.
        """
        now, (last_step, last_time) = time.monotonic(), self._last
        self._last = (step, now)
        seconds = max(now - last_time, 1e-9)
        amounts = self._amounts.between(last_step, step)
        figures = {
            "tokens_per_second": amounts.tokens / seconds,
            "padding": 1 - amounts.tokens / amounts.places,
            "picture_tokens": amounts.picture_tokens / amounts.tokens,
            "minutes_left": (steps - step) * seconds / (step - last_step) / 60,
        }
        if self._peak is not None:
            figures["mfu"] = amounts.operations / seconds / self._peak
        return figures

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Start the clock."""
        self._last = (state.global_step, time.monotonic())

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Log at the last step, and with each checkpoint: a resumed run then has the losses of an unbroken one."""
        if control.should_save or state.global_step >= state.max_steps:
            control.should_log = True

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **kwargs: object,
    ) -> None:
        """Print the line."""
        if logs and "loss" in logs and state.is_world_process_zero:
            print(console_line(state.global_step, state.max_steps, logs), flush=True)


def console_line(step: int, steps: int, logs: dict[str, float]) -> str:
    """What a person reads every few steps."""
    names = [role.name.lower() for role in WATCHED]
    roles = " ".join(f"{name} {logs[f'loss/{name}']:.3f}" for name in names if f"loss/{name}" in logs)
    parts = [
        f"step {step}/{steps}",
        f"loss {logs['loss']:.4f} ({roles})" if roles else f"loss {logs['loss']:.4f}",
        f"{logs['tokens_per_second']:,.0f} tokens/s",
        f"MFU {logs['mfu']:.1%}" if "mfu" in logs else None,
        f"{logs['memory_gib']:.1f} GiB",
        f"{logs['minutes_left']:.1f} min left",
    ]
    return "  ".join(filter(None, parts))


def not_finite(step: int, losses: list[float], problems: list[list[str]]) -> str:
    """The message for a gradient that is not finite in optimizer ``step`` (the first is 0).

    ``losses`` and ``problems`` are those of its micro-batches: where a loss is not finite either, its problems are
    named, else all.
    """
    bad = [at for at, loss in enumerate(losses) if not math.isfinite(loss)]
    named = sorted({problem for at in bad or range(len(problems)) for problem in problems[at]})
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    what = f"the loss is {losses[bad[0]]}" if bad else "the gradient is not finite"
    return (
        f"step {step + 1}: {what}, in a batch with the problems {', '.join(named[:_NAMED])}{more}; training stopped "
        "and saved nothing of it; look at these problems, or lower learning_rate or lengthen warmup"
    )


def memory_gib(device: torch.device) -> float:
    """The most that tensors took on a GPU at any time of the run; on a processor what the process takes now."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**30
    return float(psutil.Process().memory_info().rss) / 2**30


def _amounts_of(example: Example, flops: FlopCount) -> Amounts:
    tokens = len(example.input_ids)
    predicted = int((np.asarray(example.labels) != IGNORED).sum())
    pictures = sum(picture.tokens for picture in example.pictures)
    return Amounts(tokens, tokens, pictures, flops.of(tokens, predicted, pictures))
