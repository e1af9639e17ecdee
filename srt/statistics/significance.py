"""Confidence intervals for one run, and significance tests for two.

Each docstring says what its figure assumes. None covers the variance of training: two seeds of one arm differ by more
than these intervals show (:mod:`srt.statistics.bootstrap` can draw seeds too).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from scipy.special import stdtrit

from srt.io.records import Record

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A figure and the interval around it."""

    value: float
    low: float
    high: float


class Estimate(Record):
    """An :class:`Interval` in a file: infinite bounds are ``None``."""

    value: float
    low: float | None
    high: float | None


def estimate(interval: Interval) -> Estimate:
    """``interval`` as it is written to files; its value must be finite."""
    low, high = (bound if math.isfinite(bound) else None for bound in (interval.low, interval.high))
    return Estimate(value=interval.value, low=low, high=high)


def wilson(right: float, count: int) -> Interval:
    """The Wilson score interval of a share, ``right`` of ``count`` (Wilson, JASA 22, 1927, p. 209).

    Assumes that the ``count`` problems are independent draws from the population of problems. Where repeats of a
    problem were averaged first (``right`` need not be whole), the interval is too wide rather than too narrow.
    With ``count`` 0 the interval is [0, 1] and the value is NaN.
    """
    if count == 0:
        return Interval(math.nan, 0.0, 1.0)
    return _score_interval(right / count, count, NormalDist().inv_cdf(0.5 + CONFIDENCE / 2))


def clustered_wilson(values: Sequence[float], clusters: Sequence[Hashable]) -> tuple[Interval, float]:
    """The mean of ``values``, each in [0, 1], with an interval that allows for clusters; and its design effect.

    Wilson's interval for the effective number of problems, their number divided by the design effect, with Student's t
    of (clusters - 1) in place of the normal quantile (Dean and Pagano, Journal of Survey Statistics and Methodology 3,
    2015, p. 484; after Korn and Graubard, Survey Methodology 24, 1998, p. 193). The design effect comes from the
    cluster-robust variance of the mean, as Miller (Adding Error Bars to Evals, arXiv 2411.00640, 2024) takes
    it; below 1 it counts as 1, and where all values are 0, or all 1, each cluster counts as one problem.

    Assumes that clusters are independent of each other; inside a cluster anything goes.
    """
    share = math.fsum(values) / len(values) if values else math.nan
    count = len(set(clusters))
    if count < 2:
        return Interval(share, 0.0, 1.0), math.nan
    effect = design_effect(values, clusters, share * (1 - share)) or len(values) / count
    return _score_interval(share, len(values) / effect, float(stdtrit(count - 1, 0.5 + CONFIDENCE / 2))), effect


def design_effect(values: Sequence[float], clusters: Sequence[Hashable], variance: float) -> float | None:
    """By how much clusters multiply the variance of the mean of ``values``, where one value has ``variance``.

    The cluster-robust variance (Liang and Zeger, Biometrika 73, 1986, p. 13), with its factor G/(G - 1) for G clusters,
    over that of independent values; at least 1. ``None`` if it is undefined: no variance, or one cluster.
    """
    mean = math.fsum(values) / len(values)
    residuals: dict[Hashable, float] = {}
    for value, cluster in zip(values, clusters, strict=True):
        residuals[cluster] = residuals.get(cluster, 0.0) + value - mean
    if len(residuals) < 2 or variance <= 1e-12:
        return None
    correction = len(residuals) / (len(residuals) - 1)
    robust = correction * math.fsum(each * each for each in residuals.values()) / len(values) ** 2
    return max(1.0, robust * len(values) / variance)


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided p of the exact McNemar test on the problems that only one of the two solves.

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


def _score_interval(share: float, count: float, z: float) -> Interval:
    """Wilson's interval; ``count`` need not be whole."""
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))
