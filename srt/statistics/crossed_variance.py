"""The variance of a figure that was measured on clusters of problems by several training runs.

Every run of an arm answers the same problems: runs and clusters of problems are crossed, and both are drawn by chance.
The variance has a part of each (Searle, Casella and McCulloch, Variance Components, 1992, ch. 4). Reader studies in
radiology, in which readers and cases are crossed, are analysed in the same way (Obuchowski and Rockette, Communications
in Statistics B 24, 1995, p. 285; Hillis, Statistics in Medicine 26, 2007, p. 596).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Variance(NamedTuple):
    """A variance and the degrees of freedom of Student's t that go with it."""

    value: float
    freedom: float


def crossed_variance(arms: Sequence[Floats], clusters: Sequence[Hashable], pseudo: int = 0) -> Variance:
    """The variance of a figure that is the sum, over arms and problems, of the mean contribution over an arm's runs.

    Args:
        arms: what each run and problem of an arm contributes, ``[run, problem]``, less its expectation: of a mean over
            ``n`` problems, ``(score - mean) / n``. A figure that is not a sum is linearised. Arms share the problems.
        clusters: the cluster of each problem; problems of one cluster may depend on each other in any way.
        pseudo: how many clusters were added and count neither as data nor in the degrees of freedom.

    The part of the problems is the cluster-robust variance with its factor G/(G - 1) for G clusters (Liang and Zeger,
    Biometrika 73, 1986, p. 13). An arm with several runs adds the variance between its runs, less what the randomness
    within a run (runs by clusters) explains of it, which the first part has already. An arm with one run adds nothing:
    the variance of its training is unknown.

    Degrees of freedom: Satterthwaite's over all parts (Biometrics Bulletin 2, 1946, p. 110), and if runs differ more
    than problems do, those of the runs at most. They are 0, and the variance infinite, with fewer than two clusters.
    """
    numbers: dict[Hashable, int] = {}
    of_problem = np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters])
    count = len(numbers) - pseudo
    if count < 2:
        return Variance(float("inf"), 0.0)
    correction = count / (count - 1)
    sizes = np.bincount(of_problem) / len(of_problem)
    across = np.zeros(len(numbers))
    between, explained, of_runs = [], [], []
    for arm in arms:
        runs = len(arm)
        totals = np.stack([np.bincount(of_problem, weights=run) for run in arm], axis=1)  # [cluster, run]
        # The arms are summed before squaring: what a cluster does to both cancels where they are subtracted.
        across += totals.mean(axis=1)
        if runs > 1:
            apart = totals - totals.mean(axis=1, keepdims=True)
            # What is left of a run in a cluster when the run's own effect, spread by size, is taken out.
            within = apart - sizes[:, None] * apart.sum(axis=0)
            between.append(float(totals.sum(axis=0).var(ddof=1)) / runs)
            explained.append(correction * float((within**2).sum()) / (runs * (runs - 1)))
            of_runs.append(runs - 1)
    problems = correction * float((across**2).sum())
    # An estimate of the variance between runs may be negative by chance; a variance is not.
    value = problems + sum(max(0.0, each - noise) for each, noise in zip(between, explained, strict=True))
    return Variance(value, _freedom(value, problems, count - 1, between, of_runs))


def design_effect(values: Sequence[float], clusters: Sequence[Hashable], variance: float) -> float | None:
    """By how much clusters multiply the variance of the mean of ``values``, where one value has ``variance``.

    At least 1; ``None`` if it is undefined: no variance, or one cluster.
    """
    if len(set(clusters)) < 2:
        return None
    array = np.asarray(values, dtype=np.float64)[None]
    found = crossed_variance([(array - array.mean()) / array.size], clusters).value
    return effect_on_variance(found, variance / array.size)


def effect_on_variance(found: float, independent: float) -> float | None:
    """The variance ``found`` over that of ``independent`` problems: at least 1; ``None`` if those do not vary."""
    return None if independent <= 1e-15 else max(1.0, found / independent)


def _freedom(
    value: float, problems: float, of_problems: int, between: Sequence[float], of_runs: Sequence[int]
) -> float:
    runs = sum(between)
    if not value or not runs:
        return float(of_problems)
    parts = sum(each * each / freedom for each, freedom in zip(between, of_runs, strict=True))
    # Satterthwaite: (sum of parts)^2 over the sum of part^2 / freedom; never below that of the part with the fewest.
    freedom = max(value * value / (problems * problems / of_problems + parts), min(of_runs))
    return min(freedom, runs * runs / parts) if runs > problems else freedom
