"""Conversations as OpenAI's chat API has them, in a column ``messages``: for ms-swift, LLaMA-Factory, and verl's SFT.

LLaMA-Factory has a formatting ``openai`` too, which writes "detailed thinking off" into the system prompt where there
are no tools (``OpenAIDatasetConverter`` of 0.9.5). Read as ``sharegpt`` with these tags, the text stays as it is.
"""

from __future__ import annotations

from srt.io.records import Message, Problem, Record, Sequence
from srt.trainers.picture_tags import tagged_prompt
from srt.trainers.trainer_format import TrainerFormat


class MessagesRow(Record):
    """A conversation; ``images`` are the paths of its pictures, relative to the file."""

    training_row = True

    messages: list[Message]
    images: list[str] | None = None
    problem_id: str
    trace_id: str


def messages_row(sequence: Sequence, _: Problem, images: list[str] | None) -> MessagesRow:
    """The conversation of ``sequence``. Raises as :func:`srt.trainers.picture_tags.tagged_prompt` does."""
    return MessagesRow(
        messages=[*tagged_prompt(sequence), *sequence.completion],
        images=images,
        problem_id=sequence.problem_id,
        trace_id=sequence.trace_id,
    )


MESSAGES = TrainerFormat(
    MessagesRow,
    messages_row,
    llama_factory={
        "formatting": "sharegpt",
        "columns": {"messages": "messages"},
        # All of them: LLaMA-Factory has no default for one that is left out of the mapping.
        "tags": {
            "role_tag": "role",
            "content_tag": "content",
            "user_tag": "user",
            "assistant_tag": "assistant",
            "observation_tag": "tool",
            "function_tag": "function_call",
            "system_tag": "system",
        },
    },
)
