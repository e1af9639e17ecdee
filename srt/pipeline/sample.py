"""Problems of a world in memory, for whoever has no file in mind."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from srt.io.errors import UserError
from srt.io.record_lines import parse_record
from srt.io.records import Problem
from srt.pipeline.generate import NewProblems, draw, sampler_of

_NUMBERS = 1_000_000_000
"""Each seed has so many sample numbers of its own."""


def sample_problems(world: str, n: int, seed: int, split: str, settings: Mapping[str, Any]) -> list[Problem]:
    """``n`` different problems of ``world``; with seed 0 those that ``srt generate`` writes, before it draws pictures.

    ``settings`` are the fields of the world's specification.

    Raises:
        UserError: no such world, split or setting, or the settings allow fewer than ``n`` different problems.
    """
    if seed < 0:
        raise UserError(f"seed: {seed}: at least 0 was expected")
    sampler = sampler_of(world, n, split, settings)
    new = NewProblems("sample", n, split, ())
    problems: list[Problem] = []
    for number in count(seed * _NUMBERS):
        (drawn,) = draw(sampler, [number])
        if new.take(drawn.content, drawn.key):
            problems.append(parse_record(drawn.line, Problem, f"sample {number}"))
            if len(problems) == n:
                break
    return problems
