"""Ask a language model: from the journal where it was asked before, else over the wire, patiently and within limits.

    async with Endpoint(config, journal, budget, image_root) as endpoint:
        reply = await endpoint.ask(request)

What one sending of a request can come to, and what is done:

=============================== ==================================================================================
a chat completion               journaled as it came (cut short, refused and malformed ones too), then returned
400, 413, 422                   asked in a plainer form if there is one, else :class:`RequestRejected`
429                             fewer in flight, ``Retry-After`` obeyed, sent again
5xx, 408, 409, 425              sent again after a wait (``Retry-After`` or ours); as many in flight as before
time-out, broken connection,    the same, and the money set aside for it stays booked: the answer may have been made
a reply that cannot be read
no connection from the start,   :class:`EndpointFault`: the whole run ends
401, 403, 404, 402, no credit
=============================== ==================================================================================
"""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path
from types import TracebackType
from typing import Final

from srt.endpoint.budget import Budget
from srt.endpoint.config import EndpointConfig
from srt.endpoint.errors import EndpointFault, RequestRejected, Unavailable
from srt.endpoint.journal import Journal
from srt.endpoint.limits import LONGEST_HOLD_S, AdaptiveLimit
from srt.endpoint.messages import Reply, Request
from srt.endpoint.outcomes import Failure, judge
from srt.endpoint.pictures import DataUris
from srt.endpoint.structured import Dialect
from srt.endpoint.transport import Lost, NotSent, Transport
from srt.errors import UserError

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 30.0
MOST_429: Final = 40
"""So often one request meets a 429 before it is given up: each time fewer are in flight, so this is patience."""
TRIES_WITHOUT_CONTACT: Final = 3
"""An endpoint that never took a connection is given up after so many tries, not after all retries."""
FAILURES_IN_A_ROW: Final = 32
"""So many requests in a row without one answer, and the run ends: what fails them all is not the problems' fault."""


class Endpoint:
    """One endpoint, its connections and its limits. Journal and budget are shared between the endpoints of a run.

    ``image_root`` is the folder that the pictures' paths are relative to.

    Raises:
        EndpointFault: the environment variable of the key is not set.
    """

    def __init__(self, config: EndpointConfig, journal: Journal, budget: Budget, image_root: Path) -> None:
        self._config = config
        self._journal = journal
        self._budget = budget
        budget.take_over(journal)
        self._transport = Transport(config)
        self._limit = AdaptiveLimit(config.in_flight)
        # A few wait with pictures read and risk written, so that a slow disk keeps no slot idle; few, because a kill
        # books them as lost.
        self._lobby = asyncio.Semaphore(max(1, config.in_flight // 2))
        self._pictures = DataUris(image_root, config.max_side)
        self._dialects: dict[tuple[str, str | None], Dialect] = {}
        self._running: dict[str, asyncio.Task[Reply]] = {}
        self._on_the_wire: set[asyncio.Task[Reply] | None] = set()
        self._contact = False
        self._failures = 0
        self._fault: EndpointFault | None = None
        self._closing = False

    async def ask(self, request: Request) -> Reply:
        """The journaled reply to ``request``, or a new one, which is on disk before this returns.

        Equal requests at the same time are sent once. To cancel the call leaves a request that is on its way to be
        answered and journaled; :meth:`close` waits for it.

        Raises:
            BudgetSpent: it could cost more than what is left.
            EndpointFault: nothing of this run can be answered; said again for every later request.
            RequestRejected: this request cannot be answered (status 400, 413, 422, or a picture that cannot be used).
            Unavailable: no answer after all retries.
        """
        key = request.key
        known = self._journal.get(key)
        if known is not None:
            return known
        task = self._running.get(key)
        if task is None:
            task = asyncio.create_task(self._answer(request, key))
            self._running[key] = task
            task.add_done_callback(lambda done: self._forget(key, done))
        return await asyncio.shield(task)

    @property
    def limit(self) -> int:
        """How many requests may be in flight now; at most what the configuration says."""
        return self._limit.limit

    async def close(self) -> None:
        """Wait for what is on the wire, journal it, and close the connections; what waits for its turn is not sent."""
        self._closing = True
        tasks = set(self._running.values())
        for task in tasks - self._on_the_wire:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._transport.close()

    async def __aenter__(self) -> Endpoint:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _forget(self, key: str, task: asyncio.Task[Reply]) -> None:
        del self._running[key]
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not complain where the caller was cancelled

    async def _answer(self, request: Request, key: str) -> Reply:
        dialect = self._dialect(request)
        try:
            if not dialect.known:
                async with dialect.scout:
                    if not dialect.known:
                        return await self._find_dialect(request, key, dialect)
            return await self._converse(request, key, dialect)
        except (RequestRejected, Unavailable) as error:
            self._failures += 1
            if self._failures >= FAILURES_IN_A_ROW:
                raise self._ended(f"{self._failures} requests in a row got no answer; the last: {error}") from None
            raise
        except EndpointFault as error:
            self._fault = error
            raise

    def _dialect(self, request: Request) -> Dialect:
        schema = None if request.json_schema is None else request.json_schema.name
        place = (request.model, schema)
        if place not in self._dialects:
            # What the model took for another schema is the first thing to try.
            known = (d for (model, name), d in self._dialects.items() if model == request.model and name and d.known)
            self._dialects[place] = Dialect(self._config, next(known, None))
        return self._dialects[place]

    async def _find_dialect(self, request: Request, key: str, dialect: Dialect) -> Reply:
        while True:
            try:
                reply = await self._converse(request, key, dialect)
            except RequestRejected as error:
                if not dialect.give_way(request, str(error)):
                    raise
            else:
                dialect.known = True
                return reply

    async def _converse(self, request: Request, key: str, dialect: Dialect) -> Reply:
        """Send ``request`` until there is an answer, or no hope of one."""
        failures, throttled = 0, 0
        while True:
            outcome = await self._send(request, key, dialect)
            if isinstance(outcome, Reply):
                self._failures = 0
                return outcome
            if outcome.throttled:
                throttled += 1
                given_up = throttled > MOST_429
            else:
                failures += 1
                given_up = failures > self._config.retries
            if outcome.not_sent and not self._contact and (given_up or failures >= TRIES_WITHOUT_CONTACT):
                raise self._ended(f"cannot be reached ({outcome.reason}): is the server running?")
            if given_up or self._closing:
                raise Unavailable(f"{request.model}: {outcome.reason} (sent {failures + throttled} times)")
            await asyncio.sleep(wait_before(outcome, throttled if outcome.throttled else failures))

    async def _send(self, request: Request, key: str, dialect: Dialect) -> Reply | Failure:
        """Money, a slot, one POST, the books."""
        task = asyncio.current_task()
        reservation = await self._budget.reserve(request)
        risk = self._journal.new_risk()
        try:
            async with self._lobby:
                pictures = await self._data_uris(request)
                # On disk before it leaves, so that the budget holds over a kill too.
                await self._journal.risk(risk, request, reservation.cost)
                ticket = await self._limit.acquire()
            try:
                if self._fault is not None:
                    raise EndpointFault(str(self._fault))
                self._on_the_wire.add(task)
                outcome = await self._post(request, key, dialect.body(request, pictures), ticket)
            finally:
                self._limit.release()
        except BaseException as error:
            told = isinstance(error, RequestRejected | EndpointFault)  # a reply said it: nothing is to be paid
            if task in self._on_the_wire and not told:
                self._budget.lose(reservation)  # it had left; the journal keeps the risk, as after a kill
            else:
                self._budget.release(reservation)
                self._journal.cross_out(risk)
            self._on_the_wire.discard(task)
            raise
        try:
            if isinstance(outcome, Reply):
                cost = self._budget.settle(reservation, request, outcome)
                await self._journal.put(request, outcome, cost, risk)
            elif outcome.lost:
                self._budget.lose(reservation)
            else:
                self._budget.release(reservation)
                self._journal.cross_out(risk)
        finally:
            self._on_the_wire.discard(task)
        return outcome

    async def _post(self, request: Request, key: str, body: bytes, ticket: int) -> Reply | Failure:
        began = time.monotonic()
        try:
            response = await self._transport.post(body, key)
        except NotSent as error:
            return Failure(str(error), not_sent=True)
        except Lost as error:
            return Failure(str(error), lost=True)
        self._contact = True
        outcome = judge(response, time.monotonic() - began, request.model, self._config)
        if isinstance(outcome, Reply):
            self._limit.answered()
        elif outcome.throttled:
            self._limit.throttled(ticket, outcome.retry_after)
        return outcome

    async def _data_uris(self, request: Request) -> list[str]:
        uris = []
        for image in request.pictures:
            uri = self._pictures.cached(image)
            if uri is None:
                try:
                    uri = await asyncio.to_thread(self._pictures.make, image)
                except UserError as error:
                    raise RequestRejected(str(error)) from None
                self._pictures.keep(image, uri)
            uris.append(uri)
        return uris

    def _ended(self, reason: str) -> EndpointFault:
        self._fault = EndpointFault(f"{self._config.base_url}: {reason}")
        return self._fault


def wait_before(outcome: Failure, tries: int) -> float:
    """Seconds before the next sending after ``outcome``, the failure number ``tries`` of its kind.

    Doubled each time, up to half of it taken off so that not all come at once.
    """
    wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.0)
    if outcome.retry_after is None:
        return wait
    if outcome.throttled:  # all sending is held already; it waits of its own where that did not help
        return wait if tries > 2 else 0.0
    return max(wait, min(outcome.retry_after, LONGEST_HOLD_S))
