"""A scheduler sends a signal before it takes a machine away: write a last checkpoint and stop cleanly.

transformers has ``enable_jit_checkpoint`` for this. It is not used, because there each process decides for itself when
to save. Processes get the signal at different times, so one would save while another computes the next step, and both
would wait for each other until the job is killed. It also knows no signal but SIGTERM, hears none before the trainer is
made, and ends with status 0.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.sharedctypes import RawValue
from types import FrameType
from typing import Any

import torch
from torch.utils.data import DataLoader
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

SIGNALS = (signal.SIGTERM, signal.SIGUSR1)
_needs_data = RawValue("b", 0)  # shared with the processes that load data


class Preempted(BaseException):
    """The run was stopped after optimizer step ``step``, whose checkpoint is complete; ``None``: before the first.

    Not an ``Exception``, because libraries catch those where they try something out.
    """

    def __init__(self, step: int | None) -> None:
        self.step = step


class StopAtSignal(TrainerCallback):  # type: ignore[misc]
    """Saves and stops at the end of the optimizer step in which any process got one of :data:`SIGNALS`.

    Before the first step a signal raises :class:`Preempted` at once. After the last one it changes nothing, because
    writing the result takes no longer than writing a checkpoint. Further signals change nothing either: a scheduler and
    a launcher often both send one. ``until`` is a step after which the run stops in the same way without a signal, be
    it the last one: the run can then be made longer.

    Attributes:
        every: it stops only after steps that are a multiple of this.
        stopped: whether the run was stopped, with a checkpoint instead of a result.
    """

    def __init__(self, until: int | None = None) -> None:
        self.until = until
        self.every = 1
        self.stopped = False
        self._received = False
        self._begun = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Handle the signals within this block. Outside the main thread, Python cannot, and nothing happens."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = {number: signal.signal(number, self._handle) for number in SIGNALS}
        _needs_data.value = 1
        try:
            yield
        finally:
            _needs_data.value = 0
            for number, handler in previous.items():
                signal.signal(number, handler)

    def receive_pending(self) -> None:
        """Receive what came while ``srt train`` started this process, with the signals blocked.

        Raises:
            Preempted: there was something.
            KeyboardInterrupt: it was Ctrl-C.
        """
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {*SIGNALS, signal.SIGINT})

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """From here on a signal is kept until the end of the step."""
        self._begun = True

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Request a checkpoint and the end, if ``until`` is reached, or a signal came and steps are left."""
        received = self._any_received(args.device)
        if state.global_step % self.every and state.global_step < state.max_steps:
            return
        if self.reached(state.global_step) or (received and state.global_step < state.max_steps):
            self.stopped = True
            control.should_log = control.should_save = control.should_training_stop = True

    def on_save(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Request the end, if a signal came during this save: another step would need another save."""
        if self._any_received(args.device) and state.global_step < state.max_steps:
            self.stopped = True
            control.should_training_stop = True

    def reached(self, step: int) -> bool:
        """Whether ``step`` is that of :attr:`until`, or a later one."""
        return self.until is not None and step >= self.until

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._received = True
        # Python calls handlers between two instructions of the main thread: raising there ends whatever it does,
        # loading included.
        if not self._begun:
            raise Preempted(None)

    def _any_received(self, device: torch.device) -> bool:
        """Whether any process got a signal. All call this together, since they must save together."""
        if not torch.distributed.is_initialized():
            return self._received
        received = torch.tensor([int(self._received)], device=device)
        torch.distributed.all_reduce(received, torch.distributed.ReduceOp.MAX)
        return bool(received.item())


STOPPED = 128 + signal.SIGTERM
"""What a shell reports for a process that SIGTERM ended."""


def pass_on(status: int) -> int:
    """Write ``status`` to the file that ``srt train`` reads, if it has started us; return the status for the launcher.

    A run that was stopped by a signal ends with 0 for the launcher, which would otherwise print a traceback.
    """
    path = os.environ.get("SRT_STATUS_FILE")
    if path is None:
        return status
    with open(path, "a") as file:  # one short line of each process
        file.write(f"{status}\n")
    return 0 if status == STOPPED else status


def grace_note() -> str | None:
    """What a user should know who starts several processes without ``srt train``."""
    own_launcher = "TORCHELASTIC_RUN_ID" in os.environ and "SRT_STATUS_FILE" not in os.environ
    if not own_launcher or {"TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "PET_SHUTDOWN_TIMEOUT"} & os.environ.keys():
        return None
    return (
        "after SIGTERM this launcher kills the run within 30 s, which may be too early for a checkpoint; start it with "
        "srt train, or set TORCH_ELASTIC_SHUTDOWN_TIMEOUT to the seconds that a step and a checkpoint take"
    )


def load_through_signals(loader: DataLoader[Any]) -> None:
    """Have the processes of ``loader`` outlive a signal, as long as their training process handles it.

    Launchers and schedulers signal whole process groups. Without this the training process would lose its data in the
    middle of the step that it wants to finish.
    """
    # accelerate wraps a loader in a class that copies none of its attributes.
    loader = getattr(loader, "base_dataloader", loader)
    loader.worker_init_fn = partial(_start_loading, loader.worker_init_fn)


def _start_loading(initialize: Callable[[int], None] | None, worker: int) -> None:
    if initialize is not None:
        initialize(worker)

    def handle(number: int, frame: FrameType | None) -> None:
        if not _needs_data.value:
            os._exit(0)

    for number in SIGNALS:
        signal.signal(number, handle)
