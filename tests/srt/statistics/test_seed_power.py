"""Plans of training runs and problems: the difference called detectable is found, and runs and problems buy power."""

from __future__ import annotations

import math

import numpy as np
import pytest

from srt.statistics.crossed_variance import Components, OfRuns
from srt.statistics.run_spread import Uncertainty, pooled_spread
from srt.statistics.seed_power import (
    WIDE,
    OneRun,
    Variances,
    detectable_by_problems,
    detectable_here,
    problems_for,
    runs_needed,
    variances,
)


def planned(spread: float, runs: tuple[int, ...] = (3, 3)) -> Variances:
    """300 problems: the variance of a difference is that of about 4 points, and so is that of two runs at 0.05."""
    return Variances(0.0005, 299.0, (OneRun(spread**2, 0.0005),) * len(runs), runs)


@pytest.mark.parametrize("runs", [(2, 2), (3, 3), (2, 6)])
@pytest.mark.parametrize("spread", [0.0, 0.05])
def test_the_detectable_difference_is_found_in_four_of_five(runs: tuple[int, int], spread: float) -> None:
    """By drawing data sets as the test sees them, with other draws than the module's."""
    size = detectable_here(detectable_by_problems(planned(spread, runs), runs))
    assert size is not None
    generator = np.random.default_rng(8)
    noises = [0.0005 / count for count in runs]
    arms = [
        OfRuns(count, (spread**2 / count + noise) * generator.chisquare(count - 1, 2000) / (count - 1), noise)
        for count, noise in zip(runs, noises, strict=True)
    ]
    problems = 0.0005 + sum(noises)
    error = math.sqrt(problems + sum(spread**2 / count for count in runs))
    seen = problems * generator.chisquare(299, 2000) / 299
    found = Uncertainty(seen, 299.0, pooled_spread(arms)).p(generator.normal(size, error, 2000)) < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.05)


def test_runs_and_problems_buy_power() -> None:
    """More runs need fewer problems; where runs lie far apart, no number of problems makes up for few of them."""
    steady = [problems_for(0.05, 300, detectable_by_problems(planned(0.0), (each, each))) for each in (2, 3, 5)]
    assert None not in steady
    assert sorted(steady, reverse=True) == steady
    apart = [problems_for(0.05, 300, detectable_by_problems(planned(0.05), (each, each))) for each in (2, 3, 20)]
    assert apart[:2] == [None, None]
    assert apart[2] is not None


def test_the_same_runs_give_the_same_plan() -> None:
    first, second = (detectable_by_problems(planned(0.02), (3, 3)) for _ in range(2))
    assert first.tolist() == second.tolist()


def test_variances_of_runs_add_up() -> None:
    parts = Components(0.001, 299.0, (OfRuns(2, 0.004, 0.0002), OfRuns(6, 0.0005, 0.0001)))
    found = variances(parts)
    assert found.shared + sum(arm.noise / runs for arm, runs in zip(found.arms, found.runs, strict=True)) == 0.001
    assert found.arms[0].spread > found.arms[1].spread > 0


def test_two_runs_do_not_bound_their_spread_and_the_runs_that_would_are_named() -> None:
    two = runs_needed(Components(0.001, 299.0, (OfRuns(2, 0.0003, 0.0003),) * 2))
    assert two is not None
    assert two.widened > WIDE
    assert two.runs is not None
    assert two.runs > 2
    many = runs_needed(Components(0.001, 299.0, (OfRuns(10, 0.0003, 0.0003),) * 2))
    assert many is not None
    assert (many.widened < WIDE, many.runs) == (True, None)
    assert runs_needed(Components(0.001, 299.0, ())) is None
