"""What every back end offers: it plans batches over a whole set of prompts, and generates those that are missing.

The plan depends on the whole set alone, not on what is already done, so that a run that was killed and resumed meets
the same batches, and hence the same floating-point sums, as a run that was not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from pydantic import Field, model_validator

from srt.language.trace import Operation
from srt.records import Image, Message, Record, Thinking

Dtype = Literal["auto", "float32", "bfloat16", "float16"]
Attention = Literal["auto", "eager", "sdpa", "flash_attention_2"]
Grammar = Literal["trace"]
"""The forms that a text can be held to while it is generated: that of a trace (:mod:`eval.grammar`)."""


class GenerationSettings(Record):
    """How to generate. ``temperature`` 0 is greedy. ``ban`` forbids the word of one operation, in every language.

    ``grammar`` holds the text to a form, token by token, on back ends that can.

    ``seed`` enters each sample's own seed when ``temperature`` is above 0; samples never share a random stream, so
    that what is drawn for one prompt does not depend on its neighbours in the batch. ``think_budget``: after so many
    tokens inside an open think block the block is closed for the model, which goes on to its answer. ``min_pixels`` and
    ``max_pixels`` bound what a picture is resized to; ``None`` leaves the limits of the model's own processor.
    A grammar and a think budget exclude each other.
    """

    max_new_tokens: int = Field(default=512, ge=1)
    temperature: float = Field(default=0.0, ge=0.0)
    top_p: float = Field(default=1.0, gt=0.0, le=1.0)
    ban: Operation | None = None
    grammar: Grammar | None = None
    seed: int = 0
    think_budget: int | None = Field(default=None, ge=1)
    min_pixels: int | None = Field(default=None, ge=1)
    max_pixels: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _room_for_an_answer(self) -> GenerationSettings:
        if self.think_budget is not None and self.think_budget >= self.max_new_tokens:
            raise ValueError(
                f"think_budget {self.think_budget} leaves nothing for the answer: it must be below max_new_tokens, "
                f"which is {self.max_new_tokens}"
            )
        if self.think_budget is not None and self.grammar is not None:
            raise ValueError("think_budget: a text that is held to a grammar has none; leave one of them out")
        return self


@dataclass(frozen=True)
class Request:
    """One prompt. ``prompt`` is what :meth:`Backend.render` gave for its messages.

    ``images``, in order, are relative to the folder ``root``: :func:`srt.pictures.open_picture` opens them. ``seed`` is
    that of its sample (used only when sampling).
    """

    prompt: str
    images: tuple[Image, ...] = ()
    root: Path = Path()
    seed: int = 0


@dataclass(frozen=True)
class Generation:
    """What one request gave. All counts are of token ids, and none is of padding.

    ``text`` is without the end-of-sequence token; ``output_tokens`` counts ids up to and with it, of which
    ``reasoning_tokens`` lie before the answer (``None`` where the text does not show where that begins);
    ``input_tokens`` are those of the prompt, ``image_tokens`` of which stand for pictures; ``finish_reason`` is
    ``length`` where no end of sequence came within the budget, ``error`` where this request could not be generated for,
    and ``error`` then says why in one line; ``thinking`` is ``None`` where no think block was opened; ``seconds`` is
    the batch's time divided evenly among its rows.
    """

    text: str
    input_tokens: int
    output_tokens: int
    finish_reason: Literal["stop", "length", "error"]
    seconds: float
    image_tokens: int = 0
    reasoning_tokens: int | None = None
    thinking: Thinking | None = None
    error: str | None = None


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
    def reads_pictures(self) -> bool:
        """Whether requests may have ``images``; a model that reads none is given their description."""
        ...

    def render(self, messages: Sequence[Message], pictures: int) -> str:
        """The text that the model continues, with a placeholder for each picture; it takes part in the key.

        A server that applies its own template gives the messages as JSON.
        """
        ...

    def plan(self, requests: Sequence[Request], settings: GenerationSettings) -> list[list[int]]:
        """Batches (indices into ``requests``) that cover every request once.

        Raises:
            UserError: a prompt with ``settings.max_new_tokens`` more would not fit the model.
        """
        ...

    def generate_batches(
        self, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> Iterator[tuple[int, list[Generation]]]:
        """Generate for ``batches`` of the plan, each whole.

        Yields (index into ``batches``, one generation for each request in the order of the batch) as soon as a batch is
        done, in any order: what is yielded is written to disk before the next is asked for. A back end that has many
        requests under way at once (a server, vLLM) plans batches of one.
        """
        ...
