"""How far a figure may be off if few training runs say how far training runs lie apart.

Two runs that agree do not show that runs agree: if runs differ much, two of them are alike by chance in one of a few
cases. So neither of two ways is right: to trust an estimate of the spread from two runs (false positives), and to use
Student's t of a single degree of freedom whenever runs seem to differ (no power). Here each spread that the runs leave
possible has a weight, and the p-value is the mean over them. Nothing jumps: the fewer the runs, the heavier the tails.

The runs show a variance ``seen`` on ``freedom`` degrees of freedom, of which ``noise`` is explained by randomness
within runs. Given the true total T of both, ``seen * freedom / T`` is a chi-square; a spread is no less than 0, so T is
no less than ``noise``. With the prior density ``T ** -(1 + a / 2)``, T is a scaled inverse chi-square of
``freedom + a`` degrees of freedom, cut off below ``noise``: for a = 0, Jeffreys' prior, the posterior of Tiao and Tan
(Biometrika 52, 1965, p. 37). Given T, the figure is t-distributed, with Satterthwaite's degrees of freedom (Biometrics
Bulletin 2, 1946, p. 110), where the part of the runs is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammainc, gammaincinv, stdtr, stdtrit

from srt.statistics.crossed_variance import Components, Floats, OfRuns

_PRIOR = 0.1
"""The ``a`` of the prior. At 0 two runs of each arm have less power than need be; at 0.2 false positives of arms whose
runs spread unlike reach 7% (benchmarks/statistics_simulation.py measures both)."""

# Gauss-Legendre nodes for the integral over the posterior's distribution function, close together at its heavy tail.
_AT, _WEIGHT = np.polynomial.legendre.leggauss(24)
_LEVELS, _WEIGHTS = ((_AT + 1) / 2) ** 3, 1.5 * ((_AT + 1) / 2) ** 2 * _WEIGHT


class RunSpread(NamedTuple):
    """The variance between runs, summed over arms: as ``seen``, the ``noise`` in it, and its degrees of ``freedom``.

    Each is a number, or an array over draws of a simulation.
    """

    seen: Floats | float
    noise: Floats | float
    freedom: Floats | float


def arm_variances(arms: Sequence[OfRuns]) -> list[Floats | float]:
    """The variance between the runs of each arm, for its mean over them: no less than that of all arms' runs pooled.

    Two runs of one arm that happen to agree do not make it steadier than the other arm.
    """
    freedom = sum(arm.runs - 1 for arm in arms)
    one_run = sum((arm.runs - 1) * arm.runs * arm.between for arm in arms) / freedom
    return [np.maximum(arm.between, one_run / arm.runs) for arm in arms]


def pooled_spread(arms: Sequence[OfRuns]) -> RunSpread:
    """The spread of the runs of several arms together.

    Degrees of freedom: Welch's (Biometrika 34, 1947, p. 28), in which an arm counts with no less than its noise: by
    chance its runs may agree better than that, which is no reason to rely on the other arm's degrees of freedom.
    """
    sizes = [np.maximum(arm.between, arm.noise) for arm in arms]
    squares = sum(size * size / (arm.runs - 1) for size, arm in zip(sizes, arms, strict=True))
    return RunSpread(
        seen=sum(arm_variances(arms)),
        noise=sum(arm.noise for arm in arms),
        # Runs that agree in everything have no variance, and no degrees of freedom that would matter.
        freedom=sum(sizes) ** 2 / np.where(squares > 0, squares, 1.0),
    )


class Uncertainty:
    """The distribution of the error of a figure, over problems and training runs.

    ``problems`` is the variance over clusters of problems on ``freedom`` degrees of freedom, ``spread`` what several
    runs show, ``None`` if no arm has several. Numbers, or arrays over draws of a simulation, ``[draw]``.
    """

    def __init__(self, problems: Floats | float, freedom: float, spread: RunSpread | None) -> None:
        variance = np.asarray(problems, dtype=np.float64)[..., None]
        # One cluster, or none: nothing is known, whatever runs show.
        if not freedom:
            variance, spread = np.zeros(1), None
        of_runs: Floats = np.zeros(1) if spread is None else _spreads(spread, _LEVELS)
        self._weights = np.ones(1) if spread is None else _WEIGHTS
        self._errors = np.sqrt(variance + of_runs)
        # Satterthwaite, with the part of the runs known: what is uncertain is the variance over problems.
        shares = np.divide(variance, variance + of_runs, out=np.ones_like(self._errors), where=self._errors > 0)
        self._freedoms = freedom / np.maximum(shares, 1e-6) ** 2

    @staticmethod
    def of(parts: Components) -> Uncertainty:
        """That of a figure whose variance has these parts."""
        return Uncertainty(parts.problems, parts.freedom, pooled_spread(parts.arms) if parts.arms else None)

    def p(self, distance: Floats | float) -> Floats:
        """The two-sided p-value of a figure that lies ``distance`` from what is tested, ``[draw]``."""
        if not self._freedoms.min():
            return np.ones(np.shape(distance))
        beyond = stdtr(self._freedoms, -np.abs(np.asarray(distance))[..., None] / self._errors)
        return np.asarray(2 * beyond @ self._weights)

    def half_width(self, level: float) -> float:
        """The distance with the p-value ``level``, without draws; infinite without degrees of freedom."""
        if not self._freedoms.min():
            return math.inf
        if self._errors.size == 1:
            return float(self._errors[0] * stdtrit(self._freedoms[0], 1 - level / 2))
        low, high = 0.0, float(np.median(self._errors))
        while high and self.p(high) > level:
            low, high = high, 2 * high
        # p falls with the distance: halved down to the precision of floats.
        while high - low > 1e-14 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.p(middle) > level else (low, middle)
        return high


def median_spread(spread: RunSpread) -> Floats:
    """The median of the variance between runs, without the noise, given what they show."""
    return _spreads(spread, np.full(1, 0.5))[..., 0]


def _spreads(spread: RunSpread, levels: Floats) -> Floats:
    """The variances between runs that are exceeded with the chances ``levels``, ``[draw, level]``."""
    seen, noise, freedom = (np.asarray(each, dtype=np.float64)[..., None] for each in spread)
    shape = (freedom + _PRIOR) / 2
    # Half the sum of squares; where runs agree more than noise lets them, as good as 0.
    half = np.maximum(seen * freedom / 2, 1e-9 * noise)
    cut = np.divide(half, noise, out=np.full_like(half + noise, np.inf), where=noise > 0)
    total = half / gammaincinv(shape, levels * gammainc(shape, cut))
    spreads: Floats = np.maximum(total - noise, 0.0)
    return spreads
