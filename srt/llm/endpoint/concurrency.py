"""How many requests are in flight at once: additive increase, multiplicative decrease, on status 429 alone.

The rule is TCP's (Chiu and Jain 1989). Each answer raises the limit by ``1 / limit``, so by one for each round of
answers, up to what the configuration allows. A 429 multiplies it by :data:`DECREASE`, once for a burst: the other 429s
of requests that left before the decrease say nothing new. ``Retry-After`` holds all sending until then. Errors of the
server, time-outs and broken connections change nothing here.
"""

from __future__ import annotations

import asyncio
import math
from typing import Final

DECREASE: Final = 0.7


class AdaptiveLimit:
    """At most ``most`` slots to :meth:`take` and :meth:`release`; :meth:`answered` and :meth:`throttled` move it.

    A ``Retry-After`` that asks for more than ``longest_hold`` seconds is tried after this: it may speak of another
    quota than ours.
    Waiting for a slot is the affair of :class:`~srt.llm.endpoint.fleet.Fleet`.
    """

    def __init__(self, most: int, longest_hold: float) -> None:
        self._most = most
        self._longest_hold = longest_hold
        self._limit = float(most)
        self.taken = 0
        """How many slots are taken."""
        self.ticket = 0
        """Of the slot that was taken last."""
        self._first_of_this_burst = 0
        self._held_until = -math.inf

    @property
    def limit(self) -> int:
        """How many may be in flight now."""
        return max(1, int(self._limit))

    @property
    def hold(self) -> float:
        """Seconds for which nothing may be sent."""
        return max(0.0, self._held_until - asyncio.get_running_loop().time())

    def take(self) -> int:
        """Take a slot; returns a ticket, which grows with each slot."""
        self.taken += 1
        self.ticket += 1
        return self.ticket

    def release(self) -> None:
        """Give the slot back."""
        self.taken -= 1

    def answered(self) -> None:
        """An answer came: a little more may be in flight."""
        self._limit = min(self._most, self._limit + 1.0 / self._limit)

    def throttled(self, ticket: int, retry_after: float | None) -> None:
        """The request with ``ticket`` got a 429; ``retry_after`` in seconds, where the endpoint gave one."""
        # It left after the last decrease, so its 429 says something new.
        if ticket > self._first_of_this_burst:
            self._limit = max(1.0, self._limit * DECREASE)
            self._first_of_this_burst = self.ticket
        if retry_after is not None:
            now = asyncio.get_running_loop().time()
            self._held_until = max(self._held_until, now + min(retry_after, self._longest_hold))
