"""Clopper-Pearson bounds of a share, exact, without scipy.

Of ``n`` items drawn at random ``k`` were wrong. The upper bound is the share ``p`` at which so few would be seen with
probability ``alpha``: ``P(X <= k) = alpha`` for ``X ~ Binomial(n, p)``; the lower one has ``P(X >= k) = alpha``
(Clopper and Pearson, Biometrika 26, 1934). Two-sided intervals put half of ``1 - confidence`` on either side.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, lgamma, log, log1p


@dataclass(frozen=True)
class Bounds:
    """``upper_one_sided`` alone is one bound; ``low`` and ``high`` are the two-sided interval."""

    upper_one_sided: float
    low: float
    high: float


def clopper_pearson(wrong: int, n: int, confidence: float = 0.95) -> Bounds:
    """The bounds of the share behind ``wrong`` of ``n``; with ``n = 0`` they are 0 and 1.

    Raises:
        ValueError: ``wrong`` is not in ``0..n``, or ``confidence`` not between 0 and 1.
    """
    if not 0 <= wrong <= n:
        raise ValueError(f"wrong: {wrong} is not between 0 and n = {n}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: {confidence} is not between 0 and 1")
    alpha = 1 - confidence
    return Bounds(_upper(wrong, n, alpha), 1 - _upper(n - wrong, n, alpha / 2), _upper(wrong, n, alpha / 2))


def _upper(k: int, n: int, alpha: float) -> float:
    """The ``p`` with ``P(X <= k) = alpha``. The lower bound of ``k`` is one minus the upper bound of ``n - k``."""
    if k == n:
        return 1.0
    if k == 0:
        # (1 - p)**n = alpha, solved; expm1 keeps the digits of a small p.
        return -expm1(log(alpha) / n)
    low, high = k / n, 1.0
    # Bisection: P(X <= k) falls as p grows.
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _at_most(k, n, middle) > alpha:
            low = middle
        else:
            high = middle
    return high


def _at_most(k: int, n: int, p: float) -> float:
    """``P(X <= k)`` for ``X ~ Binomial(n, p)`` with ``p > k / n``: the terms fall from the k-th down, so few count."""
    # The k-th term as a logarithm: n over k overflows a float from about n = 1,000 on.
    top = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p)
    total = term = 1.0
    for i in range(k, 0, -1):
        term *= i * (1 - p) / ((n - i + 1) * p)
        total += term
        if term < total * 1e-17:
            break
    return exp(top) * total
