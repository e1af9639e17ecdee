"""A scheduler sends SIGTERM before it takes a machine away: save a last checkpoint and stop cleanly."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

EXIT_STATUS = 128 + signal.SIGTERM  # what a shell reports for a process that the signal ended


class Preempted(Exception):
    """Training was stopped by a signal after optimizer step ``step``, whose checkpoint is complete."""

    def __init__(self, step: int) -> None:
        self.step = step


class StopAtSignal(TrainerCallback):  # type: ignore[misc]
    """Saves and stops at the end of the optimizer step in which any process was sent SIGTERM.

    The processes synchronise once a step: a signal reaches them at different times, and they must save together.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._received = False
        self._previous_handler: Any = None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Install the signal handler."""
        self._previous_handler = signal.signal(signal.SIGTERM, self._handle)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Request a checkpoint and the end, if a signal came and steps are left."""
        if self._any_received(args.device) and state.global_step < state.max_steps:
            self.stopped = True
            control.should_log = control.should_save = control.should_training_stop = True

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Restore the previous signal handler."""
        signal.signal(signal.SIGTERM, self._previous_handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._received = True

    def _any_received(self, device: torch.device) -> bool:
        if not torch.distributed.is_initialized():
            return self._received
        received = torch.tensor([int(self._received)], device=device)
        torch.distributed.all_reduce(received, torch.distributed.ReduceOp.MAX)
        return bool(received.item())
