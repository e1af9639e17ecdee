"""What a configuration file says about endpoints, models and prices."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final, Literal, Self
from urllib.parse import urlsplit

import orjson
from pydantic import Field, field_validator, model_validator

from srt.io.records import FinishReason
from srt.io.yaml_config import Config

UNFORESEEN_TOKENS: Final = 2**20
"""As large as the context windows that are sold: no reply of such a model can take more."""
# What extra_body may not set. The budget bounds a reply by max_tokens and expects one reply, which is not streamed.
_SET_BY_US = frozenset(
    {
        "model", "messages", "max_tokens", "max_completion_tokens", "temperature", "response_format", "n", "best_of",
        "stream", "stream_options",
    }
)  # fmt: skip

AnswerForm = Literal["json_schema", "json_object", "prompt"]
"""How a JSON answer is asked for: by its schema, as any JSON object, or in the prompt alone."""


class BatchConfig(Config):
    """How requests are sent in batches, which are answered within a day (:mod:`srt.llm.batches.batch_transport`).

    A batch is submitted when it has ``requests`` requests or 100 MB, or when no new one has come for ``gather_s``
    seconds. The endpoint is asked every ``poll_s`` seconds which batches have ended.
    """

    requests: int = Field(default=10_000, ge=1, le=50_000)
    gather_s: float = Field(default=5.0, gt=0)
    poll_s: float = Field(default=60.0, gt=0)


class EndpointConfig(Config):
    """One OpenAI-compatible endpoint: a server, or several that serve the same models (replicas).

    ``base_url`` is what ``/chat/completions`` is added to (``https://api.openai.com/v1``), one address or a list;
    requests are shared out as :mod:`srt.llm.endpoint.fleet` says. ``api_key_env`` names the environment variable that
    holds the key; ``None`` is a server that asks for none. ``in_flight`` is the most requests at once at one address;
    replies of status 429 shrink it for a while. ``timeout_s`` is for one attempt and does not count waiting in our own
    queue; where it is not set, it grows with the answer that is asked for (:meth:`timeout_for`). ``retries`` is how
    often one request is sent again after a 5xx, a lost connection or a time-out. ``longest_retry_after_s`` is the
    longest wait that a server may ask for: one that asks for more is asked again after that, as often as ``retries``
    says. ``structured`` is how a JSON answer is asked for; ``auto`` finds out what the server understands. ``max_side``
    scales larger pictures down to that many pixels on their longer side. ``finish_reasons`` says what a server's own
    words for the end of a text mean (``{done: stop}``); the usual ones are known
    (:mod:`srt.llm.finish_reasons`). ``batch`` sends all requests but the first of each kind in batches.
    """

    base_url: tuple[str, ...] = Field(min_length=1)
    api_key_env: str | None = None
    in_flight: int = Field(default=64, ge=1, le=4096)
    timeout_s: float | None = Field(default=None, gt=0)
    retries: int = Field(default=6, ge=0, le=20)
    longest_retry_after_s: float = Field(default=120.0, gt=0)
    structured: AnswerForm | Literal["auto"] = "auto"
    max_side: int | None = Field(default=None, ge=32)
    finish_reasons: dict[str, FinishReason] = Field(default_factory=dict)
    batch: BatchConfig | None = None

    @property
    def at_once(self) -> int:
        """How many requests may wait for their replies at once, at all addresses together."""
        direct = self.in_flight * len(self.base_url)
        return direct if self.batch is None else max(direct, self.batch.requests)

    @property
    def address(self) -> str:
        """What opens a message about the endpoint: its address, or the first of several."""
        first, *others = self.base_url
        return f"{first} and {len(others)} more" if others else first

    def timeout_for(self, max_tokens: int) -> float:
        """Seconds for one attempt at an answer of at most ``max_tokens``.

        Unless ``timeout_s`` says otherwise: two minutes, and 0.1 s for each token, which is slower than what a busy
        server writes for one of its requests.
        """
        return 120.0 + 0.1 * max_tokens if self.timeout_s is None else self.timeout_s

    @field_validator("base_url", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("api_key_env")
    @classmethod
    def _name_of_a_variable(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[^\W\d]\w*", value):
            # It is not quoted: it may be the key itself.
            raise ValueError("the name of an environment variable was expected, as in OPENAI_API_KEY, not a key")
        return value

    @field_validator("base_url")
    @classmethod
    def _addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for address in value:
            parts = urlsplit(address)
            if "@" in parts.netloc:
                # It would be in every message, and in the manifest.
                raise ValueError("an address with a user or a password; name the variable with the key: api_key_env")
            legible = re.fullmatch(r"[!-~]+", address) and not parts.query and not parts.fragment
            if not legible or parts.scheme not in ("http", "https") or not parts.hostname:
                # A key may stand before an @ or behind a question mark.
                shown = re.sub(r"(?s)(?<=[?#]).*", "...", address.rpartition("@")[2], count=1)[:200]
                raise ValueError(f"{shown!r} is no address like https://host:port/v1")
            _ = parts.port  # raises ValueError where it is no number below 65536
        if twice := [one for one, count in Counter(one.rstrip("/") for one in value).items() if count > 1]:
            raise ValueError(f"{twice[0]} is given twice")
        return value

    @model_validator(mode="after")
    def _batches_of_one(self) -> Self:
        if self.batch is not None and len(self.base_url) > 1:
            raise ValueError("batch: a batch is submitted to one address; base_url has several")
        return self


class Price(Config):
    """List price of a model, in money per million tokens; the currency is the configuration's, one for all models.

    Args:
        input: of tokens that are sent.
        output: of tokens that are written, thinking included.
        cached_input: of tokens that are sent and were in the endpoint's cache; as ``input`` where it is not set.
        cache_write: of tokens that are sent and written to the endpoint's cache; where it is not set, what Anthropic
            takes: 1.25 of ``input``, and 2 of it for those that the reply says are kept for an hour.
        picture_tokens: the most input tokens that one picture is billed for. The budget sets that much aside for each
            picture before a request leaves, and learns a larger figure from the endpoint's own counts. The default
            holds for gpt-4o-mini, which takes 25,501 for 1024 x 1024 pixels.
        batch: the share of the price that requests in a batch cost.
        unforeseen_tokens: the most tokens that one reply may be billed for beyond what its request allows (thinking
            that ``max_tokens`` does not limit): the model's context window. Several requests to a model are in flight
            together only as long as the budget covers that too; below, one at a time. A reply that takes more refutes
            it: from then on :data:`UNFORESEEN_TOKENS` counts, as it does for 0, which no model keeps.
    """

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)
    picture_tokens: int = Field(default=26_000, ge=0)
    batch: float = Field(default=0.5, ge=0)
    unforeseen_tokens: int = Field(default=UNFORESEEN_TOKENS, ge=0)

    @field_validator("unforeseen_tokens")
    @classmethod
    def _some(cls, value: int) -> int:
        # Taken at its word, 0 would let every request in flight exceed the budget.
        return value or UNFORESEEN_TOKENS

    def cost(self, given: int, written: int, cached: int = 0, stored: int = 0, stored_long: int = 0) -> float:
        """The price of so many tokens; ``cached`` ones (read from a cache) and ``stored`` ones are among ``given``.

        ``stored_long`` are those of ``stored`` that the cache keeps for an hour.
        """
        read = self.input if self.cached_input is None else self.cached_input
        write = 1.25 * self.input if self.cache_write is None else self.cache_write
        write_long = 2 * self.input if self.cache_write is None else self.cache_write
        fresh = given - cached - stored
        writing = (stored - stored_long) * write + stored_long * write_long
        return (fresh * self.input + cached * read + writing + written * self.output) / 1e6


class ModelChoice(Config):
    """The model that plays one role.

    Args:
        model: its name at the endpoint.
        endpoint: one of the names in ``endpoints``; may be left out where there is only one.
        temperature: left to the server where it is not set (some models refuse any).
        max_tokens: the most that one answer may have; an answer that is cut off is asked for once more with twice it.
        pictures: whether it reads pictures. If not, it is given the problem's diagram description in their place.
        extra_body: further parameters of each request, sent as they are: ``reasoning_effort``, ``service_tier``,
            ``enable_thinking``, a gateway's routing. The price is that of the model with them.
    """

    model: str = Field(min_length=1)
    endpoint: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int = Field(default=4096, gt=0)
    pictures: bool = True
    extra_body: dict[str, Any] = Field(default_factory=dict)

    @field_validator("extra_body")
    @classmethod
    def _names_of_others(cls, value: dict[str, Any]) -> dict[str, Any]:
        if taken := sorted(_SET_BY_US & value.keys()):
            raise ValueError(f"{taken[0]}: may not be set here; srt sets it, or its accounts rest on it")
        try:
            orjson.dumps(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"cannot be sent as JSON: {error}") from None
        return value


class LlmConfig(Config):
    """Where models are asked, and for how much money; who asks which model is for the config that builds on this.

    Args:
        endpoints: by a name of your choice; ``endpoint`` is short for a single one.
        prices: money per million tokens, by model; every model needs one.
        currency: the currency of prices and budget, as shown to people.
        budget: the most that the folder may cost, over all its runs; no limit where it is not set.
    """

    endpoint: EndpointConfig | None = None
    endpoints: dict[str, EndpointConfig] = Field(default_factory=dict)
    prices: dict[str, Price]
    currency: str = "USD"
    budget: float | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _has_an_endpoint(self) -> Self:
        if (self.endpoint is None) == (not self.endpoints):
            raise ValueError("endpoint, endpoints: give one of them, a single endpoint or several by name")
        return self

    @property
    def endpoints_by_name(self) -> dict[str, EndpointConfig]:
        """All endpoints; a single one is called ``default``."""
        return self.endpoints if self.endpoint is None else {"default": self.endpoint}

    def endpoint_name(self, choice: ModelChoice) -> str:
        """The name of the endpoint where the model of ``choice`` is asked."""
        return choice.endpoint or next(iter(self.endpoints_by_name))
