"""One POST to ``chat/completions``, and how it ended on the wire.

The openai SDK owns address, key, headers and connections (its aiohttp client, with a pool as large as the most
requests in flight, so that nothing waits in the pool). What a request of ours goes through is that client's ``send``
and not ``chat.completions.create``: the latter builds options, URL and headers anew and validates the reply into
models, five times the processor's time of ``send``; ``benchmarks/endpoint_rate.py`` prints both. Retries, time-outs and
limits are ours, so the SDK's are off.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from types import TracebackType
from typing import Final

import aiohttp
import httpx2
from openai import AsyncOpenAI, DefaultAioHttpClient

from srt.endpoint.config import EndpointConfig
from srt.endpoint.errors import EndpointFault

MOST_BYTES: Final = 32 * 2**20
"""A reply that is larger is not read to its end."""
IDLE_S: Final = 3.0
"""An idle connection is closed after this. uvicorn, which vLLM and SGLang stand on, closes it after 5: to be first
avoids a request on a connection that is just being closed."""


@dataclass(frozen=True, slots=True)
class Response:
    """What came back, whatever its status; ``retry_after`` is the header as it is."""

    status: int
    retry_after: str | None
    location: str | None
    body: bytes


class NotSent(Exception):
    """No connection could be made: nothing was asked, nothing is to be paid."""


class Lost(Exception):
    """The request left and no whole reply came. Whether it was answered, and paid for, is not known."""


class Transport:
    """The connections to one endpoint.

    Raises:
        EndpointFault: the environment variable of the key is not set.
    """

    def __init__(self, config: EndpointConfig) -> None:
        self._timeout_s = config.timeout_s
        self._key = _api_key(config)
        limits = httpx2.Limits(
            max_connections=config.in_flight, max_keepalive_connections=config.in_flight, keepalive_expiry=IDLE_S
        )
        # A redirect is not followed: it would take the key to another place.
        self._http = DefaultAioHttpClient(limits=limits, timeout=None, follow_redirects=False)
        self._sdk = AsyncOpenAI(
            base_url=config.base_url, api_key=self._key, http_client=self._http, max_retries=0, timeout=None
        )
        self._url = httpx2.URL(f"{str(self._sdk.base_url).rstrip('/')}/chat/completions")
        sent = {**self._sdk.default_headers, **self._sdk.auth_headers}
        self._headers = httpx2.Headers(
            [
                (name, value)
                for name, value in sent.items()
                if isinstance(value, str) and not name.lower().startswith("x-stainless")  # telemetry
            ]
        )

    async def post(self, body: bytes, idempotency_key: str) -> Response:
        """Send ``body`` (JSON). The time-out runs from here: the caller waits for its turn before.

        Raises:
            NotSent: there was no connection.
            Lost: time-out, broken connection, or a reply too large to read.
        """
        # Given as a stream that is read at once, the body brings no headers of its own, for which httpx2 would look all
        # of them through again: aiohttp sets host and length.
        request = httpx2.Request("POST", self._url, headers=self._headers, stream=httpx2.ByteStream(body))
        request.read()
        request.headers.encoding = "ascii"
        request.headers["idempotency-key"] = idempotency_key
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._http.send(request, stream=True)
                try:
                    data = await _read(response)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise Lost(f"no answer within {self._timeout_s:g} s") from None
        except (httpx2.HTTPError, aiohttp.ClientError, OSError) as error:
            if isinstance(error.__cause__ or error, aiohttp.ClientConnectorError):
                raise NotSent(_reason(error)) from None
            raise Lost(f"the connection broke: {_reason(error)}") from None
        if response.status_code == 200:
            return Response(200, None, None, data)
        told = response.headers
        if response.status_code >= 400 and len(self._key) >= 8:
            data = data.replace(self._key.encode(), b"***")  # some servers quote it in their errors, which are shown
        return Response(response.status_code, told.get("retry-after"), told.get("location"), data)

    async def close(self) -> None:
        """Close all connections."""
        await self._sdk.close()

    async def __aenter__(self) -> Transport:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


async def _read(response: httpx2.Response) -> bytes:
    data = bytearray()
    async for chunk in response.aiter_bytes():
        data += chunk
        if len(data) > MOST_BYTES:
            raise Lost(f"a reply of more than {MOST_BYTES // 2**20} MiB")
    return bytes(data)


def _api_key(config: EndpointConfig) -> str:
    if config.api_key_env is None:
        return "none"  # the SDK wants one; servers that ask for none do not look
    key = os.environ.get(config.api_key_env, "").strip()
    if not key:
        raise EndpointFault(f"api_key_env: the environment variable {config.api_key_env} is not set")
    if not key.isascii() or not key.isprintable():
        raise EndpointFault(f"api_key_env: {config.api_key_env} holds characters that no key has")
    return key


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
