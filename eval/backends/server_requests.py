"""What a server is asked: the body of a request for a text, and of one for the lines that continue it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from eval.backends.protocol import GenerationSettings, Request, ServerType
from eval.backends.trace_grammar import trace_gbnf, trace_regex
from eval.decoding.decode_settings import REDRAW_TEMPERATURE
from eval.decoding.served_lines import LinesAsked

_SEEDS = 2**31  # some servers take no larger ones
NEUTRAL = {
    "top_p": 1.0,
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
"""Sampling parameters that change nothing. All are sent: vLLM and SGLang fill those that are not from the checkpoint's
``generation_config.json``, and llama.cpp has defaults."""
OPTIONAL = {**NEUTRAL, "repeat_penalty": 1.0, "return_prompt_text": True, "temperature": None, "seed": None}
"""What a server that does not take it is not sent, with the value that changes nothing."""
_SEEDS_A_REQUEST = 64
"""Seeds between those of two requests for one text: servers add the number of the candidate."""


class ServerRequests:
    """The requests for ``model`` to a server of the type ``server_type``, where that is known.

    ``template_kwargs`` are variables of its chat template.
    """

    def __init__(self, model: str, server_type: ServerType | None, template_kwargs: Mapping[str, Any]) -> None:
        self._model, self._server_type, self._kwargs = model, server_type, dict(template_kwargs)

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
            **NEUTRAL,
            "top_p": settings.top_p,
        }
        if self._kwargs:
            body["chat_template_kwargs"] = self._kwargs
        if settings.temperature > 0:
            body["seed"] = request.seed % _SEEDS
        if self._server_type in ("vllm", None):
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
