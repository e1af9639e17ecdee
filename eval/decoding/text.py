"""What a text is while it is written: tokens and verdicts come in, and it says what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from eval.decoding.guide import Verdict

Break = Literal["none", "ends", "opens"]
"""Whether a token breaks the line: it ``ends`` one, or also ``opens`` the next, of which it then is the first token."""


class RefusedIds(NamedTuple):
    """The ``ids`` of a line that was refused, or taken back, with the ``reason``; ``last`` is the id before them, if
    any. So many of the ids that stand in the end are ``before`` the line that stands in its place."""

    before: int
    last: tuple[int, ...]
    ids: tuple[int, ...]
    reason: str | None


class Text(Protocol):
    """The ids of a text.

    ``drawn`` of at most ``budget`` tokens were generated. ``whole``: its guide found what it looks for.
    """

    budget: int
    drawn: int
    finished: bool
    whole: bool

    @property
    def ids(self) -> list[int]:
        """The ids that stand now."""

    @property
    def line(self) -> int:
        """The number of the line that is drawn, from 0."""

    @property
    def draws(self) -> int:
        """How many lines were drawn."""

    @property
    def redrawn(self) -> int:
        """How many of them were drawn again."""

    @property
    def taken_back(self) -> int:
        """How many lines are gone that had been kept."""

    @property
    def refused(self) -> Sequence[RefusedIds]:
        """The lines that are gone, in the order in which they went."""

    @property
    def sampled(self) -> bool:
        """Whether the next token must be sampled, though decoding is greedy."""

    def add(self, token: int, breaks: Break) -> bool:
        """Add a token, which ``breaks`` the line or not; returns whether the guide must now judge the text."""

    def judged(self, verdict: Verdict) -> None:
        """What the guide says of the text."""
