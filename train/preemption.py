"""A job that a scheduler takes its machine from is sent SIGTERM first: one checkpoint more, and a clear end."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

import torch
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

EXIT_STATUS = 128 + signal.SIGTERM  # what a shell gives for a process that the signal ended


class Preempted(Exception):
    """Training stopped at a signal, after the optimizer step ``step``, whose checkpoint is whole."""

    def __init__(self, step: int) -> None:
        self.step = step


class StopAtSignal(TrainerCallback):  # type: ignore[misc]
    """Saves and stops at the end of the optimizer step in which any process was sent SIGTERM.

    The processes ask each other once a step: a signal reaches them at different times, and they must save together.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._asked = False
        self._before: Any = None

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Listen from here on."""
        self._before = signal.signal(signal.SIGTERM, self._hear)

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Ask for a checkpoint and the end, if a signal came and steps are left."""
        if self._anybody_asked(args.device) and state.global_step < state.max_steps:
            self.stopped = True
            control.should_log = control.should_save = control.should_training_stop = True

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Listen no more."""
        signal.signal(signal.SIGTERM, self._before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self._asked = True

    def _anybody_asked(self, device: torch.device) -> bool:
        if not torch.distributed.is_initialized():
            return self._asked
        asked = torch.tensor([int(self._asked)], device=device)
        torch.distributed.all_reduce(asked, torch.distributed.ReduceOp.MAX)
        return bool(asked.item())
