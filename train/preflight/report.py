"""The report of a preflight. It is also made without PyTorch, so what needs PyTorch is imported for types alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from srt.io.errors import UserError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from train.data.examples import Example
    from train.preflight.memory_estimate import MemoryEstimate
    from train.preflight.trial_step import TrialStep


@dataclass
class PreflightReport:
    """What preflight found.

    Attributes:
        faults: a line each; a run with one of them will not work.
        notes: a line each, worth knowing.
        figures: tables by section.
        shown: examples whose labels are shown.
        fallback_plans: what would fit if memory does not suffice, a line each.
        memory: the estimate, and ``trial`` the measured step; ``None`` if a fault came before.
        tokenizer, picture_token: what is needed to show the examples.
    """

    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    shown: list[Example] = field(default_factory=list)
    fallback_plans: list[str] = field(default_factory=list)
    memory: MemoryEstimate | None = None
    trial: TrialStep | None = None
    tokenizer: PreTrainedTokenizerBase | None = None
    picture_token: int | None = None

    @contextmanager
    def collecting(self, what: str = "") -> Iterator[None]:
        """Report an error of the user's that ends the block, once; ``what`` begins its line."""
        try:
            yield
        except UserError as error:
            if f"{what}{error}" not in self.faults:
                self.faults.append(f"{what}{error}")
