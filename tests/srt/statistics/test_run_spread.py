"""How far a figure may be off over problems and training runs, by small simulations of normal effects."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from srt.statistics.crossed_variance import Components, Floats, OfRuns
from srt.statistics.run_spread import RunSpread, Uncertainty, median_spread, pooled_spread

PROBLEMS, NOISE = 1.0, 0.12
"""The variance over problems of a difference, and the part of it that is the noise within two runs of one arm."""


def rejected(runs: tuple[int, int], spreads: tuple[float, float], gap: float = 0.0) -> float:
    """How often a difference ``gap`` is found by runs of standard deviations ``spreads``: of 3,000 data sets."""
    generator = np.random.default_rng(4)
    arms = []
    variance, problems = 0.0, PROBLEMS - 2 * NOISE
    for count, spread in zip(runs, spreads, strict=True):
        noise = 2 * NOISE / count
        seen = (spread**2 / count + noise) * generator.chisquare(count - 1, 3000) / (count - 1)
        arms.append(OfRuns(count, seen, noise))
        variance += spread**2 / count
        problems += noise
    difference = generator.normal(gap, math.sqrt(problems + variance), 3000)
    seen_problems = problems * generator.chisquare(60, 3000) / 60
    found: Floats = Uncertainty(seen_problems, 60.0, pooled_spread(arms)).p(difference)
    return float((found < 0.05).mean())


@pytest.mark.parametrize("runs", [(2, 2), (2, 6), (3, 3)])
def test_false_positives(runs: tuple[int, int]) -> None:
    """At most 6% with equal spreads, 7% with unlike ones, and half a point of chance."""
    for spread in (0.0, 0.5, 2.0, 5.0):
        assert rejected(runs, (spread, spread)) < 0.065
        assert rejected(runs, (spread, spread / 20)) < 0.075
        assert rejected(runs, (spread / 20, spread)) < 0.075


def test_power_where_runs_agree() -> None:
    """An effect that one run each finds without fail: two runs each find it in nine of ten cases, three in all."""
    noise = 2 * NOISE
    gap = (1.96 + 3.0) * math.sqrt(PROBLEMS + noise)  # power 0.999 with one run each, whose noise is twice as large
    assert rejected((2, 2), (0.0, 0.0), gap) > 0.9
    assert rejected((3, 3), (0.0, 0.0), gap) > 0.99


def test_without_several_runs_it_is_students_t() -> None:
    found = Uncertainty.of(Components(0.04, 17.0, ()))
    half = found.half_width(0.05)
    assert half == pytest.approx(0.2 * stats.t.ppf(0.975, 17))
    assert float(found.p(half)) == pytest.approx(0.05)


def test_runs_that_agree_in_everything_are_one_run() -> None:
    once = Uncertainty.of(Components(0.04, 17.0, ())).half_width(0.05)
    same = Uncertainty.of(Components(0.04, 17.0, (OfRuns(2, 0.0, 0.0), OfRuns(2, 0.0, 0.0)))).half_width(0.05)
    assert same == pytest.approx(once)


def test_many_runs_have_the_variance_seen() -> None:
    arm = OfRuns(2000, 0.05, 0.01)
    half = Uncertainty.of(Components(0.04, 2e6, (arm, arm))).half_width(0.05)
    assert half == pytest.approx(stats.norm.ppf(0.975) * math.sqrt(0.04 + 2 * (0.05 - 0.01)), rel=0.01)


def test_width_grows_smoothly_with_what_runs_show() -> None:
    """No step where runs begin to differ more than problems do: a tenth more of deviation widens by less than that."""

    def half(seen: float) -> float:
        return Uncertainty.of(Components(1.0, 50.0, (OfRuns(2, seen, 0.2), OfRuns(2, seen, 0.2)))).half_width(0.05)

    widths = np.array([half(1.1 ** (2 * step)) for step in range(-30, 30)])
    steps = widths[1:] / widths[:-1]
    assert (steps >= 1).all()
    assert (steps < 1.1 + 1e-9).all()


def test_the_posterior_is_the_truncated_inverse_chi_square() -> None:
    """The median, by integrating prior times likelihood on a grid."""
    spread = RunSpread(seen=0.3, noise=0.2, freedom=2.0)
    total = np.geomspace(0.2, 1e9, 400_000)
    density = total ** -(1 + 0.1 / 2) * total**-1.0 * np.exp(-0.3 / total)
    mass = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(total))])
    median = float(np.interp(0.5, mass / mass[-1], total))
    assert float(median_spread(spread)) == pytest.approx(median - 0.2, rel=1e-3)


def test_one_arm_whose_two_runs_agree_is_no_steadier_than_the_other() -> None:
    lucky = pooled_spread([OfRuns(2, 0.0, 0.01), OfRuns(6, 1.0, 0.01)])
    assert float(lucky.seen) == pytest.approx(1.0 + 6 * 5 / 6 / 2)
    # The degrees of freedom of the arm with the spread, not those of its noise.
    assert float(lucky.freedom) == pytest.approx(5, rel=0.05)
