"""An event loop whose clock stands still while there is work, and jumps to the next timer when there is none.

Tests of time limits, retries and delays take no time with it, and end the same way on a busy machine. Client and server
must run in the same loop; what another process does takes no time in it.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

QUIET_S = 0.01
"""So long no socket is ready before the clock jumps: what one end has sent may take a moment to reach the other."""


def simulate(what: Coroutine[Any, Any, T]) -> T:
    """What ``asyncio.run`` returns, on this clock."""
    with asyncio.Runner(loop_factory=_SimulatedLoop) as runner:
        return runner.run(what)


class _SimulatedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.now, self.in_threads = 0.0, 0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        return self.now

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        future = super().run_in_executor(executor, func, *args)
        self.in_threads += 1
        future.add_done_callback(self._thread_ended)
        return future

    def _thread_ended(self, _: object) -> None:
        self.in_threads -= 1


class _JumpingSelector(selectors.DefaultSelector):
    """A loop calls ``select`` with the time to its next timer: 0 where there is work, ``None`` without a timer."""

    def __init__(self, loop: _SimulatedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if not timeout or self._loop.in_threads:
            return super().select(0 if timeout == 0 else None)
        sockets = len(self.get_map()) > 1  # the first is the loop's own, by which threads wake it
        if ready := super().select(QUIET_S if sockets else 0):
            return ready
        self._loop.now += timeout
        return []
