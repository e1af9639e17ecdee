"""A model behind an OpenAI-compatible server: the server writes the prompt, counts the tokens and holds the weights.

Each request is a batch of its own: many are under way at once, each answer is written when it comes, and one that is on
disk is never asked for again. The client is that of teachers (:mod:`srt.llm.endpoint.client`):

=========================== ========================================================================================
what happens                what is done
=========================== ========================================================================================
an answer                   a generation, an empty one too; one that was declined or filtered, or has no counts of
                            tokens, is an ``error`` that says so
400, 413, 422               sent again without the sampling parameters that the server does not take, which are
                            recorded; else an ``error``: a prompt that is too long among others
the first ones all refused  the run ends with the server's words: as many as are in flight at once, all alike
429                         fewer in flight, ``Retry-After`` obeyed, sent again
5xx, time-out, broken line  sent again; after all retries it stays missing, and the run ends, when all else is done,
                            with one line that says how many are; started again, it asks for those alone
401, 404, no server, 403      the run ends with one line; a 403 of a model that has answered is an ``error``
=========================== ========================================================================================
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Literal

import orjson

from eval.backends.protocol import Generation, GenerationSettings, Request, ServerType
from eval.backends.token_counts import think_state
from eval.backends.trace_grammar import trace_gbnf, trace_regex
from eval.decoding.decode_settings import REDRAW_TEMPERATURE
from eval.decoding.guide import Guide, LineDraft, Verdict
from eval.decoding.guided_text import GuidedText
from eval.decoding.refused_lines import refused_lines
from eval.decoding.served_lines import DrawnLine, LinesAsked, LinesDrawn, write_lines
from eval.decoding.verdicts import Verdicts
from eval.decoding.ways import WAYS
from srt.images.data_uri import DataUris
from srt.io.errors import UserError
from srt.io.records import Message
from srt.language.prompts import THINK_CLOSES, THINK_OPENS
from srt.language.template_kwargs import NO_KWARGS, TemplateKwargs
from srt.llm.config import EndpointConfig
from srt.llm.endpoint.client import EndpointClient
from srt.llm.llm_errors import EndpointFault, RequestRejected, Unavailable
from srt.llm.request import Reply

_SEEDS = 2**31  # some servers take no larger ones
_NEUTRAL = {
    "top_p": 1.0,
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
"""Sampling parameters that change nothing. All are sent: vLLM and SGLang fill those that are not from the checkpoint's
``generation_config.json``, and llama.cpp has defaults."""
_OPTIONAL = {**_NEUTRAL, "repeat_penalty": 1.0, "return_prompt_text": True, "temperature": None, "seed": None}
"""What a server that does not take it is not sent, with the value that changes nothing."""
_SEEDS_A_REQUEST = 64
"""Seeds between those of two requests for one text: servers add the number of the candidate."""
_NO_PROMPT = (
    "decode: its reply does not show the prompt that the server made, so that no text can be continued; vLLM does "
    "(return_prompt_text), and llama.cpp (verbose) with server_type: llama.cpp"
)
_Outcome = Generation | RequestRejected | Unavailable


class ServerBackend:
    """The model called ``model`` at the addresses of ``config``, as a :class:`~eval.backends.protocol.Backend`.

    ``reads_pictures``: it is shown pictures, as data URIs. ``server_type`` decides in which field it
    is sent a grammar. ``opens_thought``: its chat template ends with ``<think>``, so that a text without ``</think>``
    is an open thought; vLLM says so itself, of each prompt. ``chat_template_kwargs`` are sent as variables of its
    template; without them it takes its defaults, however the model was trained. Token counts are the server's own;
    which of them stand for pictures it does not say.
    """

    name = "server"

    def __init__(
        self,
        model: str,
        config: EndpointConfig,
        *,
        reads_pictures: bool = True,
        server_type: ServerType = "vllm",
        opens_thought: bool = False,
        chat_template_kwargs: TemplateKwargs = NO_KWARGS,
    ) -> None:
        self._kwargs = dict(chat_template_kwargs)
        self._model, self._config, self._server_type = model, config, server_type
        self.reads_pictures, self._opens_thought = reads_pictures, opens_thought
        self._planned: int | None = None
        self._left_out: dict[str, str] = {}

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the model's name, the addresses in any order, and what is done to pictures; not the weights."""
        first, *others = sorted(url.rstrip("/") for url in self._config.base_url)
        parts: list[Any] = [self._model, [first, *others] if others else first, self._config.max_side]
        return hashlib.sha256(orjson.dumps([*parts, *["opens_thought"] * self._opens_thought])).hexdigest()

    @property
    def description(self) -> dict[str, str]:
        """The name and the address, that nobody here knows the weights, and what the server did not take."""
        left_out = "; ".join(f"{name} ({words})" for name, words in sorted(self._left_out.items()))
        return {
            "model": self._model,
            "server": ", ".join(self._config.base_url),
            "weights": "unknown: a server may change them under the same name",
            "seeds": "sent, where there is sampling; whether they are obeyed is the server's affair",
            "template_opens_thought": "yes" if self._opens_thought else "where the server says so of a prompt",
            **({"left_out": left_out} if left_out else {}),
        }

    def render(self, messages: Sequence[Message], pictures: int) -> str:
        """The turns as JSON, and how many pictures stand before the first user's text; the template is the server's."""
        turns = [{"role": message.role, "content": message.content} for message in messages]
        kwargs = {"chat_template_kwargs": self._kwargs} if self._kwargs else {}
        return orjson.dumps({"messages": turns, "pictures": pictures, **kwargs}).decode()

    def plan(self, requests: Sequence[Request], settings: GenerationSettings) -> list[list[int]]:
        """Each request alone. The server knows the length of a prompt: one that is too long is an ``error`` there.

        Raises:
            UserError: a setting that cannot be sent to a server.
        """
        self._planned = len(requests)
        beyond = {
            "think_budget (of a server_type other than vllm)": settings.think_budget is not None
            and self._server_type != "vllm",
            "decode (other than proved)": settings.decode is not None and settings.decode.proved is None,
            "decode (of server_type sglang, which does not show the prompt)": settings.decode is not None
            and self._server_type == "sglang",
            "decode (with pictures)": settings.decode is not None and any(request.images for request in requests),
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
        missing: list[str] = []
        # In a run that continues, what is left may be just what the server refuses.
        first = set(range(min(len(batches), self._config.at_once)))
        undecided = len(first) > 1 and self._planned in (None, len(batches))
        held: dict[int, _Outcome] = {}
        with asyncio.Runner() as runner:
            outcomes = self._outcomes(batches, settings)

            async def following() -> tuple[int, _Outcome]:
                return await anext(outcomes)

            try:
                for _ in batches:
                    number, outcome = runner.run(following())
                    held[number] = outcome
                    # Nothing is yielded, and so written, until one of the first is answered: refusals of all end the
                    # run instead.
                    if undecided and isinstance(outcome, RequestRejected):
                        if not first <= held.keys():
                            continue
                        self._check_refusals(held)
                    undecided = False
                    for number, outcome in held.items():
                        if isinstance(outcome, Unavailable):
                            missing.append(str(outcome))
                        elif isinstance(outcome, RequestRejected):
                            yield number, [Generation("", 0, 0, "error", 0.0, error=str(outcome))]
                        else:
                            yield number, [outcome]
                    held.clear()
            finally:
                runner.run(outcomes.aclose())
        if missing:
            raise UserError(
                f"{self._config.address}: {len(missing)} of {len(batches)} requests got no answer ({missing[-1]}); "
                "the others are written: the same command asks for those alone"
            )

    def body(self, request: Request, settings: GenerationSettings, pictures: Sequence[str]) -> dict[str, Any]:
        """What is posted as JSON; ``pictures`` are data URIs."""
        turns = orjson.loads(request.prompt)["messages"]
        if pictures:
            first = next(turn for turn in turns if turn["role"] == "user")
            shown = [{"type": "image_url", "image_url": {"url": uri}} for uri in pictures]
            first["content"] = [*shown, {"type": "text", "text": first["content"]}]
        body: dict[str, Any] = {
            "model": self._model,
            "messages": turns,
            "max_tokens": settings.max_new_tokens,
            "temperature": settings.temperature,
            **_NEUTRAL,
            "top_p": settings.top_p,
        }
        if self._kwargs:
            body["chat_template_kwargs"] = self._kwargs
        if settings.temperature > 0:
            body["seed"] = request.seed % _SEEDS
        if self._server_type == "vllm":
            body["return_prompt_text"] = True
        elif self._server_type == "llama.cpp":
            body["repeat_penalty"] = body.pop("repetition_penalty")
        if settings.think_budget is not None:
            body["thinking_token_budget"] = settings.think_budget
        if settings.grammar is not None and self._server_type == "llama.cpp":
            body["grammar"] = trace_gbnf(ban=settings.ban)
        elif settings.grammar is not None:
            regex = trace_regex(ban=settings.ban)
            body |= {"regex": regex} if self._server_type == "sglang" else {"structured_outputs": {"regex": regex}}
        return body

    async def _outcomes(
        self, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> AsyncGenerator[tuple[int, _Outcome], None]:
        """The outcomes as they come, each with the number of its batch; what ends the run is raised."""
        client = EndpointClient(self._config)
        guide = None if settings.decode is None else WAYS[settings.decode.way].guide()
        verdicts = nullcontext() if guide is None else Verdicts(guide)
        uris: dict[Path, DataUris] = {}
        room = asyncio.Semaphore(self._config.at_once)

        async def answer(number: int, request: Request) -> tuple[int, _Outcome]:
            async with room:
                try:
                    if guide is not None and judge is not None:
                        return number, await self._guided_generation(client, request, settings, guide, judge)
                    return number, await self._generation(client, request, settings, uris)
                except (RequestRejected, Unavailable) as error:
                    return number, error

        with verdicts as judge:
            tasks = [asyncio.create_task(answer(number, request)) for number, (request,) in enumerate(batches)]
            try:
                for task in asyncio.as_completed(tasks):
                    yield await task
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await client.close()

    async def _generation(
        self, client: EndpointClient, request: Request, settings: GenerationSettings, uris: dict[Path, DataUris]
    ) -> Generation:
        began = time.monotonic()
        shown = uris.setdefault(request.root, DataUris(request.root, self._config.max_side))
        try:
            pictures = [await shown.load(image) for image in request.images]
        except UserError as error:
            return Generation("", 0, 0, "error", time.monotonic() - began, error=str(error))
        body = self.body(request, settings, pictures)
        key = hashlib.sha256(orjson.dumps(body)).hexdigest()
        reply = await client.complete(body, key, optional=_OPTIONAL)
        self._left_out = client.left_out.get(self._model, {})
        finish_reason, why = _ended(reply)
        if finish_reason != "error":
            _require_counts(reply)
        # A server that sends the thought apart has cut the text at its tags: put together again as the model wrote it.
        closing = f"{THINK_CLOSES}\n\n" if reply.text or reply.finish_reason == "stop" else ""
        thought = "" if reply.reasoning is None else f"{THINK_OPENS}\n{reply.reasoning}\n{closing}"
        text = thought + reply.text
        prompt = "" if thought else reply.prompt or THINK_OPENS * self._opens_thought
        return Generation(
            text=text,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            reasoning_tokens=reply.reasoning_tokens,
            finish_reason=finish_reason,
            seconds=reply.seconds,
            thinking=think_state(prompt, text),
            error=why,
        )

    async def _guided_generation(
        self, client: EndpointClient, request: Request, settings: GenerationSettings, guide: Guide, verdicts: Verdicts
    ) -> Generation:
        """A text whose lines ``verdicts`` of ``guide`` are asked about.

        Raises:
            RequestRejected: the first request cannot be answered, or its reply does not show the prompt. What is wrong
                later is an ``error``, with the tokens that were spent.
        """
        assert settings.decode is not None
        assert settings.decode.proved is not None
        assert request.problem is not None  # which `predict` gives to all where there is a guide
        options, began = settings.decode.proved, time.monotonic()
        first: Reply | None = None
        spent = 0

        async def draw(asked: LinesAsked) -> LinesDrawn:
            nonlocal first, spent
            body = self.line_body(request, settings, asked, None if first is None else first.prompt)
            reply = await client.complete(body, hashlib.sha256(orjson.dumps(body)).hexdigest(), optional=_OPTIONAL)
            self._left_out = client.left_out.get(self._model, {})
            reason, why = _ended(reply)
            spent += reply.output_tokens
            if reason == "error":
                raise RequestRejected(why)
            _require_counts(reply)
            if first is None:
                if reply.prompt is None:
                    raise RequestRejected(_NO_PROMPT)
                first = reply
            if reply.reasoning is not None:
                raise RequestRejected("it sends thoughts apart; to continue a text, start it without reasoning parser")
            return _lines(reply)

        async def judge(draft: LineDraft) -> Verdict:
            asked = verdicts.ask(draft)
            await asyncio.gather(asyncio.wrap_future(asked), return_exceptions=True)
            return verdicts.of(asked, draft)

        try:
            text, served = await write_lines(
                partial(GuidedText, options, settings.max_new_tokens),
                request.problem,
                request.seed,
                draw,
                judge,
                settings.max_new_tokens,
            )
        except RequestRejected as error:
            if first is None:
                raise
            seconds = time.monotonic() - began
            return Generation("", first.input_tokens, spent, "error", seconds, error=str(error))
        assert first is not None
        said = served.said_by(text.ids)
        return Generation(
            text=said,
            input_tokens=first.input_tokens,
            output_tokens=text.drawn,
            finish_reason="stop" if served.ends.intersection(text.ids[-1:]) else "length",
            seconds=time.monotonic() - began,
            thinking=think_state(first.prompt or "", said),
            guided=guide.marks[not text.whole],
            kept_tokens=len(text.ids),
            tries=text.redrawn,
            lines_back=text.taken_back,
            refused=refused_lines(text, served.said_by),
        )

    def line_body(
        self, request: Request, settings: GenerationSettings, asked: LinesAsked, prompt: str | None
    ) -> dict[str, Any]:
        """What is posted for the candidates of one line: a chat, from whose reply the ``prompt`` is known, then texts
        that are continued."""
        temperature = settings.temperature or REDRAW_TEMPERATURE * asked.sampled
        body = self.body(request, settings.model_copy(update={"temperature": temperature}), ())
        body |= {"max_tokens": asked.max_tokens, "stop": ["\n"]}
        if "seed" in body:
            body["seed"] = (request.seed + asked.number * _SEEDS_A_REQUEST) % _SEEDS
        if asked.count > 1:
            body["n"] = asked.count
        if self._server_type == "vllm":
            body["return_token_ids"] = True
        else:
            body |= {"verbose": True, "reasoning_format": "none"}
        if settings.grammar is not None and self._server_type == "vllm":
            body["structured_outputs"] = {"regex": trace_regex(ban=settings.ban, line=True)}
        elif settings.grammar is not None:
            body["grammar"] = trace_gbnf(ban=settings.ban, line=True)
        if prompt is None:
            return body
        for of_a_chat in ("messages", "chat_template_kwargs", "return_prompt_text"):
            body.pop(of_a_chat, None)
        if self._server_type == "vllm":
            body["add_special_tokens"] = False  # the template has written them
        return body | {"prompt": prompt + asked.text}

    def _check_refusals(self, refused: Mapping[int, object]) -> None:
        """Raise where all are alike, apart from the numbers in them and other words with a digit."""
        words = [str(refused[number]) for number in sorted(refused)]
        if len({re.sub(r"\S*\d\S*", "", one) for one in words}) == 1:
            raise EndpointFault(f"{self._config.address}: the first {len(words)} requests were all refused: {words[0]}")


def _lines(reply: Reply) -> LinesDrawn:
    """The lines in ``reply``. A count that is missing is that of the reply, which asked for one then."""
    lines = [
        DrawnLine(
            text=choice.text,
            end="cut" if choice.finish_reason == "length" else "break" if choice.broken_by == "\n" else "stop",
            tokens=max(1, reply.output_tokens if choice.tokens is None else choice.tokens),
        )
        for choice in reply.choices
    ]
    return LinesDrawn(lines, reply.output_tokens, all(choice.tokens is not None for choice in reply.choices))


def _require_counts(reply: Reply) -> None:
    if not reply.output_tokens and (reply.text or not reply.input_tokens):
        raise RequestRejected("its reply has no usage: without the server's own counts there are no token figures")


def _ended(reply: Reply) -> tuple[Literal["stop", "length", "error"], str | None]:
    """How ``reply`` ended, and why it is no answer where it is none."""
    if reply.refusal is not None:
        return "error", " ".join(f"refused: {reply.refusal}".split())
    if reply.finish_reason == "stop":
        return "stop", None
    if reply.finish_reason == "length":
        return "length", None
    return "error", f"finish_reason: {reply.finish_reason}"
