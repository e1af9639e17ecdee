"""What an exact world is to the rest of the toolkit: it knows its problems, solves them, and speaks of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from srt.language.trace import Trace, Truth
from srt.records import Lang, Problem, Refusal

RefusalReason = Literal[
    "no_world", "unknown_scene", "unknown_wording", "contradictory_clues", "not_unique", "disagrees_with_gold"
]


class Refused(Exception):
    """A problem that a world will not solve. ``detail`` names the clue or the field and its text."""

    def __init__(self, reason: RefusalReason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason: RefusalReason = reason
        self.detail = detail

    def record(self, problem_id: str) -> Refusal:
        """The refusal as it is written to the refusals file."""
        return Refusal(problem_id=problem_id, reason=self.reason, detail=self.detail)


class World(Protocol):
    """A family of problems with an exact model."""

    name: str

    def recognises(self, problem: Problem) -> bool:
        """Whether ``problem`` is of this world, by its scene alone; never raises."""
        ...

    def traits(self, problem: Problem) -> dict[str, str]:
        """What results are broken down by, read off the problem's text; empty where it cannot be read."""
        ...

    def solve(self, problem: Problem) -> Trace:
        """The exact trace of ``problem``, every step proved by its premises.

        Raises:
            Refused: the problem is not understood, contradicts itself, has several solutions, or a gold answer that
                the solution disagrees with.
        """
        ...

    def explain(self, problem: Problem, trace: Trace, terse: bool) -> str:
        """``trace`` (of this world, of ``problem``) as prose; ``terse`` for the fewest words. Raises as ``solve``."""
        ...

    def restate(self, trace: Trace) -> Trace:
        """``trace`` in a finer cut: the same derivation with the key of each lookup written out beside it."""
        ...

    def assertion(self, claim: str, lang: Lang) -> str:
        """``claim`` as a sentence for people."""
        ...

    def truth(self, problem: Problem, trace: Trace | None = None) -> Callable[[str], Truth]:
        """Whether a claim is true in the solved problem.

        Where seats are named only up to a symmetry of the scene, they are those that ``trace`` chose. The function says
        ``unknown`` of a claim that it cannot read, and of every claim where the problem is not solved.
        """
        ...

    def draw(self, problem: Problem) -> str:
        """The solved scene as an SVG picture. Raises as ``solve``."""
        ...
