"""Have a process end with the one that started it."""

from __future__ import annotations

import signal
import sys


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies, however it dies (Linux only)."""
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
