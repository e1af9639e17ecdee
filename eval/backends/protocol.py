"""What every back end offers: it plans batches over a whole set of prompts, and generates one batch.

The plan depends on the whole set alone, not on what is already done, so that a run that was killed and resumed meets
the same batches, and hence the same floating-point sums, as a run that was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import Field

from srt.language.trace import Operation
from srt.prompts import ChatTokenizer
from srt.records import Record


class GenerationSettings(Record):
    """How to generate. ``temperature`` 0 is greedy. ``ban`` forbids the word of one operation, in every language.

    ``seed`` enters each sample's own seed when ``temperature`` is above 0; samples never share a random stream, so
    that what is drawn for one prompt does not depend on its neighbours in the batch.
    """

    max_new_tokens: int = Field(default=512, ge=1)
    temperature: float = Field(default=0.0, ge=0.0)
    top_p: float = Field(default=1.0, gt=0.0, le=1.0)
    ban: Operation | None = None
    seed: int = 0


@dataclass(frozen=True)
class Request:
    """One prompt as token ids, and the seed of its sample (used only when sampling)."""

    prompt_ids: tuple[int, ...]
    seed: int = 0


@dataclass(frozen=True)
class Generation:
    """What one request gave.

    ``text`` is without the end-of-sequence token; ``output_tokens`` counts ids up to and with it; ``input_tokens`` is
    the number of prompt ids without padding; ``finish_reason`` is ``length`` where no end of sequence came within the
    budget; ``seconds`` is the batch's time divided evenly among its rows.
    """

    text: str
    input_tokens: int
    output_tokens: int
    finish_reason: Literal["stop", "length"]
    seconds: float


class Backend(Protocol):
    """A model that can be asked for a batch of texts."""

    @property
    def name(self) -> str:
        """The back end's own name, for the run stamp."""
        ...

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) over everything that makes the model: weights, configuration, tokenizer, adapter, numbers."""
        ...

    @property
    def description(self) -> dict[str, str]:
        """What people want to know about it: model, adapter, number format, versions. It is in no key."""
        ...

    @property
    def tokenizer(self) -> ChatTokenizer:
        """The tokenizer that renders prompts."""
        ...

    def plan(self, lengths: Sequence[int], settings: GenerationSettings) -> list[list[int]]:
        """Batches (indices into ``lengths``, the prompts' token counts) that cover every prompt once.

        Raises:
            UserError: a prompt with ``settings.max_new_tokens`` more would not fit the model.
        """
        ...

    def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
        """One generation for each request, in the order of ``batch``."""
        ...
