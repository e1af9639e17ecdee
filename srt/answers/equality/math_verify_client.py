"""math-verify as a last resort, in a separate process that is killed when it takes too long.

Its own time limit is a signal, which fails outside the main thread, and its computations can fill the memory. So it
runs beside this process, with bounded memory, and a pair that is not decided in time is not decided at all.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import subprocess
import sys
import threading
import time
from functools import lru_cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]
_LONGEST = 200
_DEEPEST = 20
_MOST_KNOWN = 10_000
_START_SECONDS = 120.0


class MathVerifyClient:
    """One process of math-verify, started by the first question. A lock makes it safe to share among threads.

    ``seconds`` is the time for one pair; ``started`` counts the processes so far, ``killed`` those that took too long.
    """

    def __init__(self, seconds: float = 5.0) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], bool | None] = {}
        self.started = self.killed = 0

    def same(self, gold: str, given: str) -> bool | None:
        """Whether two formulas are equal; ``None`` where that was not decided (no formula, too long, out of time)."""
        if any(len(text) > _LONGEST or _depth(text) > _DEEPEST or "\x00" in text for text in (gold, given)):
            return None
        with self._lock:
            if (gold, given) not in self._known:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[gold, given] = self._ask(gold, given)
            return self._known[gold, given]

    def close(self) -> None:
        """End the process; a later question starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()  # closes its pipes and waits for it
            self._process = None

    def _ask(self, gold: str, given: str) -> bool | None:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = self._start()
            if self._read(_START_SECONDS) != "ready":
                self.close()
                raise RuntimeError("math-verify does not start: is the extra [eval] installed?")
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps([gold, given]).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self.close()
            return None
        answer = self._read(self._seconds)
        if answer is None:
            self.killed += 1
            self.close()
        return {"true": True, "false": False}.get(answer or "")

    def _start(self) -> subprocess.Popen[bytes]:
        self.started += 1
        path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
        return subprocess.Popen(
            [sys.executable, "-m", "srt.answers.equality.math_verify_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        )

    def _read(self, seconds: float) -> str | None:
        """The next line of the process; ``None`` where it ended, or ``seconds`` went by."""
        assert self._process is not None
        assert self._process.stdout is not None
        pipe, line, until = self._process.stdout.fileno(), b"", time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(max(0.0, until - time.monotonic())):
                    return None
                chunk = os.read(pipe, 4096)
                if not chunk:
                    return None
                line += chunk
        return line.decode().strip()


@lru_cache(maxsize=1)
def shared_math_verify() -> MathVerifyClient:
    """The client that this process shares; it is closed when the process ends."""
    client = MathVerifyClient()
    atexit.register(client.close)
    return client


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest
