"""Neither the words of a question nor its options tell the answer to a model that sees no number of the text."""

from __future__ import annotations

import math

import pytest

from srt.worlds.solids.reading.measures import read_measure
from srt.worlds.solids.solids_world import SolidsWorld
from tests.srt.worlds.solids.option_leaks import leak


@pytest.mark.parametrize(("n", "points"), [(120, 0.12), pytest.param(8_000, 0.03, marks=pytest.mark.slow)])
def test_nothing_is_told_without_the_numbers(n: int, points: float) -> None:
    sampler = SolidsWorld().sampler({"form": "options"})
    problems = [sampler(index) for index in range(n)]
    for options in (False, True):
        found = leak(problems, options=options)
        error = math.sqrt(0.25 * 0.75 / found.n)
        assert found.accuracy - 0.25 < max(points, 2 * error), (options, found)


def test_each_option_is_to_the_others_as_any_other_is() -> None:
    sampler = SolidsWorld().sampler({"form": "options", "families": ["composite", "single"]})
    sums = 0
    for problem in map(sampler, range(80)):
        measures = [read_measure(text) for text in problem.choices.values()]
        least, low, high, most = sorted(float(measure.number) for measure in measures if measure is not None)
        is_sum = math.isclose(least + most, low + high)
        assert is_sum or math.isclose(least * most, low * high), problem.choices
        sums += is_sum
    assert sums
