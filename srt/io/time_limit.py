"""A time limit for work that cannot be trusted to end, such as exact algebra on a model's text."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class TimeLimitExceeded(BaseException):
    """The time is up. It is not an :class:`Exception`, so that no handler in the work catches it."""


def run_within(seconds: float, work: Callable[[], T]) -> T:
    """``work()`` in the main thread of this process; raises :class:`TimeLimitExceeded` after ``seconds``."""

    def expire(*_: object) -> None:
        raise TimeLimitExceeded

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
