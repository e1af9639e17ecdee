"""The exact worlds of SRT as a taskset for verifiers 0.4: sampled problems, and a reward for proved traces.

vf-eval srt-environment --env.taskset.world routes -n 20 -r 4 --env.agent.harness.id null \\
    --env.agent.runtime.type subprocess --no-push
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

import verifiers.v1 as vf
from pydantic import Field

from srt import Problem, linearize, prompt, sample, solve
from srt.rewards import Reward, reward

__all__ = ["SrtTaskset"]

AS_TEXT: dict[str, dict[str, Any]] = {"views": {"style": "none"}}
"""Settings of a world with which its problems are whole without a picture."""


class SrtData(vf.TaskData):
    """A prompt; ``problem`` is the whole problem as JSON, with its gold answer."""

    problem: str


class SrtTaskConfig(vf.TaskConfig):
    """Whose steps the prefix counts: those of ``plan``, written in the text style ``style``."""

    plan: str = "needed"
    style: str = "claims"


class SrtTask(vf.Task[SrtData, vf.State, SrtTaskConfig]):
    """One problem. The reward is that of :func:`srt.rewards.reward`; its parts are metrics."""

    @vf.reward
    async def proof(self, trace: vf.Trace) -> float:
        """Up to 1.5 for a proof, up to 0.5 for its beginning."""
        # Elsewhere than in the event loop: a long text takes tens of milliseconds.
        paid = await asyncio.to_thread(self._paid, trace.last_reply, cut=trace.is_truncated)
        trace.record_metrics(
            {
                "proved_and_right": float(paid.proved_and_right),
                "right": float(paid.right is True),
                "prefix": paid.prefix,
                "padded": float(paid.code == "padded"),
                "another_form": float(paid.code == "another_form"),
            }
        )
        return paid.value

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether the exact teacher's own trace earns it all."""
        return self._paid(linearize(solve(self._problem)), cut=False).value == 1.5

    @property
    def _problem(self) -> Problem:
        return Problem.model_validate_json(self.data.problem)

    def _paid(self, text: str, *, cut: bool) -> Reward:
        reason: Literal["length", "stop"] = "length" if cut else "stop"
        return reward(self._problem, text, reason, plan=self.config.plan, style=self.config.style)


class SrtConfig(vf.TasksetConfig):
    """Which problems: ``num_tasks`` of a ``world`` (``seating``, ``views``, ``routes``, ``solids``) and a ``split``.

    ``settings`` are those of the world's page: ``{"lang": "zh"}``. Another ``seed`` gives other problems.
    """

    world: Literal["seating", "views", "routes", "solids"] = "seating"
    split: str = "train"
    num_tasks: int = 100
    seed: int = 0
    settings: dict[str, Any] = Field(default_factory=dict)
    task: SrtTaskConfig = SrtTaskConfig()


class SrtTaskset(vf.Taskset[SrtTask, SrtConfig]):
    """Different problems of one world; the same arguments give the same ones on every machine."""

    def load(self) -> Iterator[SrtTask]:
        """A task for each problem, with the prompt on which models are trained and evaluated."""
        of = self.config
        settings = AS_TEXT.get(of.world, {}) | of.settings
        for problem in sample(of.world, of.num_tasks, of.seed, split=of.split, settings=settings):
            (message,) = prompt(problem)
            data = SrtData(id=problem.id, prompt=message.content, problem=problem.model_dump_json())
            yield SrtTask(data, of.task)
