"""The problems that a gallery shows, with their traces, verdicts and pictures; all kinds that the world has."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, NamedTuple

from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.pages.page_template import data_uri
from srt.pipeline.check import check_with_truth
from srt.worlds.world import Refused, World

_CANDIDATES = 8
"""Problems drawn for each one shown, so that rare kinds are there too."""


class ShownStep(NamedTuple):
    """A step as text: what it cites, its claim, the claim as a sentence, and the verdict with its reason."""

    op: str
    args: str
    claim: str
    assertion: str
    verdict: StepCheck


class GallerySample(NamedTuple):
    """``picture`` and ``solved`` are data URIs: what the problem shows, and the world's drawing of its solution."""

    problem: Problem
    kind: str
    picture: str | None
    solved: str | None
    trace: Trace
    steps: tuple[ShownStep, ...]
    checked: TraceCheck
    prose: str
    terse: str

    @property
    def gold(self) -> list[str]:
        """The letters of the right options."""
        return self.trace.answer.split(", ") if self.problem.choices else []


def samples(world: World, n: int, seed: int, spec: Mapping[str, Any]) -> list[GallerySample]:
    """``n`` problems of ``world``, ordered by kind and as evenly spread over the kinds as the draw allows.

    ``spec`` are the fields of the world's specification; the same seed gives the same samples.

    Raises:
        UserError: the specification is not the world's, or a sampled problem cannot be solved.
    """
    kinds: dict[str, list[Problem]] = {}
    seen: set[str] = set()
    sample, drawn = world.sampler({"split": "train", **spec}), n * _CANDIDATES
    # Each seed has a range of sample numbers of its own.
    for problem in (sample(seed * drawn + index) for index in range(drawn)):
        if problem.id not in seen:
            seen.add(problem.id)
            kinds.setdefault(problem.category or world.name, []).append(problem)
    # One of each kind in turn.
    turns = itertools.zip_longest(*(kinds[kind] for kind in sorted(kinds)))
    chosen = [problem for turn in turns for problem in turn if problem is not None][:n]
    return [_sample(world, problem) for problem in sorted(chosen, key=lambda problem: problem.category or "")]


def _sample(world: World, problem: Problem) -> GallerySample:
    try:
        trace = world.solve(problem)
        figures = world.extras.figures
        picture = figures.picture and figures.picture(problem)
        solved = figures.solved and figures.solved(problem)
        prose, terse = (world.explain(problem, trace, terse=terse) for terse in (False, True))
    except Refused as refused:
        raise UserError(f"{problem.id}: {refused.reason}: {refused.detail}") from None
    # Our own teacher's traces are checked like any others: a page of samples is where its faults are seen first.
    checked = check_with_truth(problem, trace)
    return GallerySample(
        problem=problem,
        kind=problem.category or world.name,
        picture=None if picture is None else data_uri("image/png", picture),
        solved=None if solved is None else data_uri("image/svg+xml", solved.encode()),
        trace=trace,
        steps=tuple(
            ShownStep(
                step.op, " ".join(step.args), step.claim or "", world.assertion(step.claim or "", trace.lang), verdict
            )
            for step, verdict in zip(trace.steps, checked.steps, strict=True)
        ),
        checked=checked,
        prose=prose,
        terse=terse,
    )
