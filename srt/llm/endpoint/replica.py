"""One address of an endpoint: its connections, and one exchange with it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import aiohttp
import httpx2
from openai import APIConnectionError, AsyncOpenAI, DefaultAioHttpClient

from srt.llm.config import EndpointConfig
from srt.llm.endpoint.concurrency import AdaptiveLimit
from srt.llm.endpoint.response import Failure, Response, read_response, read_retry_after
from srt.llm.endpoint.served_models import ServedModels, read_models
from srt.llm.llm_errors import EndpointFault
from srt.llm.request import Reply

MOST_BYTES: Final = 32 * 2**20
"""A reply that is larger is not read to its end."""
IDLE_S: Final = 3.0
"""An idle connection is closed after this. uvicorn, which vLLM and SGLang are built on, closes it after 5: to be first
avoids a request on a connection that is just being closed."""
PROBE_S: Final = 10.0
"""A list of models that takes longer counts as no answer."""


class Replica:
    """The server at ``url``; ``key`` is sent to it, and masked in what is shown of its replies.

    The openai SDK owns address, key, headers and connections (its aiohttp client: what a request costs its default one
    grows with the requests in flight). Retries, time-outs and limits are ours, so the SDK's are off. A redirect is not
    followed: it would take the key to another place.

    Raises:
        EndpointFault: ``url`` is no address.
    """

    def __init__(self, url: str, config: EndpointConfig, key: str) -> None:
        self.url = url
        self._config = config.model_copy(update={"base_url": (url,)})  # what it says of itself names this address
        self._key = key
        self.limit = AdaptiveLimit(config.in_flight, config.longest_retry_after_s)
        connections = httpx2.Limits(
            max_connections=config.in_flight, max_keepalive_connections=config.in_flight, keepalive_expiry=IDLE_S
        )
        http = DefaultAioHttpClient(
            limits=connections, timeout=None, follow_redirects=False, event_hooks={"response": [_raise_for_status]}
        )
        try:
            self.sdk = AsyncOpenAI(base_url=url, api_key=key, http_client=http, max_retries=0, timeout=None)
        except httpx2.InvalidURL as error:
            raise EndpointFault(f"base_url: {url[:200]!r} is no address: {error}") from None
        self.contact = False
        """Whether it has ever accepted a connection."""
        self.models: ServedModels | None = None
        """The models that it serves, as far as it has said so: :meth:`list_models`."""
        self._deadlines: set[asyncio.Timeout] = set()

    async def complete(self, body: Mapping[str, Any], key: str, *, answered: bool) -> Reply | Failure:
        """One POST of ``body``, with the idempotency key ``key``; to ``/completions`` where it has a ``prompt``.

        ``answered``: the model has answered before.
        """
        began = time.monotonic()
        model = body["model"]

        async def post() -> Response:
            # Streamed, so that the size of a reply stays bounded. It is sent as one JSON, not token by token.
            extra: dict[str, Any] = {
                "extra_body": {name: body[name] for name in body if name not in ("model", "messages", "prompt")},
                "extra_headers": {"Idempotency-Key": key},
            }
            if "prompt" in body:
                created = self.sdk.completions.with_streaming_response.create(
                    model=model, prompt=body["prompt"], **extra
                )
            else:
                created = self.sdk.chat.completions.with_streaming_response.create(
                    model=model, messages=body["messages"], **extra
                )
            async with created as streamed:
                return Response(streamed.status_code, None, None, await _read(streamed.iter_bytes()))

        most = self._config.timeout_for(body.get("max_tokens") or body.get("max_completion_tokens") or 0)
        response = await self._exchange(post, most, " (timeout_s)")
        if isinstance(response, Failure):
            return response
        is_api = answered or self.models is not None
        seconds = time.monotonic() - began
        read = partial(read_response, answered=answered, is_api=is_api)
        outcome = read(response, seconds, model, self._config)
        if isinstance(outcome, Failure) and len(self._key) >= 8:  # some servers quote it in their errors
            outcome = read(_masked(response, self._key), seconds, model, self._config)
        return outcome

    async def list_models(self) -> Failure | None:
        """Ask it for its models (``GET /models``). A :class:`Failure` where it does not answer, or answers 5xx.

        A server that answers without such a list leaves :attr:`models` as ``None``.
        """

        async def get() -> Response:
            async with self.sdk.models.with_streaming_response.list() as streamed:
                return Response(streamed.status_code, None, None, await _read(streamed.iter_bytes()))

        response = await self._exchange(get, PROBE_S, " to GET /models")
        if isinstance(response, Failure):
            return response
        if response.status >= 500:
            # llama.cpp, and proxies, while a model is being loaded: another try is worth waiting for.
            wait = (read_retry_after(response.retry_after) or 0.0) if response.status == 503 else None
            return Failure(f"status {response.status} to GET /models", retry_after=wait)
        self.models = read_models(response.body) if response.status == 200 else None
        return None

    def delayed(self, seconds: float) -> None:
        """All time limits move by so much."""
        for deadline in self._deadlines:
            if (when := deadline.when()) is not None and not deadline.expired():
                deadline.reschedule(when + seconds)

    async def close(self) -> None:
        """Close all connections."""
        await self.sdk.close()

    async def _exchange(self, send: Callable[[], Awaitable[Response]], most: float, name: str) -> Response | Failure:
        """What ``send`` gets within ``most`` seconds, an error status too; a :class:`Failure` where that is nothing."""
        deadline = asyncio.timeout(most)
        self._deadlines.add(deadline)
        try:
            async with deadline:
                response = await send()
        except ErrorStatus as error:
            response = error.response
        except TimeoutError:
            return Failure(f"no answer within {most:g} s{name}", lost=True)
        except _TooLarge as error:
            return Failure(str(error), lost=True)
        except httpx2.DecodingError as error:
            return Failure(f"the reply cannot be decoded: {error}", lost=True, unreadable=True)
        except UnicodeError as error:  # a host that is no name (a..b)
            return Failure(str(error)[:200], not_sent=True)
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
        self.contact = True
        return response


@dataclass(eq=False)
class ErrorStatus(Exception):
    """A status other than 2xx."""

    response: Response


def _masked(response: Response, key: str) -> Response:
    location = response.location and response.location.replace(key, "***")
    return replace(response, location=location, body=response.body.replace(key.encode(), b"***"))


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
