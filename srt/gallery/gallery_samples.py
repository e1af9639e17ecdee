"""The problems that a gallery shows, with their traces, verdicts and pictures; all kinds that the world has."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from srt.gallery.card import Card, whole_card
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.pipeline.check import check_with_truth
from srt.worlds.world import Refused, World

_CANDIDATES = 8
"""Problems drawn for each one shown, so that rare kinds are there too."""


def samples(world: World, n: int, seed: int, spec: Mapping[str, Any]) -> list[Card]:
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


def _sample(world: World, problem: Problem) -> Card:
    try:
        trace = world.solve(problem)
        # Our own teacher's traces are checked like any others: a page of samples is where its faults are seen first.
        return whole_card(problem, trace, check_with_truth(problem, trace), world=world)
    except Refused as refused:
        raise UserError(f"{problem.id}: {refused.reason}: {refused.detail}") from None
