"""A stand-in for an endpoint with OpenAI's batch API, which bills what it generates, at half the price in a batch.

    async with BatchEndpoint(responder, polls=2) as server:
        ...  # server.url

Its state outlives the ``async with`` block: enter it again, and the files and batches are still there. ``ledger`` has
the SHA-256 of each question that was generated, its bill, and whether it came in a batch. ``fails(custom_id, body)``
decides what becomes of one request of a batch: ``None`` a reply, ``"missing"``, ``"expired"``, or a status.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

INPUT, OUTPUT = 2.5, 10.0
"""Money per million tokens, outside a batch."""

Line = dict[str, Any]
Fails = Callable[[str, Line], str | int | None]


@dataclass
class BatchEndpoint:
    """``polls`` is how often a batch is asked for until it has ended; ``lose_create`` drops so many confirmations.

    ``validate`` gives the errors of a batch that fails as such. ``thought`` tokens are written beside each completion.
    """

    responder: Callable[[Line, random.Random], str]
    polls: int = 2
    fails: Fails = lambda custom_id, body: None
    validate: Callable[[list[Line]], list[Line]] = lambda lines: []
    lose_create: int = 0
    status: str = "completed"
    refuses: dict[str, str] = field(default_factory=dict)
    thought: int = 0
    port: int = 0
    ledger: list[tuple[str, float, bool]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, Line] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def billed(self) -> float:
        return sum(bill for _, bill, _ in self.ledger)

    async def __aenter__(self) -> BatchEndpoint:
        app = web.Application(client_max_size=2**28)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/files", self._upload)
        app.router.add_get("/v1/files/{id}/content", self._content)
        app.router.add_post("/v1/batches", self._create)
        app.router.add_get("/v1/batches", self._list)
        app.router.add_get("/v1/batches/{id}", self._retrieve)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        assert site._server is not None
        self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def _generate(self, body: Line, batch: bool) -> Line:
        text = self.responder(body, random.Random(0))
        given, written = len(orjson.dumps(body["messages"])) // 4, len(text) // 4 + 1
        bill = (given * INPUT + (written + self.thought) * OUTPUT) / 1e6 * (0.5 if batch else 1.0)
        self.ledger.append((hashlib.sha256(orjson.dumps(body["messages"])).hexdigest(), bill, batch))
        total = given + written + self.thought
        usage = {"prompt_tokens": given, "completion_tokens": written, "total_tokens": total}
        message = {"role": "assistant", "content": text}
        return {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage}

    def _refused(self, body: Line) -> str | None:
        return next((words for name, words in self.refuses.items() if name in body), None)

    async def _chat(self, request: web.Request) -> web.Response:
        body = orjson.loads(await request.read())
        if words := self._refused(body):
            return web.json_response({"error": {"message": words}}, status=400)
        return web.json_response(self._generate(body, False))

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        found = form["file"]
        assert form["purpose"] == "batch"
        assert isinstance(found, web.FileField)
        name = f"file-{len(self.files)}"
        self.files[name] = found.file.read()
        return web.json_response({"id": name, "object": "file", "purpose": "batch"})

    async def _create(self, request: web.Request) -> web.Response:
        asked = orjson.loads(await request.read())
        lines = [orjson.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        assert asked["endpoint"] == "/v1/chat/completions"
        assert len({line["body"]["model"] for line in lines}) == 1
        assert len({line["custom_id"] for line in lines}) == len(lines)
        name, errors = f"batch-{len(self.batches)}", self.validate(lines)
        self.batches[name] = {
            "id": name, "object": "batch", "endpoint": asked["endpoint"], "completion_window": "24h",
            "created_at": 0, "input_file_id": asked["input_file_id"], "status": "failed" if errors else "in_progress",
            "errors": {"object": "list", "data": errors} if errors else None, "left": self.polls, "lines": lines,
        }  # fmt: skip
        if self.lose_create > 0:
            self.lose_create -= 1
            assert request.transport is not None
            request.transport.abort()
        return web.json_response(self._shown(name))

    def _shown(self, name: str) -> Line:
        return {key: value for key, value in self.batches[name].items() if key not in ("left", "lines")}

    async def _list(self, request: web.Request) -> web.Response:
        found = [self._shown(name) for name in reversed(self.batches)]
        return web.json_response({"object": "list", "data": found, "has_more": False})

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self.batches[request.match_info["id"]]
        batch["left"] -= 1
        if batch["status"] == "in_progress" and batch["left"] < 0:
            self._finish(batch)
        return web.json_response(self._shown(batch["id"]))

    def _finish(self, batch: Line) -> None:
        written: dict[str, list[Line]] = {"output_file_id": [], "error_file_id": []}
        for line in batch["lines"]:
            name, body = line["custom_id"], line["body"]
            fault = 400 if self._refused(body) else self.fails(name, body)
            found: Line = {"id": "x", "custom_id": name, "response": None, "error": None}
            if fault is None:
                found["response"] = {"status_code": 200, "body": self._generate(body, True)}
            elif isinstance(fault, int):
                words = self._refused(body) or "so it is"
                found["response"] = {"status_code": fault, "body": {"error": {"message": words}}}
            else:
                found["error"] = {"code": "batch_expired", "message": "it took too long"}
            if fault != "missing":
                written["output_file_id" if fault is None else "error_file_id"].append(found)
        batch["status"] = self.status
        for kind, lines in written.items():
            if lines:
                batch[kind] = f"{kind}-{batch['id']}"
                self.files[batch[kind]] = b"".join(orjson.dumps(line) + b"\n" for line in lines)

    async def _content(self, request: web.Request) -> web.Response:
        return web.Response(body=self.files[request.match_info["id"]])
