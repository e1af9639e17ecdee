"""The machine's audits in processes of their own: exact algebra takes time that the event loop does not have.

An audit that takes longer than :data:`LIMIT_S` is broken off, so that no text, however hostile, holds a run up.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import TypeVar

from srt.language.trace import Trace
from srt.records import Problem
from srt.teaching.machine import MachineAudit, audit

T = TypeVar("T")

MOST = 4
LIMIT_S = 60.0


class TooLong(BaseException):
    """The time is up. It is no :class:`Exception`, so that nothing in the machine takes it for one of its own."""


class Auditors:
    """``with Auditors() as auditors: await auditors.audit(problem, trace)``; the first call starts the processes."""

    def __init__(self) -> None:
        self._pool = _processes()

    async def audit(self, problem: Problem, trace: Trace) -> MachineAudit:
        """:func:`srt.teaching.machine.audit`, elsewhere. Where a process died under it, once more in a new one.

        Raises:
            TimeoutError: it took longer than :data:`LIMIT_S`.
        """
        loop, pool = asyncio.get_running_loop(), self._pool
        try:
            try:
                return await loop.run_in_executor(pool, _audit, problem, trace)
            except BrokenProcessPool:
                if pool is self._pool:
                    self._pool = _processes()
                return await loop.run_in_executor(self._pool, _audit, problem, trace)
        except TooLong:
            raise TimeoutError(f"the machine's checks took more than {LIMIT_S:.0f} s") from None

    def __enter__(self) -> Auditors:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)


def within(seconds: float, work: Callable[[], T]) -> T:
    """``work()`` in the main thread of this process, or :class:`TooLong` after ``seconds``."""

    def end(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _audit(problem: Problem, trace: Trace) -> MachineAudit:
    return within(LIMIT_S, lambda: audit(problem, trace))


def _processes() -> ProcessPoolExecutor:
    count = min(MOST, os.cpu_count() or 1)
    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=_begin)


def _begin() -> None:
    """Ctrl-C is the parent's to answer; and a parent that is killed leaves no process behind."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
