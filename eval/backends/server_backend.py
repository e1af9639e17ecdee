"""A model behind an OpenAI-compatible server: the server writes the prompt, counts the tokens and holds the weights.

Each request is a batch of its own: many are under way at once, each answer is written when it comes, and one that is on
disk is never asked for again. What one sending can come to is judged as for teachers (:mod:`srt.endpoint.client`):

=========================== ========================================================================================
an answer                   a generation; one that was declined or filtered is an ``error`` that says so
400, 413, 422               an ``error``: this request cannot be answered, a prompt that is too long among others
429                         fewer in flight, ``Retry-After`` obeyed, sent again
5xx, time-out, broken line  sent again; after all retries it stays missing, and the run ends, when all else is done,
                            with one line that says how many are; started again, it asks for those alone
401, 403, 404, no server    the run ends with one line
=========================== ========================================================================================
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import orjson

from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.backends.tokens import what_became_of_thinking
from eval.grammar import trace_gbnf, trace_regex
from eval.recipe import ServerKind
from srt.endpoint.client import FAILURES_IN_A_ROW, MOST_429, TRIES_WITHOUT_CONTACT, wait_before
from srt.endpoint.config import EndpointConfig
from srt.endpoint.errors import EndpointFault, RequestRejected, Unavailable
from srt.endpoint.limits import AdaptiveLimit
from srt.endpoint.messages import Reply
from srt.endpoint.outcomes import Failure, judge
from srt.endpoint.pictures import DataUris
from srt.endpoint.transport import Lost, NotSent, Transport
from srt.errors import UserError
from srt.prompts import THINK_CLOSES, THINK_OPENS
from srt.records import Image, Message

_SEEDS = 2**31  # some servers take no larger ones


class ServerBackend:
    """The model called ``model`` at ``config.base_url``, as a :class:`~eval.backends.protocol.Backend`.

    ``reads_pictures``: it is shown pictures, as data URIs. ``kind`` says how it is told a grammar. Token counts are the
    server's own; which of them stand for pictures it does not say.
    """

    name = "server"

    def __init__(
        self, model: str, config: EndpointConfig, *, reads_pictures: bool = True, kind: ServerKind = "vllm"
    ) -> None:
        self._model, self._config, self._kind = model, config, kind
        self.reads_pictures = reads_pictures

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the model's name, the server's address and what is done to pictures; weights are not known."""
        parts = [self._model, self._config.base_url.rstrip("/"), self._config.max_side]
        return hashlib.sha256(orjson.dumps(parts)).hexdigest()

    @property
    def description(self) -> dict[str, str]:
        """The name and the address, and that nobody here knows the weights."""
        return {
            "model": self._model,
            "server": self._config.base_url,
            "weights": "unknown: a server may change them under the same name",
            "seeds": "sent, where there is sampling; whether they are obeyed is the server's affair",
        }

    def render(self, messages: Sequence[Message], pictures: int) -> str:
        """The turns as JSON, and how many pictures stand before the first user's text; the template is the server's."""
        turns = [{"role": message.role, "content": message.content} for message in messages]
        return orjson.dumps({"messages": turns, "pictures": pictures}).decode()

    def plan(self, requests: Sequence[Request], settings: GenerationSettings) -> list[list[int]]:
        """Each request alone. The server knows the length of a prompt: one that is too long is an ``error`` there.

        Raises:
            UserError: a setting that cannot be sent to a server.
        """
        beyond = {
            "think_budget": settings.think_budget is not None,
            "min_pixels": settings.min_pixels is not None,
            "max_pixels": settings.max_pixels is not None,
            "ban (without grammar)": settings.ban is not None and settings.grammar is None,
        }
        if told := [name for name, asked in beyond.items() if asked]:
            raise UserError(f"{told[0]}: a server cannot be asked for this; use the back end transformers")
        return [[index] for index in range(len(requests))]

    def generate_batches(
        self, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> Iterator[tuple[int, list[Generation]]]:
        """All at once, as many in flight as the server takes; each is yielded when its answer comes.

        Raises:
            EndpointFault: no answer is to be had there.
            UserError: some requests got none after all retries.
        """
        if not batches:
            return
        missing: list[str] = []
        with asyncio.Runner() as runner:
            talk = runner.run(_start(self, batches, settings))
            try:
                for _ in batches:
                    number, outcome = runner.run(talk.next())
                    if isinstance(outcome, Unavailable):
                        missing.append(str(outcome))
                    else:
                        yield number, [outcome]
            finally:
                runner.run(talk.close())
        if missing:
            raise UserError(
                f"{self._config.base_url}: {len(missing)} of {len(batches)} requests got no answer ({missing[-1]}); "
                "the others are written: the same command asks for those alone"
            )

    def body(self, request: Request, settings: GenerationSettings, pictures: Sequence[str], limit: str) -> bytes:
        """The JSON that is posted; ``pictures`` are data URIs, ``limit`` is the server's name for the token budget."""
        turns = orjson.loads(request.prompt)["messages"]
        if pictures:
            first = next(turn for turn in turns if turn["role"] == "user")
            shown = [{"type": "image_url", "image_url": {"url": uri}} for uri in pictures]
            first["content"] = [*shown, {"type": "text", "text": first["content"]}]
        body: dict[str, Any] = {
            "model": self._model,
            "messages": turns,
            limit: settings.max_new_tokens,
            "temperature": settings.temperature,
        }
        if settings.temperature > 0:
            body["seed"] = request.seed % _SEEDS
        if settings.top_p < 1:
            body["top_p"] = settings.top_p
        if settings.grammar is not None:
            body |= self._grammar(settings)
        return orjson.dumps(body)

    def _grammar(self, settings: GenerationSettings) -> dict[str, Any]:
        if self._kind == "llama.cpp":
            return {"grammar": trace_gbnf(ban=settings.ban)}
        regex = trace_regex(ban=settings.ban)
        return {"regex": regex} if self._kind == "sglang" else {"structured_outputs": {"regex": regex}}


async def _start(
    backend: ServerBackend, batches: Sequence[Sequence[Request]], settings: GenerationSettings
) -> _Conversation:
    return _Conversation(backend, batches, settings)


class _Conversation:
    """The requests under way: as many workers as may be in flight, each with one request at a time."""

    def __init__(
        self, backend: ServerBackend, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> None:
        self._backend, self._settings, self._config = backend, settings, backend._config
        self._todo = iter(enumerate(batches))
        self._transport = Transport(self._config)
        self._limit = AdaptiveLimit(self._config.in_flight)
        self._uris: dict[Path, DataUris] = {}
        self._token_limit = "max_tokens"
        self._contact, self._failed = False, 0
        workers = min(self._config.in_flight, len(batches))
        self._done: asyncio.Queue[tuple[int, Generation | Unavailable | Exception]] = asyncio.Queue(workers)
        self._workers = [asyncio.create_task(self._work()) for _ in range(workers)]

    async def next(self) -> tuple[int, Generation | Unavailable]:
        """The next outcome, with the number of its batch; what ends the run is raised."""
        number, outcome = await self._done.get()
        if isinstance(outcome, Exception) and not isinstance(outcome, Unavailable):
            raise outcome
        return number, outcome

    async def close(self) -> None:
        """End what is under way, and the connections."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        await self._transport.close()

    async def _work(self) -> None:
        for number, (request,) in self._todo:
            outcome: Generation | Exception
            try:
                outcome = await self._generation(request)
                self._failed = 0
            except Unavailable as error:
                self._failed += 1
                outcome = error
                if self._failed >= FAILURES_IN_A_ROW:
                    outcome = self._fault(f"{self._failed} requests in a row got no answer; the last: {error}")
            except Exception as error:  # told to whoever waits for it, where it ends the run
                outcome = error
            await self._done.put((number, outcome))

    async def _generation(self, request: Request) -> Generation:
        began = time.monotonic()
        try:
            pictures = [await self._data_uri(request.root, image) for image in request.images]
            reply = await self._ask(request, pictures)
        except RequestRejected as error:
            return _no_generation(str(error), time.monotonic() - began)
        if not reply.output_tokens:
            raise self._fault("its replies have no usage: without the server's own counts there are no token figures")
        finish_reason, why = _ended(reply)
        closing = f"{THINK_CLOSES}\n\n" if reply.text or reply.finish_reason == "stop" else ""
        thought = "" if reply.reasoning is None else f"{THINK_OPENS}\n{reply.reasoning}\n{closing}"
        text = thought + reply.text
        return Generation(
            text=text,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            reasoning_tokens=reply.reasoning_tokens,
            finish_reason=finish_reason,
            seconds=reply.seconds,
            thinking=what_became_of_thinking("", text),
            error=why,
        )

    async def _ask(self, request: Request, pictures: Sequence[str]) -> Reply:
        """Send until there is an answer, or no hope of one."""
        failures, throttled = 0, 0
        while True:
            limit = self._token_limit
            body = self._backend.body(request, self._settings, pictures, limit)
            try:
                outcome = await self._send(body)
            except RequestRejected as error:
                # Some models refuse the one name of the budget and ask for the other.
                if "max_completion_tokens" not in str(error) or limit != "max_tokens":
                    raise
                self._token_limit = "max_completion_tokens"
                continue
            if isinstance(outcome, Reply):
                return outcome
            throttled, failures = throttled + outcome.throttled, failures + (not outcome.throttled)
            given_up = throttled > MOST_429 or failures > self._config.retries
            if outcome.not_sent and not self._contact and (given_up or failures >= TRIES_WITHOUT_CONTACT):
                raise self._fault(f"cannot be reached ({outcome.reason}): is the server running?")
            if given_up:
                raise Unavailable(f"{outcome.reason}, sent {failures + throttled} times")
            await asyncio.sleep(wait_before(outcome, throttled if outcome.throttled else failures))

    async def _send(self, body: bytes) -> Reply | Failure:
        ticket = await self._limit.acquire()
        try:
            began = time.monotonic()
            response = await self._transport.post(body, hashlib.sha256(body).hexdigest())
        except NotSent as error:
            return Failure(str(error), not_sent=True)
        except Lost as error:
            return Failure(str(error), lost=True)
        finally:
            self._limit.release()
        self._contact = True
        outcome = judge(response, time.monotonic() - began, self._backend._model, self._config)
        if isinstance(outcome, Reply):
            self._limit.answered()
        elif outcome.throttled:
            self._limit.throttled(ticket, outcome.retry_after)
        return outcome

    async def _data_uri(self, root: Path, image: Image) -> str:
        uris = self._uris.setdefault(root, DataUris(root, self._config.max_side))
        uri = uris.cached(image)
        if uri is None:
            try:
                uri = await asyncio.to_thread(uris.make, image)
            except UserError as error:
                raise RequestRejected(str(error)) from None
            uris.keep(image, uri)
        return uri

    def _fault(self, reason: str) -> EndpointFault:
        return EndpointFault(f"{self._config.base_url}: {reason}")


def _ended(reply: Reply) -> tuple[Literal["stop", "length", "error"], str | None]:
    """How ``reply`` ended, and why it is no answer where it is none."""
    if reply.refusal is not None:
        return "error", " ".join(f"refused: {reply.refusal}".split())
    if reply.finish_reason == "stop":
        return "stop", None
    if reply.finish_reason == "length":
        return "length", None
    return "error", f"finish_reason: {reply.finish_reason}"


def _no_generation(reason: str, seconds: float) -> Generation:
    return Generation("", 0, 0, "error", seconds, error=reason)
