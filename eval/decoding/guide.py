"""What a guide is: it sees a text up to the end of a line, and says whether that line may stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from srt.io.records import Guided, Problem


@dataclass(frozen=True)
class LineDraft:
    """A text whose last line was just drawn; all before it was kept.

    ``problem`` is without its gold answer. ``ended``: the model ended the text. ``line`` numbers the line (from 0) and
    ``draw`` the lines drawn so far (from 0): with ``seed``, which is the sample's, they make a guide's own chance the
    same in every run. ``log_probability`` is the mean over the line's tokens of that which the model gave them (nats).
    """

    problem: Problem
    text: str
    ended: bool
    line: int
    draw: int
    seed: int
    log_probability: float


@dataclass(frozen=True)
class Verdict:
    """``kept``: the line may stand; ``reason`` says why not. ``whole``: the text has what this guide looks for.
    ``answer`` is what a text states, for guides that ask for it."""

    kept: bool
    whole: bool = False
    reason: str | None = None
    answer: str | None = None


class Guide(Protocol):
    """Judges drafts, in other processes: it is pickled, and what it says depends on the draft alone."""

    @property
    def marks(self) -> tuple[Guided, Guided]:
        """What a text is marked with that it found ``whole``, and any other."""

    def verdict(self, draft: LineDraft) -> Verdict:
        """Whether the last line of ``draft`` may stand. Raises nothing."""
