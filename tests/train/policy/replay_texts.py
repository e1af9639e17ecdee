"""The training script, with texts and rewards that depend on their place in the batch alone.

accelerate launch --config_file configs/FILE.yaml replay_texts.py --config RECIPE.yaml
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from accelerate import Accelerator

import train.policy.policy_trainer as policy_trainer
from srt.io.records import FinishReason
from srt.rewards import Reward
from train.objective import Grpo
from train.policy.problems import PromptedProblem
from train.train_srt import main


class Replay:
    """Each call is a batch of texts, of which a process gets those in its part of the batch."""

    def __init__(self) -> None:
        self._calls = 0

    def __call__(
        self, model: Any, accelerator: Accelerator, prompts: Sequence[Any], ends: Sequence[int], longest: int, *_: Any
    ) -> list[list[int]]:
        """Random ids, none of which stands for a picture; every fourth text is cut."""
        first = accelerator.process_index * len(prompts)
        places = range(first, first + len(prompts))
        self._calls += 1
        return [self._text((self._calls, at), ends, longest, cut=at % 4 == 3) for at in places]

    def _text(self, place: tuple[int, int], ends: Sequence[int], longest: int, *, cut: bool) -> list[int]:
        dice = np.random.default_rng(place)
        length = longest if cut else int(dice.integers(2, longest))
        ids = [int(one) for one in dice.integers(160, 300, length)]
        return ids if cut else [*ids[:-1], ends[0]]


def score(asked: PromptedProblem, text: str, finish_reason: FinishReason, grpo: Grpo) -> Reward:
    value = sum(text.count(letter) for letter in "aeiou") / 10
    return Reward(
        value=value,
        code="gap",
        right=False,
        proved_and_right=False,
        prefix=value,
        first_fault=len(text) // 2,
        cut=finish_reason == "length",
    )


if __name__ == "__main__":
    policy_trainer.generate_ids = Replay()
    policy_trainer.score = score
    sys.exit(main())
