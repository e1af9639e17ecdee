"""One text written under a guide by a server: each request continues it up to the next line break.

What becomes of a line is :class:`~eval.decoding.guided_text.GuidedText`'s to say, as where the model is at hand. A
server gives texts and counts of tokens, so the ids here are ours: those of a line are as many as its tokens, and the
last of them stands for what it says.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from eval.decoding.guide import LineDraft, Verdict
from eval.decoding.guided_text import GuidedText
from srt.io.records import Problem


@dataclass(frozen=True)
class LinesAsked:
    """``count`` candidates for the line after ``text``, of ``max_tokens`` each; ``number`` numbers the requests of a
    problem from 0. ``sampled``: the likeliest line will not do."""

    number: int
    text: str
    count: int
    max_tokens: int
    sampled: bool


@dataclass(frozen=True)
class DrawnLine:
    """A line, without its break. It is ended by a ``break``, with the whole text (``stop``), or ``cut`` at its limit.
    ``tokens`` (at least one) were generated for it, those of its end included."""

    text: str
    end: Literal["break", "stop", "cut"]
    tokens: int


@dataclass(frozen=True)
class LinesDrawn:
    """The candidates, for which ``tokens`` were generated in all; ``each_counted``: the server counts each of several,
    so that it can be asked for several."""

    lines: Sequence[DrawnLine]
    tokens: int
    each_counted: bool


class ServedText:
    """``text``: what a :class:`GuidedText` of such lines says, whose ends are :attr:`ends`."""

    def __init__(self) -> None:
        self.ends: set[int] = set()
        self._ids: dict[tuple[str, bool], int] = {}
        self._says: dict[int, str] = {}

    def ids_of(self, line: DrawnLine) -> list[int]:
        """The ids of ``line``, the same for the same text and number of tokens."""
        said = line.text + "\n" * (line.end == "break")
        number = self._ids.setdefault((said, line.end == "stop"), len(self._ids) + 1)
        self._says[number] = said
        if line.end == "stop":
            self.ends.add(number)
        return [0] * (line.tokens - 1) + [number]

    def said_by(self, ids: Sequence[int]) -> str:
        """The text of ``ids``."""
        return "".join(self._says[number] for number in ids if number)


async def write_lines(
    begin: Callable[[set[int]], GuidedText],
    problem: Problem,
    seed: int,
    draw: Callable[[LinesAsked], Awaitable[LinesDrawn]],
    judge: Callable[[LineDraft], Awaitable[Verdict]],
    longest: int,
) -> tuple[GuidedText, ServedText]:
    """The text for ``problem``, of ``longest`` tokens at most, and what its ids say.

    ``begin`` makes an empty text from the set of ids that end one. A line is drawn once, and again in as many
    candidates as its tries allow, the first kept one of which is taken; the tokens of all count. No candidate may take
    more than its share of what is left of the budget, so there are only as many as have room for twice the longest line
    so far. Each request costs a token or more: there are at most as many as tokens in the budget.
    """
    served = ServedText()
    text = begin(served.ends)
    number, widest, several = 0, 1, False
    while not text.finished:
        left = text.budget - text.drawn
        count = max(1, min(text.tries_left, left // (2 * widest))) if several and text.sampled else 1
        most = min(longest - len(text.ids), left // count)
        drawn = await draw(LinesAsked(number, served.said_by(text.ids), count, most, text.sampled))
        number, several = number + 1, drawn.each_counted
        unneeded, kept = max(drawn.tokens, sum(line.tokens for line in drawn.lines)), False
        for line in drawn.lines:
            widest = max(widest, line.tokens)
            if kept or text.finished:
                continue
            unneeded -= line.tokens
            if _add(text, served.ids_of(line), broken=line.end == "break"):
                draft = LineDraft(
                    problem=problem,
                    text=served.said_by(text.ids),
                    ended=line.end == "stop",
                    line=text.line,
                    draw=text.draws,
                    seed=seed,
                    log_probability=math.nan,  # no server is asked for it
                )
                verdict = await judge(draft)
                text.judged(verdict)
                kept = verdict.kept
            elif text.draft and not text.finished:  # cut at its share, and refused
                text.judged(Verdict(kept=False, reason="cut off: so many tokens are left for a candidate"))
        text.spend(unneeded)
    return text, served


def _add(text: GuidedText, ids: Sequence[int], *, broken: bool) -> bool:
    """Whether the guide must judge the line ``ids``."""
    for place, number in enumerate(ids, 1):
        if text.add(number, "ends" if broken and place == len(ids) else "none"):
            return True
        if text.finished or not text.draft:  # the budget is spent, or it is too long
            return False
    return False
