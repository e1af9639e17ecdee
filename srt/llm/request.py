"""What is asked of a language model and what comes back: the records that the journal keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import orjson
from pydantic import Field

from srt.io.records import Image, Record


class JsonSchema(Record):
    """The form that an answer must have, as structured output asks for it.

    ``bounded`` is ``definition`` with bounds that no good answer meets: lengths, counts, words. A server that can hold
    a model to it ends a loop there; not all can. It is neither in a request's key nor kept.
    """

    name: str
    definition: dict[str, Any]
    bounded: dict[str, Any] | None = Field(default=None, exclude=True)


class RequestKeys(NamedTuple):
    """What the journal finds a reply by: SHA-256 (hex) of the content of the ``request``, and of the ``question``.

    The question is the request without ``max_tokens``: an answer that was not cut off answers it under any limit.
    """

    request: str
    question: str


class LlmRequest(Record):
    """One question to a model. Equal content has an equal :attr:`key`, and is paid for once.

    ``pictures`` come before ``user`` in the user's turn, in order; the key holds their bytes' SHA-256, not their paths.
    ``extra_body`` is sent as it is, beside the others (``reasoning_effort``, ``service_tier``).
    ``before`` is system message and user's turn as earlier versions wrote them, by which a journal may know the reply;
    it is neither sent nor kept.
    ``attempt`` tells a question that is asked again, because its answer could not be used, from the first. ``role``
    (who asks) and ``problem_id`` are for accounts and messages, and are not in the key.
    """

    role: str
    model: str
    system: str
    user: str
    pictures: tuple[Image, ...] = ()
    json_schema: JsonSchema | None = None
    temperature: float | None = None
    max_tokens: int = Field(gt=0)
    extra_body: dict[str, Any] = Field(default_factory=dict)
    attempt: int = 0
    problem_id: str
    before: tuple[str, str] | None = Field(default=None, exclude=True)

    @property
    def key(self) -> str:
        """SHA-256 (hex) of the canonical content."""
        return self.keys.request

    @property
    def keys(self) -> RequestKeys:
        """Computed each time: ``model_copy`` would take a kept one over to another content."""
        schema = self.json_schema
        content: dict[str, Any] = {
            "model": self.model,
            "system": self.system,
            "user": self.user,
            "pictures": [picture.sha256 for picture in self.pictures],
            "json_schema": None if schema is None else {"name": schema.name, "definition": schema.definition},
            "temperature": self.temperature,
            "attempt": self.attempt,
        }
        # Only where there is any: the keys of requests without it, which journals hold, stay what they were.
        if self.extra_body:
            content["extra_body"] = self.extra_body
        return RequestKeys(_digest({**content, "max_tokens": self.max_tokens}), _digest(content))

    def as_before(self) -> LlmRequest | None:
        """The request as earlier versions wrote it, if they wrote it otherwise."""
        if self.before is None:
            return None
        system, user = self.before
        return self.model_copy(update={"system": system, "user": user, "before": None})

    def without(self, names: Iterable[str]) -> LlmRequest:
        """The request without these parameters, as far as it has them."""
        gone = frozenset(names)
        extra = {name: value for name, value in self.extra_body.items() if name not in gone}
        temperature = None if "temperature" in gone else self.temperature
        if temperature == self.temperature and extra == self.extra_body:
            return self
        return self.model_copy(update={"temperature": temperature, "extra_body": extra})


class Choice(Record):
    """One of the texts in a reply. ``broken_by`` is the stop string that ended it, from servers that say so, without
    which a stop is the model's own; ``tokens`` were generated for it, from servers that count each text; ``logprobs``
    are those of its tokens, where they were asked for."""

    text: str
    finish_reason: str
    broken_by: str | None = None
    tokens: int | None = None
    logprobs: tuple[float, ...] = ()


class Reply(Record):
    """What a model answered, as it came. Token counts are the endpoint's own, 0 where it gives none.

    ``cached_tokens`` are those of the input that it had in its cache, ``stored_tokens`` those that it wrote there,
    ``stored_long_tokens`` those of them that it keeps for an hour. ``server_cost`` is what it says that it takes.
    ``counted`` is false where the endpoint does not say how many tokens it wrote, or fewer than its answer can have.

    ``finish_reason`` is ``stop`` or ``length``, or the endpoint's word for another end (``content_filter``).
    ``model`` is the name that the reply bears. ``refusal`` is set where the model declined in the API's own field.
    ``reasoning`` is the thinking that some endpoints send apart from the text, and ``reasoning_tokens`` how many of the
    output tokens they say it took. ``prompt`` is the text that the model continued, from servers that send it when
    asked. ``choices`` are all texts of the reply, the first included; they are not written.
    """

    text: str
    finish_reason: str
    refusal: str | None = None
    input_tokens: int
    cached_tokens: int = 0
    stored_tokens: int = 0
    stored_long_tokens: int = 0
    output_tokens: int
    counted: bool = True
    server_cost: float | None = None
    seconds: float
    reasoning: str | None = None
    reasoning_tokens: int | None = None
    prompt: str | None = None
    model: str | None = None
    choices: tuple[Choice, ...] = Field(default=(), exclude=True)

    @property
    def said(self) -> str:
        """The text; where all that came is thinking, that: a server's parser may have taken the answer for it."""
        return self.text if self.text.strip() else self.reasoning or ""

    def __eq__(self, other: object) -> bool:
        """Whether a journal would hold the same: ``choices`` are of the moment."""
        return isinstance(other, Reply) and self.model_dump() == other.model_dump()


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


def closed_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def within(schema: Mapping[str, Any], most: Mapping[str, int]) -> dict[str, Any]:
    """A copy of ``schema`` whose properties, at any depth, have at most so many characters, or items, by their names;
    those with an ``enum`` are bounded already."""
    bounded = dict(schema)
    if "items" in schema:
        bounded["items"] = within(schema["items"], most)
    if "properties" in schema:
        bounded["properties"] = {name: within(one, most) for name, one in schema["properties"].items()}
        for name, one in bounded["properties"].items():
            if name in most and "enum" not in one:
                one["maxItems" if one["type"] == "array" else "maxLength"] = most[name]
    return bounded
