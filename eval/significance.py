"""Error bars and tests: how far a figure, or a difference of two, could be chance.

Each docstring says what its figure assumes. None covers the chance of training: two seeds of one arm differ by more
than these intervals show.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A figure and the interval around it."""

    value: float
    low: float
    high: float


def wilson(right: float, count: int, confidence: float = CONFIDENCE) -> Interval:
    """The Wilson score interval of a share, ``right`` of ``count`` (Wilson, JASA 22, 1927, p. 209).

    Assumes that the ``count`` problems are independent draws from the population of problems. Where repeats of a
    problem were averaged first (``right`` need not be whole), the interval is too wide rather than too narrow.
    Nothing counted: the interval is the whole of [0, 1] and the value is not a number.
    """
    if count == 0:
        return Interval(math.nan, 0.0, 1.0)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = right / count
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def paired_bootstrap(
    first: Sequence[float],
    second: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Mean of ``first - second`` with the percentile interval of a cluster bootstrap.

    All three are as long as there are problems; problems of one cluster (variants, translations) are drawn together,
    clusters with replacement (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 8 and 13).
    Assumes that clusters are independent; that they are many (dozens at least), or the interval is too narrow.

    Raises:
        ValueError: nothing to compare, or lengths that differ.
    """
    if not len(first) == len(second) == len(clusters) or not len(first):
        raise ValueError(f"{len(first)}, {len(second)} values and {len(clusters)} clusters: equal and positive needed")
    number: dict[Hashable, int] = {}
    of_row = np.array([number.setdefault(cluster, len(number)) for cluster in clusters])
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    sums = np.bincount(of_row, weights=differences)
    sizes = np.bincount(of_row)
    generator = np.random.default_rng(seed)
    rows = max(1, 2_000_000 // len(sums))  # bounds the memory of one block of draws to about 16 MB
    means = []
    for start in range(0, resamples, rows):
        drawn = generator.integers(0, len(sums), size=(min(rows, resamples - start), len(sums)))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    tail = (1 - confidence) / 2 * 100
    low, high = np.percentile(np.concatenate(means), [tail, 100 - tail])
    return Interval(float(differences.mean()), float(low), float(high))


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided p of the exact McNemar test: of the problems that one alone solves, is either's share chance?

    Under the hypothesis of no difference ``only_first`` is binomial(only_first + only_second, 1/2); p is twice the
    smaller tail, at most 1 (McNemar, Psychometrika 12, 1947; exact form as in Fagerland et al., BMC Med. Res.
    Methodol. 13, 2013). Assumes independent problems: where problems come in clusters, trust the bootstrap.
    """
    count = only_first + only_second
    tail = sum(math.comb(count, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, 2 * tail / (1 << count))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the given order (Holm, Scand. J. Statist. 6, 1979): the chance that any rejection is false
    stays below the level, whatever the dependence between the tests."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted
