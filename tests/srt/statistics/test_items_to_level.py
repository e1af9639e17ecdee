"""Items until a level is reached: interpolation, censoring, and an interval over seeds and puzzles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from srt.statistics.items_to_level import Curve, crossing, items_needed, items_ratio

CLUSTERS = list(range(400))


def curve(of: dict[int, float], seed: int = 0) -> Curve:
    """Scores of 400 problems; a problem that is right stays right."""
    hardness = np.random.default_rng(seed).permutation(len(CLUSTERS)) / len(CLUSTERS)
    return {items: (hardness < share).astype(float) for items, share in of.items()}


def test_a_crossing_lies_between_two_points() -> None:
    found = crossing([1000, 4000], [0.2, 0.8], 0.5)
    assert (found.above, found.until) == (1000, 4000)
    assert found.at == pytest.approx(2000)  # half of the way, in the logarithm


def test_the_first_crossing_counts() -> None:
    assert crossing([1, 2, 4, 8], [0.1, 0.6, 0.4, 0.9], 0.5).until == 2


def test_censored_curves() -> None:
    assert crossing([10, 20], [0.1, 0.4], 0.5) == (20, math.inf, math.inf)
    assert crossing([10, 20], [0.7, 0.9], 0.5) == (0, 10, 10)
    needed = items_needed([curve({10: 0.1, 20: 0.2}, seed) for seed in range(3)], CLUSTERS, 0.5)
    assert needed.items == needed.low == needed.high == math.inf
    assert needed.above == 20
    assert items_needed([curve({10: 0.7, 20: 0.9})], CLUSTERS, 0.5).above == 0
    # Of curves that end elsewhere, the median is known to exceed what most of them exceed.
    uneven = [curve({10: 0.1, 20: 0.2}), curve({10: 0.1}), curve({10: 0.1})]
    assert items_needed(uneven, CLUSTERS, 0.5).above == 10
    # The median of three is known when one of them is censored.
    two = [curve({1000: 0.2, 4000: 0.8}), curve({1000: 0.2, 4000: 0.8}), curve({1000: 0.1, 4000: 0.2})]
    assert items_needed(two, CLUSTERS, 0.5).items == pytest.approx(2000)
    assert items_needed(two, CLUSTERS, 0.5).high == math.inf


def test_the_interval_knows_puzzles_and_seeds() -> None:
    same = [curve({1000: 0.2, 4000: 0.8}, seed) for seed in range(3)]
    narrow = items_needed(same, CLUSTERS, 0.5)
    assert narrow.low < 2000 < narrow.high
    assert narrow.low > 1700
    assert narrow.high < 2400
    few = items_needed(same, [at // 40 for at in CLUSTERS], 0.5)
    assert few.high / few.low > narrow.high / narrow.low
    apart = [curve({1000: 0.2, 4000: 0.8}), curve({1000: 0.45, 4000: 0.8}), curve({1000: 0.2, 4000: 0.55})]
    wide = items_needed(apart, CLUSTERS, 0.5)
    assert wide.low < 1300
    assert wide.high > 3000


def test_a_ratio_of_two_arms() -> None:
    quick = [curve({1000: 0.2, 4000: 0.8, 16000: 0.9}, seed) for seed in range(3)]
    slow = [curve({1000: 0.1, 4000: 0.2, 16000: 0.8}, seed + 10) for seed in range(3)]
    found = items_ratio(quick, slow, CLUSTERS, 0.5)
    assert found.ratio == pytest.approx(0.25)
    assert not found.at_most
    assert found.low < 0.25 < found.high < 0.4
    never = [curve({1000: 0.1, 4000: 0.2, 16000: 0.3}, seed) for seed in range(3)]
    bounded = items_ratio(quick, never, CLUSTERS, 0.5)
    assert bounded.at_most
    assert bounded.ratio == pytest.approx(2000 / 16000)
    assert bounded.low == 0  # how many items the other needs is not known
    assert math.isinf(items_ratio(never, quick, CLUSTERS, 0.5).ratio)
