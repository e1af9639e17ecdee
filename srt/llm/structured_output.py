"""JSON answers: how they are asked for, as far as the server goes along, and how they are found in what comes back.

vLLM and llama.cpp take a JSON schema with bounds, OpenAI one without, others only ask for some JSON object, some for
nothing of the kind. A :class:`Dialect` learns it from the replies of status 400, once for a model: until one answer
came, a single request goes ahead and the others wait for what it finds out. Some servers take a schema and ignore it:
an answer that is not of its form shows that, and from then on the schema is in the prompt.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Literal, get_args

import orjson

from srt.llm.config import AnswerForm
from srt.llm.latex_escapes import double_lone_backslashes, restore_commands
from srt.llm.request import JsonSchema, LlmRequest, Reply

# From the strictest to the plainest, which is the order in which they are tried.
FORMS: Final[tuple[AnswerForm, ...]] = get_args(AnswerForm)
LONGEST_ANSWER: Final = 1_000_000
"""Characters; what is longer is not read."""
MOST_FENCES: Final = 32
"""How many fenced blocks are tried, from the last."""
_OBJECT_START: Final = re.compile(r'\{\s*"')
"""Not any brace: prose has sets, and LaTeX many more."""


class Dialect:
    """How one model behind one endpoint is asked for JSON by one schema.

    It begins as ``start``, what the model took for another schema, did, as far as ``structured`` leaves that open.
    ``known`` is set by the first answer; before that, ask under the lock ``probing``. ``bounded``: the schema is sent
    with its bounds.
    """

    def __init__(self, structured: AnswerForm | Literal["auto"], start: Dialect | None = None) -> None:
        self._forms = FORMS if structured == "auto" else (structured,)
        self.form: AnswerForm = start.form if start is not None and start.form in self._forms else self._forms[0]
        self.bounded: bool = start is None or start.bounded
        self._first = (self.form, self.bounded)
        self.known = False
        self.probing = asyncio.Lock()

    def fall_back(self, schema: JsonSchema) -> bool:
        """After a 400: is there a plainer form to try? If not, the request itself is at fault.

        The message of the 400 is not relied on: servers word it in many ways. Whether a plainer form is taken shows it.
        """
        if self.form == "json_schema" and self.bounded and schema.bounded is not None:
            self.bounded = False
            return True
        plainer = self._forms[self._forms.index(self.form) + 1 :]
        if not plainer:
            self.form, self.bounded = self._first
            return False
        self.form = plainer[0]
        return True

    def answered(self, reply: Reply, schema: JsonSchema, form: AnswerForm) -> bool:
        """After an answer to a request of this ``form``: whether it shows that the schema was ignored. It is in the
        prompt from then on."""
        self.known = True
        if form != self.form or form != "json_schema" or len(self._forms) == 1 or _of_form(reply, schema):
            return False
        self.form = self._forms[self._forms.index(form) + 1]
        self._first = (self.form, self.bounded)
        self.known = False
        return True


def _of_form(reply: Reply, schema: JsonSchema) -> bool:
    """Whether ``reply`` is an object with the keys of ``schema``, or one that no server can be blamed for."""
    if reply.finish_reason != "stop" or reply.refusal or not reply.said.strip():
        return True
    try:
        return set(schema.definition.get("required", [])) <= read_json(reply.said).keys()
    except ValueError:
        return False


def request_body(
    request: LlmRequest, pictures: Sequence[str], form: AnswerForm | None, *, bounded: bool = True
) -> dict[str, Any]:
    """What is posted to ``/chat/completions``; ``pictures`` are data URIs, ``form`` is that of the JSON asked for, with
    the bounds of its schema where it is ``bounded``."""
    user: list[dict[str, Any]] | str = request.user
    if pictures:
        user = [{"type": "image_url", "image_url": {"url": uri}} for uri in pictures]
        user.append({"type": "text", "text": request.user})
    system = request.system
    body: dict[str, Any] = {"model": request.model, "max_tokens": request.max_tokens}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    body |= request.extra_body
    schema = request.json_schema
    if schema is not None and form == "json_schema":
        definition = (schema.bounded if bounded else None) or schema.definition
        described = {"name": schema.name, "schema": definition, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": described}
    elif schema is not None:
        system += (
            "\n\nAnswer with one JSON object and nothing else. It must be valid against this JSON Schema:\n"
            + orjson.dumps(schema.definition).decode()
        )
        if form == "json_object":
            body["response_format"] = {"type": "json_object"}
    body["messages"] = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return body


def read_json(text: str, token: str | None = None) -> dict[str, Any]:
    """The JSON object in a model's answer: the whole of it, or between other words, or in a fence of backticks.

    What stands in ``<think>...</think>`` before the answer is not looked at. Of several objects it is one whose
    ``token`` is that of the question, if there is one: a model may quote others from what it was given. Of several of
    these it is the longest.
    LaTeX whose backslashes are not doubled is read as it was meant (:mod:`srt.llm.latex_escapes`).

    Raises:
        ValueError: there is none; the message says why in a few words.
    """
    if len(text) > LONGEST_ANSWER:
        raise ValueError(f"the answer has more than {LONGEST_ANSWER} characters")
    # An answer may quote a closing tag: what is an object as a whole is not cut.
    whole = text.strip()
    if whole.startswith("{"):
        for form in (whole, double_lone_backslashes(whole)):
            with suppress(orjson.JSONDecodeError):
                return _restored(orjson.loads(form))
    # Chat templates may have put the opening tag in the prompt.
    _, closed, answer = text.rpartition("</think>")
    if not closed and text.lstrip().startswith("<think>"):
        raise ValueError("the answer ends within its thinking")
    answer = answer.strip()
    if not answer:
        raise ValueError("the answer is empty")
    try:
        return _restored(_object_in(answer, token))
    except ValueError:
        doubled = double_lone_backslashes(answer)
        if doubled != answer:
            with suppress(ValueError):
                return _restored(_object_in(doubled, token))
        raise


def _restored(found: dict[str, Any]) -> dict[str, Any]:
    restored: dict[str, Any] = restore_commands(found)
    return restored


def _object_in(answer: str, token: str | None) -> dict[str, Any]:
    try:
        whole = orjson.loads(answer)
    except orjson.JSONDecodeError:
        return _one_object(answer, token)
    if not isinstance(whole, dict):
        raise ValueError("the answer is JSON, but no object")
    return whole


def _one_object(answer: str, token: str | None) -> dict[str, Any]:
    others: list[dict[str, Any]] = []
    # Fences first: before them a model may have quoted pieces of what it was given.
    for block in answer.split("```")[1::2][: -MOST_FENCES - 1 : -1]:
        try:
            fenced = orjson.loads(block.removeprefix("json"))
        except orjson.JSONDecodeError:
            continue
        if isinstance(fenced, dict):
            if token is None or _has(fenced, token):
                return fenced
            others.append(fenced)
    decoder = json.JSONDecoder()
    longest: dict[str, Any] | None = None
    end, span, fault = 0, (False, 0), "there is no JSON object in the answer"
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
        if (better := (token is not None and _has(found, token), end - start.start())) > span:
            longest, span = found, better
    if others and not span[0]:
        return others[0]
    if longest is None:
        raise ValueError(fault)
    return longest


def _has(found: dict[str, Any], token: str) -> bool:
    said = found.get("token")
    return isinstance(said, str) and said.strip().casefold() == token
