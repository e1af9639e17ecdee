"""The cost of a whole file, estimated from a random sample of its problems that is actually run.

The sample is journaled in the folder, so that the full run does not pay for it again. The interval is that of the mean
of ``n`` problems drawn from ``N`` without replacement: Student's t with ``n - 1`` degrees of freedom, times
``sd / sqrt(n) * sqrt(1 - n/N)``. What is not certain (:mod:`srt.llm.accounts`) counts at its most, as in the budget.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from math import sqrt
from statistics import NormalDist, mean, stdev
from typing import Any

from srt.io.records import Record
from srt.llm.journal import Query

_EXACT_T = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764}


class RoleEstimate(Record):
    """One role: its means per problem."""

    requests: float
    input_tokens: float
    output_tokens: float
    cost: float


class CostEstimate(Record):
    """The cost of ``problems`` in ``currency``, with a 95% interval, from ``sample`` problems that have ended.

    If the run was stopped, ``drawn`` is larger than ``sample`` and the figures are too low: cheap problems end first.
    """

    problems: int
    drawn: int
    sample: int
    currency: str
    cost_a_problem: float
    total: float
    low: float
    high: float
    by_role: dict[str, RoleEstimate]


def draw_sample(problems: int, size: int, seed: int) -> list[int]:
    """``size`` distinct positions (from 0) out of ``problems``; all of them if ``size`` is larger."""
    return sorted(random.Random(f"estimate {seed}").sample(range(problems), min(size, problems)))


def estimate_cost(query: Query, sample: Iterable[int], problems: int, currency: str) -> CostEstimate | None:
    """The estimate from those of ``sample`` that have ended; ``None`` if fewer than two have."""
    drawn = set(sample)
    ended = [
        problem_id
        for position, problem_id, state in query("SELECT position, problem_id, state FROM cases")
        if position in drawn and state != "pending"
    ]
    if len(ended) < 2:
        return None
    # A problem that ended without a request cost nothing, and counts.
    costs = dict.fromkeys(ended, 0.0)
    sums: dict[str, list[float]] = {}
    for role, problem_id, *figures in query(
        "SELECT role, problem_id, SUM(requests), SUM(input), SUM(output), SUM(cost) FROM ("
        " SELECT role, problem_id, 1 AS requests, input_tokens AS input, output_tokens AS output, cost FROM requests"
        " UNION ALL SELECT role, problem_id, 0, 0, 0, cost FROM at_risk) GROUP BY role, problem_id"
    ):
        if problem_id in costs:
            costs[problem_id] += figures[-1]
            sums[role] = [a + b for a, b in zip(sums.get(role, [0.0] * 4), figures, strict=True)]
    n = len(ended)
    half = student_t(n - 1) * stdev(costs.values()) / sqrt(n) * sqrt(1 - n / problems)
    each = mean(costs.values())
    return CostEstimate(
        problems=problems,
        drawn=len(drawn),
        sample=n,
        currency=currency,
        cost_a_problem=each,
        total=problems * each,
        low=problems * max(0.0, each - half),
        high=problems * (each + half),
        by_role={
            role: RoleEstimate.model_validate(
                dict(zip(RoleEstimate.model_fields, (figure / n for figure in figures), strict=True))
            )
            for role, figures in sorted(sums.items())
        },
    )


def estimate_rows(estimate: CostEstimate) -> Mapping[str, Any]:
    """The rows that the terminal shows."""
    sample = f"{estimate.sample} of {estimate.problems} problems, drawn at random, kept in the folder"
    if estimate.sample < estimate.drawn:
        sample = f"{estimate.sample} of {estimate.drawn} drawn have ended; cheap ones end first, so this is too low"
    return {
        "sample": sample,
        "a problem": {
            role: f"{each.cost:.5f} {estimate.currency}: {each.requests:.2f} requests, "
            f"{each.input_tokens:.0f} + {each.output_tokens:.0f} tokens"
            for role, each in estimate.by_role.items()
        },
        "cost a problem": f"{estimate.cost_a_problem:.5f} {estimate.currency}",
        "all problems": f"{estimate.total:.2f} {estimate.currency} (95%: {estimate.low:.2f} to {estimate.high:.2f})",
    }


def student_t(degrees: int) -> float:
    """The 97.5% quantile of Student's t, to 0.1% (Abramowitz and Stegun 26.7.5; a table below five degrees)."""
    if degrees in _EXACT_T:
        return _EXACT_T[degrees]
    z: float = NormalDist().inv_cdf(0.975)
    terms: tuple[float, ...] = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(degrees**power) for power, term in enumerate(terms, 1))
