"""A stand-in for an OpenAI-compatible endpoint, with every fault that a real one shows, at set rates and a set seed.

    python tests/fake_endpoint.py --port 0 --delay 0.2 --faults faults.yaml --seed 0 [--responder package.module:name]

prints its base URL on one line. In a test, ``async with FakeEndpoint(...) as fake`` serves from the running loop and
``with fake_process(...) as url`` from a process of its own.

Which fault a request meets follows from the seed, its content and how often that content came before, so that neither
order nor timing changes it. Every request is counted by the SHA-256 of its canonical body, and told in the log.

faults.yaml, all keys optional::

    rates: {stall: 0.02, error_500: 0.02}     # shares of the requests, of the kinds in RATES
    stall_s: 3600                             # how long a stalled request gets no answer
    retry_after_s: 0.05                       # what the 429s with Retry-After say
    capacity: 32                              # more than so many at once get 429
    api_key: secret                           # another key gets 401
    models: [teacher]                         # another model gets 404; GET /v1/models lists them, without it 404
    structured: json_object                   # json_schema (default), json_object or prompt: what is more gets 400
    token_limit: max_completion_tokens        # the name of the limit; another one gets 400
    refuses: {top_k: "Unknown parameter: 'top_k'."}   # a request with this parameter gets 400 with these words
    longest: 2000                             # a last message of more characters gets 400
    tokens: true                              # answers are cut at max_tokens, of 4 characters each
    prompt_text: "{asked}<think>"             # sent where return_prompt_text or verbose asks for it; {asked}: the
                                              # last message
    defaults: {top_k: 20}                     # from generation_config.json: an answer names those that it was left with
    owned_by: llamacpp                        # of its models, as far as it lists any
    named: teacher-2026-11-01                 # the model's name in replies
    ends: eos_token                           # the word for stop; "null" is none
    thought: true                             # the text comes as reasoning_content alone
    usage: beside                             # none: no counts; few: one token; beside: thinking beside the completion,
                                              # in the total

A chat request with ``stream`` is answered in events, all at once. A request with a ``prompt`` is one for
``/completions``. Each of its ``n`` answers is the responder's own, and is cut at the first of its ``stop`` strings;
``return_token_ids`` and ``verbose`` say what ended it, as vLLM and llama.cpp do.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import importlib
import importlib.util
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import orjson
import yaml

Responder = Callable[[dict[str, Any], random.Random], str]

RATES = (
    "stall",
    "rate_limit",
    "rate_limit_after",
    "rate_limit_date",
    "error_500",
    "cut",
    "torn",
    "garbled",
    "html",
    "broken_json",
    "empty",
    "length",
    "refusal",
    "filtered",
    "silent",
    "swap",
)
"""Kinds of fault. The last seven are answers that are paid for: ``filtered`` is empty and has no tokens at all,
``silent`` ends by itself with no tokens, ``swap`` changes two answers in flight."""


@dataclass
class Faults:
    """What goes wrong; see the head of this file."""

    rates: dict[str, float] = field(default_factory=dict)
    stall_s: float = 3600.0
    retry_after_s: float = 0.05
    capacity: int | None = None
    api_key: str | None = None
    models: list[str] | None = None
    structured: str = "json_schema"
    token_limit: str | None = None
    refuses: dict[str, str] = field(default_factory=dict)
    longest: int | None = None
    tokens: bool = False
    prompt_text: str | None = None
    defaults: dict[str, float] = field(default_factory=dict)
    owned_by: str | None = None
    named: str | None = None
    ends: str = "stop"
    thought: bool = False
    usage: str = "whole"

    def __post_init__(self) -> None:
        unknown = set(self.rates) - set(RATES)
        if unknown or sum(self.rates.values()) > 1:
            raise ValueError(f"rates: unknown {sorted(unknown)}, or more than 1 in all; known are {RATES}")

    @classmethod
    def read(cls, path: Path) -> Faults:
        return cls(**(yaml.safe_load(path.read_text(encoding="utf-8")) or {}))


def echo(body: dict[str, Any], rng: random.Random) -> str:
    """The default responder: a JSON object with the end of the question."""
    asked = body["messages"][-1]["content"]
    text = asked if isinstance(asked, str) else asked[-1]["text"]
    return orjson.dumps({"answer": text[-40:], "n": rng.randrange(1000)}).decode()


class FakeEndpoint:
    """Serves while the ``async with`` block runs. ``url`` is the base URL, ``counts`` the requests by content.

    :meth:`kill` ends it as a dying process does; it may be started again at the same port. ``answered`` counts the
    answers that were sent whole, by content.

    The next ``loading`` requests for the list of models get 503.

    ``log`` names a file that gets a line of JSON when a request comes (``sha``, ``key``: its Idempotency-Key,
    ``fault`` or ``null``, ``n`` from 0) and another when an answer is written (``answered``: the sha, ``usage``).
    """

    def __init__(
        self,
        *,
        delay: float = 0.0,
        faults: Faults | None = None,
        seed: int = 0,
        responder: Responder = echo,
        log: Path | None = None,
        port: int = 0,
    ) -> None:
        self.delay, self.faults, self.seed, self.responder, self.port = delay, faults or Faults(), seed, responder, port
        self.counts: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.connections: set[_Connection] = set()
        self.bodies: list[dict[str, Any]] | None = None
        self.loading = 0
        self.serving = 0
        self.most_at_once = 0
        self.answers: dict[int, list[str]] = {}
        self._log = None if log is None else os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> FakeEndpoint:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self, loop), "127.0.0.1", self.port, backlog=4096)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    def kill(self) -> None:
        """Refuse connections, and break those that are open, in the middle of an answer too."""
        assert self._server is not None
        self._server.close()
        for connection in list(self.connections):
            connection.transport.abort()

    def note(self, line: dict[str, Any]) -> None:
        if self._log is not None:
            os.write(self._log, orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))

    def draw(self, sha: str) -> tuple[str | None, random.Random]:
        """The fault of this coming of this content, and the responder's source of chance."""
        n = self.counts[sha]
        self.counts[sha] += 1
        dice = random.Random(f"{self.seed}/{sha}/{n}")
        point = dice.random()
        for kind in RATES:
            point -= self.faults.rates.get(kind, 0.0)
            if point < 0:
                return kind, dice
        return None, dice

    def refusal_of(self, headers: bytes, body: dict[str, Any]) -> tuple[int, str] | None:
        """Status and message where the request as such is wrong."""
        faults = self.faults
        if faults.api_key is not None and f"\r\nauthorization: bearer {faults.api_key}\r\n".encode() not in headers:
            given = (_header(headers, b"authorization") or "").removeprefix("bearer ")
            return 401, f"Incorrect API key provided: {given}"
        if faults.models is not None and body["model"] not in faults.models:
            return 404, f"The model `{body['model']}` does not exist"
        form = body.get("response_format", {}).get("type")
        if form == "json_schema" and faults.structured != "json_schema":
            return 400, "response_format: json_schema is not supported"
        if form == "json_object" and faults.structured == "prompt":
            return 400, "response_format is not supported"
        if faults.token_limit is not None and faults.token_limit not in body:
            return 400, f"Unsupported parameter: use '{faults.token_limit}' instead"
        for name, words in faults.refuses.items():
            if name in body:
                return 400, words
        asked = body["prompt"] if "prompt" in body else body["messages"][-1]["content"]
        if faults.longest is not None and len(asked) > faults.longest:
            return 400, f"This model's maximum context length is {faults.longest}, and the prompt has {len(asked)}"
        return None


class _Connection(asyncio.Protocol):
    """HTTP/1.1 as far as a client that posts JSON needs it: cheap, so that a benchmark measures the client."""

    def __init__(self, fake: FakeEndpoint, loop: asyncio.AbstractEventLoop) -> None:
        self.fake, self.loop = fake, loop
        self.data = bytearray()
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport) or hasattr(transport, "write")
        self.transport = transport  # type: ignore[assignment]
        self.fake.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.fake.connections.discard(self)

    def data_received(self, data: bytes) -> None:
        self.data += data
        end = self.data.find(b"\r\n\r\n")
        if end < 0:
            return
        headers = bytes(self.data[: end + 2]).lower()
        length = int(_header(headers, b"content-length") or 0)
        if len(self.data) < end + 4 + length:
            return
        body = bytes(self.data[end + 4 : end + 4 + length])
        del self.data[: end + 4 + length]
        if headers.startswith(b"get /v1/models "):
            faults = self.fake.faults
            if self.fake.loading:
                self.fake.loading -= 1
                return self.send(503, _error("Loading model"))
            listed = [{"id": name, "object": "model", "owned_by": faults.owned_by} for name in faults.models or []]
            self.send(200 if listed else 404, orjson.dumps({"object": "list", "data": listed}))
        elif headers.startswith(b"get "):
            self.send(200, orjson.dumps({"outcomes": self.fake.outcomes, "cpu_s": time.process_time()}))
        else:
            self.serve(headers, orjson.loads(body))

    def serve(self, headers: bytes, body: dict[str, Any]) -> None:
        fake = self.fake
        sha = hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()
        refused = fake.refusal_of(headers, body)
        fault, dice = (None, random.Random(0)) if refused else fake.draw(sha)
        if fault is None and fake.faults.capacity is not None and fake.serving >= fake.faults.capacity:
            fault = "rate_limit_after"
        outcome = str(refused[0]) if refused else fault or "ok"
        fake.outcomes[outcome] += 1
        if fake.bodies is not None:
            fake.bodies.append(body)
        fake.note(
            {"sha": sha, "key": _header(headers, b"idempotency-key"), "fault": None if outcome == "ok" else outcome}
        )
        if refused:
            self.send(refused[0], _error(refused[1]))
        elif fault in ("rate_limit", "rate_limit_after", "rate_limit_date"):
            self.send(429, _error("Rate limit reached"), _retry_after(fault, fake.faults.retry_after_s))
        else:
            fake.serving += 1
            fake.most_at_once = max(fake.most_at_once, fake.serving)
            number = fake.outcomes.total()
            fake.answers[number] = [fake.responder(body, dice) for _ in range(body.get("n") or 1)]
            if fault == "swap" and len(fake.answers) > 1:
                other = fake.answers[next(iter(fake.answers))]
                mine = fake.answers[number]
                mine[0], other[0] = other[0], mine[0]
            wait = fake.faults.stall_s if fault == "stall" else fake.delay
            if wait:
                self.loop.call_later(wait, self.answer, number, fault, body, sha)
            else:
                self.answer(number, fault, body, sha)

    def answer(self, number: int, fault: str | None, body: dict[str, Any], sha: str) -> None:
        fake = self.fake
        fake.serving -= 1
        content, *others = fake.answers.pop(number)
        if self.transport.is_closing():
            return
        if fault == "error_500":
            return self.send(500, _error("The server had an error"))
        if fault == "html":
            return self.send(200, b"<html><body>Bad gateway</body></html>", b"", b"text/html")
        text: str | None = content
        reason, refused = "stop", None
        if fault == "broken_json":
            text = content[: len(content) // 2] + '"]'
        elif fault == "empty":
            text = ""
        elif fault == "length":
            text, reason = content[: len(content) // 2], "length"
        elif fault == "refusal":
            text, refused = None, "I cannot help with that."
        elif fault == "filtered":
            text, reason = None, "content_filter"
        elif fault == "silent":
            text = None
        most = body.get("max_tokens") or body.get("max_completion_tokens") or 1 << 30
        left = {name: value for name, value in fake.faults.defaults.items() if name not in body}
        if left and text:
            text = f"{text}\nsampled with {left}"
        if fake.faults.tokens and text and len(text) > 4 * most:
            text, reason = text[: 4 * most], "length"
        asked = [{"content": body["prompt"]}] if "prompt" in body else body["messages"]
        choices = [_choice(0, body, text, reason, refused)]
        choices += [_choice(place, body, one, "stop", None) for place, one in enumerate(others, 1)]
        for choice in choices:
            if choice["finish_reason"] == "stop":
                choice["finish_reason"] = None if fake.faults.ends == "null" else fake.faults.ends
            if fake.faults.thought and "message" in choice:
                choice["message"]["reasoning_content"] = choice["message"].pop("content")
        given = sum(len(str(m["content"])) for m in asked) // 4
        written = sum(choice.pop("tokens") for choice in choices)
        usage: dict[str, Any] | None = {"prompt_tokens": given, "completion_tokens": written}
        if fault in ("filtered", "silent"):
            usage = {"prompt_tokens": given if fault == "silent" else 0, "completion_tokens": 0}
        elif fake.faults.usage == "few":
            usage = {"prompt_tokens": given, "completion_tokens": 1}
        elif fake.faults.usage == "none":
            usage = None
        elif fake.faults.usage == "beside":
            usage = {"prompt_tokens": given, "completion_tokens": written, "total_tokens": given + written + 100}
        shown = body.get("prompt") or (fake.faults.prompt_text or "").replace("{asked}", str(asked[-1]["content"]))
        prompt: dict[str, Any] = {"prompt_text": shown or None} if body.get("return_prompt_text") else {}
        if body.get("verbose"):
            prompt = {"__verbose": {"prompt": shown, "stopping_word": choices[0].pop("stop_reason") or ""}}
        reply = orjson.dumps(
            {
                "id": f"chatcmpl-{number}",
                "object": "chat.completion",
                "created": 0,
                "model": fake.faults.named or body["model"],
                "choices": choices,
                "usage": usage,
                **prompt,
            }
        )
        if fault == "torn":
            self.send(200, reply[: len(reply) // 2])
        elif fault == "garbled":
            self.send(200, reply, b"Content-Encoding: gzip\r\n")
        elif fault == "cut":
            self.transport.write(_head(200, len(reply)) + reply[: len(reply) // 2])
            self.transport.close()
        else:
            fake.answered[sha] += 1
            fake.note({"answered": sha, "usage": usage})
            if body.get("stream"):
                self.send(200, _events(orjson.loads(reply)), kind=b"text/event-stream")
            else:
                self.send(200, reply)

    def send(self, status: int, body: bytes, extra: bytes = b"", kind: bytes = b"application/json") -> None:
        self.transport.write(_head(status, len(body), extra, kind) + body)


def _choice(place: int, body: dict[str, Any], text: str | None, reason: str, refused: str | None) -> dict[str, Any]:
    """One choice of a reply, and its ``tokens``, of 4 characters each."""
    most = body.get("max_tokens") or body.get("max_completion_tokens") or 1 << 30
    found = [stop for stop in body.get("stop") or [] if stop in (text or "")]
    line = (text or "").partition(found[0])[0] if found else text
    tokens = min(most, len(line or "") // 4 + 1)
    if body.get("stop") and line and len(line) // 4 + 1 > most:
        line, reason, found = line[: 4 * most], "length", []
    message = {"role": "assistant", "content": line, "refusal": refused}
    said: dict[str, Any] = {"text": line} if "prompt" in body else {"message": message}
    if body.get("stop"):
        said["stop_reason"] = found[0] if found else None
    if body.get("return_token_ids"):
        said["token_ids"] = list(range(tokens))
    return {"index": place, "finish_reason": reason, "tokens": tokens, **said}


def _events(reply: dict[str, Any]) -> bytes:
    """A whole reply as the events of a stream: its text, why it ended, its usage, and the end."""
    choices, usage = reply.pop("choices"), reply.pop("usage")
    head = {**reply, "object": "chat.completion.chunk"}
    said = [{"index": one["index"], "delta": one["message"], "finish_reason": None} for one in choices]
    ends = [{"index": one["index"], "delta": {}, "finish_reason": one["finish_reason"]} for one in choices]
    if usage is not None:
        usage.setdefault("total_tokens", usage["prompt_tokens"] + usage["completion_tokens"])
    events = [{**head, "choices": said}, {**head, "choices": ends}, {**head, "choices": [], "usage": usage}]
    return b"".join(b"data: " + orjson.dumps(event) + b"\n\n" for event in events) + b"data: [DONE]\n\n"


def _head(status: int, length: int, extra: bytes = b"", kind: bytes = b"application/json") -> bytes:
    return b"HTTP/1.1 %d X\r\ncontent-type: %b\r\ncontent-length: %d\r\n%b\r\n" % (status, kind, length, extra)


def _header(headers: bytes, name: bytes) -> str | None:
    at = headers.find(b"\r\n" + name + b":")
    return None if at < 0 else headers[at + len(name) + 3 : headers.find(b"\r\n", at + 2)].strip().decode()


def _error(message: str) -> bytes:
    return orjson.dumps({"error": {"message": message, "type": "fake", "code": None}})


def _retry_after(fault: str, seconds: float) -> bytes:
    if fault == "rate_limit":
        return b""
    if fault == "rate_limit_date":
        when = datetime.now(UTC) + timedelta(seconds=seconds)
        return f"retry-after: {format_datetime(when, usegmt=True)}\r\n".encode()
    return f"retry-after: {seconds}\r\n".encode()


@contextmanager
def fake_process(
    *,
    delay: float = 0.0,
    faults: Faults | None = None,
    seed: int = 0,
    responder: str | None = None,
    log: Path | None = None,
    folder: Path | None = None,
) -> Iterator[str]:
    """The URL of a fake endpoint in a process of its own. ``folder`` is where ``faults`` is written."""
    command = [sys.executable, "-P", __file__, "--delay", str(delay), "--seed", str(seed)]
    if faults is not None:
        assert folder is not None, "name a folder for the faults file"
        path = folder / "faults.yaml"
        path.write_text(yaml.safe_dump({f.name: getattr(faults, f.name) for f in fields(faults)}), encoding="utf-8")
        command += ["--faults", str(path)]
    if responder is not None:
        command += ["--responder", responder]
    if log is not None:
        command += ["--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def _load(name: str) -> Responder:
    """``package.module:function``, or ``file.py:function``."""
    place, _, function = name.rpartition(":")
    if place.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(place).stem, place)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(place)
    found: Responder = getattr(module, function)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds a reply takes")
    parser.add_argument("--faults", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--responder", help="package.module:function or file.py:function, (body, rng) -> str")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()

    async def serve() -> None:
        async with FakeEndpoint(
            delay=options.delay,
            faults=None if options.faults is None else Faults.read(options.faults),
            seed=options.seed,
            responder=echo if options.responder is None else _load(options.responder),
            log=options.log,
            port=options.port,
        ) as fake:
            print(fake.url, flush=True)
            await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
