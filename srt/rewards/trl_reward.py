"""The reward as a function for TRL's ``GRPOTrainer``, on a data set with the column ``problem``.

``srt build --format trl-grpo`` writes one. ``functools.partial`` sets the options; TRL logs the reward under its name::

    GRPOTrainer(model, reward_funcs=partial(proof_reward, plan=PLAN), ...)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from statistics import fmean
from typing import Any

from srt.io.errors import UserError
from srt.rewards import reward
from srt.rewards.given_problem import given_problem
from srt.worlds.world import CLAIMS, NEEDED


def proof_reward(
    prompts: Sequence[object],
    completions: Sequence[str | Sequence[Mapping[str, str]]],
    completion_ids: Sequence[Sequence[int]] | None = None,
    *,
    problem: Sequence[str] | None = None,
    plan: str = NEEDED,
    style: str = CLAIMS,
    thinking_open: bool = False,
    eos_token_ids: Collection[int] | None = None,
    log_metric: Callable[[str, float], None] | None = None,
    log_extra: Callable[[str, list[Any]], None] | None = None,
    **columns: object,
) -> list[float | None]:
    """What each completion earns, in order; :func:`srt.rewards.reward` has the formula.

    Args:
        prompts: not read; TRL passes them.
        completions: texts, or chats of one message each.
        completion_ids: the ids of the completions; read only with ``eos_token_ids``.
        problem: the problem of each completion as JSON.
        plan: the plan of the teacher's trace that is trained on.
        style: the text style of that trace.
        thinking_open: the prompts end with an open think block.
        eos_token_ids: the ids that end a turn. A completion that does not end with one was cut at its token budget and
            gets ``None``: TRL leaves it out of the mean of its group. Without them it counts as a text like any other.
        log_metric: given by TRL; gets the means of the parts of the reward and the shares of ``padded`` and
            ``another_form``, which rise where a reward is gamed.
        log_extra: given by TRL; gets each code.
        columns: whatever else the data set has.

    Raises:
        UserError: there is no column ``problem``.
    """
    if problem is None:
        raise UserError("the data set has no column problem; srt build --format trl-grpo writes it")
    given = zip((given_problem(each, "problem") for each in problem), map(_text, completions), strict=True)
    paid = [reward(one, text, plan=plan, style=style, thinking_open=thinking_open) for one, text in given]
    if log_metric is not None and paid:
        log_metric("proved_and_right", fmean(one.proved_and_right for one in paid))
        log_metric("right", fmean(one.right is True for one in paid))
        log_metric("prefix", fmean(one.prefix for one in paid))
        for alarm in ("padded", "another_form"):
            log_metric(alarm, fmean(one.code == alarm for one in paid))
    if log_extra is not None:
        log_extra("code", [one.code for one in paid])
    values: list[float | None] = [one.value for one in paid]
    if eos_token_ids is not None and completion_ids is not None:
        ended = [bool(ids) and ids[-1] in eos_token_ids for ids in completion_ids]
        return [value if whole else None for value, whole in zip(values, ended, strict=True)]
    return values


def _text(completion: str | Sequence[Mapping[str, str]]) -> str:
    return completion if isinstance(completion, str) else "".join(message["content"] or "" for message in completion)
