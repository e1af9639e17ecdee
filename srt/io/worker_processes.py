"""Work on several processes, with its results in the order in which it was given; and work with a time limit.

The processes are forks of a server that imports what they need and does nothing else (``forkserver``). A fork of this
process would copy the locks of threads that it does not have; processes started afresh would each import everything.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import forkserver
from typing import Final, Generic, NamedTuple, NoReturn, TypeVar

from srt.io.errors import UserError

T = TypeVar("T")
R = TypeVar("R")

KILLED: Final = "--workers: a worker process was killed; if memory ran out, use fewer workers (1 is this process alone)"

_AHEAD: Final = 2
"""Chunks a process that wait for it, beside the one that it works on: memory is bounded, whatever is worked on."""
_COLLECT_AFTER: Final = (50_000, 20, 100)
"""How seldom cycles are searched for: records have none. As often as Python does it, it takes a fifth of a check."""
BATCH: Final = 64
START: Final = 16
"""So many batches take about as long as processes take to start."""


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """``items``, ``size`` at a time: as many as are worth the way to another process and back."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def fail(item: object) -> NoReturn:
    """What :meth:`Workers.map` does by default about an ``item`` whose process is killed.

    Raises:
        UserError: always.
    """
    raise UserError(KILLED)


class Workers:
    """``with Workers(count) as workers``; one worker is this process itself.

    The first ``here`` items of a map are worked on in this process, while the others start. If there are no more, none
    is started. Within the block, this process too searches for cycles seldom.
    """

    def __init__(self, count: int, here: int = 0) -> None:
        self.count = count
        self._here = here
        self._collected_after = gc.get_threshold()
        self._pool = start_pool(count) if count > 1 else None

    def map(
        self, work: Callable[[T], R], items: Iterable[T], chunk: int, killed: Callable[[T], R] = fail
    ) -> Iterator[R]:
        """``work`` on each of ``items``, in their order; ``chunk`` of them at a time go to a process.

        ``work`` and ``items`` are pickled: a function at the top of a module, or a ``partial`` of one. A fault in
        ``work`` is raised at its place, after the results of all items before. When a process is killed, what was under
        way is worked on again, one item at a time; ``killed`` decides about an item that kills its process once more.

        Raises:
            UserError: what ``work`` and ``killed`` raise.
        """
        rest = iter(items)
        if self._pool is None:
            yield from map(work, rest)
            return
        waiting: deque[tuple[list[T], Future[Outcomes[R]]]] = deque()

        def submit_more() -> bool:
            """Whether anything is under way then."""
            while len(waiting) <= _AHEAD * self.count and (part := list(islice(rest, chunk))):
                waiting.append((part, self._submit(work, part)))
            return bool(waiting)

        first = list(islice(rest, self._here))
        if more := list(islice(rest, 1)):
            rest = chain(more, rest)
            with _ctrl_c_blocked():
                forkserver.ensure_running()  # it takes its time, while this process works
        yield from map(work, first)
        while submit_more():
            part, future = waiting.popleft()
            try:
                done = future.result()
            except BrokenProcessPool:
                # A broken pool does not say which item killed its process, and loses what the others were working on.
                under_way = [part, *(part for part, _ in waiting)]
                waiting.clear()
                self._pool.shutdown()
                for item in chain.from_iterable(under_way):
                    yield in_own_process(work, item, killed)
                self._pool = start_pool(self.count)
                continue
            yield from done.results
            if done.fault is not None:
                raise done.fault

    def _submit(self, work: Callable[[T], R], part: list[T]) -> Future[Outcomes[R]]:
        assert self._pool is not None
        with _ctrl_c_blocked():
            try:
                return self._pool.submit(on_each, work, part)
            except BrokenProcessPool as broken:  # noticed before the result of an earlier part was asked for
                future: Future[Outcomes[R]] = Future()
                future.set_exception(broken)
                return future

    def __enter__(self) -> Workers:
        gc.set_threshold(*_COLLECT_AFTER)
        return self

    def __exit__(self, *_: object) -> None:
        gc.set_threshold(*self._collected_after)
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


class Outcomes(NamedTuple, Generic[R]):
    """The results of a part up to its first fault."""

    results: list[R]
    fault: UserError | None


def cores_at_hand() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_pool(count: int) -> ProcessPoolExecutor:
    """``count`` processes that leave Ctrl-C to this one and end with it, even if it is killed."""
    context = multiprocessing.get_context("forkserver")
    # Imported once, in the server: a fork of it starts in milliseconds, and shares this memory.
    # But not what imports torch: no work that is shared needs it, and it takes seconds.
    ours = ((name, module) for name, module in sys.modules.items() if name.partition(".")[0] in ("srt", "eval"))
    context.set_forkserver_preload([name for name, module in ours if not hasattr(module, "torch")])
    # The server has the environment of the time when it was started.
    return ProcessPoolExecutor(count, context, initializer=_start_process, initargs=(dict(os.environ),))


def in_own_process(work: Callable[[T], R], item: T, killed: Callable[[T], R]) -> R:
    """``work`` on ``item`` in a process that nothing else runs in; what ``killed`` says of it if that is killed."""
    with start_pool(1) as pool:
        try:
            with _ctrl_c_blocked():
                future = pool.submit(on_each, work, [item])
            done = future.result()
        except BrokenProcessPool:
            return killed(item)
    if done.fault is not None:
        raise done.fault
    return done.results[0]


def on_each(work: Callable[[T], R], part: list[T]) -> Outcomes[R]:
    """What ``work`` makes of each item of ``part``, up to its first fault."""
    results: list[R] = []
    for item in part:
        try:
            results.append(work(item))
        except UserError as fault:
            return Outcomes(results, fault)
    return Outcomes(results, None)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent dies, however it dies (Linux only).

    For processes that were forked or launched. Those of a pool are children of the fork server, and watch the process
    that owns the pool instead (:func:`_exit_with_parent`).
    """
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1  # of linux/prctl.h
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


class TimeLimitExceeded(BaseException):
    """The time is up. It is not an :class:`Exception`, so that no handler in the work catches it."""


def run_within(seconds: float, work: Callable[[], T]) -> T:
    """``work()`` in the main thread of this process; raises :class:`TimeLimitExceeded` after ``seconds``.

    For work that cannot be trusted to end, such as exact algebra on a model's text.
    """

    def expire(*_: object) -> None:
        raise TimeLimitExceeded

    # A process has one such timer, and only its main thread handles signals: calls cannot be nested, nor made in
    # threads.
    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """A process that starts inherits that Ctrl-C is blocked: it must not die of one halfway through its imports."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_process(environment: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*_COLLECT_AFTER)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # sys.exit would end this thread alone, and the process would outlive the one that it works for.
        os._exit(1)
