from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from srt.statistics.crossed_variance import Floats
from srt.statistics.intervals import Interval, estimate, share_interval, wilson


def one_run(values: Floats | list[float]) -> Floats:
    return np.asarray(values, dtype=float)[None]


@pytest.mark.parametrize(("right", "count"), [(0, 7), (3, 10), (50, 100), (399, 400), (12, 12)])
def test_wilson_is_scipys(right: int, count: int) -> None:
    expected = stats.binomtest(right, count).proportion_ci(method="wilson")
    found = wilson(right, count)
    assert found.value == right / count
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    alone, effect = share_interval(one_run([1.0] * right + [0.0] * (count - right)), range(count))
    assert (alone.low, alone.high, effect) == pytest.approx((found.low, found.high, 1.0))


def test_a_share_of_nothing_says_nothing() -> None:
    for found in (wilson(0, 0), share_interval(np.zeros((1, 0)), [])[0]):
        assert math.isnan(found.value)
        assert (found.low, found.high) == (0.0, 1.0)


def sandwich(values: Floats, clusters: Floats) -> float:
    """The cluster-robust variance of the mean as the sandwich of a regression on a constant, matrix by matrix."""
    x = np.ones((len(values), 1))
    residuals = values - values.mean()
    bread = np.linalg.inv(x.T @ x)
    scores = [x[clusters == name].T @ residuals[clusters == name] for name in np.unique(clusters)]
    meat = sum(np.outer(score, score) for score in scores) * len(scores) / (len(scores) - 1)
    return float((bread @ meat @ bread)[0, 0])


def test_a_clustered_share_is_wilsons_of_the_effective_number() -> None:
    generator = np.random.default_rng(2)
    clusters = np.arange(240) // 4
    values = (generator.random(240) < np.repeat(generator.beta(2, 1, 60), 4)).astype(float)
    interval, effect = share_interval(one_run(values), clusters.tolist())
    share = values.mean()
    expected = sandwich(values, clusters) / (share * (1 - share) / 240)
    assert 1 < effect == pytest.approx(expected)
    # Wilson's bounds are where |share - p| is t standard errors of p itself.
    t, size = stats.t.ppf(0.975, 59), 240 / effect
    for bound in (interval.low, interval.high):
        assert abs(share - bound) == pytest.approx(t * math.sqrt(bound * (1 - bound) / size))


def test_a_clustered_share_at_its_edges() -> None:
    whole, effect = share_interval(one_run([1.0] * 60), [at // 3 for at in range(60)])
    assert (whole.high, effect) == (1.0, 3.0)
    assert whole.low == pytest.approx(1 / (1 + stats.t.ppf(0.975, 19) ** 2 / 20))  # as if 20 problems were right
    opposed, effect = share_interval(one_run([1.0, 0.0] * 30), [at // 2 for at in range(60)])
    assert effect == 1.0
    assert opposed.low < wilson(30, 60).low
    one, effect = share_interval(one_run([1.0, 0.0]), "aa")
    assert (one.low, one.high) == (0.0, 1.0)
    assert math.isnan(effect)


def test_training_runs_widen_a_share() -> None:
    """Three runs that solve half, three quarters and all: their spread is that of three shares."""
    runs = np.array([[1.0, 0.0] * 100, [1.0, 1.0, 1.0, 0.0] * 50, [1.0] * 200])
    several, effect = share_interval(runs, range(200))
    averaged, _ = share_interval(runs.mean(axis=0, keepdims=True), range(200))
    assert several.value == averaged.value == 0.75
    assert several.high - several.low > 4 * (averaged.high - averaged.low)
    assert effect > 15


def test_runs_with_the_same_answers_are_one_run() -> None:
    values = (np.random.default_rng(3).random((1, 200)) < 0.8).astype(float)
    clusters = [at // 2 for at in range(200)]
    once, twice = (share_interval(each, clusters)[0] for each in (values, np.repeat(values, 2, axis=0)))
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high), abs=1e-9)


def test_an_infinite_bound_is_written_as_none() -> None:
    found = estimate(Interval(2.0, 1.0, math.inf))
    assert (found.value, found.low, found.high) == (2.0, 1.0, None)
