"""One OpenAI-compatible endpoint: send a request until there is an answer, or no hope of one.

The only place that decides when to send again; :mod:`srt.llm.endpoint.response` says what a status means:

=============================== ==================================================================================
what happens                    what is done
=============================== ==================================================================================
a chat completion               returned as it came (cut short, refused and malformed ones too)
400, 413, 422                   sent again without what the endpoint refuses and the caller can do without, else
                                :class:`RequestRejected`
429                             fewer in flight, ``Retry-After`` obeyed, sent again
``Retry-After`` of more than    sent again after the longest wait that is allowed, as often as ``retries`` says; then
``longest_retry_after_s``       :class:`EndpointFault`, if nothing was answered meanwhile
5xx, 408, 409, 425, time-out,   sent again after a wait (``Retry-After`` or ours); as many in flight as before. The
broken connection, a reply      answer may have been made, and paid for
that cannot be read
nothing but such replies from   :class:`EndpointFault`, after three
the start
no connection from the start,   :class:`EndpointFault`: the whole run ends; of several replicas, that one is taken
401, 404, 405, 402, no credit,  out of service (:mod:`srt.llm.endpoint.fleet`), and the request goes to another
403, a web page from a server
that has shown no API
403 of a model that has         :class:`RequestBlocked`: the content was moderated
answered before
=============================== ==================================================================================
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

from srt.io.progress import notice
from srt.llm.config import EndpointConfig
from srt.llm.endpoint.fleet import Fleet
from srt.llm.endpoint.replica import Replica
from srt.llm.endpoint.response import Failure, refused_parameters
from srt.llm.llm_errors import EndpointFault, RunStopping, Unavailable
from srt.llm.request import Reply

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 30.0
MOST_429: Final = 40
"""How often one request meets a 429 before it is given up: each time fewer are in flight, so this is patience."""
TRIES_WITHOUT_CONTACT: Final = 3
"""An endpoint that never accepted a connection, or whose replies are no completions, is given up after so many tries of
a request, not after all retries: what cannot be read may be billed."""
SILENT_WAIT_S: Final = 5.0
"""A wait that a server asks for is announced where it is longer."""
FAILURES_IN_A_ROW: Final = 32
"""After so many requests in a row without an answer the run ends: what fails them all is not the requests' fault."""


class Payment(Protocol):
    """What is done about money each time a request is sent."""

    async def reserve(self) -> None:
        """Before it waits for its turn: raises where it cannot be paid for."""

    def leaving(self, left_out: Mapping[str, str]) -> bool:
        """Just before it leaves, without the parameters ``left_out``.

        False where its money does not suffice any more and has to be reserved again.
        """

    def ended(self, outcome: Reply | Failure | None) -> None:
        """It came back, or (``None``) it was given up, before or after it left."""


class EndpointClient:
    """One endpoint: its replicas, what is known of it, and when a request is sent again.

    Raises:
        EndpointFault: the environment variable of the key is not set.
    """

    def __init__(self, config: EndpointConfig) -> None:
        self._config = config
        key = read_api_key(config)
        self.fleet = Fleet([Replica(url, config, key) for url in config.base_url])
        self.left_out: dict[str, dict[str, str]] = {}
        """By model, parameters that the endpoint does not take, with its words; requests are sent without them.
        ``max_tokens`` among them is sent as ``max_completion_tokens``."""
        self.answered: set[str] = set()
        """The models that have answered."""
        self._failures = 0
        self._waits, self._waiting_until = 0, 0.0
        self._fault: EndpointFault | None = None
        self.closing = False
        """Set it to have nothing sent any more."""

    async def complete(
        self,
        body: Mapping[str, Any],
        key: str,
        payment: Payment | None = None,
        *,
        optional: Mapping[str, Any] = MappingProxyType({}),
    ) -> Reply:
        """The answer to ``body``, which is what ``/chat/completions`` takes, or ``/completions`` where it has a
        ``prompt``; ``key`` is its idempotency key.

        The time-out of the configuration is for each sending and does not count waiting for its turn. OpenAI's
        reasoning models refuse ``max_tokens``, other servers do not know ``max_completion_tokens``: where the first is
        refused in favour of the second, it is renamed from then on. ``optional`` parameters, by name with the value
        that changes nothing, are left out from then on where the endpoint refuses them: :attr:`left_out`.

        Raises:
            EndpointFault: no request can be answered there; raised again for every later request.
            RequestRejected: this request cannot be answered.
            RunStopping: :attr:`closing` was set before it was sent.
            Unavailable: no answer after all retries.
        """
        model: str = body["model"]
        failures, throttled = 0, 0
        refused: dict[str, str] = {}
        failed_at: Replica | None = None
        try:
            await self.fleet.check_model(model)
        except EndpointFault as not_served:
            raise self.fault(not_served) from None
        while True:
            gone = {name: why for name, why in {**self.left_out.get(model, {}), **refused}.items() if name in body}
            sent = as_sent(body, gone)
            replica, outcome = await self._send(sent, key, payment, gone, failed_at)
            if isinstance(outcome, Reply):
                self._failures = self._waits = 0
                self.answered.add(model)
                if refused:
                    self.left_out[model] = self.left_out.get(model, {}) | refused
                return outcome
            faulty = isinstance(outcome.error, EndpointFault)
            if (faulty or outcome.not_sent) and self.fleet.others_in_service(replica):
                continue  # the replica is out of service now, and nobody was asked
            if isinstance(outcome.error, EndpointFault):
                raise self.fault(outcome.error)
            if outcome.error is not None:
                if names := refused_parameters(outcome.reason, sent, optional):
                    refused |= dict.fromkeys(names, outcome.reason)
                    continue
                if "max_tokens" not in sent or "max_completion_tokens" not in outcome.reason:
                    raise outcome.error
                refused["max_tokens"] = outcome.reason
                continue
            throttled, failures = throttled + outcome.throttled, failures + (not outcome.throttled)
            given_up = throttled > MOST_429 or failures > self._config.retries
            if outcome.not_sent and not self.fleet.contact and (given_up or failures >= TRIES_WITHOUT_CONTACT):
                raise self.fault(f"cannot be reached ({outcome.reason}): is the server running?")
            if outcome.unreadable and model not in self.answered and failures >= TRIES_WITHOUT_CONTACT:
                raise self.fault(f"{outcome.reason} ({failures} times, and nothing else came)")
            self._announce(replica, outcome)
            if given_up or self.closing:
                error = Unavailable(f"{body['model']}: {outcome.reason} (sent {failures + throttled} times)")
                self.count_failure(error)
                raise error
            failed_at = replica
            tries = throttled if outcome.throttled else failures
            await asyncio.sleep(wait_before(outcome, tries, self._config.longest_retry_after_s))

    def count_failure(self, error: Exception) -> None:
        """One more request without an answer, because of ``error``.

        Raises:
            EndpointFault: it is one of :data:`FAILURES_IN_A_ROW`.
        """
        self._failures += 1
        if self._failures >= FAILURES_IN_A_ROW:
            words = f"{self._failures} requests in a row got no answer; the last: {error}"
            raise self.fault(f"{words}; the same command asks for those alone") from None

    def _announce(self, replica: Replica, outcome: Failure) -> None:
        """Say that a server wants us to wait, once for all requests that wait.

        Raises:
            EndpointFault: nothing was answered though it was asked again after as many such waits as ``retries``
                allows, and it still asks for more than we wait.
        """
        asked, now = outcome.retry_after or 0.0, asyncio.get_running_loop().time()
        wait = min(asked, self._config.longest_retry_after_s)
        if (asked <= SILENT_WAIT_S and asked == wait) or now < self._waiting_until:
            return
        longer = ""
        if asked > wait:
            if self._waits >= self._config.retries:
                words = f"asks to wait {asked:.0f} s (Retry-After), and nothing was answered after {self._waits} waits"
                raise self.fault(f"{words} of {wait:.0f} s: {outcome.reason}")
            self._waits += 1
            longer = f", not the {asked:.0f} s that it asks for"
        self._waiting_until = now + wait
        notice(f"{replica.url}: waiting {wait:.0f} s{longer} (Retry-After): {outcome.reason}")

    def fault(self, reason: str | EndpointFault) -> EndpointFault:
        """The error to raise because of ``reason``; from now on nothing is sent."""
        self._fault = EndpointFault(f"{self._config.address}: {reason}") if isinstance(reason, str) else reason
        return self._fault

    def delayed(self, seconds: float) -> None:
        """Nothing was read for so long, because this process waited for something else: all time limits move."""
        for replica in self.fleet.replicas:
            replica.delayed(seconds)

    async def close(self) -> None:
        """Close all connections."""
        await self.fleet.close()

    async def _send(
        self,
        body: Mapping[str, Any],
        key: str,
        payment: Payment | None,
        left_out: Mapping[str, str],
        failed_at: Replica | None,
    ) -> tuple[Replica, Reply | Failure]:
        """Money, a slot, one POST, the accounts; to another replica than ``failed_at`` where there is one."""
        while True:
            if self.closing:
                raise RunStopping
            if payment is not None:
                await payment.reserve()
            outcome: Reply | Failure | None = None
            try:
                replica, ticket = await self.fleet.acquire(failed_at)
                try:
                    if self._fault is not None:
                        raise EndpointFault(str(self._fault))
                    if self.closing or (payment is not None and not payment.leaving(left_out)):
                        continue  # by way of both `finally`: slot and money are given back, and asked for again
                    outcome = await replica.complete(body, key, answered=body["model"] in self.answered)
                finally:
                    self.fleet.release(replica)
            finally:
                if payment is not None:
                    payment.ended(outcome)
            self.fleet.ended(replica, ticket, outcome)
            return replica, outcome


def as_sent(body: Mapping[str, Any], left_out: Collection[str]) -> dict[str, Any]:
    """``body`` without the parameters ``left_out``, and with another name for ``max_tokens`` where it is among them."""
    sent = {name: value for name, value in body.items() if name not in left_out}
    return {**sent, "max_completion_tokens": body["max_tokens"]} if "max_tokens" in left_out else sent


def wait_before(outcome: Failure, tries: int, longest: float) -> float:
    """Seconds before the next sending after ``outcome``, the failure number ``tries`` of its kind.

    What the server asks for counts up to ``longest`` seconds. Ours is doubled each time, up to half of it taken off so
    that not all come at once.
    """
    wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.0)
    if outcome.retry_after is None:
        return wait
    if outcome.throttled:  # all sending is held already; this request waits longer where that did not help
        return wait if tries > 2 else 0.0
    return max(wait, min(outcome.retry_after, longest))


def read_api_key(config: EndpointConfig) -> str:
    """The key in the environment variable that ``config`` names.

    Raises:
        EndpointFault: the variable is not set, or holds characters that no key has.
    """
    if config.api_key_env is None:
        return "none"  # the SDK wants one; servers that need no key ignore it
    key = os.environ.get(config.api_key_env, "").strip()
    if not key:
        raise EndpointFault(f"api_key_env: the environment variable {config.api_key_env} is not set")
    if not key.isascii() or not key.isprintable():
        raise EndpointFault(f"api_key_env: {config.api_key_env} holds characters that no key has")
    return key
