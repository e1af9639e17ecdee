from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import product

import numpy as np
import pytest

from srt.statistics.bootstrap import Floats, bootstrap
from srt.statistics.significance import Interval


def difference(totals: Sequence[Floats], count: Floats) -> Floats:
    return (totals[0] - totals[1]) / count[:, None]


def paired_difference(
    first: Sequence[float],
    second: Sequence[float],
    clusters: Sequence[Hashable],
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Mean of ``first - second`` over problems, one run each, with its interval."""
    arms = [np.asarray(values, dtype=float)[None, :, None] for values in (first, second)]
    return bootstrap(arms, clusters, difference, resamples=resamples, seed=seed)[0]


def test_bootstrap_is_that_of_all_resamples() -> None:
    """Four clusters have 256 resamples: their percentiles, counted one by one, are what drawing converges to."""
    first, second = [1, 1, 0, 1, 1, 0], [0, 1, 1, 0, 0, 0]
    clusters = ["a", "a", "b", "c", "c", "d"]
    differences = {"a": [1, 0], "b": [-1], "c": [1, 1], "d": [0]}
    means = [np.mean([value for name in draw for value in differences[name]]) for draw in product("abcd", repeat=4)]
    low, high = np.percentile(means, [2.5, 97.5])
    found = paired_difference(first, second, clusters, resamples=200_000)
    assert found.value == pytest.approx(2 / 6)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.02)


def test_bootstrap_agrees_with_the_normal_interval_on_many_problems() -> None:
    generator = np.random.default_rng(1)
    first, second = ((generator.random(2000) < share).astype(float) for share in (0.6, 0.5))
    found = paired_difference(first.tolist(), second.tolist(), range(2000))
    differences = first - second
    half = 1.96 * differences.std(ddof=1) / math.sqrt(2000)
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half), abs=0.003)


def test_clusters_widen_the_interval() -> None:
    first, second = [1.0, 1.0, 0.0, 0.0] * 25, [0.0] * 100
    apart = paired_difference(first, second, range(100))
    together = paired_difference(first, second, [at // 2 for at in range(100)])
    assert together.high - together.low > 1.3 * (apart.high - apart.low)


def test_bootstrap_is_seeded_and_refuses_nothing() -> None:
    rows = ([1.0, 0.0, 1.0], [0.0, 0.0, 1.0], "xyz")
    assert paired_difference(*rows, seed=3) == paired_difference(*rows, seed=3)
    with pytest.raises(ValueError, match="clusters"):
        paired_difference([], [], [])


def test_runs_are_drawn_outside_and_clusters_inside() -> None:
    """Three runs against two, three clusters: all draws, one by one. Of n runs n - 1 are drawn, arm by arm."""
    generator = np.random.default_rng(5)
    clusters = "aabc"
    first, second = generator.random((3, 4)), generator.random((2, 4))
    rows = {"a": [0, 1], "b": [2], "c": [3]}
    means = []
    for draw in product("abc", repeat=3):
        problems = [row for name in draw for row in rows[name]]
        for ones in product(range(3), repeat=2):
            for others in product(range(2), repeat=1):
                means.append(first[np.ix_(ones, problems)].mean() - second[np.ix_(others, problems)].mean())
    low, high = np.percentile(means, [2.5, 97.5])
    (found,) = bootstrap([first[:, :, None], second[:, :, None]], clusters, difference, resamples=100_000)
    assert found.value == pytest.approx(first.mean() - second.mean())
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.01)


def test_more_runs_change_no_draw_of_problems() -> None:
    generator = np.random.default_rng(6)
    first, second = generator.random((1, 40, 1)), generator.random((1, 40, 1))
    (once,) = bootstrap([first, second], range(40), difference, resamples=500)
    (twice,) = bootstrap([np.repeat(first, 3, axis=0), second], range(40), difference, resamples=500)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high))


def test_runs_of_two_arms_are_not_drawn_together() -> None:
    """Two arms with the same runs: seeds have nothing to do with each other, so their difference varies."""
    arm = np.repeat(np.array([0.0, 0.5, 1.0])[:, None, None], 20, axis=1)
    (found,) = bootstrap([arm, arm], range(20), difference, resamples=1000)
    assert found.low < -0.5 < found.value == 0.0 < 0.5 < found.high


def test_ratios_of_totals() -> None:
    """Tokens for each right answer: the ratio of sums, against all resamples of three problems."""
    tokens, right = [10.0, 30.0, 80.0], [1.0, 0.0, 1.0]
    ratios = []
    for draw in product(range(3), repeat=3):
        spent, credit = sum(tokens[at] for at in draw), sum(right[at] for at in draw)
        ratios.append(spent / credit if credit else math.inf)
    arm = np.array([list(zip(tokens, right, strict=True))])
    (found,) = bootstrap([arm], "abc", lambda totals, count: totals[0][:, :1] / totals[0][:, 1:], resamples=50_000)
    assert found.value == 60
    assert found.low == pytest.approx(np.percentile(ratios, 2.5, method="lower"))
    assert found.high == math.inf  # one draw of 27 has no right answer, which is more than 2.5%


@pytest.mark.parametrize(("runs", "spread", "low", "high"), [(1, 0.0, 0.91, 0.98), (3, 0.3, 0.92, 0.99)])
def test_it_covers(runs: int, spread: float, low: float, high: float) -> None:
    """Logistic problems in pairs, runs that differ by ``spread``: how often the true difference is inside."""
    generator = np.random.default_rng(7)
    clusters = np.arange(300) // 2

    def chance(level: Floats | float) -> Floats:
        return 1 / (1 + np.exp(-np.asarray(level)))

    def draw(level: float, problems: Floats) -> Floats:
        logits = level + problems + generator.normal(0, spread, runs)[:, None] + generator.normal(0, 0.5, (runs, 300))
        return (generator.random((runs, 300)) < chance(logits)).astype(float)[:, :, None]

    deviation = math.sqrt(1.2**2 + 0.6**2 + spread**2 + 0.5**2)
    everywhere = generator.normal(0, deviation, 1_000_000)
    truth = chance(0.6 + everywhere).mean() - chance(everywhere).mean()
    covered = 0
    for _ in range(300):
        problems = generator.normal(0, 1.2, 150)[clusters] + generator.normal(0, 0.6, 300)
        (found,) = bootstrap([draw(0.6, problems), draw(0.0, problems)], clusters.tolist(), difference, resamples=1000)
        covered += found.low <= truth <= found.high
    assert low <= covered / 300 <= high
