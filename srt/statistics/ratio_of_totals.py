"""Ratios of totals, such as tokens per right answer, with intervals over clusters and training runs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from srt.statistics.crossed_variance import Floats, crossed_variance
from srt.statistics.intervals import CONFIDENCE, Interval
from srt.statistics.run_spread import Uncertainty


class Quotient(NamedTuple):
    """What is summed above and below the fraction bar: of each run and problem, ``[run, problem]``."""

    above: Floats
    below: Floats

    @property
    def ratio(self) -> float | None:
        """The ratio of the two totals; ``None`` if one of them is 0."""
        above, below = float(self.above.sum()), float(self.below.sum())
        return above / below if above and below else None


def ratio_interval(first: Quotient, clusters: Sequence[Hashable], second: Quotient | None = None) -> Interval | None:
    """The ratio of ``first``, divided by that of ``second`` if it is given, with its interval.

    Of the logarithm of the ratio, linearised (the delta method; Särndal, Swensson and Wretman, Model Assisted Survey
    Sampling, 1992, sec. 5.5), with the uncertainty over clusters and training runs
    (:class:`srt.statistics.run_spread.Uncertainty`). A denominator that
    could be 0 (its own interval reaches 0, as with three right answers or fewer) leaves the bound on its side open:
    infinite for ``first``, 0 for ``second``. ``None`` where a total is 0: there is no ratio.

    Assumes that clusters are independent, and that the runs of an arm differ by chance alone.
    """
    given = [first] if second is None else [first, second]
    ratios = [ratio for totals in given if (ratio := totals.ratio) is not None]
    if len(ratios) < len(given):
        return None
    value = ratios[0] / (ratios[1] if second else 1.0)
    errors = [_relative(each.above) - _relative(each.below) for each in given]
    half = _half_width([errors[0], *(-error for error in errors[1:])], clusters)
    # A denominator whose own interval reaches 0, that is a relative error of 1 or more.
    open_ends = [_half_width([_relative(each.below)], clusters) >= 1 for each in given]
    low = 0.0 if open_ends[1:] == [True] else value * math.exp(-half)
    high = math.inf if open_ends[0] or half > _BEYOND else value * math.exp(half)
    return Interval(value, low, high)


_BEYOND = 100.0
"""A factor of e to this power either way is no bound."""


def _relative(values: Floats) -> Floats:
    """What each run and problem contributes to the relative error of the total over problems, ``[run, problem]``."""
    total = values.sum() / len(values)
    share: Floats = values / total - 1 / values.shape[1]
    return share


def _half_width(contributions: Sequence[Floats], clusters: Sequence[Hashable]) -> float:
    return Uncertainty.of(crossed_variance(contributions, clusters)).half_width(1 - CONFIDENCE)
