"""Texts of a teacher that errs, with right answers: the same error in a trace and in its sentences.

A *slip* is one step in which two people, or two seats, are exchanged; the rest of the text goes on as if nothing had
happened. The *rule* is one wrong belief that goes through a whole text: the places of each bench are counted from the
wrong end, so that left and right are exchanged. The world is booths; sentence ``n`` of ``cot`` says what step ``n`` of
the trace says, so both texts have the error at the same place.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from srt.checking import check
from srt.io.records import Problem
from srt.judging.judge import judge
from srt.language.arms import completion_text
from srt.language.text import linearize
from srt.language.trace import Trace
from srt.pipeline.build import in_style
from srt.worlds.world import CLAIMS
from srt.worlds.world_registry import world_of

Kind = Literal["clean", "slips", "rule"]
Changed = Callable[[str], str]
_SEAT = re.compile(r"\b([NESW])([12])\b")
_SENTENCE = re.compile(r"(?<=[.。])(\s*)")
_TRIES = 40


class Noise(NamedTuple):
    """Which error, in what share of the texts."""

    kind: Kind
    share: float


CLEAN = Noise("clean", 0.0)


@dataclass(frozen=True)
class Taught:
    """A problem with its two texts as traces; ``erred``: the teacher made its error here."""

    problem: Problem
    trace: Trace
    prose: Trace
    erred: bool = False

    def text(self, arm: str) -> str:
        """The completion in the arm ``srt`` or ``cot``."""
        return completion_text(self.trace if arm == "srt" else self.prose, arm).text

    def verified(self, arm: str) -> bool:
        """Whether the checker proves the trace; of sentences, whether their last plan has a certificate."""
        if arm == "srt":
            return check(self.problem, self.trace).proved
        return judge(self.problem, linearize(self.prose)).certified is True


def taught(problem: Problem, trace: Trace, style: str = CLAIMS) -> Taught:
    """The texts of ``trace``, the exact solution of ``problem``, without an error."""
    world = world_of(problem)
    assert world is not None
    styled = trace if style == CLAIMS else in_style(trace, problem, style, world)
    text = world.explain(problem, trace, style=style)
    return Taught(problem, styled, trace.model_copy(update={"kind": "cot", "steps": (), "text": text}))


def with_noise(clean: Taught, noise: Noise) -> Taught:
    """``clean``, or, in ``noise.share`` of the problems, the same with the error; those of a share are of each larger.

    A slip that the checker proves is drawn again, and after 40 draws there is none.
    """
    chance = random.Random(f"noise/{clean.problem.id}")
    if noise.kind == "clean" or chance.random() >= noise.share:
        return clean
    if noise.kind == "rule":
        return _in_all(clean, lambda text: _SEAT.sub(lambda seat: seat[1] + "21"[int(seat[2]) - 1], text))
    return _slipped(clean, chance)


def _slipped(clean: Taught, chance: random.Random) -> Taught:
    names = sorted(set(re.findall(r"[^\s@&|=(),?]+(?=@)", " ".join(step.claim or "" for step in clean.trace.steps))))
    seats = sorted({seat[0] for step in clean.trace.steps for seat in _SEAT.finditer(step.claim or "")})
    for _ in range(_TRIES):
        at = chance.randrange(len(clean.trace.steps) - 1)  # the last says the letters
        one, other = chance.sample(chance.choice((names, seats)), 2)
        slipped = _in_one(clean, at, one, other)
        if slipped.trace != clean.trace and slipped.prose != clean.prose and not slipped.verified("srt"):
            return slipped
    return clean


def _in_one(clean: Taught, at: int, one: str, other: str) -> Taught:
    """``clean`` with ``one`` and ``other`` exchanged in step and sentence ``at``, from 0."""

    def exchanged(text: str) -> str:
        return re.sub(rf"\b(?:{one}|{other})\b", lambda word: other if word[0] == one else one, text)

    steps = list(clean.trace.steps)
    steps[at] = steps[at].model_copy(update={"claim": exchanged(steps[at].claim or "")})
    parts = _SENTENCE.split(clean.prose.text or "")  # sentences, each with the white space after it
    parts[2 * at] = exchanged(parts[2 * at])
    return Taught(
        clean.problem,
        clean.trace.model_copy(update={"steps": tuple(steps)}),
        clean.prose.model_copy(update={"text": "".join(parts)}),
        erred=True,
    )


def _in_all(clean: Taught, changed: Changed) -> Taught:
    steps = tuple(step.model_copy(update={"claim": changed(step.claim or "")}) for step in clean.trace.steps)
    trace = clean.trace.model_copy(update={"steps": steps})
    prose = clean.prose.model_copy(update={"text": changed(clean.prose.text or "")})
    return Taught(clean.problem, trace, prose, erred=True)
