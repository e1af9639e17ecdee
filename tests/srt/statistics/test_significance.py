from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from srt.statistics.significance import Interval, clustered_wilson, estimate, holm, mcnemar_exact, wilson


@pytest.mark.parametrize(("right", "count"), [(0, 7), (3, 10), (50, 100), (399, 400), (12, 12)])
def test_wilson_is_scipys(right: int, count: int) -> None:
    expected = stats.binomtest(right, count).proportion_ci(method="wilson")
    found = wilson(right, count)
    assert found.value == right / count
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_of_nothing_says_nothing() -> None:
    found = wilson(0, 0)
    assert math.isnan(found.value)
    assert (found.low, found.high) == (0.0, 1.0)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 5), (5, 0), (3, 9), (10, 10), (140, 60)])
def test_mcnemar_is_the_binomial_test(b: int, c: int) -> None:
    expected = stats.binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected, rel=1e-9)


def sandwich(values: np.ndarray, clusters: np.ndarray) -> float:
    """The cluster-robust variance of the mean as the sandwich of a regression on a constant, matrix by matrix."""
    x = np.ones((len(values), 1))
    residuals = values - values.mean()
    bread = np.linalg.inv(x.T @ x)
    scores = [x[clusters == name].T @ residuals[clusters == name] for name in np.unique(clusters)]
    meat = sum(np.outer(score, score) for score in scores) * len(scores) / (len(scores) - 1)
    return float((bread @ meat @ bread)[0, 0])


def test_clustered_wilson_is_that_of_the_effective_number() -> None:
    generator = np.random.default_rng(2)
    clusters = np.arange(240) // 4
    values = (generator.random(240) < np.repeat(generator.beta(2, 1, 60), 4)).astype(float)
    interval, effect = clustered_wilson(values.tolist(), clusters.tolist())
    share = values.mean()
    expected = sandwich(values, clusters) / (share * (1 - share) / 240)
    assert 1 < effect == pytest.approx(expected)
    # Wilson's bounds are where |share - p| is t standard errors of p itself.
    t, size = stats.t.ppf(0.975, 59), 240 / effect
    for bound in (interval.low, interval.high):
        assert abs(share - bound) == pytest.approx(t * math.sqrt(bound * (1 - bound) / size))


def test_clustered_wilson_at_its_edges() -> None:
    whole, effect = clustered_wilson([1.0] * 60, [at // 3 for at in range(60)])
    assert (whole.high, effect) == (1.0, 3.0)
    assert whole.low == pytest.approx(1 / (1 + stats.t.ppf(0.975, 19) ** 2 / 20))  # as if 20 problems were right
    opposed, effect = clustered_wilson([1.0, 0.0] * 30, [at // 2 for at in range(60)])
    assert effect == 1.0
    assert opposed.low < wilson(30, 60).low
    one, effect = clustered_wilson([1.0, 0.0], "aa")
    assert (one.low, one.high) == (0.0, 1.0)
    assert math.isnan(effect)
    assert math.isnan(clustered_wilson([], [])[0].value)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_clustered_wilson_covers(share: float) -> None:
    """60 clusters of 4 with a correlation of 0.5 inside; plain Wilson covers far less."""
    generator = np.random.default_rng(3)
    clusters = [at // 4 for at in range(240)]
    covered = plain = 0
    for _ in range(500):
        chance = np.repeat(generator.beta(share, 1 - share, 60), 4)
        values = (generator.random(240) < chance).astype(float)
        interval, _ = clustered_wilson(values.tolist(), clusters)
        covered += interval.low <= share <= interval.high
        naive = wilson(values.sum(), 240)
        plain += naive.low <= share <= naive.high
    assert 0.92 <= covered / 500 <= 0.98
    assert plain / 500 < 0.85


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_an_infinite_bound_is_written_as_none() -> None:
    found = estimate(Interval(2.0, 1.0, math.inf))
    assert (found.value, found.low, found.high) == (2.0, 1.0, None)
