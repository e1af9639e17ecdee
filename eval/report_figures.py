"""How the reports write figures: the same in Markdown and on the page."""

from __future__ import annotations

from collections.abc import Callable

from eval.significance import Estimate
from eval.summary import Share


def percent(share: float) -> str:
    """``0.1234`` as ``12.3``."""
    return f"{100 * share:.1f}"


def interval(share: Share) -> str:
    """A share in percent with its interval: ``50.0 [40.1, 59.9]``."""
    return f"{percent(share.share)} [{percent(share.low)}, {percent(share.high)}]"


def signed(share: float) -> str:
    """A difference of shares in points with its sign: ``+1.2``, ``−0.4``, ``0.0``."""
    points = round(100 * share, 1)
    return f"{points:+.1f}".replace("-", "−") if points else "0.0"


def p_value(value: float | None) -> str:
    """Three decimals, or an exponent below 0.001; ``-`` where there is none."""
    if value is None:
        return "-"
    return f"{value:.1e}" if value < 0.001 else f"{value:.3f}"


def estimate_percent(estimate: Estimate | None) -> str:
    """An estimate in percent with its interval; ``-`` where there is none."""
    if estimate is None:
        return "-"
    return percent(estimate.value) + _bounds(estimate, percent)


def ratio(estimate: Estimate | None) -> str:
    """A ratio with its interval: ``0.42 [0.40, 0.45]``; ``-`` where there is none."""
    if estimate is None:
        return "-"
    return f"{estimate.value:.2f}" + _bounds(estimate, lambda bound: f"{bound:.2f}")


def tokens(estimate: Estimate | None) -> str:
    """A number of tokens with its interval: ``812 [780, 850]``; ``-`` where there is none."""
    if estimate is None:
        return "-"
    return f"{estimate.value:,.0f}" + _bounds(estimate, lambda bound: f"{bound:,.0f}")


def bare(value: float | None, decimals: int = 0) -> str:
    """A figure without unit; ``-`` where there is none."""
    return "-" if value is None else f"{value:,.{decimals}f}"


def _bounds(estimate: Estimate, shown: Callable[[float], str]) -> str:
    """The interval; a bound that is infinite is shown as such."""
    low = "−∞" if estimate.low is None else shown(estimate.low)
    high = "∞" if estimate.high is None else shown(estimate.high)
    return f" [{low}, {high}]"
