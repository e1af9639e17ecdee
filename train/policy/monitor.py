"""The line on the console while a policy learns, and its speed."""

from __future__ import annotations

import time

from train.loop.monitor import Monitor
from train.policy.scoring import CUT, JUDGE_SHARE, NO_SIGNAL, OUTPUT_TOKENS, PREFIX, PROVED
from train.run.run_manifest import HELD_OUT_PROVED, TOKENS_PER_SECOND

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

    def line(self, step: int, steps: int, logs: dict[str, float]) -> str | None:
        """What is printed of ``logs``, if anything."""
        if "loss" in logs:
            return policy_line(step, steps, logs)
        if HELD_OUT_PROVED in logs:
            return f"step {step}/{steps}  held-out problems proved and right {logs[HELD_OUT_PROVED]:.1%}"
        return None


def policy_line(step: int, steps: int, logs: dict[str, float]) -> str:
    """The line that is printed every few steps: of alarms those that occurred, of texts where some were sampled."""
    alarms = [f"{name} {logs[key]:.1%}" for name in ALARMS if logs.get(key := f"code/{name}")]
    # With several updates on a batch of texts, most steps sample none; where all were cut, there is no reward.
    said = [form.format(logs[name]) for name, form in _SAID.items() if logs.get(name) is not None]
    return "  ".join([f"step {step}/{steps}", *said, *alarms, f"{logs['minutes_left']:.1f} min left"])


_SAID = {
    "reward": "reward {:.3f}",
    PROVED: "proved and right {:.1%}",
    PREFIX: "prefix {:.2f}",
    NO_SIGNAL: "no signal {:.0%}",
    CUT: "cut {:.0%}",
    OUTPUT_TOKENS: "{:.0f} tokens",
    JUDGE_SHARE: "judge {:.1%}",
}
