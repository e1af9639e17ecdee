"""The exit status of a training process, beside the launcher between it and ``srt train``, which makes a 1 of each."""

from __future__ import annotations

import os
import signal

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
