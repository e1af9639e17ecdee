"""How many training items an arm needs until its accuracy reaches a level, from learning curves.

An arm is measured after a few numbers of items, the points of its curve, with several training seeds. For one seed the
level is reached between the last point before, and the first point at which the accuracy is at least the level: the
number of items is known to lie in that interval (it is *interval-censored*). If no point reaches the level, only the
last point is known as a lower bound (*right-censored*), and the number is infinite in what follows; if the first point
does, there is only an upper bound, which is taken.

Between two points the number is interpolated, linearly in the logarithm of the items. The figure of an arm is the
median over its seeds. Its interval is that between the 2.5th and the 97.5th percentile of a bootstrap (Efron, Annals of
Statistics 7, 1979) in which the seeds and the test puzzles (whole clusters) are drawn anew with replacement. With three
seeds the bootstrap knows no more than these three, so the interval is too narrow for the population of seeds: look at
the seeds themselves too.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Curve = Mapping[int, npt.NDArray[np.float64]]
"""Items to the scores of the test problems, each in [0, 1], of one training run."""

_DRAWS = 2000
_SEED = 0


class Crossing(NamedTuple):
    """Where one curve reaches a level: after more than ``above`` items and at most ``until``; ``at`` is between."""

    above: float
    until: float
    at: float


class ItemsNeeded(NamedTuple):
    """The median over seeds and its bootstrap interval; ``math.inf`` is more items than any that were measured.

    ``above`` is what the median is known to exceed: 0 if the level is reached at the first point.
    """

    items: float
    low: float
    high: float
    above: float
    by_seed: list[Crossing]


def crossing(items: Sequence[float], accuracies: Sequence[float], level: float) -> Crossing:
    """Where the curve through these points (items increasing) first reaches ``level``."""
    before_items, before = 0.0, 0.0
    for at, accuracy in zip(items, accuracies, strict=True):
        if accuracy >= level:
            if before_items == 0:
                return Crossing(0, at, at)
            share = (level - before) / (accuracy - before)
            return Crossing(before_items, at, before_items * (at / before_items) ** share)
        before_items, before = at, accuracy
    return Crossing(before_items, math.inf, math.inf)


def items_needed(curves: Sequence[Curve], clusters: Sequence[Hashable], level: float) -> ItemsNeeded:
    """The items until ``level``, over the training runs ``curves`` of one arm on the same test problems.

    ``clusters`` has the cluster of each problem.
    """
    by_seed = [_of_curve(curve, level) for curve in curves]
    drawn = [_median(one) for one in _draws([curves], clusters, level)[0]]
    above = _median([one.above for one in by_seed])
    return ItemsNeeded(_median([one.at for one in by_seed]), *_percentiles(drawn), above, by_seed)


class ItemsRatio(NamedTuple):
    """The items that one arm needs, divided by those that another needs, with a bootstrap interval.

    Where the other arm did not reach the level, the items of its last point stand for it, so the ratio is an upper
    bound (``at_most``); where the first arm did not, the ratio is infinite. In a draw of the bootstrap in which the
    other arm did not, nothing is known of how small the ratio is: it counts as 0 for ``low``.
    """

    ratio: float
    low: float
    high: float
    at_most: bool


def items_ratio(
    first: Sequence[Curve], second: Sequence[Curve], clusters: Sequence[Hashable], level: float
) -> ItemsRatio:
    """The ratio of the items until ``level``; the same draws of seeds and puzzles serve both arms.

    The curves of one place in the two lists have the same training seed, so the same problems and initial weights.
    """
    last = float(min(max(curve) for curve in second))
    ones, others = _draws([first, second], clusters, level)

    drawn = [(_median(one), _median(other)) for one, other in zip(ones, others, strict=True)]
    low, _ = _percentiles([0 if math.isinf(other) else one / other for one, other in drawn])
    _, high = _percentiles([one / min(other, last) for one, other in drawn])
    one, other = (_median([_of_curve(curve, level).at for curve in curves]) for curves in (first, second))
    return ItemsRatio(one / min(other, last), low, high, math.isinf(other))


def _of_curve(curve: Curve, level: float) -> Crossing:
    points = sorted(curve)
    return crossing(points, [float(curve[items].mean()) for items in points], level)


def _draws(arms: Sequence[Sequence[Curve]], clusters: Sequence[Hashable], level: float) -> list[list[list[float]]]:
    """For each arm and each draw of the bootstrap, the items of the seeds that were drawn."""
    rng = np.random.default_rng(_SEED)
    number = {cluster: at for at, cluster in enumerate(dict.fromkeys(clusters))}
    of_problem = np.array([number[cluster] for cluster in clusters])
    runs = min(map(len, arms))
    # A draw of clusters with replacement, as the number of times that each was drawn.
    weights = rng.multinomial(len(number), np.full(len(number), 1 / len(number)), size=_DRAWS)[:, of_problem]
    # A draw without problems does not happen: as many clusters are drawn as there are.
    totals = weights.sum(axis=1)
    # The same seeds for both arms: the curves of one place in the lists belong together.
    chosen = rng.integers(runs, size=(_DRAWS, runs))
    drawn = []
    for curves in arms:
        points = [sorted(curve) for curve in curves]
        accuracies = [
            np.stack([weights @ curve[n] / totals for n in items], axis=1)
            for curve, items in zip(curves, points, strict=True)
        ]
        drawn.append(
            [
                [crossing(points[run], accuracies[run][draw].tolist(), level).at for run in chosen[draw]]
                for draw in range(_DRAWS)
            ]
        )
    return drawn


def _median(values: Sequence[float]) -> float:
    """The median; of an even number of values the upper one of the middle two, which may be infinite."""
    return sorted(values)[len(values) // 2]


def _percentiles(values: Sequence[float]) -> tuple[float, float]:
    """The 2.5th and the 97.5th percentile of values that may be infinite (no interpolation)."""
    ordered = sorted(values)
    return ordered[int(0.025 * len(ordered))], ordered[min(int(0.975 * len(ordered)), len(ordered) - 1)]
