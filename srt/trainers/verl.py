"""Prompts with their gold answers, for reinforcement learning with verl: Parquet with the pictures inside.

``RLHFDataset`` of verl 0.9 reads ``prompt`` and ``images``; its reward managers read ``data_source``, ``reward_model``
and ``extra_info``. Its own scores know no ``data_source`` of ours, so a run needs ``reward.custom_reward_function``.
"""

from __future__ import annotations

from typing import Literal

from srt.answers.written_form import canonical_text
from srt.io.errors import UserError
from srt.io.record_lines import dump
from srt.io.records import Message, Problem, Record, Sequence
from srt.trainers.picture_tags import tagged_prompt
from srt.trainers.trainer_format import TrainerFormat


class VerlReward(Record):
    """What a reward function compares with."""

    style: Literal["rule"]
    ground_truth: str


class VerlExtra(Record):
    """What a reward function is also given: the whole ``problem``, as JSON, for ``srt.judge``."""

    problem_id: str
    trace_id: str
    split: str
    problem: str


class VerlRow(Record):
    """A prompt of verl's; ``images`` are the paths of its pictures, relative to the file."""

    training_row = True

    data_source: str
    prompt: list[Message]
    ability: str
    reward_model: VerlReward
    extra_info: VerlExtra
    images: list[str] | None = None


def verl_row(sequence: Sequence, problem: Problem, images: list[str] | None) -> VerlRow:
    """The prompt of ``sequence``.

    Raises:
        UserError: the problem has no gold answer, or as :func:`srt.trainers.picture_tags.tagged_prompt` does.
    """
    if problem.answer is None:
        raise UserError(f"problem {problem.id}: answer: there is none, and the reward is for the gold answer")
    return VerlRow(
        data_source=problem.source,
        prompt=tagged_prompt(sequence),
        ability=problem.category or problem.source,
        reward_model=VerlReward(style="rule", ground_truth=canonical_text(problem.answer)),
        extra_info=VerlExtra(
            problem_id=problem.id,
            trace_id=sequence.trace_id,
            split=problem.split,
            problem=dump(problem).decode().rstrip("\n"),
        ),
        images=images,
    )


VERL = TrainerFormat(VerlRow, verl_row, suffix=".parquet")
