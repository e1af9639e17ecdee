"""The bootstrap of runs on the same problems: training runs drawn outside, clusters of problems inside.

Each resample draws clusters of problems with replacement, once for all arms and all their runs, so that arms stay
paired; and, of an arm with several training runs, runs with replacement, arm by arm. Runs and problems are crossed
(every run meets the same problems), so that both are drawn apart from each other: the pigeonhole bootstrap (Owen,
Annals of Applied Statistics 1, 2007, p. 386). Of ``n`` runs, ``n - 1`` are drawn, which makes the variance between runs
that of their mean without bias (Rao and Wu, JASA 83, 1988, p. 231); drawing ``n`` of three would lose a third of it.

With one run for each arm this is the cluster bootstrap of problems (Efron and Tibshirani, An Introduction to the
Bootstrap, 1993, ch. 8 and 13), and nothing covers the variance of training.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from srt.statistics.significance import CONFIDENCE, Interval

Floats = NDArray[np.float64]
Statistic = Callable[[Sequence[Floats], Floats], Floats]
"""Figures of resamples: the totals of each arm's columns, ``[resample, column]``, and the number of problems drawn,
``[resample]``, give ``[resample, figure]``."""

RESAMPLES = 10_000
_DRAWS_A_BLOCK = 2_000_000  # bounds the memory of one block to about 50 MB


def bootstrap(
    arms: Sequence[Floats],
    clusters: Sequence[Hashable],
    statistic: Statistic,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """Figures of several arms on the same problems, each with its percentile interval.

    Args:
        arms: what was measured of each arm, ``[run, problem, column]``; arms may differ in runs and columns.
        clusters: the cluster of each problem; problems of one (variants, translations) are drawn together.
        statistic: the figures, from column totals; of several runs, totals are the mean over the runs.
        resamples: how many.
        seed: of the draws; draws of problems do not depend on how many runs there are.

    Assumes that clusters are independent and many (at least dozens, or intervals are too narrow), and that an arm's
    runs differ by chance alone. With several runs, intervals are rather too wide, since the variance within each run
    counts more than once (``docs/statistics.md`` has the measured coverage). A bound is infinite if too many resamples
    divide by zero.

    Raises:
        ValueError: no problem, or lengths that differ.
    """
    lengths = {len(clusters), *(arm.shape[1] for arm in arms)}
    if len(lengths) != 1 or not len(clusters):
        raise ValueError(f"values and clusters of {sorted(lengths)} problems: equal and positive lengths needed")
    numbers: dict[Hashable, int] = {}
    of_problem = np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters])
    sizes = np.bincount(of_problem).astype(float)
    by_cluster = [_cluster_totals(arm, of_problem, len(numbers)) for arm in arms]
    runs = [np.random.default_rng([seed, 1 + index]) for index in range(len(arms))]
    drawn = []
    with np.errstate(divide="ignore", invalid="ignore"):
        value = statistic([arm.sum(axis=1).mean(axis=0)[None] for arm in arms], np.array([float(len(clusters))]))[0]
        for weights in _cluster_weights(len(numbers), resamples, seed):
            totals = [_totals(weights, own, each) for own, each in zip(by_cluster, runs, strict=True)]
            drawn.append(statistic(totals, weights @ sizes))
        figures = np.concatenate(drawn)
        tail = (1 - CONFIDENCE) / 2 * 100
        low, high = np.percentile(figures, [tail, 100 - tail], axis=0)
    return [
        Interval(float(middle), _bound(first, -math.inf), _bound(last, math.inf))
        for middle, first, last in zip(value, low, high, strict=True)
    ]


def _cluster_totals(arm: Floats, of_problem: NDArray[np.int64], count: int) -> Floats:
    """``[run, problem, column]`` summed to ``[cluster, run, column]``."""
    totals = np.zeros((count, arm.shape[0], arm.shape[2]))
    np.add.at(totals, of_problem, arm.transpose(1, 0, 2))
    return totals


def _cluster_weights(count: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Blocks of resamples: how often each of ``count`` clusters was drawn, ``[resample, cluster]``."""
    generator = np.random.default_rng(seed)
    rows = max(1, _DRAWS_A_BLOCK // count)
    for start in range(0, resamples, rows):
        here = min(rows, resamples - start)
        drawn = generator.integers(0, count, size=(here, count))
        drawn += np.arange(here)[:, None] * count
        yield np.bincount(drawn.ravel(), minlength=here * count).reshape(here, count).astype(float)


def _totals(weights: Floats, by_cluster: Floats, generator: np.random.Generator) -> Floats:
    """Column totals of one arm, ``[resample, column]``: clusters by ``weights``, runs drawn here."""
    clusters, runs, columns = by_cluster.shape
    totals = (weights @ by_cluster.reshape(clusters, -1)).reshape(-1, runs, columns)
    if runs == 1:
        only: Floats = totals[:, 0]
        return only
    drawn = generator.integers(0, runs, size=(len(weights), runs - 1))
    mean: Floats = np.take_along_axis(totals, drawn[:, :, None], axis=1).mean(axis=1)
    return mean


def _bound(found: float, unbounded: float) -> float:
    """Interpolating between infinite figures gives NaN: the bound is then infinite."""
    return unbounded if math.isnan(found) else float(found)
