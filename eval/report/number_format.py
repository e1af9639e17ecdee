"""How reports print figures: the same in Markdown and on the page."""

from __future__ import annotations

from collections.abc import Callable

from eval.scoring.arm_summary import Share
from eval.scoring.differences import Difference
from eval.scoring.unread_differences import CountedDifference
from srt.statistics.intervals import Estimate
from srt.statistics.significance import LEVEL


def percent(share: float) -> str:
    """``0.1234`` as ``12.3``."""
    return f"{100 * share:.1f}"


def credit(right: float) -> str:
    """A number of right answers, with one decimal where repeats or forms of a problem differ: ``82.7``, ``27``."""
    return f"{right:,.1f}".removesuffix(".0")


def interval(share: Share) -> str:
    """A share in percent with its interval: ``50.0 [40.1, 59.9]``."""
    return f"{percent(share.share)} [{percent(share.low)}, {percent(share.high)}]"


def signed(share: float) -> str:
    """A difference of shares in points with its sign: ``+1.2``, ``−0.4``, ``0.0``; ``+0.03`` rather than ``0.0`` for
    one that is not 0."""
    points = 100 * share
    if abs(points) < 1e-9:
        return "0.0"
    # The sign U+2212 is as wide as the plus.
    return (f"{points:+.1f}" if abs(points) >= 0.05 else f"{points:+.1g}").replace("-", "−")


def difference_bounds(row: Difference | CountedDifference) -> tuple[str, str]:
    """The bounds of a difference: ``>0`` or ``<0`` for a bound of 0 that the test excludes."""
    excluded = row.p < LEVEL
    low = ">0" if excluded and row.low == 0 else signed(row.low)
    high = "<0" if excluded and row.high == 0 else signed(row.high)
    return low, high


def p_value(value: float) -> str:
    """Three decimals, or an exponent below 0.001."""
    if value < 1e-99:
        return "<1e-99"
    return f"{value:.1e}" if value < 0.001 else f"{value:.3f}"


def estimate_percent(estimate: Estimate | None) -> str:
    """An estimate in percent with its interval; ``-`` if there is none."""
    return _with_bounds(estimate, percent)


def ratio(estimate: Estimate | None) -> str:
    """A ratio with its interval: ``0.42 [0.40, 0.45]``, ``>1,000`` for any beyond that; ``-`` if there is none."""
    return _with_bounds(estimate, lambda value: ">1,000" if value > 1000 else f"{value:.2f}")


def tokens(estimate: Estimate | None) -> str:
    """A number of tokens with its interval: ``812 [780, 850]``; ``-`` if there is none."""
    return _with_bounds(estimate, "{:,.0f}".format)


def bare(value: float | None) -> str:
    """A whole figure without unit; ``-`` if there is none."""
    return "-" if value is None else f"{value:,.0f}"


def _with_bounds(estimate: Estimate | None, shown: Callable[[float], str]) -> str:
    """The value and its interval; infinite bounds are shown as such."""
    if estimate is None:
        return "-"
    low = "−∞" if estimate.low is None else shown(estimate.low)
    high = "∞" if estimate.high is None else shown(estimate.high)
    return f"{shown(estimate.value)} [{low}, {high}]"
