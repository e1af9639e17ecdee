"""Each of the runs that are trained at the same time sees GPUs of its own.

A run takes as many GPUs as its launch file starts processes on this machine, one without a launch file. They are those
that this process sees: ``CUDA_VISIBLE_DEVICES`` is divided if it is set, and its names (numbers, ``GPU-...``,
``MIG-...``) are kept as they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from srt.io.errors import UserError

VISIBLE = "CUDA_VISIBLE_DEVICES"


class GpuShares:
    """The GPUs of this machine for at most ``parallel`` runs at a time.

    If there are fewer than runs, runs of one process share them, as evenly as can be; others are refused.
    """

    def __init__(self, parallel: int) -> None:
        self._parallel = parallel
        self._lock = Lock()
        self._taken: set[int] = set()

    def divide(self, launch: Path | None) -> list[str]:
        """``CUDA_VISIBLE_DEVICES`` of each run; empty where nothing is divided: one run at a time, or no GPU is used.

        Raises:
            UserError: the processes of the runs are more than there are GPUs.
        """
        from train.preflight.gpus_at_hand import processes_here

        size = 1 if launch is None else processes_here(launch)
        if self._parallel == 1 or size == 0 or not (visible := visible_gpus()):
            return []
        if size == 1:
            return [visible[number % len(visible)] for number in range(self._parallel)]
        if len(visible) < self._parallel * size:
            most = len(visible) // size
            raise UserError(
                f"{launch}: parallel: {self._parallel} runs of {size} processes need {self._parallel * size} GPUs, and "
                f"this machine shows {len(visible)}; "
                + (f"set parallel to {most}" if most else f"use a launch file with at most {len(visible)} processes")
            )
        return [",".join(visible[number * size : (number + 1) * size]) for number in range(self._parallel)]

    @contextmanager
    def one(self, launch: Path | None) -> Iterator[str | None]:
        """The share of a run, until the block ends; ``None``: all that this process sees."""
        shares = self.divide(launch)
        with self._lock:
            number = next(number for number in range(self._parallel + 1) if number not in self._taken)
            self._taken.add(number)
        try:
            yield shares[number] if shares else None
        finally:
            with self._lock:
                self._taken.remove(number)


def visible_gpus() -> list[str]:
    """The names of the GPUs that this process sees, as ``CUDA_VISIBLE_DEVICES`` has them."""
    if (given := os.environ.get(VISIBLE)) is None:
        from train.preflight.gpus_at_hand import count_gpus

        return [str(number) for number in range(count_gpus())]
    names = [name.strip() for name in given.split(",")]
    # CUDA ignores everything after the first invalid name.
    end = next((at for at, name in enumerate(names) if name in ("", "-1")), len(names))
    return names[:end]
