"""What a configuration file says about endpoints and their prices."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from srt.records import Record

AnswerForm = Literal["json_schema", "json_object", "prompt"]
"""How a JSON answer is asked for: by its schema, as any JSON object, or in the prompt alone."""


class EndpointConfig(Record):
    """One OpenAI-compatible endpoint.

    ``base_url`` is what ``/chat/completions`` is added to (``https://api.openai.com/v1``). ``api_key_env`` names the
    environment variable that holds the key; ``None`` is a server that asks for none. ``in_flight`` is the most requests
    at once; replies of status 429 shrink it for a while. ``timeout_s`` is for one attempt and does not count waiting in
    our own queue. ``retries`` is how often one request is sent again after a 5xx, a lost connection or a time-out.
    ``structured`` is how a JSON answer is asked for; ``auto`` finds out what the server understands. ``max_side``
    scales larger pictures down to that many pixels on their longer side.
    """

    base_url: str = Field(pattern=r"^[!-~]+$")
    api_key_env: str | None = None
    in_flight: int = Field(default=64, ge=1, le=4096)
    timeout_s: float = Field(default=120.0, gt=0)
    retries: int = Field(default=6, ge=0, le=20)
    structured: AnswerForm | Literal["auto"] = "auto"
    max_side: int | None = Field(default=None, ge=32)

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{value!r} is no address like https://host:port/v1")
        _ = parts.port  # raises ValueError where it is no number below 65536
        return value


class Price(Record):
    """List price of a model, in money per million tokens; the currency is the configuration's, one for all models.

    ``picture_tokens`` is the most input tokens that one picture is billed for. The budget sets that much aside for each
    picture before a request leaves, and learns a larger figure from the endpoint's own counts.
    """

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    picture_tokens: int = Field(default=4096, ge=0)
