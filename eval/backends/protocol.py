"""The protocol of back ends: plan batches over a whole set of prompts, and generate those that are missing.

The plan depends only on the whole set, not on what is already done, so that a run that was killed and resumed has the
same batches, and hence the same floating-point sums, as an uninterrupted one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from pydantic import Field, model_validator

from eval.decoding.decode_settings import Decode
from srt.io.records import Guided, Image, Message, Problem, Record, RefusedLine, Thinking
from srt.language.trace import Operation

Dtype = Literal["auto", "float32", "bfloat16", "float16"]
Attention = Literal["auto", "eager", "sdpa", "flash_attention_2"]
Grammar = Literal["trace"]
"""The grammars that generation can be constrained to: that of a trace (:mod:`eval.backends.trace_grammar`)."""


ServerType = Literal["vllm", "sglang", "llama.cpp"]
"""The servers whose request field for a grammar is known; without a grammar any OpenAI-compatible server will do."""


class GenerationSettings(Record):
    """How to generate. ``temperature`` 0 is greedy. ``ban`` forbids the word of one operation, in every language.

    ``grammar`` constrains the text token by token, and ``decode`` has a guide watch it line by line, on back ends that
    can.

    ``seed`` enters the seed of each sample if ``temperature`` is above 0; samples never share a random stream, so that
    a sample does not depend on its neighbours in the batch. ``think_budget``: after so many tokens inside an open think
    block the block is closed, and the model goes on to its answer. ``min_pixels`` and ``max_pixels`` bound the size to
    which pictures are resized; ``None`` keeps the limits of the model's own processor. A think budget excludes grammar
    and guide.
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
    # Where there is none it is not written: keys of predictions that were made before there was such a field stay.
    decode: Decode | None = Field(default=None, exclude_if=lambda given: given is None)

    @model_validator(mode="after")
    def _room_for_an_answer(self) -> GenerationSettings:
        if self.think_budget is not None and self.think_budget >= self.max_new_tokens:
            raise ValueError(
                f"think_budget {self.think_budget} leaves nothing for the answer: it must be below max_new_tokens, "
                f"which is {self.max_new_tokens}"
            )
        if self.think_budget is not None and self.grammar is not None:
            raise ValueError("think_budget: a text that is held to a grammar has none; leave one of them out")
        if self.think_budget is not None and self.decode is not None:
            raise ValueError("think_budget: a text that is guided (decode) has none; leave one of them out")
        return self


@dataclass(frozen=True)
class Request:
    """One prompt. ``prompt`` is what :meth:`Backend.render` gave for its messages.

    ``images``, in order, are relative to the folder ``root``: :func:`srt.images.normalise.shown_picture` opens them.
    ``seed`` is that of its sample (used only when sampling). ``problem``, without its gold answer, is what a guide
    judges the text by; ``None`` where there is no guide.
    """

    prompt: str
    images: tuple[Image, ...] = ()
    root: Path = Path()
    seed: int = 0
    problem: Problem | None = None


@dataclass(frozen=True)
class Generation:
    """The result of one request. All counts are of token ids, without padding.

    ``text`` is without the end-of-sequence token; ``output_tokens`` counts ids up to and with it, of which
    ``reasoning_tokens`` lie before the answer (``None`` where the text does not show where that begins);
    ``input_tokens`` are those of the prompt, ``image_tokens`` of which stand for pictures; ``finish_reason`` is
    ``length`` where no end of sequence came within the budget, ``error`` where this request could not be generated for,
    and ``error`` then says why in one line; ``thinking`` is ``None`` where no think block was opened; ``seconds`` is
    the batch's time divided evenly among its rows. The last five are those of a guided text
    (:class:`srt.io.records.Prediction`): ``output_tokens`` then counts what was taken back, too.
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
    guided: Guided | None = None
    kept_tokens: int | None = None
    tries: int | None = None
    lines_back: int | None = None
    refused: tuple[RefusedLine, ...] = ()


class Backend(Protocol):
    """A model that generates texts in batches."""

    @property
    def name(self) -> str:
        """The back end's name, for the run's manifest."""

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) over everything that makes the model: weights, configuration, tokenizer, adapter, numbers."""

    @property
    def description(self) -> dict[str, str]:
        """Facts for readers: model, adapter, number format, versions. They are not part of any key."""

    @property
    def reads_pictures(self) -> bool:
        """Whether requests may have ``images``; other models are given their description."""

    def render(self, messages: Sequence[Message], pictures: int) -> str:
        """The text that the model continues, with a placeholder for each picture; it is part of the key.

        For a server that applies its own template, this is the messages as JSON.
        """

    def plan(self, requests: Sequence[Request], settings: GenerationSettings) -> list[list[int]]:
        """Batches (indices into ``requests``) that cover every request once.

        Raises:
            UserError: a prompt and ``settings.max_new_tokens`` together do not fit the model.
        """

    def generate_batches(
        self, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> Iterator[tuple[int, list[Generation]]]:
        """Generate for ``batches`` of the plan, each whole.

        Yields (index into ``batches``, one generation for each request in the order of the batch) as soon as a batch is
        done, in any order: it is written to disk before the next is requested. A back end that has many requests in
        flight (a server, vLLM) plans batches of one.
        """
