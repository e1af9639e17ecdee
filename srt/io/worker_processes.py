"""Work on several processes, with its results in the order in which it was given.

The processes are started afresh (``spawn``): a fork would copy the locks of threads that it does not have.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Final, TypeVar

from srt.io.errors import UserError

T = TypeVar("T")
R = TypeVar("R")

_AHEAD: Final = 2
"""Chunks a process that wait for it, beside the one that it works on: memory is bounded, whatever is worked on."""


class Workers:
    """``with Workers(count) as workers``; one worker is this process itself. The others start with the first work."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool = start_pool(count) if count > 1 else None

    def map(self, work: Callable[[T], R], items: Iterable[T], chunk: int) -> Iterator[R]:
        """``work`` on each of ``items``, in their order; ``chunk`` of them at a time go to a process.

        ``work`` and ``items`` are pickled: a function at the top of a module, or a ``partial`` of one.

        Raises:
            UserError: a process was killed; and what ``work`` raises.
        """
        if self._pool is None:
            yield from map(work, items)
            return
        rest = iter(items)
        waiting: deque[Future[list[R]]] = deque()
        try:
            while part := list(islice(rest, chunk)):
                waiting.append(self._submit(self._pool, work, part))
                if len(waiting) > _AHEAD * self._count:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        except BrokenProcessPool:
            raise UserError(
                "--workers: a worker process was killed; if memory ran out, use fewer workers (1 is this process alone)"
            ) from None

    @staticmethod
    def _submit(pool: ProcessPoolExecutor, work: Callable[[T], R], part: list[T]) -> Future[list[R]]:
        # A process that starts now inherits that Ctrl-C is blocked: it must not die of one halfway through its imports.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return pool.submit(_on_each, work, part)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def cores_at_hand() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_pool(count: int) -> ProcessPoolExecutor:
    """``count`` processes that leave Ctrl-C to this one and end with it, even if it is killed."""
    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), initializer=_start_process)


def _on_each(work: Callable[[T], R], part: list[T]) -> list[R]:
    return [work(item) for item in part]


def _start_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
