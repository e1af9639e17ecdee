"""A stand-in for an OpenAI-compatible endpoint that bills what it really generates.

It keeps its own ledger, in its own way: whatever it has generated is billed, whether the reply reports it, hides it
or never arrives. Nothing here is shared with the accounts of ``srt.llm``. A mode is one way in which a server reports
or hides what it bills.

    async with BillingEndpoint("beside_in_total", beside_in_total) as server:
        ...  # server.url
        server.billed, server.largest
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

INPUT, OUTPUT, CACHED, STORED, STORED_LONG = 2.5, 10.0, 0.25, 3.125, 5.0
"""Money per million tokens; ``STORED`` is of tokens that are written to a cache, ``STORED_LONG``
for an hour."""


@dataclass
class Generated:
    """One generation: what is billed (``prompt`` tokens, ``cached`` and ``stored`` among them, ``written``,
    ``thought``; ``surcharge`` times the list price, nothing where it is not ``billed``), and the reply.

    ``usage`` is what the reply reports. ``status`` with 0 is a connection that is dropped before the reply, with -1 a
    reply that never comes, with -2 one that breaks off in its body; ``body`` replaces the whole reply. ``message`` and
    ``choices`` are added to the one choice.
    """

    prompt: int
    written: int
    thought: int = 0
    cached: int = 0
    stored: int = 0
    stored_long: int = 0
    surcharge: float = 1.0
    text: str = '{"answer": "x"}'
    usage: Any = None
    status: int = 200
    body: bytes | None = None
    billed: bool = True
    message: dict[str, Any] = field(default_factory=dict)
    choices: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def bill(self) -> float:
        fresh = (self.prompt - self.cached - self.stored) * INPUT + self.cached * CACHED + self.stored * STORED
        long = self.stored_long * (STORED_LONG - STORED)
        return self.billed * self.surcharge * (fresh + long + (self.written + self.thought) * OUTPUT) / 1e6


@dataclass
class Call:
    """One request as a mode sees it; ``n`` counts them by model, from 0."""

    n: int
    model: str
    prompt: int
    limit: int
    pictures: int
    dice: random.Random

    def plain(self, written: int | None = None, **more: Any) -> Generated:
        made = self.dice.randrange(20, min(self.limit, 200)) if written is None else written
        found = Generated(self.prompt, made, **more)
        found.usage = {
            "prompt_tokens": found.prompt,
            "completion_tokens": found.written,
            "total_tokens": found.prompt + found.written,
        }
        return found

    def full(self, **more: Any) -> Generated:
        """A reply as long as the request allows, with a text of that many tokens."""
        words = "the right triangle has legs three and four so its hypotenuse is five " * self.limit
        return self.plain(self.limit, text=words[: 4 * self.limit], **more)


Mode = Callable[[Call], Generated]


@dataclass
class BillingEndpoint:
    """Serves while the ``async with`` block runs. ``billed`` is the sum of its ledger, ``largest`` one bill.

    ``made`` is what it has generated; ``name`` seeds its dice.
    """

    name: str
    mode: Mode
    delay: float = 0.01
    seed: int = 0
    ledger: list[tuple[str, float]] = field(default_factory=list)
    made: list[tuple[str, Generated]] = field(default_factory=list)
    most_at_once: int = 0
    url: str = ""

    def __post_init__(self) -> None:
        self._came: Counter[str] = Counter()
        self._dice = random.Random(f"{self.name} {self.seed}")
        self._serving = 0

    @property
    def billed(self) -> float:
        return sum(bill for _, bill in self.ledger)

    @property
    def largest(self) -> dict[str, float]:
        return {model: max(bill for name, bill in self.ledger if name == model) for model, _ in self.ledger}

    def export(self, day: str) -> str:
        """What its customer may download: usage by model, all of it on ``day``, in OpenAI's columns, and the cost."""
        lines = ["start_time_iso,model,num_model_requests,input_tokens,output_tokens,cost_usd"]
        for model in self.largest:
            made = [one for name, one in self.made if name == model and one.billed]
            sums = (len(made), sum(one.prompt for one in made), sum(one.written + one.thought for one in made))
            cost = sum(one.bill for one in made)
            lines.append(f"{day}T00:00:00+00:00,{model}-2026-01-31,{','.join(map(str, sums))},{cost:.6f}")
        return "\n".join(lines) + "\n"

    async def __aenter__(self) -> BillingEndpoint:
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._serve)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        assert site._server is not None
        self.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/v1"  # type: ignore[attr-defined]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        body = orjson.loads(await request.read())
        parts = [message["content"] for message in body["messages"]]
        shown = [part for content in parts if isinstance(content, list) for part in content]
        text = "".join(content for content in parts if isinstance(content, str))
        text += "".join(part["text"] for part in shown if part["type"] == "text")
        pictures = sum(part["type"] == "image_url" for part in shown)
        limit = body.get("max_tokens") or body["max_completion_tokens"]
        model = body["model"]
        call = Call(self._came[model], model, len(text) // 4 + 8, limit, pictures, self._dice)
        self._came[model] += 1
        made = self.mode(call)
        self.made.append((model, made))
        self.ledger.append((model, made.bill))  # generated, and so billed, whatever becomes of the reply
        self._serving += 1
        self.most_at_once = max(self.most_at_once, self._serving)
        try:
            await asyncio.sleep(3600 if made.status == -1 else self.delay)
        finally:
            self._serving -= 1
        if made.status == 0:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        if made.status == -2:
            torn = web.StreamResponse(headers={"Content-Length": "1000"})
            await torn.prepare(request)
            await torn.write(b'{"choices": [{"index": 0')
            assert request.transport is not None
            request.transport.close()
            return torn
        if made.body is not None:
            return web.Response(
                body=made.body, status=made.status, content_type="application/json", headers=made.headers
            )
        if made.status != 200:
            return web.json_response(
                {"error": {"message": "gateway time-out"}}, status=made.status, headers=made.headers
            )
        message = {"role": "assistant", "content": made.text, **made.message}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        choices += [
            {"index": n, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            for n, text in enumerate(made.choices, 1)
        ]
        return web.json_response({"model": model, "choices": choices, "usage": made.usage})
