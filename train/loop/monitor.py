"""What is logged while a model trains: speed, utilisation, padding, memory and time left; and the line on the console.

The work of a step (tokens, padding, operations) is known from the plan before it begins, so nothing has to be counted,
and the device is never waited for.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np
import psutil  # type: ignore[import-untyped]
import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from srt.io.progress import say
from train.data.batches import BatchPlan
from train.data.examples import TRAINED_ROLES
from train.data.token_table import TokenizedExamples
from train.models.flops import FlopCount
from train.run.run_manifest import HELD_OUT_LOSS, TOKENS_PER_SECOND

MEMORY = "memory_gib"
_MFU = "mfu"
_MINUTES_LEFT = "minutes_left"
"""Names of figures in the log."""

_MOST_NAMED = 8  # problems that a message names


class Work(NamedTuple):
    """The work of some optimizer steps, over all processes.

    ``tokens`` includes those of pictures but no padding; ``positions`` are tokens and padding; ``operations`` are what
    the model needs for the tokens (:mod:`train.models.flops`).
    """

    tokens: float
    positions: float
    picture_tokens: float
    operations: float


class PlannedWork:
    """The :class:`Work` of each step of ``plan``; the rows of a ``packed`` run have no padding."""

    def __init__(self, examples: TokenizedExamples, plan: BatchPlan, flops: FlopCount, *, packed: bool) -> None:
        micro = plan.micro_batches
        tokens, pictures = examples.lengths.astype(np.float64), examples.picture_tokens.astype(np.float64)
        operations = flops.of(tokens, examples.trained_tokens.astype(np.float64), pictures)
        rows = np.diff(micro.bounds) * examples.rows_each
        positions = micro.sums(tokens) if packed else micro.largest(examples.longest) * rows
        work = np.stack([micro.sums(tokens), positions, micro.sums(pictures), micro.sums(operations)], axis=1)
        by_step = work.reshape(plan.steps, -1, len(Work._fields)).sum(axis=1)
        # Sums from the start: the work between two logs is one subtraction, however many steps lie between.
        self._until = np.concatenate([np.zeros((1, len(Work._fields))), by_step.cumsum(axis=0)])

    def between(self, start: int, stop: int) -> Work:
        """The work of the steps from ``start`` (the first is 0) up to but not including ``stop``."""
        return Work(*(self._until[stop] - self._until[start]).tolist())


class Monitor(TrainerCallback):  # type: ignore[misc]
    """Times the steps, and prints a line whenever the trainer logs.

    ``peak_flops`` is the peak of all devices together in operations a second; without it no MFU is reported.
    """

    def __init__(self, planned: PlannedWork, peak_flops: float | None) -> None:
        self._planned, self._peak = planned, peak_flops
        self._last: tuple[int, float] = (0, 0.0)

    def figures(self, step: int, steps: int) -> dict[str, float]:
        """Means since the last call, for a run at ``step`` of ``steps``.

        ``tokens_per_second`` (over all processes, without padding), ``mfu``, the shares ``padding`` (of all positions
        computed) and ``picture_tokens`` (of tokens), ``minutes_left``.
        """
        now, (last_step, last_time) = time.monotonic(), self._last
        self._last = (step, now)
        seconds = max(now - last_time, 1e-9)
        work = self._planned.between(last_step, step)
        figures = {
            TOKENS_PER_SECOND: work.tokens / seconds,
            "padding": 1 - work.tokens / work.positions,
            "picture_tokens": work.picture_tokens / work.tokens,
            _MINUTES_LEFT: (steps - step) * seconds / (step - last_step) / 60,
        }
        if self._peak is not None:
            figures[_MFU] = work.operations / seconds / self._peak
        return figures

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Start the clock."""
        self._last = (state.global_step, time.monotonic())

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Log at the last step and at each checkpoint, so that a resumed run has the losses of an uninterrupted one."""
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
        if logs and state.is_world_process_zero and (line := self.line(state.global_step, state.max_steps, logs)):
            say(line)

    def line(self, step: int, steps: int, logs: dict[str, float]) -> str | None:
        """What is printed of ``logs``, if anything."""
        if "loss" in logs:
            return console_line(step, steps, logs)
        return held_out_line(step, steps, logs) if HELD_OUT_LOSS in logs else None

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Start the clock again: the time of an evaluation, which follows a log, does not count as training time."""
        self._last = (state.global_step, time.monotonic())


def console_line(step: int, steps: int, logs: dict[str, float]) -> str:
    """The line that is printed every few steps."""
    parts = [
        f"step {step}/{steps}",
        f"loss {logs['loss']:.4f}{_by_role(logs, 'loss')}",
        f"{logs[TOKENS_PER_SECOND]:,.0f} tokens/s",
        f"MFU {logs[_MFU]:.1%}" if _MFU in logs else None,
        f"{logs[MEMORY]:.1f} GiB",
        f"{logs[_MINUTES_LEFT]:.1f} min left",
    ]
    return "  ".join(filter(None, parts))


def held_out_line(step: int, steps: int, logs: dict[str, float]) -> str:
    """The line that is printed after each evaluation."""
    return f"step {step}/{steps}  held-out loss {logs[HELD_OUT_LOSS]:.4f}{_by_role(logs, HELD_OUT_LOSS)}"


def _by_role(logs: dict[str, float], name: str) -> str:
    roles = [role.name.lower() for role in TRAINED_ROLES]
    losses = " ".join(f"{role} {logs[f'{name}/{role}']:.3f}" for role in roles if f"{name}/{role}" in logs)
    return f" ({losses})" if losses else ""


def not_finite(step: int, losses: list[float], problems: list[list[str]]) -> str:
    """The message for a gradient that is not finite in optimizer ``step`` (the first is 0).

    ``losses`` and ``problems`` are those of its micro-batches. If a loss is NaN or infinite, its problems are named,
    otherwise all.
    """
    bad = [at for at, loss in enumerate(losses) if not math.isfinite(loss)]
    named = sorted({problem for at in bad or range(len(problems)) for problem in problems[at]})
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    what = f"the loss is {losses[bad[0]]}" if bad else "the gradient is not finite"
    return (
        f"step {step + 1}: {what}, in a batch with the problems {', '.join(named[:_MOST_NAMED])}{more}; training was "
        "stopped before this step was applied; check these problems, lower learning_rate, or raise warmup"
    )


def memory_gib(device: torch.device) -> float:
    """The peak memory of tensors on a GPU during the run; on a CPU the present memory of the process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**30
    return float(psutil.Process().memory_info().rss) / 2**30
