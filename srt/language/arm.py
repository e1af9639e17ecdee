"""What an arm is: which text of a trace is trained on. :mod:`srt.language.arms` lists the arms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from srt.io.records import Span
from srt.language.text import answer_line
from srt.language.trace import Operation, Trace

Input = Literal["any", "steps", "free steps", "prose", "terse prose", "free prose"]
"""What a builder takes: any trace, one with steps, or the ``cot`` trace of the derivation, in full or terse.

The free ones are another derivation of the same answer (:class:`srt.worlds.world.FreeForm`).
"""
PROSE_INPUTS: tuple[Input, ...] = ("prose", "terse prose", "free prose")


Learns = Literal["more", "rft", "rft-guided", "dpo", "grpo", "grpo-first-fault"]
"""What a model goes on learning from."""


class Completion(NamedTuple):
    """A completion, and the characters of each operation and of the answer in it."""

    text: str
    spans: tuple[Span, ...]


Builder = Callable[[Trace], Completion]


@dataclass(frozen=True)
class Arm:
    """An arm of an experiment.

    ``build`` makes the completion of a trace; ``None`` for an arm that trains on nothing. ``input`` says which trace it
    takes, ``without`` the operation whose steps its prose does not say. ``ban`` is the operation whose word is
    forbidden while generating, ``decode`` the way of decoding that evaluation uses. ``shots`` is the arm whose
    sequences are worked examples before each question. ``learns``: it goes on from the trained model of ``srt``
    (:mod:`srt.experiment.learned_arms`).
    """

    build: Builder | None
    input: Input = "steps"
    without: Operation | None = None
    ban: Operation | None = None
    decode: Literal["proved"] | None = None
    shots: str | None = None
    learns: Learns | None = None

    @property
    def generates_otherwise(self) -> bool:
        """Whether what is trained on is the text of ``srt``, and only generation differs."""
        return self.ban is not None or self.decode is not None


def completion(trace: Trace, lines: Sequence[tuple[Operation, str]] = (), prose: str = "") -> Completion:
    """``prose``, then ``lines``, one a step, then the answer line of ``trace``.

    The newline that ends a line belongs to the line's span.
    """
    spans: list[Span] = []
    text = prose
    for op, line in lines:
        # With the newline, so that every character but those of prose has a role in the loss.
        spans.append(Span(start=len(text), end=len(text) + len(line) + 1, label=op))
        text += line + "\n"
    answer = answer_line(trace.answer, trace.lang)
    spans.append(Span(start=len(text), end=len(text) + len(answer), label="ANSWER"))
    return Completion(text + answer, tuple(spans))
