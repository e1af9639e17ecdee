"""The line on the console while a policy learns, and its speed."""

from __future__ import annotations

import time

from transformers import TrainerControl, TrainerState, TrainingArguments

from srt.io.progress import say
from train.loop.monitor import Monitor
from train.policy.scoring import CUT, HELD_OUT, JUDGE_SHARE, NO_SIGNAL, OUTPUT_TOKENS, PREFIX, PROVED
from train.run.run_manifest import TOKENS_PER_SECOND

ALARMS = ("padded", "another_form")
"""What a text that games its reward is called, with the part ``code/`` of the log."""


class PolicyMonitor(Monitor):
    """Times the steps, and prints a line whenever the trainer logs.

    Attributes:
        tokens: those that all processes have sampled since the last log.
    """

    def __init__(self) -> None:
        self.tokens = 0
        self._last = (0, time.monotonic())

    def figures(self, step: int, steps: int) -> dict[str, float]:
        """``tokens_per_second``, of sampled tokens by the time of sampling and learning, and ``minutes_left``."""
        now, (last_step, last_time), tokens = time.monotonic(), self._last, self.tokens
        self._last, self.tokens = (step, now), 0
        seconds = max(now - last_time, 1e-9)
        left = (steps - step) * seconds / max(step - last_step, 1) / 60
        return {TOKENS_PER_SECOND: tokens / seconds, "minutes_left": left}

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **kwargs: object,
    ) -> None:
        """Print the line."""
        if logs and state.is_world_process_zero:
            if "loss" in logs:
                say(policy_line(state.global_step, state.max_steps, logs))
            elif HELD_OUT in logs:
                share = f"held-out problems proved and right {logs[HELD_OUT]:.1%}"
                say(f"step {state.global_step}/{state.max_steps}  {share}")


def policy_line(step: int, steps: int, logs: dict[str, float]) -> str:
    """The line that is printed every few steps; alarms only where there is something."""
    alarms = [f"{name} {logs[key]:.1%}" for name in ALARMS if logs.get(key := f"code/{name}")]
    parts = [
        f"step {step}/{steps}",
        f"reward {logs['reward']:.3f}" if logs.get("reward") is not None else "reward -",
        f"proved and right {logs[PROVED]:.1%}",
        f"prefix {logs[PREFIX]:.2f}",
        f"no signal {logs[NO_SIGNAL]:.0%}",
        f"cut {logs[CUT]:.0%}",
        *alarms,
        f"{logs[OUTPUT_TOKENS]:.0f} tokens",
        f"judge {logs[JUDGE_SHARE]:.1%}",
        f"{logs['minutes_left']:.1f} min left",
    ]
    return "  ".join(parts)
