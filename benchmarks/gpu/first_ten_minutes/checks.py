"""What a step reports, and where it runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch


class Check(NamedTuple):
    """One thing that was checked: a line for a person, and the figures behind it for the report."""

    name: str
    outcome: Literal["pass", "fail", "skipped"]
    line: str
    figures: dict[str, Any] = {}  # noqa: RUF012 - never changed


class Place(NamedTuple):
    """Where a step runs: on the GPU, or with ``tiny`` models on the CPU; ``folder`` is for its files."""

    tiny: bool
    folder: Path
    minutes: float

    @property
    def device(self) -> torch.device:
        """The device that is checked."""
        return torch.device("cpu" if self.tiny else "cuda")


def judged(name: str, measured: float, most: float, what: str, **figures: Any) -> Check:
    """A check that passes if ``measured`` is at most ``most``; NaN fails."""
    outcome: Literal["pass", "fail"] = "pass" if measured <= most else "fail"
    line = f"{what} {measured:.2g} (at most {most:.2g})"
    return Check(name, outcome, line, {"measured": measured, "most": most, **figures})


def largest_difference(values: Sequence[float], wanted: Sequence[float]) -> float:
    """The largest relative difference between two rows of figures; infinite if their numbers differ."""
    if len(values) != len(wanted) or not wanted:
        return float("inf")
    return max(abs(value - other) / abs(other) for value, other in zip(values, wanted, strict=True))
