"""Run a training, or an evaluation that several processes share, in child processes that die with this one.

``srt train`` and ``srt experiment`` start them here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import gettempdir
from types import MappingProxyType

from srt.cli.gpu_shares import VISIBLE
from srt.io.atomic_files import temporary_folder

_GRACE = 10
"""Seconds that training processes have to end after Ctrl-C."""
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGUSR1)
_MEANING = {
    signal.SIGILL: (
        "the CPU refused an instruction; if this is bfloat16 on a virtual machine, it may list AMX and not have it: "
        "set ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16"
    ),
    signal.SIGKILL: "it was killed, as the kernel does when memory runs out",
}


def run_training(
    recipe: Path,
    accelerate: Path | None,
    options: Sequence[str] = (),
    launch_options: Sequence[str] = (),
    say: Callable[[str], None] | None = None,
    gpus: str | None = None,
) -> int:
    """Run ``train/train_srt.py`` in a child process, which dies with this one, and return its exit status.

    ``options`` are further arguments of its command line, ``launch_options`` of ``accelerate launch``. ``say`` is
    called with each line that it prints; without ``say`` the child prints for itself. ``gpus``: those that it sees of
    the ones that this process sees (``CUDA_VISIBLE_DEVICES``), by default all.

    SIGTERM and SIGUSR1 to this process ask the training processes to write a checkpoint and stop; the status is then
    143. They are passed to the training processes and not to the launcher, which would kill them after 30 seconds.

    Raises:
        UserError: the launch file wants more GPUs than this machine has; nothing was started.
    """
    import train
    from train.preflight.gpus_at_hand import require_gpus

    if accelerate is not None:
        require_gpus(accelerate, launch_options)
    script = Path(train.__file__).with_name("train_srt.py")
    # -P: no file of the current folder (torch.py) may hide a module that accelerate imports.
    launch = ["-P", "-m", "accelerate.commands.launch", "--quiet", "--config_file", str(accelerate), *launch_options]
    command = [sys.executable, *(launch if accelerate else []), str(script), "--config", str(recipe), *options]
    environment = {} if gpus is None else {VISIBLE: gpus}
    return _run(command, accelerate is not None, say, {*_STOP_SIGNALS, signal.SIGINT}, environment)


def run_shared_evaluation(recipe: Path, accelerate: Path, say: Callable[[str], None]) -> int:
    """Run ``srt eval --config recipe`` in the processes of an accelerate file, which share the questions.

    Returns the exit status; ``say`` is called with each line that they print.
    """
    from train.preflight.gpus_at_hand import require_gpus

    require_gpus(accelerate, ())
    launch = ["-P", "-m", "accelerate.commands.launch", "--quiet", "--config_file", str(accelerate), "--module"]
    return _run([sys.executable, *launch, "srt", "eval", "--config", str(recipe)], True, say, _STOP_SIGNALS)


def status_text(status: int) -> str:
    """``status`` for a message: with the signal that ended the process, if one did, and what it often means."""
    try:
        number = signal.Signals(status - 128)
    except ValueError:
        return str(status)
    meaning = _MEANING.get(number)
    return f"{status} ({number.name}{f': {meaning}' if meaning else ''})"


def _run(
    command: Sequence[str],
    launched: bool,
    say: Callable[[str], None] | None,
    blocked: Iterable[signal.Signals],
    environment: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Run ``command``, ``launched`` by accelerate or not, with some signals ``blocked``; return its exit status."""
    with temporary_folder(Path(gettempdir(), "srt-train")) as folder:
        status_file = folder / "status"
        with (
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE if say else None,
                stderr=subprocess.STDOUT if say else None,
                env={**os.environ, **environment, "SRT_DIE_WITH_PARENT": "1", "SRT_STATUS_FILE": str(status_file)},
                preexec_fn=_before_exec(blocked),
            ) as run,
            _signals_passed_on(run, launched),
        ):
            if say is not None:
                assert run.stdout is not None
                for line in run.stdout:
                    # A progress bar redraws its line: keep the last state.
                    if text := line.decode(errors="replace").rstrip().rpartition("\r")[2]:
                        say(text)
            try:
                ended_with = run.wait()
            except KeyboardInterrupt:
                # The terminal has sent it to the training processes too: let them leave a clean folder.
                with suppress(subprocess.TimeoutExpired):
                    run.wait(timeout=_GRACE)
                raise
        reported = [int(line) for line in status_file.read_text().split()] if status_file.exists() else []
    # The launcher's own status is 0 or 1. A process that a signal killed has a negative one, and reports nothing.
    status = next(filter(None, reported), ended_with)
    return status if status >= 0 else 128 - status


@contextmanager
def _signals_passed_on(run: subprocess.Popen[bytes], launched: bool) -> Iterator[None]:
    """Within this block, a signal to this process is passed on; outside the main thread, Python cannot."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(*_: object) -> None:
        threading.Thread(target=_stop_trainers, args=(run, launched), daemon=True).start()

    previous = {number: signal.signal(number, handle) for number in _STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _stop_trainers(run: subprocess.Popen[bytes], launched: bool) -> None:
    """Send SIGTERM to every training process, also to those that the launcher has not started yet."""
    import psutil  # type: ignore[import-untyped]

    signalled: set[int] = set()
    while run.poll() is None:
        try:
            launcher = psutil.Process(run.pid)
            for process in launcher.children() if launched else [launcher]:
                if process.pid not in signalled:
                    process.send_signal(signal.SIGTERM)
                    signalled.add(process.pid)
        except psutil.NoSuchProcess:
            pass
        time.sleep(0.2)


def _before_exec(blocked: Iterable[signal.Signals]) -> Callable[[], None]:
    """Return what the child calls before its program starts.

    It blocks the signals ``blocked`` for itself and its children. The launcher then survives them, and a training
    process gets one that came early as soon as it can handle it. On Linux the kernel also kills the child when this
    process dies.
    """
    linux, parent, pr_set_pdeathsig = sys.platform == "linux", os.getpid(), 1
    if linux:
        import ctypes

        # Prepared before the fork: between fork and exec, a child of a process with threads must import nothing.
        prctl = ctypes.CDLL(None).prctl

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
        if linux:
            prctl(pr_set_pdeathsig, signal.SIGKILL)
            if os.getppid() != parent:  # The parent died before the kernel was asked.
                os._exit(1)

    return prepare
