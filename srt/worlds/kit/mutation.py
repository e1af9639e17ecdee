"""What ``srt mutate`` needs of a world: mutants of a valid trace, and an independent verdict on each."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from srt.io.records import Problem
from srt.language.faults import FaultClass
from srt.language.trace import Trace


@dataclass(frozen=True)
class Mutant:
    """A trace with one fault. ``step`` counts from 1; 0 is the answer. ``change`` describes it in one line."""

    trace: Trace
    step: int
    change: str


@dataclass(frozen=True)
class OracleVerdict:
    """``faults`` say why a trace is not proved; ``false`` are the steps with a false claim, 0 for the answer."""

    faults: tuple[str, ...]
    false: tuple[int, ...]

    @property
    def proved(self) -> bool:
        """Every step follows under its right operation and is used, and the answer follows."""
        return not self.faults


class MutationSubject(Protocol):
    """A valid trace of a world, parsed, from which mutants are made."""

    def mutate(self, fault: FaultClass, rng: random.Random) -> Mutant | None:
        """A mutant with ``fault``, drawn at random; ``None`` where the draw finds no place for it in the trace."""

    def judge(self, trace: Trace) -> OracleVerdict:
        """The verdict on ``trace``, a mutant, of an oracle that shares no code with the checker."""


@dataclass(frozen=True)
class Faults:
    """What ``srt mutate`` plants in the traces of a world: its classes, in the order of the table, and how.

    ``subject`` takes a valid trace of a problem apart; it raises a :class:`ValueError`, which says why, for others.
    """

    planted: tuple[FaultClass, ...]
    subject: Callable[[Problem, Trace], MutationSubject]
