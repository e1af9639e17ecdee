"""A back end without a model, for tests and for measuring our own overhead: one token per character, fixed answers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence

from eval.backends.protocol import Generation, GenerationSettings, Request
from srt.io.records import Message
from srt.language.prompts import render_prompt

OPEN, CLOSE = "<|user|>", "<|assistant|>"


class CharTokenizer:
    """A tokenizer whose ids are code points and whose chat template is ``<|user|>...<|assistant|>``."""

    chat_template = "fake"

    def apply_chat_template(
        self, conversation: list[dict[str, str]], *, add_generation_prompt: bool = False, tokenize: bool = True
    ) -> str:
        """The conversation as text; ``tokenize`` must be off."""
        if tokenize:
            raise ValueError("the fake tokenizer renders text only")
        turns = "".join(f"{OPEN}{turn['content']}" for turn in conversation)
        return turns + (CLOSE if add_generation_prompt else "")

    def encode(self, text: str, *, add_special_tokens: bool = False) -> list[int]:
        """Code points of ``text``."""
        return [ord(character) for character in text]


class FakeBackend:
    """Answers each prompt with ``reply(prompt text)``. ``calls`` counts the prompts that were generated for."""

    name = "fake"

    def __init__(
        self, reply: Callable[[str], str], *, model: str = "fake", batch_size: int = 4, reads_pictures: bool = False
    ) -> None:
        self._reply = reply
        self._batch_size = batch_size
        self.fingerprint = hashlib.sha256(model.encode()).hexdigest()
        self.description = {"model": model}
        self.reads_pictures = reads_pictures
        self.calls = 0

    def render(self, messages: Sequence[Message], pictures: int) -> str:
        """The prompt as the fake tokenizer's template writes it."""
        return render_prompt(CharTokenizer(), list(messages))

    def plan(self, requests: Sequence[Request], settings: GenerationSettings) -> list[list[int]]:
        """Batches in the given order."""
        indices = list(range(len(requests)))
        return [indices[at : at + self._batch_size] for at in range(0, len(indices), self._batch_size)]

    def generate_batches(
        self, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> Iterator[tuple[int, list[Generation]]]:
        """One batch after the other."""
        return ((number, self.generate(batch, settings)) for number, batch in enumerate(batches))

    def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
        """Cut the reply to ``settings.max_new_tokens`` characters; the end of sequence counts as one token."""
        generations = []
        for request in batch:
            self.calls += 1
            text = self._reply(request.prompt)
            whole = len(text) < settings.max_new_tokens
            generations.append(
                Generation(
                    text=text[: settings.max_new_tokens],
                    input_tokens=len(request.prompt),
                    output_tokens=len(text) + 1 if whole else settings.max_new_tokens,
                    finish_reason="stop" if whole else "length",
                    seconds=0.0,
                )
            )
        return generations
