from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from srt.statistics.crossed_variance import Floats
from srt.statistics.paired_difference import PairedDifference, paired_difference


def of_runs(*runs: list[float]) -> Floats:
    return np.array(runs, dtype=float)


def test_six_problems_are_no_certainty() -> None:
    found = paired_difference(of_runs([1.0] * 6), of_runs([0.0] * 6), range(6))
    assert (found.interval.value, found.p, found.test) == (1.0, 2 / 64, "mcnemar")
    assert 0 < found.interval.low < 0.2
    assert found.interval.high == 1.0
    same = paired_difference(of_runs([1.0] * 6), of_runs([1.0] * 6), range(6))
    assert (same.interval.value, same.p) == (0.0, 1.0)
    assert -same.interval.low == same.interval.high > 0.3


def test_one_cluster_says_nothing() -> None:
    found = paired_difference(of_runs([1.0] * 40), of_runs([0.0] * 40), ["one"] * 40)
    assert (found.interval.low, found.interval.high, found.p) == (-1.0, 1.0, 1.0)
    assert paired_difference(of_runs([1.0] * 9, [1.0] * 9), of_runs([0.0] * 9), ["one"] * 9).p == 1.0


def test_single_problems_have_mcnemars_test_and_clusters_have_not() -> None:
    first, second = of_runs([1.0] * 30 + [0.0] * 30), of_runs([1.0] * 14 + [0.0] * 40 + [1.0] * 6)
    alone = paired_difference(first, second, range(60))
    assert (alone.test, alone.p) == ("mcnemar", pytest.approx(stats.binomtest(16, 22).pvalue))
    grouped = paired_difference(first, second, [at // 4 for at in range(60)])
    assert grouped.test == "sign_flip"
    assert grouped.p > 2 * alone.p  # 4 problems of a cluster that differ alike are one piece of evidence
    assert grouped.interval.high - grouped.interval.low > 1.5 * (alone.interval.high - alone.interval.low)


def test_fractions_are_tested_too() -> None:
    first, second = of_runs([0.75, 1.0, 0.5, 0.25] * 10), of_runs([0.5, 0.75, 0.25, 0.25] * 10)
    found = paired_difference(first, second, range(40))
    assert found.test == "sign_flip"
    assert found.p == pytest.approx(2 / 2**30)


def test_many_problems_have_students_interval() -> None:
    generator = np.random.default_rng(1)
    first, second = ((generator.random((1, 3000)) < share).astype(float) for share in (0.6, 0.5))
    expected = stats.ttest_rel(first[0], second[0]).confidence_interval()
    found = paired_difference(first, second, range(3000)).interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-3)


def test_runs_are_the_first_level() -> None:
    """Two arms whose three runs differ by the same: far apart on average, and by no more than one run may differ."""
    levels = (0.3, 0.6, 0.9)
    generator = np.random.default_rng(3)
    first = np.stack([(generator.random(500) < level + 0.1).astype(float) for level in levels])
    second = np.stack([(generator.random(500) < level).astype(float) for level in levels])
    averaged = paired_difference(first.mean(axis=0)[None], second.mean(axis=0)[None], range(500))
    found = paired_difference(first, second, range(500))
    assert averaged.p < 1e-3
    assert (found.test, found.p > 0.5) == ("t", True)
    assert found.interval.low < -0.4 < 0.5 < found.interval.high


def test_runs_with_the_same_answers_are_one_run() -> None:
    generator = np.random.default_rng(6)
    first, second = ((generator.random((1, 200)) < share).astype(float) for share in (0.8, 0.6))
    once = paired_difference(first, second, range(200)).interval
    twice = paired_difference(np.repeat(first, 2, axis=0), np.repeat(second, 2, axis=0), range(200)).interval
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high), abs=1e-9)


@pytest.mark.parametrize("spread", [0.0, 0.1])
def test_the_whole_is_not_less_sure_than_its_parts(spread: float) -> None:
    """Two runs each, and two halves of the problems. Runs may look closer in both halves than they do on the whole, by
    chance, so now and then the whole is wider; but never by much, as it is if degrees of freedom jump (twice)."""
    generator = np.random.default_rng(7)
    ratios = []
    for _ in range(40):
        levels = generator.normal(0.5, spread, (2, 2, 1))
        first, second = (generator.random((2, 2, 400)) < levels).astype(float)
        found = [
            paired_difference(first[:, part], second[:, part], range(first[:, part].shape[1])).interval
            for part in (slice(0, 400), slice(0, 200), slice(200, 400))
        ]
        whole, *halves = (interval.high - interval.low for interval in found)
        ratios.append(whole / max(halves))
    assert np.median(ratios) < 0.9
    assert max(ratios) < 1.3


def by_cluster(*clusters: tuple[int, int]) -> PairedDifference:
    """Of clusters of (problems, those that the first arm alone solves)."""
    names = [name for name, (size, _) in enumerate(clusters) for _ in range(size)]
    ahead = [1.0 if place < only else 0.0 for size, only in clusters for place in range(size)]
    return paired_difference(of_runs(ahead), of_runs([0.0] * len(ahead)), names)


def test_where_the_exact_test_is_sure_and_students_interval_is_not() -> None:
    """Six clusters of one sign, one of them far larger than the others: the bound moves to 0, which is excluded."""
    found = by_cluster((30, 3), (1, 1), (2, 1), (4, 2), (4, 2), (2, 1))
    assert (found.p, found.interval.low) == (2 / 64, 0.0)
    swapped = paired_difference(of_runs([0.0] * 7), of_runs([1.0] * 7), [0, 1, 2, 3, 4, 5, 5])
    assert (swapped.p, swapped.interval.high < 0) == (2 / 64, True)


def test_where_students_interval_is_sure_and_the_exact_test_cannot_be() -> None:
    """Five clusters of one sign: no assignment of five signs is rare enough, so 0 stays in the interval."""
    found = by_cluster(*[(8, 6)] * 5)
    assert (found.p, found.interval.low) == (2 / 32, 0.0)
    assert by_cluster(*[(8, 6)] * 6).interval.low > 0.3


@st.composite
def scored(draw: st.DrawFn) -> tuple[Floats, Floats, list[int]]:
    samples = draw(st.sampled_from((1, 4)))
    count = draw(st.integers(1, 24))
    score = st.integers(0, samples).map(lambda right: right / samples)
    arms = [draw(st.lists(score, min_size=count, max_size=count)) for _ in range(2)]
    clusters = draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
    return of_runs(arms[0]), of_runs(arms[1]), clusters


def excludes_zero(found: PairedDifference) -> bool:
    """A bound of 0 is not part of the interval if p is below 0.05."""
    low, high = found.interval.low, found.interval.high
    return low > 0 or high < 0 or (found.p < 0.05 and (low == 0 or high == 0))


@given(scored())
def test_interval_and_p_agree_on_zero(data: tuple[Floats, Floats, list[int]]) -> None:
    found = paired_difference(*data)
    assert excludes_zero(found) == (found.p < 0.05)
    assert found.interval.low <= found.interval.value <= found.interval.high
    assert found.interval.low < found.interval.high
    swapped = paired_difference(data[1], data[0], data[2])
    assert (swapped.interval.low, swapped.interval.high) == pytest.approx((-found.interval.high, -found.interval.low))


@given(scored(), scored())
def test_with_several_runs_too(one: tuple[Floats, Floats, list[int]], other: tuple[Floats, Floats, list[int]]) -> None:
    count = min(one[0].shape[1], other[0].shape[1])
    first = np.concatenate([one[0][:, :count], other[0][:, :count]])
    found = paired_difference(first, one[1][:, :count], one[2][:count])
    assert excludes_zero(found) == (found.p < 0.05)
    assert found.interval.low < found.interval.high


def test_false_positives_and_coverage_in_clusters() -> None:
    """60 clusters of 4 that hang together for each arm: McNemar's test of the same data rejects far too often."""
    generator = np.random.default_rng(5)
    clusters = [at // 4 for at in range(240)]

    def draw(level: float) -> Floats:
        chances = 1 / (1 + np.exp(-(level + shared + generator.normal(0, 1.5, 60)[clusters])))
        return (generator.random((1, 240)) < chances).astype(float)

    rejected = naive = covered = 0
    for _ in range(500):
        shared = generator.normal(0, 1.0, 60)[clusters]
        first, second = draw(0.0), draw(0.0)
        found = paired_difference(first, second, clusters)
        rejected += found.p < 0.05
        naive += paired_difference(first, second, range(240)).p < 0.05
        covered += found.interval.low <= 0 <= found.interval.high
    assert 0.02 < rejected / 500 < 0.08 < 0.1 < naive / 500
    assert 0.92 < covered / 500 < 0.98
