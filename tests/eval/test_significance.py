from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from eval.significance import holm, mcnemar_exact, paired_bootstrap, wilson


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


def test_bootstrap_is_that_of_all_resamples() -> None:
    """Four clusters have 256 resamples: their percentiles, counted one by one, are what drawing converges to."""
    first, second = [1, 1, 0, 1, 1, 0], [0, 1, 1, 0, 0, 0]
    clusters = ["a", "a", "b", "c", "c", "d"]
    differences = {"a": [1, 0], "b": [-1], "c": [1, 1], "d": [0]}
    means = [np.mean([value for name in draw for value in differences[name]]) for draw in product("abcd", repeat=4)]
    low, high = np.percentile(means, [2.5, 97.5])
    found = paired_bootstrap(first, second, clusters, resamples=200_000)
    assert found.value == pytest.approx(2 / 6)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02)


def test_bootstrap_agrees_with_the_normal_interval_on_many_problems() -> None:
    generator = np.random.default_rng(1)
    first, second = ((generator.random(2000) < share).astype(float) for share in (0.6, 0.5))
    found = paired_bootstrap(first.tolist(), second.tolist(), range(2000))
    differences = first - second
    half = 1.96 * differences.std(ddof=1) / math.sqrt(2000)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), abs=0.003)


def test_clusters_widen_the_interval() -> None:
    first, second = [1.0, 1.0, 0.0, 0.0] * 25, [0.0] * 100
    apart = paired_bootstrap(first, second, range(100))
    together = paired_bootstrap(first, second, [at // 2 for at in range(100)])
    assert together.high - together.low > 1.3 * (apart.high - apart.low)


def test_bootstrap_is_seeded_and_refuses_nothing() -> None:
    rows = ([1.0, 0.0, 1.0], [0.0, 0.0, 1.0], "xyz")
    assert paired_bootstrap(*rows, seed=3) == paired_bootstrap(*rows, seed=3)
    with pytest.raises(ValueError, match="equal and positive"):
        paired_bootstrap([], [], [])


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
