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
the first ones all refused  the run ends with the server's words: as many as are in flight at once, all alike; it ends
                            also where all are refused, each in its own words
no such model in its list   the run ends with one line (``GET /models``); so it does where a text shows that the server
                            ignores the grammar, or where a finish reason is not known
another model's name        in the reply, is recorded, and is a warning
429                         fewer in flight, ``Retry-After`` obeyed, sent again
5xx, time-out, broken line  sent again; after all retries it stays missing, and the run ends, when all else is done,
                            with one line that says how many are; started again, it asks for those alone
401, 404, no server, 403      the run ends with one line; a 403 of a model that has answered is an ``error``, but as
                            many in a row and alike as :data:`_MOST_BLOCKED` end the run: it is the key, not what was
                            asked, and those are asked again
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
from typing import Any

import orjson

from eval.backends.protocol import Generation, GenerationSettings, Request, ServerType
from eval.backends.server_replies import (
    NotBelieved,
    ended,
    lines_of,
    require_counts,
    require_grammar,
    require_lines,
    written_text,
)
from eval.backends.server_requests import OPTIONAL, ServerRequests
from eval.backends.token_counts import think_state
from eval.decoding.guide import Guide, LineDraft, Verdict
from eval.decoding.guided_text import GuidedText
from eval.decoding.refused_lines import refused_lines
from eval.decoding.served_lines import LinesAsked, LinesDrawn, write_lines
from eval.decoding.verdicts import Verdicts
from eval.decoding.ways import WAYS
from srt.images.data_uri import DataUris
from srt.io.errors import UserError
from srt.io.progress import notice
from srt.io.records import Message
from srt.language.template_kwargs import NO_KWARGS, TemplateKwargs
from srt.llm.config import EndpointConfig
from srt.llm.endpoint.client import EndpointClient
from srt.llm.endpoint.served_models import same_model
from srt.llm.llm_errors import EndpointFault, RequestBlocked, RequestRejected, Unavailable
from srt.llm.request import Reply

_TYPE_OF_OWNER: dict[str, ServerType] = {"vllm": "vllm", "sglang": "sglang", "llamacpp": "llama.cpp"}
"""What servers call themselves in their list of models (``owned_by``)."""
_FEWEST_REFUSED = 4
"""So many requests, or all if there are fewer, that are refused alike end a run: what is wrong is not one of them."""
_MOST_BLOCKED = 8
"""So many requests in a row, with no answer between them, that are refused alike with 403, end a run."""
_NO_PROMPT = (
    "decode: its reply does not show the prompt that the server made, so that no text can be continued; vLLM does "
    "(return_prompt_text), and llama.cpp (verbose) with server_type: llama.cpp"
)
_Outcome = Generation | RequestRejected | Unavailable


class ServerBackend:
    """The model called ``model`` at the addresses of ``config``, as a :class:`~eval.backends.protocol.Backend`.

    ``reads_pictures``: it is shown pictures, as data URIs. ``server_type`` decides in which field it is sent a grammar;
    where it is ``None`` the server is asked. ``opens_thought``: its chat template ends with ``<think>``, so that a text
    without ``</think>`` is an open thought; vLLM says so itself, of each prompt. ``chat_template_kwargs`` are sent as
    variables of its template; without them it takes its defaults, however the model was trained. Token counts are the
    server's own; which of them stand for pictures it does not say.
    """

    name = "server"

    def __init__(
        self,
        model: str,
        config: EndpointConfig,
        *,
        reads_pictures: bool = True,
        server_type: ServerType | None = None,
        opens_thought: bool = False,
        chat_template_kwargs: TemplateKwargs = NO_KWARGS,
    ) -> None:
        self._kwargs = dict(chat_template_kwargs)
        self._model, self._config, self._server_type = model, config, server_type
        self.requests = ServerRequests(model, server_type, self._kwargs)
        self.reads_pictures, self._opens_thought = reads_pictures, opens_thought
        self._planned: int | None = None
        self._left_out: dict[str, str] = {}
        self._facts: dict[str, str] = {}
        self._names: set[str] = set()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the model's name, the addresses in any order, and what is done to pictures; not the weights."""
        first, *others = sorted(url.rstrip("/") for url in self._config.base_url)
        parts: list[Any] = [self._model, [first, *others] if others else first, self._config.max_side]
        return hashlib.sha256(orjson.dumps([*parts, *["opens_thought"] * self._opens_thought])).hexdigest()

    @property
    def description(self) -> dict[str, str]:
        """The name and the address, what the server says that it serves, that nobody here knows the weights, and what
        the server did not take."""
        names, facts = ", ".join(sorted(self._names)), ", ".join(f"{name} {is_}" for name, is_ in self._facts.items())
        others = ", ".join(sorted(name for name in self._names if not same_model(self._model, name)))
        left_out = "; ".join(f"{name} ({words})" for name, words in sorted(self._left_out.items()))
        return {
            "model": self._model,
            "server": ", ".join(self._config.base_url),
            "weights": "unknown: a server may change them under the same name",
            "seeds": "sent, where there is sampling; whether they are obeyed is the server's affair",
            "template_opens_thought": "yes" if self._opens_thought else "where the server says so of a prompt",
            **({"server_type": self._server_type} if self._server_type else {}),
            **({"served": f"{names} ({facts})" if facts else names} if names else {}),
            **({"warning": f"{self._model} was asked for, and the replies are by {others}"} if others else {}),
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
            "decode (other than proved)": settings.decode is not None and settings.decode.proved is None,
            "decode (with pictures)": settings.decode is not None and any(request.images for request in requests),
            "min_pixels": settings.min_pixels is not None,
            "max_pixels": settings.max_pixels is not None,
            "ban (without grammar)": settings.ban is not None and settings.grammar is None,
        }
        if told := [name for name, asked in beyond.items() if asked]:
            raise UserError(f"{told[0]}: a server cannot be asked for this; use the back end transformers")
        if self._server_type is not None:
            self._require_type(settings)
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
        refused: dict[int, RequestRejected] = {}
        # In a run that continues, what is left may be just what the server refuses.
        undecided = self._planned in (None, len(batches))
        few = min(len(batches), max(self._config.at_once, _FEWEST_REFUSED))
        with asyncio.Runner() as runner:
            outcomes = self._outcomes(batches, settings)

            async def following() -> tuple[int, _Outcome]:
                return await anext(outcomes)

            try:
                for _ in batches:
                    number, outcome = runner.run(following())
                    if isinstance(outcome, Unavailable):
                        missing.append(str(outcome))
                    elif isinstance(outcome, RequestRejected):
                        refused[number] = outcome
                        if undecided and len(refused) == few:
                            self._check_refusals(refused, "the first")
                    else:
                        undecided = False
                    blocked = [one for one in refused.values() if isinstance(one, RequestBlocked)]
                    if not undecided and len(blocked) == len(refused) >= _MOST_BLOCKED:
                        self._check_refusals(refused, "the last")
                    # Nothing is yielded, and so written, until one is answered: a run of refusals has no score. Those
                    # with 403 wait for the next answer, which shows that the key still holds.
                    if not undecided and (isinstance(outcome, Generation) or len(blocked) != len(refused)):
                        for other in sorted(refused):
                            yield other, [_declined(refused.pop(other))]
                        if isinstance(outcome, Generation):
                            yield number, [outcome]
                if not undecided:
                    for other in sorted(refused):
                        yield other, [_declined(refused.pop(other))]
            finally:
                runner.run(outcomes.aclose())
        if missing:
            raise UserError(
                f"{self._config.address}: {len(missing)} of {len(batches)} requests got no answer ({missing[-1]}); "
                "the others are written: the same command asks for those alone"
            )
        if refused:
            why = refused[max(refused)]
            raise EndpointFault(f"{self._config.address}: all {len(refused)} requests were refused, the last: {why}")

    async def _outcomes(
        self, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> AsyncGenerator[tuple[int, _Outcome], None]:
        """The outcomes as they come, each with the number of its batch; what ends the run is raised."""
        client = EndpointClient(self._config)
        try:
            await self._ask_what_it_is(client, settings)
        except EndpointFault:
            await client.close()
            raise
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
                except NotBelieved as why:
                    raise client.fault(str(why)) from None

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

    async def _ask_what_it_is(self, client: EndpointClient, settings: GenerationSettings) -> None:
        """Learn the server's type, and what it serves.

        Raises:
            EndpointFault: it does not serve the model, or is of no type that ``settings`` can be sent to.
        """
        await client.fleet.check_model(self._model)
        served = client.fleet.served
        self._facts = {} if served is None else served.facts(self._model)
        owners = frozenset() if served is None else served.owners
        found = next((_TYPE_OF_OWNER[owner] for owner in sorted(owners) if owner in _TYPE_OF_OWNER), None)
        if self._server_type is None and found is not None:
            self._server_type = found
            self.requests = ServerRequests(self._model, found, self._kwargs)
        if client.fleet.contact:  # else the first request says that there is no server
            self._require_type(settings)

    def _require_type(self, settings: GenerationSettings) -> None:
        needs = {
            "grammar": settings.grammar is not None,
            "think_budget": settings.think_budget is not None,
            "decode": settings.decode is not None,
        }
        asked = next((name for name, is_asked in needs.items() if is_asked), None)
        if asked and self._server_type is None:
            raise EndpointFault(
                f"{self._config.address}: {asked}: how it is sent depends on the server, which does not say what it "
                "is; set server_type to vllm, sglang or llama.cpp"
            )
        kind = self._server_type
        beyond = {
            "think_budget (of a server_type other than vllm)": needs["think_budget"] and kind != "vllm",
            "decode (of server_type sglang, which does not show the prompt)": needs["decode"] and kind == "sglang",
        }
        if told := [name for name, is_beyond in beyond.items() if is_beyond]:
            raise EndpointFault(f"{told[0]}: a server cannot be asked for this; use the back end transformers")

    def _took(self, reply: Reply, client: EndpointClient) -> None:
        """Remember what ``reply`` says of the server."""
        self._left_out = client.left_out.get(self._model, {})
        if reply.model is not None and reply.model not in self._names:
            self._names.add(reply.model)
            if not same_model(self._model, reply.model):
                notice(f"{self._config.address}: {self._model} was asked for, and the reply is by {reply.model}")

    async def _generation(
        self, client: EndpointClient, request: Request, settings: GenerationSettings, uris: dict[Path, DataUris]
    ) -> Generation:
        began = time.monotonic()
        shown = uris.setdefault(request.root, DataUris(request.root, self._config.max_side))
        try:
            pictures = [await shown.load(image) for image in request.images]
        except UserError as error:
            return Generation("", 0, 0, "error", time.monotonic() - began, error=str(error))
        body = self.requests.body(request, settings, pictures)
        key = hashlib.sha256(orjson.dumps(body)).hexdigest()
        reply = await client.complete(body, key, optional=OPTIONAL)
        self._took(reply, client)
        finish_reason, why = ended(reply)
        if finish_reason != "error":
            require_counts(reply, settings.max_new_tokens)
            require_grammar(reply, settings)
        text, prompt = written_text(reply, self._opens_thought)
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
            body = self.requests.line_body(request, settings, asked, None if first is None else first.prompt)
            reply = await client.complete(body, hashlib.sha256(orjson.dumps(body)).hexdigest(), optional=OPTIONAL)
            self._took(reply, client)
            reason, why = ended(reply)
            spent += reply.output_tokens
            if reason == "error":
                raise RequestRejected(why)
            require_counts(reply, asked.max_tokens * asked.count)
            if first is None:
                if reply.prompt is None:
                    raise RequestRejected(_NO_PROMPT)
                first = reply
            if reply.reasoning is not None:
                raise RequestRejected("it sends thoughts apart; to continue a text, start it without reasoning parser")
            drawn = lines_of(reply)
            require_lines(drawn.lines, settings)
            return drawn

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

    def _check_refusals(self, refused: Mapping[int, object], which: str) -> None:
        """Raise where all are alike, apart from the numbers in them and other words with a digit."""
        words = [str(refused[number]) for number in sorted(refused)]
        if len({re.sub(r"\S*\d\S*", "", one) for one in words}) == 1:
            raise EndpointFault(f"{self._config.address}: {which} {len(words)} requests were all refused: {words[0]}")


def _declined(error: RequestRejected) -> Generation:
    return Generation("", 0, 0, "error", 0.0, error=str(error))
