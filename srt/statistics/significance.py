"""Significance: the sign-flip test of paired differences, and Holm's adjustment for several tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

LEVEL = 0.05
"""The two-sided level of every test; its intervals are of 1 minus this."""

_FINEST = 10_000
"""Largest denominator of a score that is taken as a fraction, not as a measured number."""

_WIDEST = 200_000
"""Largest sum of the differences in steps of their grid: bounds time and memory of the test."""


def sign_flip(totals: Sequence[float]) -> float:
    """Two-sided p of the sign-flip test on the total differences of clusters.

    If the two arms are alike, each cluster's total is as likely to have the one sign as the other. p is the share of
    all 2^G assignments of signs to the G totals whose sum is at least as far from 0 as the one seen (Fisher, The Design
    of Experiments, 1935, sec. 21). It is counted exactly, not by drawing, as twice the chance that so small a part of
    the differences speaks against the direction seen. For totals of 1 and -1 it is the exact McNemar test (McNemar,
    Psychometrika 12, 1947).

    Exact, and below its level where few signs can be assigned: with fewer than 6 totals other than 0, p is never below
    0.05. Assumes that clusters are independent; about problems in one cluster, and about their scores, it assumes
    nothing. Totals whose common grid is too fine are rounded to one, so that p can only grow.
    """
    apart = [total for total in totals if abs(total) > 1e-12]
    steps, slack = _steps([abs(total) for total in apart])
    against = sum(step for step, total in zip(steps, apart, strict=True) if total < 0)
    against = min(against, sum(steps) - against) + slack
    if 2 * against >= sum(steps):
        return 1.0
    # ways[k]: the chance that the totals whose sign speaks against the direction seen sum to k.
    ways = np.zeros(against + 1)
    ways[0] = 1.0
    for step in steps:
        # Each total takes either sign with the chance one half: a convolution with (1/2, 1/2).
        flipped = 0.5 * ways
        ways = flipped.copy()
        if step <= against:
            ways[step:] += flipped[: len(flipped) - step]
    return min(1.0, 2 * float(ways.sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the given order (Holm, Scand. J. Statist. 6, 1979): the chance that any rejection is false
    stays below the level, whatever the dependence between the tests."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def _steps(sizes: Sequence[float]) -> tuple[list[int], int]:
    """``sizes`` as multiples of their common step, and by how many steps a sum of some of them may be off."""
    if not sizes:
        return [], 0
    common = math.lcm(*(Fraction(size).limit_denominator(_FINEST).denominator for size in set(sizes)))
    widest = _WIDEST / sum(sizes)
    exact = common <= widest
    return [round(size * (common if exact else widest)) for size in sizes], 0 if exact else len(sizes)
