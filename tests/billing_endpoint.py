"""A stand-in for an OpenAI-compatible endpoint that bills what it really generates.

It keeps its own ledger, in its own way: whatever it has generated is billed, whether the reply reports it, hides it
or never arrives. Nothing here is shared with the accounts of ``srt.llm``. ``MODES`` has one entry for each way in which
servers were seen, or can be imagined, to report or to hide what they bill.

    async with BillingEndpoint("beside_in_total") as server:
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

INPUT, OUTPUT, CACHED = 2.5, 10.0, 0.25
"""Money per million tokens."""


@dataclass
class Generated:
    """One generation: what is billed (``prompt`` tokens, ``cached`` of them, ``written``, ``thought``), and the reply.

    ``usage`` is what the reply reports. ``status`` with 0 is a connection that is dropped, with -1 a reply that never
    comes; ``body`` replaces the whole reply.
    """

    prompt: int
    written: int
    thought: int = 0
    cached: int = 0
    text: str = '{"answer": "x"}'
    usage: dict[str, Any] | None = None
    status: int = 200
    body: bytes | None = None

    @property
    def bill(self) -> float:
        fresh = (self.prompt - self.cached) * INPUT + self.cached * CACHED
        return (fresh + (self.written + self.thought) * OUTPUT) / 1e6


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


Mode = Callable[[Call], Generated]


def plain(call: Call) -> Generated:
    return call.plain()


def beside_in_total(call: Call) -> Generated:
    """xAI: thinking beside the completion; the total has it."""
    found = call.plain(thought=20_000)
    assert found.usage is not None
    found.usage["total_tokens"] += found.thought
    return found


def beside_in_details(call: Call) -> Generated:
    """Thinking in the details alone: larger than the completion, and in no total."""
    found = call.plain(thought=20_000)
    assert found.usage is not None
    found.usage |= {"completion_tokens_details": {"reasoning_tokens": 20_000}}
    return found


def beside_in_both(call: Call) -> Generated:
    """Gemini's gateways: thinking in the details and in the total, beside the completion."""
    found = beside_in_total(call)
    assert found.usage is not None
    found.usage |= {"completion_tokens_details": {"reasoning_tokens": 20_000}}
    return found


def thinking_that_varies(call: Call) -> Generated:
    """Own: how long it thinks is a matter of luck, with a heavy tail."""
    found = call.plain(thought=min(40_000, int(500 * call.dice.paretovariate(0.8))))
    assert found.usage is not None
    found.usage["total_tokens"] += found.thought
    return found


def thinking_that_grows(call: Call) -> Generated:
    """Own: each reply thinks longer than the one before."""
    found = call.plain(thought=500 * call.n)
    assert found.usage is not None
    found.usage["total_tokens"] += found.thought
    return found


def thinking_that_begins_late(call: Call) -> Generated:
    """Own: harmless for 20 replies, then each thinks long."""
    found = call.plain(thought=0 if call.n < 20 else 20_000)
    assert found.usage is not None
    found.usage["total_tokens"] += found.thought
    return found


def limit_ignored(call: Call) -> Generated:
    """``max_tokens`` is ignored: the completion is many times longer, and is reported."""
    return call.plain(written=20 * call.limit)


def small_pictures_that_cost(call: Call) -> Generated:
    """gpt-4o-mini: 8,512 tokens for a small picture."""
    return _pictures(call, 8_512)


def tiled_pictures(call: Call) -> Generated:
    """gpt-4o-mini: 25,501 tokens for 1024 x 1024 by the tile formula."""
    return _pictures(call, 25_501)


def pictures_beyond_all(call: Call) -> Generated:
    """Own: more for a picture than any default."""
    return _pictures(call, 70_000)


def pictures_that_vary(call: Call) -> Generated:
    """Own: each picture has another size, the first a small one."""
    return _pictures(call, call.dice.choice((85, 765, 1_105, 60_000)) if call.n else 85)


def hidden_prompt(call: Call) -> Generated:
    """Own: the gateway puts 30,000 tokens of its own before each prompt."""
    call.prompt += 30_000
    return call.plain()


def cached_openai(call: Call) -> Generated:
    found = call.plain(cached=int(0.9 * call.prompt))
    assert found.usage is not None
    found.usage["prompt_tokens_details"] = {"cached_tokens": found.cached}
    return found


def cached_deepseek(call: Call) -> Generated:
    found = call.plain(cached=int(0.9 * call.prompt))
    assert found.usage is not None
    found.usage |= {
        "prompt_cache_hit_tokens": found.cached,
        "prompt_cache_miss_tokens": found.prompt - found.cached,
    }
    return found


def gateway_time_outs(call: Call) -> Generated:
    """Half the replies are generated and lost by the gateway: billed."""
    found = call.plain(written=call.limit)
    found.status = (408, 499, 504, 524)[call.n % 4] if call.dice.random() < 0.5 else 200
    return found


def dropped_connections(call: Call) -> Generated:
    found = call.plain(written=call.limit)
    found.status = 0 if call.dice.random() < 0.5 else 200
    return found


def late_replies(call: Call) -> Generated:
    """Half the replies come after the client's time-out."""
    found = call.plain(written=call.limit)
    found.status = -1 if call.dice.random() < 0.5 else 200
    return found


def torn_replies(call: Call) -> Generated:
    """Own: status 200, half of the JSON."""
    found = call.plain(written=call.limit)
    found.body = b'{"choices": [{"message": {"content": "x"' if call.dice.random() < 0.5 else None
    return found


def errors_in_a_200(call: Call) -> Generated:
    """Own: the provider behind a gateway fails in mid-reply: status 200, an error inside, billed."""
    found = call.plain(written=call.limit)
    if call.dice.random() < 0.5:
        found.body = b'{"error": {"code": 502, "message": "the provider disconnected"}}'
    return found


def prompt_tokens_alone(call: Call) -> Generated:
    found = call.plain(written=call.limit)
    found.usage = {"prompt_tokens": found.prompt}
    return found


def no_usage(call: Call) -> Generated:
    found = call.plain(written=call.limit)
    found.usage = None
    return found


def zero_for_a_text(call: Call) -> Generated:
    """Own: a text, and a count of 0 tokens for it."""
    found = call.plain(written=call.limit)
    found.usage = {"prompt_tokens": found.prompt, "completion_tokens": 0, "total_tokens": found.prompt}
    return found


def refusals_that_thought(call: Call) -> Generated:
    """Own: an empty reply, after long thinking that the total alone has."""
    found = Generated(call.prompt, 0, thought=5_000, text="")
    found.usage = {"prompt_tokens": found.prompt, "completion_tokens": 0, "total_tokens": found.prompt + 5_000}
    return found


def other_names(call: Call) -> Generated:
    """Own: the names of OpenAI's Responses API, as some gateways pass them on."""
    found = call.plain(thought=3_000)
    found.usage = {
        "input_tokens": found.prompt,
        "output_tokens": found.written + found.thought,
        "output_tokens_details": {"reasoning_tokens": found.thought},
    }
    return found


def counts_as_text(call: Call) -> Generated:
    """Own: counts as text and as fractions."""
    found = call.plain(written=call.limit)
    found.usage = {"prompt_tokens": str(found.prompt), "completion_tokens": float(found.written)}
    return found


def half_of_all(call: Call) -> Generated:
    """Own: every second reply reports nothing, the first and all others think beside the completion."""
    found = beside_in_total(call)
    found.usage = None if call.n % 2 else found.usage
    return found


MODES: dict[str, Mode] = {
    mode.__name__: mode
    for mode in (
        plain, beside_in_total, beside_in_details, beside_in_both, thinking_that_varies, thinking_that_grows,
        thinking_that_begins_late, limit_ignored, small_pictures_that_cost, tiled_pictures, pictures_beyond_all,
        pictures_that_vary, hidden_prompt, cached_openai, cached_deepseek, gateway_time_outs, dropped_connections,
        late_replies, torn_replies, errors_in_a_200, prompt_tokens_alone, no_usage, zero_for_a_text,
        refusals_that_thought, other_names, counts_as_text, half_of_all,
    )
}  # fmt: skip
REPORTED = frozenset(MODES) - {
    "gateway_time_outs", "dropped_connections", "late_replies", "torn_replies", "errors_in_a_200",
    "prompt_tokens_alone", "no_usage", "zero_for_a_text", "half_of_all",
}  # fmt: skip
"""Modes in which every generation is reported: what a client says it spent must be the bill."""
SHOWS_PICTURES = frozenset({"small_pictures_that_cost", "tiled_pictures", "pictures_beyond_all", "pictures_that_vary"})


def _pictures(call: Call, each: int) -> Generated:
    call.prompt += each * call.pictures
    return call.plain()


@dataclass
class BillingEndpoint:
    """Serves while the ``async with`` block runs. ``billed`` is the sum of its ledger, ``largest`` one bill."""

    mode: str
    delay: float = 0.01
    seed: int = 0
    ledger: list[tuple[str, float]] = field(default_factory=list)
    most_at_once: int = 0
    url: str = ""

    def __post_init__(self) -> None:
        self._came: Counter[str] = Counter()
        self._dice = random.Random(f"{self.mode} {self.seed}")
        self._serving = 0

    @property
    def billed(self) -> float:
        return sum(bill for _, bill in self.ledger)

    @property
    def largest(self) -> dict[str, float]:
        return {model: max(bill for name, bill in self.ledger if name == model) for model, _ in self.ledger}

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
        made = MODES[self.mode](call)
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
        if made.body is not None:
            return web.Response(body=made.body, content_type="application/json")
        if made.status != 200:
            return web.json_response({"error": {"message": "gateway time-out"}}, status=made.status)
        message = {"role": "assistant", "content": made.text}
        reply = {"model": model, "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        return web.json_response({**reply, "usage": made.usage})
