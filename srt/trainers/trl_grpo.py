"""Prompts with their problems, for TRL's ``GRPOTrainer``: :mod:`srt.rewards.trl_reward` reads the column ``problem``.

With pictures TRL needs Parquet; it shows the column ``images`` before the prompt's text by itself.
"""

from __future__ import annotations

from srt.io.record_lines import dump
from srt.io.records import Message, Problem, Record, Sequence
from srt.trainers.trainer_format import TrainerFormat


class TrlGrpoRow(Record):
    """A prompt, and its ``problem`` as JSON; ``images`` are the paths of its pictures, relative to the file."""

    training_row = True

    prompt: list[Message]
    problem: str
    images: list[str] | None = None
    problem_id: str


def trl_grpo_row(sequence: Sequence, problem: Problem, images: list[str] | None) -> TrlGrpoRow:
    """The prompt of ``sequence``."""
    return TrlGrpoRow(
        prompt=sequence.prompt,
        problem=dump(problem).decode().rstrip("\n"),
        images=images,
        problem_id=sequence.problem_id,
    )


TRL_GRPO = TrainerFormat(TrlGrpoRow, trl_grpo_row)
