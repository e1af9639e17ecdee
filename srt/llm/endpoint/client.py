"""One OpenAI-compatible endpoint: send a request until there is an answer, or no hope of one.

The only place that decides when to send again; :mod:`srt.llm.endpoint.response` says what a status means:

=============================== ==================================================================================
what happens                    what is done
=============================== ==================================================================================
a chat completion               returned as it came (cut short, refused and malformed ones too)
400, 413, 422                   sent again without what the endpoint refuses and the caller can do without, else
                                :class:`RequestRejected`
429                             fewer in flight, ``Retry-After`` obeyed, sent again
5xx, 408, 409, 425              sent again after a wait (``Retry-After`` or ours); as many in flight as before
time-out, broken connection,    the same; the answer may have been made, and paid for
a reply that cannot be read
no connection from the start,   :class:`EndpointFault`: the whole run ends
401, 404, 402, no credit, 403
403 of a model that has         :class:`RequestBlocked`: the content was moderated
answered before
=============================== ==================================================================================
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Protocol

import aiohttp
import httpx2
from openai import APIConnectionError, AsyncOpenAI, DefaultAioHttpClient

from srt.llm.config import EndpointConfig
from srt.llm.endpoint.concurrency import LONGEST_HOLD_S, AdaptiveLimit
from srt.llm.endpoint.response import Failure, Response, read_response, refused_parameters
from srt.llm.llm_errors import EndpointFault, RunStopping, Unavailable
from srt.llm.request import Reply

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 30.0
MOST_429: Final = 40
"""How often one request meets a 429 before it is given up: each time fewer are in flight, so this is patience."""
TRIES_WITHOUT_CONTACT: Final = 3
"""An endpoint that never accepted a connection is given up after so many tries, not after all retries."""
FAILURES_IN_A_ROW: Final = 32
"""After so many requests in a row without an answer the run ends: what fails them all is not the requests' fault."""
MOST_BYTES: Final = 32 * 2**20
"""A reply that is larger is not read to its end."""
IDLE_S: Final = 3.0
"""An idle connection is closed after this. uvicorn, which vLLM and SGLang are built on, closes it after 5: to be first
avoids a request on a connection that is just being closed."""


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
    """The connections to one endpoint, and how many requests are in flight there.

    The openai SDK owns address, key, headers and connections (its aiohttp client: what a request costs its default one
    grows with the requests in flight). Retries, time-outs and limits are ours, so the SDK's are off. A redirect is not
    followed: it would take the key to another place.

    Raises:
        EndpointFault: the environment variable of the key is not set.
    """

    def __init__(self, config: EndpointConfig) -> None:
        self._config = config
        self.slots = AdaptiveLimit(config.in_flight)
        self._key = _api_key(config)
        connections = httpx2.Limits(
            max_connections=config.in_flight, max_keepalive_connections=config.in_flight, keepalive_expiry=IDLE_S
        )
        http = DefaultAioHttpClient(
            limits=connections, timeout=None, follow_redirects=False, event_hooks={"response": [_raise_for_status]}
        )
        self.sdk = AsyncOpenAI(
            base_url=config.base_url, api_key=self._key, http_client=http, max_retries=0, timeout=None
        )
        self.left_out: dict[str, dict[str, str]] = {}
        """By model, parameters that the endpoint does not take, with its words; requests are sent without them.
        ``max_tokens`` among them is sent as ``max_completion_tokens``."""
        self.answered: set[str] = set()
        """The models that have answered."""
        self._deadlines: set[asyncio.Timeout] = set()
        self._contact = False
        self._failures = 0
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
        """The answer to ``body``, which is what ``/chat/completions`` takes; ``key`` is its idempotency key.

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
        while True:
            gone = {name: why for name, why in {**self.left_out.get(model, {}), **refused}.items() if name in body}
            sent = as_sent(body, gone)
            outcome = await self._send(sent, key, payment, gone)
            if isinstance(outcome, Reply):
                self._failures = 0
                self.answered.add(model)
                if refused:
                    self.left_out[model] = self.left_out.get(model, {}) | refused
                return outcome
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
            if outcome.not_sent and not self._contact and (given_up or failures >= TRIES_WITHOUT_CONTACT):
                raise self.fault(f"cannot be reached ({outcome.reason}): is the server running?")
            if given_up or self.closing:
                error = Unavailable(f"{body['model']}: {outcome.reason} (sent {failures + throttled} times)")
                self.count_failure(error)
                raise error
            await asyncio.sleep(wait_before(outcome, throttled if outcome.throttled else failures))

    def count_failure(self, error: Exception) -> None:
        """One more request without an answer, because of ``error``.

        Raises:
            EndpointFault: it is one of :data:`FAILURES_IN_A_ROW`.
        """
        self._failures += 1
        if self._failures >= FAILURES_IN_A_ROW:
            raise self.fault(f"{self._failures} requests in a row got no answer; the last: {error}") from None

    def fault(self, reason: str | EndpointFault) -> EndpointFault:
        """The error to raise because of ``reason``; from now on nothing is sent."""
        self._fault = EndpointFault(f"{self._config.base_url}: {reason}") if isinstance(reason, str) else reason
        return self._fault

    def delayed(self, seconds: float) -> None:
        """Nothing was read for so long, because this process waited for something else: all time limits move."""
        for deadline in self._deadlines:
            if (when := deadline.when()) is not None and not deadline.expired():
                deadline.reschedule(when + seconds)

    async def close(self) -> None:
        """Close all connections."""
        await self.sdk.close()

    async def _send(
        self, body: Mapping[str, Any], key: str, payment: Payment | None, left_out: Mapping[str, str]
    ) -> Reply | Failure:
        """Money, a slot, one POST, the accounts."""
        while True:
            if self.closing:
                raise RunStopping
            if payment is not None:
                await payment.reserve()
            outcome: Reply | Failure | None = None
            try:
                ticket = await self.slots.acquire()
                try:
                    if self._fault is not None:
                        raise EndpointFault(str(self._fault))
                    if self.closing or (payment is not None and not payment.leaving(left_out)):
                        continue
                    outcome = await self._post(body, key)
                finally:
                    self.slots.release()
            finally:
                if payment is not None:
                    payment.ended(outcome)
            if isinstance(outcome, Reply):
                self.slots.answered()
            elif outcome.throttled:
                self.slots.throttled(ticket, outcome.retry_after)
            return outcome

    async def _post(self, body: Mapping[str, Any], key: str) -> Reply | Failure:
        began = time.monotonic()
        most = self._config.timeout_for(body.get("max_tokens") or body.get("max_completion_tokens") or 0)
        deadline = asyncio.timeout(most)
        try:
            self._deadlines.add(deadline)
            async with (
                deadline,
                # Streamed, so that the size of a reply stays bounded. It is sent as one JSON, not token by token.
                self.sdk.chat.completions.with_streaming_response.create(
                    model=body["model"],
                    messages=body["messages"],
                    extra_body={name: value for name, value in body.items() if name not in ("model", "messages")},
                    extra_headers={"Idempotency-Key": key},
                ) as streamed,
            ):
                response = Response(streamed.status_code, None, None, await _read(streamed.iter_bytes()))
        except ErrorStatus as error:
            response = error.response
            if len(self._key) >= 8:  # some servers quote it in their errors, which are shown
                response = replace(response, body=response.body.replace(self._key.encode(), b"***"))
        except TimeoutError:
            return Failure(f"no answer within {most:g} s (timeout_s)", lost=True)
        except _TooLarge as error:
            return Failure(str(error), lost=True)
        except (APIConnectionError, httpx2.HTTPError, aiohttp.ClientError, OSError) as error:
            cause: BaseException = error
            while cause.__cause__ is not None and not isinstance(cause, aiohttp.ClientError):
                cause = cause.__cause__
            reason = " ".join(str(cause).split())[:200] or type(cause).__name__
            if isinstance(cause, aiohttp.ClientConnectorError):
                return Failure(reason, not_sent=True)
            return Failure(f"the connection broke: {reason}", lost=True)
        finally:
            self._deadlines.discard(deadline)
        self._contact = True
        model = body["model"]
        seconds = time.monotonic() - began
        return read_response(response, seconds, model, self._config, answered=model in self.answered)


def as_sent(body: Mapping[str, Any], left_out: Collection[str]) -> dict[str, Any]:
    """``body`` without the parameters ``left_out``, and with another name for ``max_tokens`` where it is among them."""
    sent = {name: value for name, value in body.items() if name not in left_out}
    return {**sent, "max_completion_tokens": body["max_tokens"]} if "max_tokens" in left_out else sent


def wait_before(outcome: Failure, tries: int) -> float:
    """Seconds before the next sending after ``outcome``, the failure number ``tries`` of its kind.

    Doubled each time, up to half of it taken off so that not all come at once.
    """
    wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (tries - 1)) * random.uniform(0.5, 1.0)
    if outcome.retry_after is None:
        return wait
    if outcome.throttled:  # all sending is held already; this request waits longer where that did not help
        return wait if tries > 2 else 0.0
    return max(wait, min(outcome.retry_after, LONGEST_HOLD_S))


@dataclass(eq=False)
class ErrorStatus(Exception):
    """A status other than 2xx."""

    response: Response


class _TooLarge(Exception):
    """A reply of more than :data:`MOST_BYTES`."""


async def _raise_for_status(response: httpx2.Response) -> None:
    """A hook of the HTTP client: the SDK would read the body of an error whatever its size."""
    if not response.is_success:
        headers, body = response.headers, await _read(response.aiter_bytes())
        raise ErrorStatus(Response(response.status_code, headers.get("retry-after"), headers.get("location"), body))


async def _read(chunks: AsyncIterator[bytes]) -> bytes:
    data = bytearray()
    async for chunk in chunks:
        data += chunk
        if len(data) > MOST_BYTES:
            raise _TooLarge(f"a reply of more than {MOST_BYTES // 2**20} MiB")
    return bytes(data)


def _api_key(config: EndpointConfig) -> str:
    if config.api_key_env is None:
        return "none"  # the SDK wants one; servers that need no key ignore it
    key = os.environ.get(config.api_key_env, "").strip()
    if not key:
        raise EndpointFault(f"api_key_env: the environment variable {config.api_key_env} is not set")
    if not key.isascii() or not key.isprintable():
        raise EndpointFault(f"api_key_env: {config.api_key_env} holds characters that no key has")
    return key
