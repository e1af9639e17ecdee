"""JSON answers: how they are asked for, as far as the server goes along, and how they are found in what comes back.

OpenAI and vLLM take a JSON schema, others only ask for some JSON object, some for nothing of the kind. A
:class:`Dialect` learns it from the replies of status 400, once for a model: until one answer came, a single request
goes ahead and the others wait for what it finds out.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, Final, get_args

import orjson

from srt.endpoint.config import AnswerForm, EndpointConfig
from srt.endpoint.latex_escapes import double_lone_backslashes, restore_commands
from srt.endpoint.messages import JsonSchema, Request

FORMS: Final[tuple[AnswerForm, ...]] = get_args(AnswerForm)
LONGEST_ANSWER: Final = 1_000_000
"""Characters; what is longer is not read."""
MOST_FENCES: Final = 32
"""How many fenced blocks are tried, from the last."""
_OBJECT_START: Final = re.compile(r'\{\s*"')
"""Not any brace: prose has sets, and LaTeX many more."""


class Dialect:
    """What one model behind one endpoint understands, for one schema (``None``: requests without one).

    ``form`` is how JSON is asked for, ``token_limit`` the field that bounds the answer (OpenAI's reasoning models
    refuse ``max_tokens``; others do not know ``max_completion_tokens``). ``known`` is set by the first answer; whoever
    asks before that does it under ``scout``.
    """

    def __init__(self, config: EndpointConfig, like: Dialect | None = None) -> None:
        self._auto = config.structured == "auto"
        self.form: AnswerForm = FORMS[0] if config.structured == "auto" else config.structured
        self.token_limit = "max_tokens"
        if like is not None:
            self.form, self.token_limit = like.form, like.token_limit
        self._first = (self.form, self.token_limit)
        self.known = False
        self.scout = asyncio.Lock()

    def give_way(self, request: Request, message: str) -> bool:
        """After a 400 with ``message``: ask in another way? Where nothing is left, the request itself is at fault.

        The message is not relied on: servers word it in many ways. Whether a plainer form is taken shows it.
        """
        if "max_completion_tokens" in message and self.token_limit == "max_tokens":
            self.token_limit = "max_completion_tokens"
            return True
        if request.json_schema is not None and self._auto and self.form != FORMS[-1]:
            self.form = FORMS[FORMS.index(self.form) + 1]
            return True
        self.form, self.token_limit = self._first
        return False

    def body(self, request: Request, pictures: list[str]) -> bytes:
        """The JSON that is posted to ``/chat/completions``; ``pictures`` are data URIs."""
        user: list[dict[str, Any]] | str = request.user
        if pictures:
            user = [{"type": "image_url", "image_url": {"url": uri}} for uri in pictures]
            user.append({"type": "text", "text": request.user})
        system = request.system
        body: dict[str, Any] = {"model": request.model, self.token_limit: request.max_tokens}
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.json_schema is not None:
            if self.form == "json_schema":
                body["response_format"] = _by_schema(request.json_schema)
            else:
                system = f"{system}\n\n{_in_words(request.json_schema)}"
            if self.form == "json_object":
                body["response_format"] = {"type": "json_object"}
        body["messages"] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        return orjson.dumps(body)


def read_json(text: str) -> dict[str, Any]:
    """The JSON object in a model's answer: the whole of it, or between other words, or in a fence of backticks.

    What stands in ``<think>...</think>`` before the answer is not looked at. Of several objects it is the longest.
    LaTeX whose backslashes are not doubled is read as it was meant (:mod:`srt.endpoint.latex_escapes`).

    Raises:
        ValueError: there is none; the message says why in a few words.
    """
    if len(text) > LONGEST_ANSWER:
        raise ValueError(f"the answer has more than {LONGEST_ANSWER} characters")
    answer = _after_thinking(text).strip()
    if not answer:
        raise ValueError("the answer is empty")
    try:
        found = _object_in(answer)
    except ValueError as error:
        doubled = double_lone_backslashes(answer)
        if doubled == answer:
            raise
        try:
            found = _object_in(doubled)
        except ValueError:
            raise error from None
    restored: dict[str, Any] = restore_commands(found)
    return restored


def _object_in(answer: str) -> dict[str, Any]:
    try:
        whole = orjson.loads(answer)
    except orjson.JSONDecodeError:
        return _longest_object(answer)
    if not isinstance(whole, dict):
        raise ValueError("the answer is JSON, but no object")
    return whole


def _by_schema(schema: JsonSchema) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.name, "schema": schema.definition, "strict": True},
    }


def _in_words(schema: JsonSchema) -> str:
    return (
        "Answer with one JSON object and nothing else. It must be valid against this JSON Schema:\n"
        + orjson.dumps(schema.definition).decode()
    )


def _after_thinking(text: str) -> str:
    """The text after the last ``</think>``; chat templates may have put the opening tag in the prompt."""
    _, closed, after = text.rpartition("</think>")
    if closed:
        return after
    if text.lstrip().startswith("<think>"):
        raise ValueError("the answer ends within its thinking")
    return text


def _longest_object(answer: str) -> dict[str, Any]:
    # Fences first: before them a model may have quoted pieces of what it was given.
    for block in answer.split("```")[1::2][: -MOST_FENCES - 1 : -1]:
        try:
            fenced = orjson.loads(block.removeprefix("json"))
        except orjson.JSONDecodeError:
            continue
        if isinstance(fenced, dict):
            return fenced
    decoder = json.JSONDecoder()
    longest: dict[str, Any] | None = None
    end, span, fault = 0, 0, "there is no JSON object in the answer"
    for start in _OBJECT_START.finditer(answer):
        if start.start() < end:
            continue  # within the object before it
        try:
            _, end = decoder.raw_decode(answer, start.start())
            # orjson is the stricter reader: no NaN, no half of a surrogate pair, which could not be written again.
            found = orjson.loads(answer[start.start() : end])
        except (ValueError, RecursionError) as error:
            # Objects within a broken one are its parts, never the answer.
            fault = f"the JSON object in the answer is broken: {str(error)[:100]}"
            break
        if longest is None or end - start.start() > span:
            longest, span = found, end - start.start()
    if longest is None:
        raise ValueError(fault)
    return longest
