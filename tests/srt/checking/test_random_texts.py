"""Whatever a model writes, reading and checking it ends: with no exception but the parser's, in a bounded time."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest

from srt.answers.extraction import extract
from srt.checking import check
from srt.io.records import Problem
from srt.language.text import TraceSyntaxError, parse
from tests.srt.checking.random_texts import random_output

LONGEST_S = 0.25
"""Seconds of the processor for any one text, on a core of 2024."""
SLOWER = 6
"""A machine may be so much slower, or so busy."""


def run(problem: Problem, text: str) -> str:
    """Read and check ``text`` as evaluation does; says how far it came."""
    extract(text, problem)
    try:
        trace = parse(text).trace("t", problem.id)
    except TraceSyntaxError:
        return "no trace"
    check(problem, trace)
    return trace.kind


def slowest(seeds: Iterable[int]) -> tuple[float, int]:
    """The most seconds that a text of ``seeds`` takes, and its seed."""
    found = (0.0, -1)
    for seed in seeds:
        problem, text = random_output(seed)
        began = time.process_time()
        try:
            run(problem, text)
        except Exception as fault:
            raise AssertionError(f"seed {seed}: {text[:300]!r}") from fault
        found = max(found, (time.process_time() - began, seed))
    return found


def test_a_few_hundred_texts() -> None:
    seconds, seed = slowest(range(300))
    assert seconds < LONGEST_S * SLOWER, f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(100))
def test_a_hundred_thousand_texts(part: int) -> None:
    seconds, seed = slowest(range(1_000 * part, 1_000 * (part + 1)))
    assert seconds < LONGEST_S * SLOWER, f"seed {seed}"
