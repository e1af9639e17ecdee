"""The power of a comparison with several training runs, by simulation from the variances that runs have shown.

A comparison on other numbers of problems and runs has variances that follow from those measured: the noise within runs
falls with problems and runs, the spread of runs with runs alone, the rest with problems alone. From these, data sets of
a plan are drawn as what a test sees of them (chi-squares of the variances), and the test of
:class:`srt.statistics.run_spread.Uncertainty` is applied to each. The draws are the same in every call.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from srt.statistics.crossed_variance import Components, Floats, OfRuns
from srt.statistics.power import LEVEL, POWER
from srt.statistics.run_spread import Uncertainty, arm_variances, median_spread, pooled_spread

_DRAWS = 200
_SEED = 0

_FACTORS = np.geomspace(1 / 64, 4096, 10)
"""Problems of a plan, as multiples of those measured."""

WIDE = 1.25
"""Runs bound their spread if the interval is at most so many times as wide as it would be if the spread were known."""

_MORE_RUNS = (2, 3, 4, 5, 6, 8, 10, 15, 20)


class OneRun(NamedTuple):
    """Variances of one run of an arm on the problems measured: between runs, and of the noise within them."""

    spread: float
    noise: float


class Variances(NamedTuple):
    """What the variance of a difference is made of.

    ``shared`` is the variance over problems without the noise of several runs, on ``freedom`` degrees of freedom;
    ``arms`` those with several runs, and ``runs`` their numbers.
    """

    shared: float
    freedom: float
    arms: tuple[OneRun, ...]
    runs: tuple[int, ...]


def variances(parts: Components) -> Variances:
    """The variances behind ``parts``, the components of a difference's variance.

    The spread of runs is the median of those that the runs leave possible, so it is above 0 even where runs agree. Each
    arm has the share of it that it has of the variance seen.
    """
    if not parts.arms:
        return Variances(parts.problems, parts.freedom, (), ())
    pooled = pooled_spread(parts.arms)
    median, seen = float(median_spread(pooled)), float(pooled.seen)
    own = zip(parts.arms, arm_variances(parts.arms), strict=True)
    arms = tuple(
        OneRun(median * float(each) * arm.runs / (seen or 1.0), float(arm.noise) * arm.runs) for arm, each in own
    )
    shared = max(0.0, parts.problems - float(pooled.noise))
    return Variances(shared, parts.freedom, arms, tuple(arm.runs for arm in parts.arms))


def detectable_by_problems(
    found: Variances, runs: Sequence[int], *, power: float = POWER, level: float = LEVEL
) -> Floats:
    """The smallest difference (a share) that is found with the chance ``power`` at the two-sided ``level``.

    Each arm of ``found`` has so many ``runs``. One difference for each of the numbers of problems that
    :func:`problems_for` and :func:`detectable_here` interpolate between; above 1 if none is found.
    """
    return np.array([_Plan(found, runs, factor, level).detectable(power) for factor in _FACTORS])


def problems_for(difference: float, problems: int, detectable: Floats) -> int | None:
    """The number of problems that show ``difference``, from :func:`detectable_by_problems`, where ``problems`` were
    measured; ``None`` if no number does, because runs spread too far."""
    # Chance in the draws must not make the curve rise.
    falling = np.minimum.accumulate(detectable)
    if difference < falling[-1]:
        return None
    factor = np.interp(-math.log(difference), -np.log(falling), np.log(_FACTORS))
    return math.ceil(problems * math.exp(factor) - 1e-9)


def detectable_here(detectable: Floats) -> float | None:
    """What the problems measured can show; ``None`` if not even a difference of 1."""
    here = float(np.exp(np.interp(0.0, np.log(_FACTORS), np.log(np.minimum.accumulate(detectable)))))
    return here if here <= 1 else None


class RunsNeeded(NamedTuple):
    """``widened``: how many times as wide as with a known spread of runs the interval is. ``runs``: with how many runs
    of each arm it would be at most 1.25 times as wide, in half of all cases; ``None`` if it is now, or if 20 are too
    few."""

    widened: float
    runs: int | None


def runs_needed(parts: Components) -> RunsNeeded | None:
    """Whether the runs behind ``parts`` bound their own spread; ``None`` without several runs of an arm."""
    if not parts.arms or not parts.freedom:
        return None
    found = variances(parts)
    known = parts.problems + sum(arm.spread / runs for arm, runs in zip(found.arms, found.runs, strict=True))
    if not known:
        return None
    width = Uncertainty.of(parts).half_width(LEVEL) / Uncertainty(known, parts.freedom, None).half_width(LEVEL)
    if width <= WIDE:
        return RunsNeeded(width, None)
    more = (runs for runs in _MORE_RUNS if runs > min(found.runs))
    plans = ((runs, _Plan(found, [max(runs, now) for now in found.runs], 1.0, LEVEL)) for runs in more)
    return RunsNeeded(width, next((runs for runs, plan in plans if plan.widened() <= WIDE), None))


class _Plan:
    """A comparison with ``runs`` of each arm and ``factor`` times the problems: the half-widths of its intervals."""

    def __init__(self, found: Variances, runs: Sequence[int], factor: float, level: float) -> None:
        noises = [arm.noise / (factor * count) for arm, count in zip(found.arms, runs, strict=True)]
        spreads = [arm.spread / count for arm, count in zip(found.arms, runs, strict=True)]
        variance = found.shared / factor + sum(noises)
        self._freedom = (found.freedom + 1) * factor - 1
        self._error = math.sqrt(variance + sum(spreads))
        self._widths: Floats | None = None
        if self._freedom < 1 or not variance:
            return
        generator = np.random.default_rng(_SEED)
        seen = variance * generator.chisquare(self._freedom, _DRAWS) / self._freedom
        arms = [
            OfRuns(count, (spread + noise) * generator.chisquare(count - 1, _DRAWS) / (count - 1), noise)
            for count, spread, noise in zip(runs, spreads, noises, strict=True)
        ]
        drawn = Uncertainty(seen, self._freedom, pooled_spread(arms) if arms else None)
        # The distance with p = level: between points of a grid, both on a logarithmic scale.
        grid = np.geomspace(1, 1000, 13)
        values = np.array([np.log(np.maximum(drawn.p(step * np.sqrt(seen)), 1e-300)) for step in grid])
        steps = [np.interp(-math.log(level), -column, np.log(grid)) for column in values.T]
        self._widths = np.sqrt(seen) * np.exp(steps)
        self._known = Uncertainty(self._error**2, self._freedom, None).half_width(level)

    def detectable(self, power: float) -> float:
        """The difference that is found with the chance ``power``; 2, which no difference is, if too few clusters."""
        if self._widths is None:
            return 2.0
        low, high = 0.0, 2.0
        while high - low > 1e-5:
            middle = (low + high) / 2
            found = ndtr((middle - self._widths) / self._error) + ndtr((-middle - self._widths) / self._error)
            low, high = (low, middle) if found.mean() >= power else (middle, high)
        return high

    def widened(self) -> float:
        return math.inf if self._widths is None else float(np.median(self._widths)) / self._known
