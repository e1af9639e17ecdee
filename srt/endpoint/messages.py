"""What is asked of a language model and what comes back: the records that the journal keeps."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Any

import orjson
from pydantic import Field

from srt.records import Image, Record


class Role(StrEnum):
    """Who speaks to the model: tokens and money are counted by role."""

    TEACHER = "teacher"
    REVIEWER = "reviewer"
    CHECKER = "checker"
    DESCRIBER = "describer"


class JsonSchema(Record):
    """The form that an answer must have, as structured output asks for it."""

    name: str
    definition: dict[str, Any]


class Request(Record):
    """One question to a model. Equal content has an equal :attr:`key`, and is paid for once.

    ``pictures`` stand before ``user`` in the user's turn, in order; the key holds their bytes' SHA-256, not where they
    lie. ``attempt`` tells a question that is asked again, because its answer could not be used, from the first.
    ``problem_id`` is for books and messages and is not in the key.
    """

    role: Role
    model: str
    system: str
    user: str
    pictures: tuple[Image, ...] = ()
    json_schema: JsonSchema | None = None
    temperature: float | None = None
    max_tokens: int = Field(gt=0)
    attempt: int = 0
    problem_id: str

    @property
    def key(self) -> str:
        """SHA-256 (hex) of the canonical content. Not kept: ``model_copy`` would take it over to another content."""
        schema = self.json_schema
        content = {
            "model": self.model,
            "system": self.system,
            "user": self.user,
            "pictures": [picture.sha256 for picture in self.pictures],
            "json_schema": None if schema is None else {"name": schema.name, "definition": schema.definition},
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "attempt": self.attempt,
        }
        return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


class Reply(Record):
    """What a model answered, as it came. Token counts are the endpoint's own.

    ``finish_reason`` is the endpoint's word: ``stop``, ``length``, ``content_filter``, or another. ``refusal`` is set
    where the model declined in the API's own field. ``reasoning`` is the thinking that some endpoints send apart from
    the text, and ``reasoning_tokens`` how many of the output tokens they say it took.
    """

    text: str
    finish_reason: str
    refusal: str | None = None
    input_tokens: int
    output_tokens: int
    seconds: float
    reasoning: str | None = None
    reasoning_tokens: int | None = None
