"""What sampled texts earn, and the figures that show whether a policy learns or games its reward."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, get_args

import torch
from accelerate import Accelerator
from accelerate.utils import gather_object

from srt.io.records import FinishReason
from srt.io.worker_processes import TimeLimitExceeded, run_within
from srt.judging.judge_many import LIMIT_S
from srt.judging.judgement import Code
from srt.rewards import Reward, less_for_length, reward
from train.objective import Grpo
from train.policy.problems import PromptedProblem

PROVED, PREFIX, NO_SIGNAL, CUT = "proved_and_right", "prefix", "no_signal", "cut"
OUTPUT_TOKENS, JUDGE_SECONDS, JUDGE_SHARE = "output_tokens", "judge_seconds", "judge_share"
"""Names of figures in the log."""


class Scored(NamedTuple):
    """What a sampled text earns, and how many tokens it has."""

    reward: Reward
    tokens: int


class GroupScores(NamedTuple):
    """The scores of a batch of texts over all processes, in the order of its groups.

    ``values`` has the reward of each text, of shape [texts]; NaN for a cut one, which so counts in no mean. ``figures``
    are for the log, and ``tokens`` those of all texts.
    """

    values: torch.Tensor
    figures: dict[str, float]
    tokens: int


def score(asked: PromptedProblem, text: str, finish_reason: FinishReason, grpo: Grpo) -> Reward:
    """What ``text`` earns; nothing, if judging it takes longer than ten seconds."""
    rate = partial(
        reward, asked.problem, text, finish_reason, thinking_open=asked.thinks, plan=grpo.plan, style=grpo.text
    )
    if threading.current_thread() is not threading.main_thread():
        return rate()  # only the main thread can be interrupted
    try:
        return run_within(LIMIT_S, rate)
    except TimeLimitExceeded:
        cut = finish_reason == "length"
        return Reward(
            value=0.0, code="too_large", right=None, proved_and_right=False, prefix=0.0, first_fault=0, cut=cut
        )


def score_groups(own: Sequence[Scored], seconds: float, grpo: Grpo, accelerator: Accelerator) -> GroupScores:
    """The scores of all processes' texts from those of this one, of which judging took so many ``seconds``.

    Every process must call this: the texts of a group may be those of two.
    """
    scored: list[Scored] = gather_object(list(own))
    slowest = max(gather_object([seconds]))
    rewards, lengths = [one.reward for one in scored], [one.tokens for one in scored]
    values: list[float] = []
    silent = 0
    for first in range(0, len(scored), grpo.samples):
        members = range(first, first + grpo.samples)
        group = [rewards[at] for at in members]
        earned = less_for_length(group, [lengths[at] for at in members], grpo.length)
        whole = [value for value, one in zip(earned, group, strict=True) if not one.cut]
        silent += len(set(whole)) < 2
        values += [float("nan") if one.cut else value for value, one in zip(earned, group, strict=True)]
    count = len(scored)
    figures = {
        PROVED: sum(one.proved_and_right for one in rewards) / count,
        PREFIX: sum(one.prefix for one in rewards) / count,
        "right": sum(one.right is True for one in rewards) / count,
        NO_SIGNAL: silent * grpo.samples / count,
        CUT: sum(one.cut for one in rewards) / count,
        OUTPUT_TOKENS: sum(lengths) / count,
        JUDGE_SECONDS: slowest,
    }
    figures |= {f"code/{code}": sum(one.code == code for one in rewards) / count for code in get_args(Code)}
    return GroupScores(torch.tensor(values, device=accelerator.device), figures, sum(lengths))
