from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from srt.statistics.ratio_of_totals import Quotient, ratio_interval


def totals(above: list[float], below: list[float]) -> Quotient:
    return Quotient(np.array([above]), np.array([below]))


def test_a_ratio_of_means_is_linearised() -> None:
    """The delta method written out for one arm: the residuals of above - ratio * below."""
    generator = np.random.default_rng(0)
    spent, right = generator.integers(50, 200, 80).astype(float), (generator.random(80) < 0.7).astype(float)
    found = ratio_interval(totals(spent.tolist(), right.tolist()), range(80))
    assert found is not None
    ratio = spent.sum() / right.sum()
    error = np.std(spent - ratio * right, ddof=1) / math.sqrt(80) / spent.mean()
    half = stats.t.ppf(0.975, 79) * error
    assert found.value == pytest.approx(ratio)
    assert (found.low, found.high) == pytest.approx((ratio * math.exp(-half), ratio * math.exp(half)))


def test_pairs_and_clusters_count() -> None:
    generator = np.random.default_rng(1)
    lengths = np.repeat(generator.lognormal(4, 1, 30), 4)
    short = totals((lengths * generator.uniform(0.9, 1.1, 120)).tolist(), [1.0] * 120)
    double = totals((2 * lengths * generator.uniform(0.9, 1.1, 120)).tolist(), [1.0] * 120)
    paired = ratio_interval(double, range(120), short)
    alone = ratio_interval(double, range(120))
    grouped = ratio_interval(double, [at // 4 for at in range(120)])
    assert paired is not None
    assert alone is not None
    assert grouped is not None
    assert 1.9 < paired.low < 2 < paired.high < 2.1
    widths = [math.log(found.high / found.low) for found in (grouped, alone, paired)]
    assert widths[0] > 1.5 * widths[1] > 1.5 * 1.5 * widths[2]


def test_without_a_right_answer_there_is_no_ratio() -> None:
    nothing, something = totals([5.0] * 9, [0.0] * 9), totals([5.0] * 9, [1.0] * 9)
    assert ratio_interval(nothing, range(9)) is None
    assert ratio_interval(something, range(9), nothing) is None
    assert ratio_interval(nothing, range(9), something) is None


@pytest.mark.parametrize(("right", "bounded"), [(1, False), (3, False), (5, True)])
def test_few_right_answers_leave_the_ratio_open(right: int, bounded: bool) -> None:
    few = totals([5.0] * 200, [1.0] * right + [0.0] * (200 - right))
    many = totals([5.0] * 200, [1.0, 0.0] * 100)
    first, second = ratio_interval(few, range(200), many), ratio_interval(many, range(200), few)
    assert first is not None
    assert second is not None
    assert (math.isfinite(first.high), second.low > 0) == (bounded, bounded)
    assert math.isfinite(second.high)
