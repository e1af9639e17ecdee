"""What a card of the gallery shows: a problem, a trace of it, the verdicts; each may be missing."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from srt.answers.written_form import canonical_text
from srt.images.shown_file import shown_file
from srt.io.errors import UserError
from srt.io.records import Problem, RefusedLine
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.pages.page_template import data_uri
from srt.worlds.world import Refused, World
from srt.worlds.world_registry import world_of

_MAX_SIDE: Final = 1200
"""Pixels of a picture's longer side: a page holds all its pictures, and a photo from a camera has megabytes."""


class ShownStep(NamedTuple):
    """A step as text: what it cites, its claim, the claim as a sentence, and the verdict with its reason. ``refused``
    were drawn in its place, and did not stand."""

    op: str = ""
    args: str = ""
    claim: str = ""
    assertion: str = ""
    verdict: StepCheck | None = None
    refused: tuple[RefusedLine, ...] = ()


class Card(NamedTuple):
    """``pictures`` and ``solved`` are data URIs: what the problem shows, and the world's drawing of its solution.

    ``unseen`` are pictures that cannot be shown, each with the reason. ``text`` is the prose of a cot trace; ``prose``
    and ``terse`` are a trace of a world in words. ``said`` is a line about the whole. ``refused`` were drawn in the
    place of the answer.
    """

    problem: Problem | None = None
    trace: Trace | None = None
    checked: TraceCheck | None = None
    kind: str = ""
    said: str = ""
    pictures: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    solved: str | None = None
    steps: tuple[ShownStep, ...] = ()
    text: str | None = None
    prose: str | None = None
    terse: str | None = None
    refused: tuple[RefusedLine, ...] = ()

    @property
    def lang(self) -> str:
        """The language of what it shows."""
        shown = self.problem or self.trace
        return "en" if shown is None else shown.lang

    @property
    def gold(self) -> list[str]:
        """The letters of the right options."""
        answer = None if self.problem is None else self.problem.answer
        return answer.value if answer is not None and answer.kind == "choice_set" else []

    @property
    def gold_text(self) -> str | None:
        """The gold answer where it is not among the options."""
        answer = None if self.problem is None else self.problem.answer
        return None if answer is None or self.gold else canonical_text(answer)


def problem_card(problem: Problem, folder: Path | None = None, world: World | None = None) -> Card:
    """The card of ``problem`` alone, whose pictures are in ``folder``.

    Without pictures, a problem of ``world`` shows what the world draws of it.
    """
    pictures, unseen = [], []
    if problem.images:
        for image in problem.images:
            try:
                data, kind_of_file = shown_file(folder or Path(), image, _MAX_SIDE)
                pictures.append(data_uri(kind_of_file, data))
            except UserError as error:
                unseen.append(str(error))
    elif world is not None and (draw := world.extras.figures.picture) is not None:
        try:
            drawn = draw(problem)
            pictures += [] if drawn is None else [data_uri("image/png", drawn)]
        except ValueError as error:
            unseen.append(str(error))
    kind = problem.category or (world.name if world is not None else problem.source)
    return Card(problem, kind=kind, pictures=tuple(pictures), unseen=tuple(unseen))


def trace_card(trace: Trace, checked: TraceCheck | None = None, world: World | None = None) -> Card:
    """The card of ``trace`` alone, with the verdicts ``checked``; a world says its claims as sentences."""
    if checked is not None and len(checked.steps) != len(trace.steps):
        checked = None  # A record can hold the verdicts on steps that it has no longer.
    verdicts = (None,) * len(trace.steps) if checked is None else checked.steps
    steps = [
        ShownStep(step.op, " ".join(step.args), step.claim or "", step.assertion or "", verdict)
        for step, verdict in zip(trace.steps, verdicts, strict=True)
    ]
    if world is not None and trace.kind == "world":
        steps = [step._replace(assertion=_sentence(world, step.claim, trace)) for step in steps]
    return Card(trace=trace, checked=checked, kind=trace.kind, steps=tuple(steps), text=trace.text)


def checked_card(checked: TraceCheck) -> Card:
    """The card of verdicts alone: they know their steps by number only."""
    return Card(checked=checked, steps=tuple(ShownStep(verdict=verdict) for verdict in checked.steps))


def whole_card(
    problem: Problem,
    trace: Trace,
    checked: TraceCheck,
    *,
    folder: Path | None = None,
    world: World | None = None,
) -> Card:
    """The card of ``problem`` and a checked ``trace`` of it, side by side.

    ``world`` is that of the problem, by default the one that recognises it. It also draws and writes out a solution
    that is proved.
    """
    world = world or world_of(problem)
    asked, said = problem_card(problem, folder, world), trace_card(trace, checked, world)
    card = asked._replace(trace=trace, checked=checked, steps=said.steps, text=said.text)
    if world is None or trace.kind != "world" or not checked.proved:
        return card
    try:
        solved = world.extras.figures.solved and world.extras.figures.solved(problem)
        prose, terse = (world.explain(problem, trace, terse=terse) for terse in (False, True))
    except Refused:  # The trace is proved, and still the solver knows better: gold may differ.
        return card
    return card._replace(
        solved=None if solved is None else data_uri("image/svg+xml", solved.encode()), prose=prose, terse=terse
    )


def _sentence(world: World, claim: str, trace: Trace) -> str:
    try:
        return world.assertion(claim, trace.lang)
    except (ValueError, Refused):  # A model's claim, or one with a fault planted in it.
        return ""
