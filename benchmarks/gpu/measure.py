"""One block: a trainer is built, warmed up, timed step by step, and freed. The same for every trainer."""

from __future__ import annotations

import contextlib
import gc
import io
import time
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from transformers import Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments

WARM_UP = 2  # steps that are not timed: kernels are compiled and chosen, the allocator grows
GIB = 1024**3


class Step(NamedTuple):
    """One optimizer step. ``tokens`` are real ones, ``positions`` those that were computed, padding included.

    ``seconds`` is the time since the end of the step before, the device idle at both: loading is part of it.
    """

    seconds: float
    tokens: int
    positions: int


class Block(NamedTuple):
    """The timed steps of a block, and their time and memory.

    Memory is measured only on a GPU: the peaks of the block, and what was allocated before it, which is close to zero
    unless an earlier trainer was not freed.
    """

    steps: list[Step]
    setup_seconds: float
    warm_up_seconds: float
    first_loss: float
    held_before_gib: float | None
    peak_allocated_gib: float | None
    peak_reserved_gib: float | None

    @property
    def tokens_per_second(self) -> float:
        """Tokens, without padding, by the time of all steps; the median over blocks is reported."""
        return sum(step.tokens for step in self.steps) / sum(step.seconds for step in self.steps)

    @property
    def padding(self) -> float:
        """The share of the computed positions that are padding."""
        return 1 - sum(step.tokens for step in self.steps) / sum(step.positions for step in self.steps)


class OutOfMemory(NamedTuple):
    """A block that did not fit on the device."""

    message: str


def run_block(build: Callable[[], Trainer], device: torch.device, deadline: float, most: int) -> Block | OutOfMemory:
    """Build the trainer, take :data:`WARM_UP` steps and then up to ``most`` that are timed, and free everything.

    The last steps are left out where the next would end after ``deadline`` (of :func:`time.monotonic`), but one step is
    always timed.
    """
    free(device)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    try:
        return _run(build, device, deadline, most)
    except torch.OutOfMemoryError as error:
        # The frames of the failed step hold its tensors.
        traceback.clear_frames(error.__traceback__)
        return OutOfMemory(" ".join(str(error).split()))
    finally:
        free(device)


def free(device: torch.device) -> None:
    """Free unused memory: a trainer and its model refer to each other, so only the garbage collector frees them."""
    gc.collect()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
        torch.cuda.empty_cache()


def _run(build: Callable[[], Trainer], device: torch.device, deadline: float, most: int) -> Block:
    on_gpu = device.type == "cuda"
    held_before = round(torch.cuda.memory_allocated(device) / GIB, 3) if on_gpu else None
    started = time.monotonic()
    trainer = build()
    watch = _Stopwatch(trainer, device, deadline, most)
    trainer.add_callback(watch)
    ready = time.monotonic()
    # Discard what the trainer prints; the caller reports the figures.
    with contextlib.redirect_stdout(io.StringIO()):
        trainer.train()
    return Block(
        steps=watch.steps(),
        setup_seconds=round(ready - started, 2),
        warm_up_seconds=round(watch.ends[WARM_UP - 1] - ready, 2),
        first_loss=watch.first_loss(),
        held_before_gib=held_before,
        peak_allocated_gib=round(torch.cuda.max_memory_allocated(device) / GIB, 3) if on_gpu else None,
        peak_reserved_gib=round(torch.cuda.max_memory_reserved(device) / GIB, 3) if on_gpu else None,
    )


class _Stopwatch(TrainerCallback):  # type: ignore[misc]
    """Times steps at their ends, with the device idle, and counts the tokens of the micro-batches between two ends.

    It counts what the trainer hands to its own ``training_step``, so the same instrument reads any trainer: a row
    without a mask has no padding.
    """

    def __init__(self, trainer: Trainer, device: torch.device, deadline: float, most: int) -> None:
        self._device, self._deadline, self._most = device, deadline, most
        self.ends: list[float] = []
        self._counts: list[list[tuple[torch.Tensor | int, int]]] = [[]]
        self._losses: list[torch.Tensor] = []
        step = trainer.training_step

        def counted(model: Any, inputs: dict[str, Any], *rest: Any, **more: Any) -> torch.Tensor:
            mask, ids = inputs.get("attention_mask"), inputs["input_ids"]
            # The sum stays on the device until the end: reading it here would make the processor wait.
            real = ids.numel() if mask is None else mask.sum()
            self._counts[-1].append((real, ids.numel()))
            loss: torch.Tensor = step(model, inputs, *rest, **more)
            self._losses.append(loss.detach())
            return loss

        trainer.training_step = counted

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Record the time, and stop if enough has been measured."""
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)
        self.ends.append(time.monotonic())
        timed = len(self.ends) - WARM_UP
        if timed >= 1:
            took = self.ends[-1] - self.ends[-2]
            if timed >= self._most or self.ends[-1] + took > self._deadline:
                control.should_training_stop = True
        self._counts.append([])

    def steps(self) -> list[Step]:
        """The timed steps."""
        made = []
        for number in range(WARM_UP, len(self.ends)):
            tokens, positions = (sum(map(int, column)) for column in zip(*self._counts[number], strict=True))
            made.append(Step(round(self.ends[number] - self.ends[number - 1], 4), tokens, positions))
        return made

    def first_loss(self) -> float:
        """The sum of the losses of the first step's micro-batches: about ln(vocabulary) with random weights."""
        return round(sum(float(loss) for loss in self._losses[: len(self._counts[0])]), 4)
