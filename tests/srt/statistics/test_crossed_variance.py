from __future__ import annotations

import math

import numpy as np
import pytest

from srt.statistics.crossed_variance import crossed_variance, design_effect


def test_one_run_of_independent_problems_has_the_variance_of_a_mean() -> None:
    values = np.random.default_rng(0).random(50)
    found = crossed_variance([(values - values.mean())[None] / 50], range(50))
    assert found.problems == pytest.approx(values.var(ddof=1) / 50)
    assert (found.freedom, found.arms) == (pytest.approx(49), ())


def test_identical_runs_have_no_spread_and_runs_that_differ_by_a_constant_have_no_noise() -> None:
    values = np.random.default_rng(1).random(40)
    alike = (values - values.mean()) / 40
    once = crossed_variance([alike[None]], range(40))
    same = crossed_variance([np.stack([alike] * 3)], range(40))
    assert same.problems == pytest.approx(once.problems)
    assert same.arms == ((3, pytest.approx(0, abs=1e-30), pytest.approx(0, abs=1e-30)),)
    shifts = np.array([-0.1, 0.0, 0.1])
    shifted = crossed_variance([alike + shifts[:, None] / 40], range(40))
    assert shifted.problems == pytest.approx(once.problems)
    assert shifted.arms == ((3, pytest.approx(shifts.var(ddof=1) / 3), pytest.approx(0, abs=1e-30)),)


@pytest.mark.parametrize(("of_runs", "of_clusters", "noise"), [(0.0, 0.1, 2.0), (0.5, 1.0, 0.5), (1.0, 0.2, 0.3)])
def test_the_parts_are_those_of_the_difference_of_two_arms(of_runs: float, of_clusters: float, noise: float) -> None:
    """Normal effects whose variance is known; an arm that is not trained has one run."""
    generator = np.random.default_rng(2)
    clusters, runs = 20, 4
    of_problem = np.repeat(np.arange(clusters), 3).tolist()
    problems, between, explained = [], [], []
    for _ in range(800):
        own = generator.normal(0, of_clusters, (2, clusters))[:, of_problem]
        first = own[0] + generator.normal(0, of_runs, (runs, 1)) + generator.normal(0, noise, (runs, 60))
        second = own[1][None] + generator.normal(0, noise, (1, 60))
        found = crossed_variance([(first - first.mean()) / 60, -(second - second.mean()) / 60], of_problem)
        ((_, seen, part),) = found.arms
        problems.append(found.problems)
        between.append(seen)
        explained.append(part)
    of_noise = noise**2 / 60
    assert np.mean(problems) == pytest.approx(2 * of_clusters**2 / clusters + of_noise * (1 / runs + 1), rel=0.12)
    assert np.mean(between) == pytest.approx((of_runs**2 + of_noise) / runs, rel=0.12)
    assert np.mean(explained) == pytest.approx(of_noise / runs, rel=0.12)


def test_large_clusters_count_for_more_and_leave_fewer_degrees_of_freedom() -> None:
    """The variance over clusters of 1 to 40 problems is not too small: problems of a cluster are alike."""
    of_problem = np.repeat(np.arange(30), [1, 2, 5, 12, 40] * 6)
    generator = np.random.default_rng(3)
    drawn = generator.normal(0, 1, (2000, 30))[:, of_problem]
    found = [crossed_variance([(row - row.mean())[None] / row.size], of_problem.tolist()) for row in drawn]
    assert found[0].freedom == pytest.approx(360**2 / (6 * (1 + 4 + 25 + 144 + 1600)) - 1)
    assert np.mean([each.problems for each in found]) == pytest.approx(drawn.mean(axis=1).var(), rel=0.06)


def test_one_cluster_says_nothing() -> None:
    found = crossed_variance([np.ones((1, 3))], "aaa")
    assert (found.problems, found.freedom) == (math.inf, 0)
    assert crossed_variance([np.zeros((1, 4))], "abcd", pseudo=3).freedom == 0
    assert design_effect([1.0, 0.0], "aa", 0.25) is None
    assert design_effect([1.0, 1.0], "ab", 0.0) is None
