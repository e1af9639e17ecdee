"""The difference of two arms on the same problems: its p-value and its interval."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from srt.statistics.crossed_variance import Components, Floats, crossed_variance
from srt.statistics.intervals import CONFIDENCE, Interval
from srt.statistics.run_spread import Uncertainty
from srt.statistics.significance import LEVEL, sign_flip

Test = Literal["mcnemar", "sign_flip", "t"]
"""``mcnemar``: the sign-flip test where every cluster is one problem that is right or wrong. ``t``: several runs."""


class PairedDifference(NamedTuple):
    """The interval of the difference and the p-value of no difference, by ``test``.

    The interval excludes 0 exactly if p is below 0.05; a bound of 0 then is not part of it.
    """

    interval: Interval
    p: float
    test: Test


def paired_difference(first: Floats, second: Floats, clusters: Sequence[Hashable]) -> PairedDifference:
    """The mean of ``first`` minus that of ``second``, each ``[run, problem]`` with scores in [0, 1].

    The interval is Student's t over clusters of problems, and over training runs where an arm has several
    (:class:`srt.statistics.run_spread.Uncertainty`), with the variance of :func:`difference_parts`.

    With one run of each arm, p is of the exact sign-flip test on the totals of clusters. Where interval and test
    disagree on 0, the test decides, and the nearer bound moves to 0. With several runs, p is of the same
    distribution as the interval.

    Assumes that clusters are independent, and that the runs of an arm differ by chance alone.
    """
    apart = first.mean(axis=0) - second.mean(axis=0)
    value = float(apart.mean())
    centre, parts = difference_parts(first, second, clusters)
    found = Uncertainty.of(parts)
    half = found.half_width(1 - CONFIDENCE)
    low, high = max(-1.0, min(value, centre - half)), min(1.0, max(value, centre + half))
    if len(first) > 1 or len(second) > 1:
        return PairedDifference(Interval(value, low, high), float(found.p(centre)), "t")
    # Problems of a cluster may depend on each other in any way: only its total can change sign by chance.
    totals: dict[Hashable, float] = {}
    for cluster, each in zip(clusters, apart.tolist(), strict=True):
        totals[cluster] = totals.get(cluster, 0.0) + each
    p = sign_flip(list(totals.values()))
    if p >= LEVEL:
        low, high = min(low, 0.0), max(high, 0.0)
    elif value > 0:
        low = max(low, 0.0)
    else:
        high = min(high, 0.0)
    whole = len(totals) == len(clusters) and set(np.unique([first, second]).tolist()) <= {0.0, 1.0}
    return PairedDifference(Interval(value, low, high), p, "mcnemar" if whole else "sign_flip")


def difference_parts(first: Floats, second: Floats, clusters: Sequence[Hashable]) -> tuple[float, Components]:
    """The centre of the interval of a difference, and the parts of its variance.

    Two problems are added, which differ in opposite directions by as much as problems that differ at all do (their mean
    square over their mean). They keep the interval from closing where no problem, or every problem, differs: Bonett and
    Price's adjustment for proportions (Journal of Educational and Behavioral Statistics 37, 2012, p. 479), carried over
    to clusters and fractional scores.
    """
    apart = first.mean(axis=0) - second.mean(axis=0)
    extent = float(np.abs(apart).sum())
    # 1 where scores are 0 or 1; with fractions, as far apart as problems that differ usually are.
    usual = float((apart**2).sum()) / extent if extent else 1.0
    padded = [
        np.concatenate([arm, np.broadcast_to(np.array(two), (len(arm), 2))], axis=1)
        for arm, two in ((first, (usual, 0.0)), (second, (0.0, usual)))
    ]
    problems = padded[0].shape[1]
    # What each problem contributes to the mean, less its expectation, as crossed_variance takes it.
    one, other = ((arm - arm.mean()) / problems for arm in padded)
    parts = crossed_variance([one, -other], [*clusters, object(), object()], pseudo=2)
    return float(padded[0].mean() - padded[1].mean()), parts
