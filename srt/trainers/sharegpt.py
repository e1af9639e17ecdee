"""ShareGPT's layout, as LLaVA uses it: ``conversations`` of turns ``from`` and ``value``."""

from __future__ import annotations

from typing import Any, Final

from pydantic import create_model

from srt.io.records import Problem, Record, Sequence
from srt.trainers.picture_tags import tagged_prompt
from srt.trainers.trainer_format import TrainerFormat

_NAMES: Final = {"system": "system", "user": "human", "assistant": "gpt"}


# Not a class statement: ``from`` is a word of Python.
_TURN: Final[dict[str, Any]] = {"from": (str, ...), "value": (str, ...)}
ShareGptTurn = create_model("ShareGptTurn", __base__=Record, **_TURN)
"""A turn: who speaks (``system``, ``human`` or ``gpt``), and what is said."""


class ShareGptRow(Record):
    """A conversation; ``images`` are the paths of its pictures, relative to the file."""

    training_row = True

    conversations: list[ShareGptTurn]
    images: list[str] | None = None
    problem_id: str
    trace_id: str


def sharegpt_row(sequence: Sequence, _: Problem, images: list[str] | None) -> ShareGptRow:
    """The conversation of ``sequence``. Raises as :func:`srt.trainers.picture_tags.tagged_prompt` does."""
    turns = [*tagged_prompt(sequence), *sequence.completion]
    return ShareGptRow(
        conversations=[{"from": _NAMES[turn.role], "value": turn.content} for turn in turns],
        images=images,
        problem_id=sequence.problem_id,
        trace_id=sequence.trace_id,
    )


SHAREGPT = TrainerFormat(
    ShareGptRow,
    sharegpt_row,
    llama_factory={
        "formatting": "sharegpt",
        "columns": {"messages": "conversations"},
        # All of them: LLaMA-Factory has no default for one that is left out of the mapping.
        "tags": {
            "role_tag": "from",
            "content_tag": "value",
            "user_tag": "human",
            "assistant_tag": "gpt",
            "observation_tag": "observation",
            "function_tag": "function_call",
            "system_tag": "system",
        },
    },
)
