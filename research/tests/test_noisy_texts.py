"""Errors of a teacher: the same in trace and sentences, at the share that is asked for, with right answers."""

from __future__ import annotations

import re
from functools import cache

import pytest

from research.teaching.noisy_teacher import choose
from research.teaching.noisy_texts import CLEAN, Noise, Taught, taught, with_noise
from srt.language.trace import Trace
from srt.pipeline.sample import sample_problems
from srt.pipeline.solve import solve_one

SPEC = {"scenes": ["booth"], "names": 6, "variety": 1, "split_by": "meaning"}


@cache
def texts() -> list[Taught]:
    problems = sample_problems("seating", 80, 0, "train", SPEC)
    traces = [(problem, solve_one(problem, "running")) for problem in problems]
    return [taught(problem, trace, "anchored") for problem, trace in traces if isinstance(trace, Trace)]


def sentences(one: Taught) -> list[str]:
    return re.split(r"(?<=\.)\s", one.prose.text or "")


def test_a_slip_is_one_step_and_the_same_sentence() -> None:
    slipped = [with_noise(one, Noise("slips", 0.5)) for one in texts()]
    assert 25 < sum(one.erred for one in slipped) < 55
    for clean, noisy in zip(texts(), slipped, strict=True):
        assert clean.verified("srt")
        assert clean.verified("cot")
        assert noisy.trace.answer == clean.trace.answer == noisy.prose.answer
        assert len(sentences(clean)) == len(clean.trace.steps)
        steps = [a != b for a, b in zip(clean.trace.steps, noisy.trace.steps, strict=True)]
        said = [a != b for a, b in zip(sentences(clean), sentences(noisy), strict=True)]
        assert steps == said
        assert sum(steps) == noisy.erred
        assert noisy.verified("srt") != noisy.erred


def test_the_texts_of_a_share_are_those_of_a_larger_one_too() -> None:
    few, many = ([with_noise(one, Noise("slips", share)) for one in texts()] for share in (0.1, 0.5))
    assert 0 < sum(one.erred for one in few) < sum(one.erred for one in many)
    assert all(one == other for one, other in zip(few, many, strict=True) if one.erred)
    assert [with_noise(one, CLEAN) for one in texts()] == texts()


def test_a_wrong_rule_goes_through_the_whole_text_and_neither_verifier_lets_it_pass() -> None:
    for clean in texts()[:30]:
        ruled = with_noise(clean, Noise("rule", 1.0))
        assert not ruled.verified("srt")
        assert not ruled.verified("cot")
        assert ruled.trace.answer == clean.trace.answer
        for before, after in zip(clean.trace.steps, ruled.trace.steps, strict=True):
            assert (before != after) == ("@" in (before.claim or ""))


@pytest.mark.parametrize("arm", ["srt", "cot"])
def test_a_filter_keeps_as_many_items_without_what_it_finds(arm: str) -> None:
    noisy = [with_noise(one, Noise("slips", 0.5)) for one in texts()]
    everything, read = choose(noisy, arm, "all", 30)
    assert (len(everything), read) == (30, 30)
    kept, read = choose(noisy, arm, "verified", 30)
    assert len(kept) == 30 < read
    assert sum(one.erred for one in kept) < sum(one.erred for one in everything)
    if arm == "srt":
        assert not any(one.erred for one in kept)
