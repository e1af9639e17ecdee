"""Alpaca's layout: ``instruction``, ``input`` and ``output``, one question and one answer."""

from __future__ import annotations

from srt.io.records import Problem, Record, Sequence
from srt.trainers.picture_tags import tagged_prompt
from srt.trainers.trainer_format import TrainerFormat


class AlpacaRow(Record):
    """A question and its answer. ``input``, which the trainers add to the instruction, is empty.

    ``images`` are the paths of the pictures, relative to the file.
    """

    training_row = True

    instruction: str
    input: str
    output: str
    images: list[str] | None = None
    problem_id: str
    trace_id: str


def alpaca_row(sequence: Sequence, _: Problem, images: list[str] | None) -> AlpacaRow:
    """The question and the answer of ``sequence``. Raises as :func:`srt.trainers.picture_tags.tagged_prompt` does."""
    (question,), (answer,) = tagged_prompt(sequence), sequence.completion
    return AlpacaRow(
        instruction=question.content,
        input="",
        output=answer.content,
        images=images,
        problem_id=sequence.problem_id,
        trace_id=sequence.trace_id,
    )


ALPACA = TrainerFormat(
    AlpacaRow,
    alpaca_row,
    llama_factory={
        "formatting": "alpaca",
        "columns": {"prompt": "instruction", "query": "input", "response": "output"},
    },
)
