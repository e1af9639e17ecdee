"""How many problems it takes to show a difference between two runs, and what difference a number of problems shows.

The closed form of McNemar's test for paired answers (Connor, Biometrics 43, 1987, p. 207): with a share ``discordance``
of problems that exactly one of the two solves, and a difference of accuracies ``difference``,

    problems = (z(1 - level/2) * sqrt(discordance) + z(power) * sqrt(discordance - difference**2))**2 / difference**2.

Assumes independent problems, and a discordance as it was measured. If problems come in groups, the number grows by the
design effect of the paired differences. The exact test, which is conservative, needs a few percent more (tests
measure it).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist

from srt.statistics.crossed_variance import design_effect

LEVEL = 0.05
POWER = 0.8


def problems_needed(
    difference: float, discordance: float, *, power: float = POWER, level: float = LEVEL, effect: float = 1.0
) -> int:
    """The number of problems with which a two-sided test at ``level`` finds ``difference`` with the chance ``power``.

    ``difference`` and ``discordance`` are shares; a discordance below the difference, which is impossible, counts as
    equal to it. If scores are not 0 or 1, the mean square of the paired differences takes the place of the discordance.
    ``effect`` is the design effect of problems that come in groups.

    Raises:
        ValueError: a difference of 0 or beyond 1, a discordance, power or level beyond its range.
    """
    size = abs(difference)
    if not 0 < size <= 1:
        raise ValueError(f"difference {difference}: above 0 and at most 1 was expected")
    if not 0 <= discordance <= 1:
        raise ValueError(f"discordance {discordance}: a share from 0 to 1 was expected")
    if not (0 < power < 1 and 0 < level < 1):
        raise ValueError(f"power {power}, level {level}: shares between 0 and 1 were expected")
    apart = max(discordance, size)
    normal = NormalDist()
    under_null = normal.inv_cdf(1 - level / 2) * math.sqrt(apart)
    under_truth = normal.inv_cdf(power) * math.sqrt(max(0.0, apart - size * size))
    return math.ceil(effect * (under_null + under_truth) ** 2 / (size * size))


def detectable_difference(
    problems: int, discordance: float, *, power: float = POWER, level: float = LEVEL, effect: float = 1.0
) -> float | None:
    """The smallest difference (a share) for which ``problems`` are enough; ``None`` if not even 1 is."""

    def enough(size: float) -> bool:
        return problems_needed(size, discordance, power=power, level=level, effect=effect) <= problems

    low, high = 0.0, 1.0
    if not enough(high):
        return None
    # The number that is needed falls as the difference grows.
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def discordance_of(differences: Sequence[float]) -> float:
    """The mean square of paired differences: for scores of 0 and 1, the share of problems that one alone solves."""
    return math.fsum(value * value for value in differences) / len(differences)


def effect_of(differences: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """The design effect of paired differences; 1 where they do not vary."""
    mean = math.fsum(differences) / len(differences)
    return design_effect(differences, clusters, discordance_of(differences) - mean * mean) or 1.0
