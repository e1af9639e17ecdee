"""The reward as verl calls it, ``compute_score``, on the Parquet that ``srt build --format verl`` writes.

    python -m verl.trainer.main_ppo data.train_files=srt.parquet algorithm.adv_estimator=grpo \\
        reward.custom_reward_function.path=pkg://srt.rewards.verl_reward

``reward.custom_reward_function.reward_kwargs`` sets ``plan`` and ``style``. verl 0.9 calls it in several threads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srt.io.errors import UserError
from srt.rewards import reward
from srt.rewards.given_problem import given_problem
from srt.worlds.world import CLAIMS, NEEDED


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    *,
    plan: str = NEEDED,
    style: str = CLAIMS,
    **others: object,
) -> dict[str, float]:
    """What ``solution_str`` earns (``score``: :func:`srt.rewards.reward`), and its parts, which verl logs.

    ``extra_info["problem"]`` is the problem as JSON. ``padded`` and ``another_form`` are 1 for a text with that code:
    they rise where a reward is gamed.

    Raises:
        UserError: ``extra_info`` has no problem.
    """
    if not extra_info or "problem" not in extra_info:
        raise UserError("extra_info: it has no problem; srt build --format verl writes it")
    paid = reward(given_problem(extra_info["problem"], "extra_info.problem"), solution_str, plan=plan, style=style)
    return {
        "score": paid.value,
        "proved_and_right": float(paid.proved_and_right),
        "right": float(paid.right is True),
        "prefix": paid.prefix,
        "padded": float(paid.code == "padded"),
        "another_form": float(paid.code == "another_form"),
    }
