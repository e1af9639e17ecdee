"""The parts of the variance of a figure that was measured on clusters of problems by several training runs.

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


class OfRuns(NamedTuple):
    """What ``runs`` training runs of one arm say of their spread, for the mean over them.

    ``between`` is the variance that was seen between them, ``noise`` the part that randomness within a run explains.
    """

    runs: int
    between: Floats | float
    noise: Floats | float


class Components(NamedTuple):
    """``problems``: the variance over clusters of problems, with its degrees of ``freedom``; the noise within runs is
    part of it. ``arms``: those with several runs. With fewer than two clusters ``problems`` is infinite and ``freedom``
    0."""

    problems: float
    freedom: float
    arms: tuple[OfRuns, ...]


def crossed_variance(arms: Sequence[Floats], clusters: Sequence[Hashable], pseudo: int = 0) -> Components:
    """The variance of a figure that is the sum, over arms and problems, of the mean contribution over an arm's runs.

    Args:
        arms: what each run and problem of an arm contributes, ``[run, problem]``, less its expectation: of a mean over
            ``n`` problems, ``(score - mean) / n``. A figure that is not a sum is linearised. Arms share the problems.
        clusters: the cluster of each problem; problems of one cluster may depend on each other in any way.
        pseudo: how many problems at the end were added, each a cluster of its own. They count neither as data nor in
            the degrees of freedom.

    The part of the problems is cluster-robust. A cluster with the share ``h`` of all problems pulls the mean towards
    itself, so its squared residual is divided by ``1 - h`` (Bell and McCaffrey, Survey Methodology 28, 2002, p. 169);
    with G clusters of one size this is the factor G/(G - 1) of Liang and Zeger (Biometrika 73, 1986, p. 13). The
    degrees of freedom are one less than the effective number of clusters, 1 / (sum of ``h**2``), which is G with one
    size.

    An arm with one run is not among the ``arms`` of the result: the variance of its training is unknown.
    """
    numbers: dict[Hashable, int] = {}
    of_problem = np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters])
    count = len(numbers) - pseudo
    if count < 2:
        return Components(float("inf"), 0.0, ())
    sizes = np.bincount(of_problem).astype(np.float64)
    shares = sizes[:count] / sizes[:count].sum()
    # Added problems are weighted as clusters of the usual size.
    weights = np.append(1 / (1 - shares), np.full(pseudo, count / (count - 1)))
    across = np.zeros(len(numbers))
    found = []
    for arm in arms:
        runs = len(arm)
        totals = np.stack([np.bincount(of_problem, weights=run) for run in arm], axis=1)  # [cluster, run]
        # The arms are summed before squaring: what a cluster does to both cancels where they are subtracted.
        across += totals.mean(axis=1)
        if runs > 1:
            apart = totals - totals.mean(axis=1, keepdims=True)
            # What is left of a run in a cluster when the run's own effect, spread by size, is taken out.
            within = apart - (sizes / sizes.sum())[:, None] * apart.sum(axis=0)
            noise = float((weights @ within**2).sum()) / (runs * (runs - 1))
            found.append(OfRuns(runs, float(totals.sum(axis=0).var(ddof=1)) / runs, noise))
    return Components(float(weights @ across**2), 1 / float(shares @ shares) - 1, tuple(found))


def design_effect(values: Sequence[float], clusters: Sequence[Hashable], variance: float) -> float | None:
    """By how much clusters multiply the variance of the mean of ``values``, where one value has ``variance``.

    At least 1; ``None`` if it is undefined: no variance, or one cluster.
    """
    if len(set(clusters)) < 2:
        return None
    array = np.asarray(values, dtype=np.float64)[None]
    found = crossed_variance([(array - array.mean()) / array.size], clusters).problems
    return effect_on_variance(found, variance / array.size)


def effect_on_variance(found: float, independent: float) -> float | None:
    """The variance ``found`` over that of ``independent`` problems: at least 1; ``None`` if those do not vary."""
    return None if independent <= 1e-15 else max(1.0, found / independent)
