"""What the connection holds to, whatever a server sends."""

from __future__ import annotations

import asyncio
import gzip
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from srt.llm.config import EndpointConfig
from srt.llm.endpoint import replica
from srt.llm.endpoint.client import EndpointClient
from srt.llm.llm_errors import EndpointFault, RequestRejected, Unavailable

KEY = "secret-and-long"
COMPLETION = b'{"choices": [{"finish_reason": "stop", "message": {"content": "hi"}}]}'
BODY = {"model": "m", "messages": [{"role": "user", "content": "?"}], "max_tokens": 5}


@asynccontextmanager
async def serving(*replies: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that gives ``replies``, one for each connection; its address, and what it was sent."""
    left, received = iter(replies), []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        received.append(head + await reader.readexactly(length))
        writer.write(next(left))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", received


def reply(status: int, body: bytes, *headers: bytes) -> bytes:
    lines = [b"HTTP/1.1 %d X" % status, b"content-length: %d" % len(body), b"connection: close", *headers]
    return b"\r\n".join([*lines, b"", body])


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Awaitable[object]]:
    monkeypatch.setenv("FAKE_KEY", KEY)

    async def ask(url: str, **config: object) -> object:
        opened = EndpointClient(EndpointConfig(base_url=url, api_key_env="FAKE_KEY", retries=0, **config))  # type: ignore[arg-type]
        try:
            return (await opened.complete(BODY, "the-key")).text
        finally:
            await opened.close()

    return ask


def test_what_is_sent(ask: Callable[..., Awaitable[object]], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def run() -> bytes:
        async with serving(reply(200, COMPLETION)) as (url, received):
            assert await ask(url) == "hi"
            return received[0]

    sent = asyncio.run(run())
    head, _, body = sent.lower().partition(b"\r\n\r\n")
    assert head.startswith(b"post /v1/chat/completions ")
    assert b"authorization: bearer secret-and-long" in head
    assert b"idempotency-key: the-key" in head
    assert b'"max_tokens":5' in body
    assert KEY not in caplog.text


def test_a_redirect_is_not_followed(ask: Callable[..., Awaitable[object]]) -> None:
    async def run() -> None:
        async with serving(reply(200, COMPLETION)) as (elsewhere, taken):
            moved = reply(307, b"", f"location: {elsewhere}".encode())
            async with serving(moved) as (url, _):
                with pytest.raises(EndpointFault, match=elsewhere):
                    await ask(url)
            assert taken == []

    asyncio.run(run())


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("packed", [False, True])
def test_a_reply_without_end_is_not_read(
    status: int, packed: bool, ask: Callable[..., Awaitable[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "MOST_BYTES", 2**20)
    body = b"x" * 3 * 2**20
    answer = reply(status, gzip.compress(body), b"content-encoding: gzip") if packed else reply(status, body)

    async def run() -> None:
        async with serving(answer) as (url, _):
            with pytest.raises(Unavailable, match="1 MiB"):
                await ask(url)

    asyncio.run(run())


@pytest.mark.parametrize(
    "quoted",
    [
        reply(400, f"the key {KEY} is not valid".encode()),
        reply(307, b"", f"location: http://elsewhere/?key={KEY}".encode()),
        reply(200, f'{{"error": {{"message": "the key {KEY}", "code": 400}}}}'.encode()),
        reply(200, f"the key {KEY}".encode()),
    ],
    ids=["refused", "redirect", "error within", "no JSON"],
)
def test_a_key_that_is_quoted_is_masked(quoted: bytes, ask: Callable[..., Awaitable[object]]) -> None:
    async def run() -> None:
        async with serving(quoted) as (url, _):
            with pytest.raises((RequestRejected, EndpointFault, Unavailable), match=r"\*\*\*") as raised:
                await ask(url)
            assert KEY not in str(raised.value)

    asyncio.run(run())


@pytest.mark.parametrize(
    "url", ["http://256.1.1.1/v1", "http://[v1.x]/v1", "http://a..b/v1", f"http://{'a' * 70}.b/v1"]
)
def test_a_host_that_is_none_ends_the_run(url: str, ask: Callable[..., Awaitable[object]]) -> None:
    with pytest.raises((EndpointFault, Unavailable)):
        asyncio.run(ask(url))
