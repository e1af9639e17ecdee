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


def test_an_alternative_that_says_nothing_of_the_blank_is_no_crash() -> None:
    question = (
        "Booth, benches on the east and west sides: Lou, Ray, Cal, Viv.\n"
        "(1) Cal is diagonal to the left neighbour of Lou;\n(2) Lou looks east;\n(3) Viv shares a bench with Cal.\n"
        "() looks west."
    )
    options = {"A": "Lou", "B": "Ray", "C": "Cal", "D": "Viv"}
    problem = Problem(id="p", source="made", split="test", lang="en", question=question, choices=options)
    text = (
        "CORRELATE (1): diag(left(Lou)) = Cal\n"
        "CORRELATE (2): faces(Lou) = E\n"
        "CORRELATE (3): Viv in beside(Cal)\n"
        "CORRELATE question: faces(?) = W\n"
        "CONSTRAIN scene #1: Lou@E2 & Cal@W1 | Lou@W2 & Cal@E1\n"
        "CONSTRAIN #2 #5: Lou@W2\n"
        "CONSTRAIN scene #1 #6: Cal@E1 & Cal@E1\n"
        "CONSTRAIN scene #3 #7: Viv@E2\n"
        "INFER: ?@E1 | ?@E2\n"
        "INFER #7 #9 #5 #8: Lou@E2 & Cal@W1 | Lou@W2 & Cal@E1 & Viv@E2 & ? = Cal | ? = Viv\n"
        "ANSWER: B, D"
    )
    assert run(problem, text) == "world"
