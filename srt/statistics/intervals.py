"""Confidence intervals of shares, and the interval as a value and as a record.

Each docstring says what its figure assumes. With one training run of an arm, none covers the variance of training.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from scipy.special import stdtrit

from srt.io.records import Record
from srt.statistics.crossed_variance import Floats, crossed_variance, effect_on_variance
from srt.statistics.run_spread import Uncertainty

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


def share_interval(values: Floats, clusters: Sequence[Hashable]) -> tuple[Interval, float]:
    """The mean of ``values``, ``[run, problem]``, each in [0, 1], with its interval, and its design effect.

    Wilson's interval for the effective number of problems, their number divided by the design effect, with a quantile
    that allows for few clusters and runs instead of the normal one (Dean and Pagano, Journal of Survey Statistics and
    Methodology 3, 2015, p. 484; after Korn and Graubard, Survey Methodology 24, 1998, p. 193): Student's t over
    clusters with one run, :class:`srt.statistics.run_spread.Uncertainty` with several. The design effect is the
    estimated variance over clusters and training runs, relative to independent problems; below 1 it counts as 1, and
    where all values are 0, or all 1, each cluster counts as one problem. One run of problems without clusters has
    Wilson's interval itself.

    Assumes that clusters are independent of each other (inside a cluster anything goes), and that runs differ by chance
    alone. With one cluster, or no problem, the interval is [0, 1] and the design effect NaN.
    """
    runs, problems = values.shape
    share = float(values.mean()) if problems else math.nan
    count = len(set(clusters))
    if runs == 1 and count == problems:
        return wilson(share * problems if problems else 0.0, problems), 1.0
    if count < 2:
        return Interval(share, 0.0, 1.0), math.nan
    parts = crossed_variance([(values - share) / problems], clusters)
    variance = parts.problems + sum(max(0.0, float(arm.between - arm.noise)) for arm in parts.arms)
    effect = effect_on_variance(variance, share * (1 - share) / problems)
    if effect is None:
        # All right or all wrong: the variance is 0, which says nothing of the design.
        effect, quantile = problems / count, float(stdtrit(count - 1, 0.5 + CONFIDENCE / 2))
    elif variance:
        quantile = Uncertainty.of(parts).half_width(1 - CONFIDENCE) / math.sqrt(variance)
    else:
        quantile = float(stdtrit(parts.freedom, 0.5 + CONFIDENCE / 2))
    return _score_interval(share, problems / effect, quantile), effect


def _score_interval(share: float, count: float, z: float) -> Interval:
    """Wilson's interval; ``count`` need not be whole."""
    centre = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * float(np.sqrt(share * (1 - share) / count + z * z / (4 * count * count)))
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))
