"""The replicas of an endpoint: which of them gets the next request, and which are out of service.

A request goes to the replica with the fewest in flight; of those, to the one whose turn was longest ago. Each has its
own limit (:class:`~srt.llm.endpoint.concurrency.AdaptiveLimit`). So all have as much under way, and one that is half
as fast answers half as many. A single address is never out of service; of several:

=============================== ==================================================================================
what happens                    what is done
=============================== ==================================================================================
no connection; 401, 404 and     taken out of service
what else ends a run
three failures in a row (5xx,   taken out of service
broken, torn, time-out)
out of service                  asked for its models (``GET /models``) after half a second, and ever more seldom up
                                to half a minute; once it answers, it is on trial
on trial                        gets one request; an answer puts it in service, a failure takes it out
all out of service              all are tried, as a single address is: each request as often as ``retries`` says
=============================== ==================================================================================

Outcomes of requests that left before a replica was taken out say nothing new about it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from typing import Final

from srt.io.progress import notice
from srt.llm.endpoint.replica import Replica
from srt.llm.endpoint.response import Failure
from srt.llm.endpoint.served_models import ServedModels
from srt.llm.llm_errors import EndpointFault, RequestRejected
from srt.llm.request import Reply

FAILURES_TO_GO: Final = 3
"""Of one replica in a row: fewer happen to a healthy one."""
FIRST_LOOK_S: Final = 0.5
LONGEST_LOOK_S: Final = 30.0


class _Service:
    """How one replica is doing. ``out`` is the reason why it is out of service."""

    def __init__(self) -> None:
        self.out: str | None = None
        self.on_trial = False
        self.failures = 0
        self.judged_to = 0
        """The outcomes of tickets up to this one say nothing new."""
        self.wait = FIRST_LOOK_S
        self.turn = 0
        self.answers = self.times_out = 0


class Fleet:
    """``replicas`` of the same models, one or more. What happens to one of several is printed on standard error."""

    def __init__(self, replicas: Sequence[Replica]) -> None:
        self.replicas = replicas
        self._service = {replica: _Service() for replica in replicas}
        self._turn = 0
        self._line = asyncio.Lock()
        self._changed = asyncio.Event()
        self._checking = asyncio.Lock()
        self._checked: set[str] = set()
        self._fault: EndpointFault | None = None
        self._watches: set[asyncio.Task[None]] = set()

    @property
    def contact(self) -> bool:
        """Whether any replica has ever accepted a connection."""
        return any(replica.contact for replica in self.replicas)

    def others_in_service(self, replica: Replica) -> bool:
        """Whether requests that fail at ``replica`` have another place to go to."""
        return any(service.out is None for other, service in self._service.items() if other is not replica)

    async def acquire(self, avoid: Replica | None = None) -> tuple[Replica, int]:
        """Wait for a slot, first come first served: the replica, if possible not ``avoid``, and a ticket of its limit.

        Hand the slot back with :meth:`release`, and what became of it to :meth:`ended`.
        """
        async with self._line:
            while True:
                serving = [replica for replica in self.replicas if self._service[replica].out is None] or self.replicas
                free = [replica for replica in serving if self._has_room(replica)]
                if free:
                    best = min(free, key=lambda one: (one is avoid, one.limit.taken, self._service[one].turn))
                    self._turn += 1
                    self._service[best].turn = self._turn
                    return best, best.limit.take()
                self._changed.clear()
                held = [replica.limit.hold for replica in serving if replica.limit.hold > 0]
                try:
                    # The end of a Retry-After sets no event.
                    async with asyncio.timeout(min(held, default=None)):
                        await self._changed.wait()
                except TimeoutError:
                    pass

    def release(self, replica: Replica) -> None:
        """Give a slot back."""
        replica.limit.release()
        self._changed.set()

    def ended(self, replica: Replica, ticket: int, outcome: Reply | Failure) -> None:
        """What became of the request that had ``ticket`` of ``replica``."""
        service = self._service[replica]
        news = ticket > service.judged_to
        if isinstance(outcome, Reply):
            replica.limit.answered()
            service.answers += 1
            if news:
                self._put_in_service(replica)
        elif outcome.throttled:
            replica.limit.throttled(ticket, outcome.retry_after)
        elif isinstance(outcome.error, RequestRejected):
            service.failures = 0
        elif news and len(self.replicas) > 1:
            service.failures += 1
            hopeless = outcome.not_sent or outcome.error is not None or service.on_trial
            if hopeless or service.failures >= FAILURES_TO_GO:
                self._take_out(replica, outcome.reason)

    async def check_model(self, model: str) -> None:
        """Before the first request for ``model``: ask what is served, as far as the servers say so.

        Of several, those that do not answer are out of service; when they come back they are asked again. A single one
        that is busy loading (503) is asked again for a while.

        Raises:
            EndpointFault: a server lists its models, and ``model`` is not among them.
        """
        if model in self._checked:
            return
        async with self._checking:
            if model in self._checked:
                return
            if self._fault is not None:
                raise self._fault
            if len(self.replicas) == 1:
                await self._ask_single(self.replicas[0])
            else:
                asked = [replica for replica in self.replicas if self._service[replica].out is None]
                failures = await asyncio.gather(*(replica.list_models() for replica in asked))
                for replica, failure in zip(asked, failures, strict=True):
                    if failure is not None:
                        self._take_out(replica, failure.reason)
            if fault := _not_served(model, self._lists()):
                self._fault = EndpointFault(fault)
                raise self._fault
            self._checked.add(model)

    @property
    def served(self) -> ServedModels | None:
        """What the first replica that has said so serves."""
        return next((replica.models for replica in self.replicas if replica.models), None)

    async def _ask_single(self, replica: Replica) -> None:
        wait = FIRST_LOOK_S
        while replica.models is None and wait <= LONGEST_LOOK_S:
            failure = await replica.list_models()
            if failure is None or failure.retry_after is None:
                return  # requests will show what is wrong there
            await asyncio.sleep(max(wait, min(failure.retry_after, LONGEST_LOOK_S)))
            wait *= 2

    async def close(self) -> None:
        """Close all connections; say what each replica did."""
        for watch in self._watches:
            watch.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)
        for replica in self.replicas:
            await replica.close()
        if len(self.replicas) > 1 and any(service.answers for service in self._service.values()):
            notice(f"answers: {', '.join(map(self._deeds, self.replicas))}")

    def _has_room(self, replica: Replica) -> bool:
        limit = replica.limit
        # On trial: one request at a time.
        return limit.hold <= 0 and limit.taken < (1 if self._service[replica].on_trial else limit.limit)

    def _take_out(self, replica: Replica, reason: str) -> None:
        service = self._service[replica]
        served = service.out is None and not service.on_trial
        service.failures, service.on_trial, service.judged_to = 0, False, replica.limit.ticket
        if served:
            service.times_out += 1
            notice(f"{replica.url}: out of service ({reason})")
        if service.out is None:
            service.out = reason
            watch = asyncio.create_task(self._watch(replica))
            self._watches.add(watch)
            watch.add_done_callback(self._watches.discard)

    def _put_in_service(self, replica: Replica) -> None:
        service = self._service[replica]
        service.failures, service.wait = 0, FIRST_LOOK_S
        if service.out is not None or service.on_trial:
            service.out, service.on_trial = None, False
            notice(f"{replica.url}: in service again")
            self._changed.set()

    async def _watch(self, replica: Replica) -> None:
        """Until ``replica`` answers, and serves what the others do."""
        service = self._service[replica]
        while service.out is not None:
            await asyncio.sleep(service.wait * random.uniform(0.5, 1.0))
            service.wait = min(LONGEST_LOOK_S, 2 * service.wait)
            # A request that had left before may have been answered meanwhile.
            if service.out is None or await replica.list_models() is not None:
                continue
            lists = {**self._lists(), replica.url: replica.models} if replica.models else {}
            other = next((fault for model in sorted(self._checked) if (fault := _not_served(model, lists))), None)
            if other is None:
                service.out, service.on_trial = None, True
                self._changed.set()
            elif service.out != other:
                service.out = other
                notice(f"{replica.url}: out of service ({other})")

    def _lists(self) -> dict[str, ServedModels]:
        """What the replicas in service say that they serve, by address."""
        return {one.url: one.models for one in self.replicas if one.models and self._service[one].out is None}

    def _deeds(self, replica: Replica) -> str:
        service = self._service[replica]
        times = {0: "", 1: " (out once)"}.get(service.times_out, f" (out {service.times_out} times)")
        return f"{replica.url} {service.answers}{times}"


def _not_served(model: str, lists: Mapping[str, ServedModels]) -> str | None:
    """Why servers with these ``lists`` of models are none, or no replicas, for ``model``.

    Some answer to any name (llama.cpp): what they serve would be filed under the name that was asked for.
    """
    lacking = [url for url, models in lists.items() if models.whole and models.find(model) is None]
    if not lacking:
        return None
    names = sorted(lists[lacking[0]].listed)
    served = ", ".join(name[:80] for name in names[:3]) + f" and {len(names) - 3} more" * (len(names) > 3)
    words = f"{lacking[0]}: serves {served}, not {model}"
    having = [url for url in lists if url not in lacking]
    if having or len({frozenset(models.listed) for models in lists.values()}) > 1:
        others = f"as {having[0]} does" if having else "and other addresses serve something else"
        return f"{words}, {others}: all addresses must serve the same models"
    return f"{words}: give a name that it lists (GET /models) as model"
