"""How many requests are in flight at once: additive increase, multiplicative decrease, on status 429 alone.

The rule is TCP's (Chiu and Jain 1989). Each answer raises the limit by ``1 / limit``, so by one for each round of
answers, up to what the configuration allows. A 429 multiplies it by :data:`DECREASE`, once for a burst: the other 429s
of requests that left before the decrease tell nothing new. ``Retry-After`` holds all sending until then. Errors of the
server, time-outs and broken connections change nothing here.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

DECREASE: Final = 0.7
LONGEST_HOLD_S: Final = 120.0
"""A ``Retry-After`` that asks for more is tried after this: it may speak of another quota than ours."""


class AdaptiveLimit:
    """At most ``most`` slots to :meth:`acquire` and :meth:`release`; :meth:`answered` and :meth:`throttled` move it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(most)
        self._taken = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._next_ticket = 0
        self._first_of_this_burst = 0
        self._held_until = -math.inf
        self._timer: asyncio.TimerHandle | None = None

    @property
    def limit(self) -> int:
        """How many may be in flight now."""
        return max(1, int(self._limit))

    async def acquire(self) -> int:
        """Wait for a slot, first come first served; returns a ticket, which grows with each slot given."""
        if self._waiting or not self._free():
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            self._wake()  # sets the timer, where all are held
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.release()
                raise
        else:
            self._taken += 1
        self._next_ticket += 1
        return self._next_ticket

    def release(self) -> None:
        """Give the slot back."""
        self._taken -= 1
        self._wake()

    def answered(self) -> None:
        """An answer came: a little more may be in flight."""
        self._limit = min(self._most, self._limit + 1.0 / self._limit)

    def throttled(self, ticket: int, retry_after: float | None) -> None:
        """The request with ``ticket`` got a 429; ``retry_after`` in seconds, where the endpoint gave one."""
        if ticket > self._first_of_this_burst:
            self._limit = max(1.0, self._limit * DECREASE)
            self._first_of_this_burst = self._next_ticket
        if retry_after is not None:
            now = asyncio.get_running_loop().time()
            self._held_until = max(self._held_until, now + min(retry_after, LONGEST_HOLD_S))

    def _free(self) -> bool:
        return self._taken < self.limit and asyncio.get_running_loop().time() >= self._held_until

    def _wake(self) -> None:
        while self._waiting and self._free():
            turn = self._waiting.popleft()
            if not turn.done():
                self._taken += 1
                turn.set_result(None)
        loop = asyncio.get_running_loop()
        if self._waiting and self._timer is None and loop.time() < self._held_until:
            self._timer = loop.call_at(self._held_until, self._end_hold)

    def _end_hold(self) -> None:
        self._timer = None
        self._wake()


def read_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, from either of its forms (RFC 9110, 10.2.3).

    A number of seconds (fractions are met in the wild) or an HTTP date; a moment that is past is 0. ``None`` where
    there is no header or it cannot be read. ``now`` is the present moment.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except ValueError:
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        seconds = (when - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
