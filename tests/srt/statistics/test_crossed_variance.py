from __future__ import annotations

import math

import numpy as np
import pytest

from srt.statistics.crossed_variance import crossed_variance, design_effect


def test_one_run_of_independent_problems_has_the_variance_of_a_mean() -> None:
    values = np.random.default_rng(0).random(50)
    found = crossed_variance([(values - values.mean())[None] / 50], range(50))
    assert found.value == pytest.approx(values.var(ddof=1) / 50)
    assert found.freedom == 49


def test_identical_runs_add_nothing_and_runs_that_differ_by_a_constant_add_their_variance() -> None:
    values = np.random.default_rng(1).random(40)
    alike = (values - values.mean()) / 40
    once = crossed_variance([alike[None]], range(40))
    assert crossed_variance([np.stack([alike] * 3)], range(40)).value == pytest.approx(once.value)
    shifts = np.array([-0.1, 0.0, 0.1])
    shifted = crossed_variance([alike + shifts[:, None] / 40], range(40))
    assert shifted.value == pytest.approx(once.value + shifts.var(ddof=1) / 3)
    assert 2 <= shifted.freedom < once.freedom


@pytest.mark.parametrize(("of_runs", "of_clusters", "noise"), [(0.0, 0.1, 2.0), (0.5, 1.0, 0.5), (1.0, 0.2, 0.3)])
def test_it_is_the_variance_of_the_difference_of_two_arms(of_runs: float, of_clusters: float, noise: float) -> None:
    """Normal effects whose variance is known; an arm that is not trained has one run. Only the cut at 0 biases it."""
    generator = np.random.default_rng(2)
    clusters, runs = 20, 4
    of_problem = np.repeat(np.arange(clusters), 3).tolist()
    truth = of_runs**2 / runs + 2 * of_clusters**2 / clusters + noise**2 / 60 * (1 / runs + 1)
    found = []
    for _ in range(800):
        own = generator.normal(0, of_clusters, (2, clusters))[:, of_problem]
        first = own[0] + generator.normal(0, of_runs, (runs, 1)) + generator.normal(0, noise, (runs, 60))
        second = own[1][None] + generator.normal(0, noise, (1, 60))
        parts = [(first - first.mean()) / 60, -(second - second.mean()) / 60]
        found.append(crossed_variance(parts, of_problem).value)
    assert np.mean(found) == pytest.approx(truth, rel=0.12)


@pytest.mark.parametrize(("deviation", "low", "high"), [(0.01, 1.99, 2.01), (1.0, 1.99, 2.01), (1.5, 10, 398)])
def test_runs_that_differ_more_than_problems_do_give_the_degrees_of_freedom(
    deviation: float, low: float, high: float
) -> None:
    """Three runs a tenth apart on 400 problems: a t-test of three runs, until problems vary more than runs do."""
    problems = np.random.default_rng(4).normal(0, deviation, 400)
    runs = np.array([[-0.1], [0.0], [0.1]]) + problems - problems.mean()
    assert low < crossed_variance([runs / 400], range(400)).freedom < high


def test_one_cluster_says_nothing() -> None:
    found = crossed_variance([np.ones((1, 3))], "aaa")
    assert (found.value, found.freedom) == (math.inf, 0)
    assert crossed_variance([np.zeros((1, 4))], "abcd", pseudo=3).freedom == 0
    assert design_effect([1.0, 0.0], "aa", 0.25) is None
    assert design_effect([1.0, 1.0], "ab", 0.0) is None
