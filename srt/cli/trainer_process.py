"""The training run as a process of its own: ``srt train`` and ``srt experiment`` start it here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def run_training(
    recipe: Path, accelerate: Path | None, options: Sequence[str] = (), say: Callable[[str], None] | None = None
) -> int:
    """Run ``train/train_srt.py`` in a child process, which dies with this one, and return its exit status.

    ``options`` are further arguments of its command line. ``say`` is called with each line that it prints; without
    ``say`` the child prints for itself.
    """
    import train

    script = Path(train.__file__).with_name("train_srt.py")
    # -P: no file of the current folder (torch.py) may hide a module that accelerate imports.
    launch = ["-P", "-m", "accelerate.commands.launch", "--quiet", "--config_file", str(accelerate)]
    command = [sys.executable, *(launch if accelerate else []), str(script), "--config", str(recipe), *options]
    # Under accelerate the trainer is a grandchild: this variable makes it ask for the same by itself.
    environment = {**os.environ, "SRT_DIE_WITH_PARENT": "1"}
    at_death = _dies_with_this_process()
    if say is None:
        return subprocess.run(command, check=False, env=environment, preexec_fn=at_death).returncode
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, preexec_fn=at_death
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            # A progress bar redraws its line: keep the last state.
            if text := line.decode(errors="replace").rstrip().rpartition("\r")[2]:
                say(text)
        return run.wait()


def _dies_with_this_process() -> Callable[[], None] | None:
    """Return what the child calls first: the kernel then kills it when this process dies (Linux only)."""
    if sys.platform != "linux":
        return None
    import ctypes

    # Prepared before the fork: between fork and exec, a child of a process with threads must import nothing.
    prctl, parent, pr_set_pdeathsig = ctypes.CDLL(None).prctl, os.getpid(), 1

    def ask() -> None:
        prctl(pr_set_pdeathsig, signal.SIGKILL)
        if os.getppid() != parent:  # The parent died before the kernel was asked.
            os._exit(1)

    return ask
