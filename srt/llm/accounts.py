"""What the models of a journal cost: what is certain, and what may have been billed beside.

A request whose reply was lost is at risk for all that was set aside for it. A reply whose counts cannot be (none, or
fewer than its words can have) is booked at what its words cost at least, and is at risk for the rest.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from pydantic import Field

from srt.io.records import Record
from srt.llm.journal import Query, columns

CUT_OFF: Final = "cut off"
"""In flight when the process ended, or now."""


class ModelUsage(Record):
    """What one role used of one model. ``cost`` is in the currency of the prices.

    ``lost`` is the most that may have been billed beside: for requests without a reply (timed out, failed, cut off by a
    kill, or in flight at this moment), and for replies without a count that can be. It is not part of ``cost``.
    ``doubts`` counts these requests by what they lack. ``dearness`` is above 1 where the server's own cost of a reply
    was that much more than the prices give: it is booked.
    """

    role: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float
    lost: float = 0.0
    doubts: dict[str, int] = Field(default_factory=dict)
    dearness: float = 1.0

    @property
    def booked(self) -> float:
        """What the budget counts as spent."""
        return self.cost + self.lost


def model_usage(query: Query) -> list[ModelUsage]:
    """What was used, by role and model, from the journal."""
    why = "coalesce(why, '')" if "why" in columns(query, "at_risk") else "''"
    doubts: dict[tuple[str, str], Counter[str]] = {}
    for role, model, lacks, count in query(
        f"SELECT role, model, {why} AS lacks, count(*) FROM at_risk GROUP BY role, model, lacks ORDER BY lacks"
    ):
        doubts.setdefault((role, model), Counter())[lacks or CUT_OFF] += count
    dearness: dict[str, float] = {}
    if "dearness" in columns(query, "overruns"):
        found = query("SELECT model, dearness FROM overruns WHERE dearness IS NOT NULL")
        dearness = {model: float(most) for model, most in found}
    rows = query(
        "SELECT role, model, SUM(requests), SUM(input), SUM(output), SUM(cost), SUM(lost) FROM ("
        " SELECT role, model, 1 AS requests, input_tokens AS input, output_tokens AS output, cost, 0.0 AS lost"
        " FROM requests UNION ALL SELECT role, model, 0, 0, 0, 0.0, cost FROM at_risk"
        ") GROUP BY role, model ORDER BY role, model"
    )
    return [
        ModelUsage(
            role=role,
            model=model,
            requests=requests,
            input_tokens=given,
            output_tokens=written,
            cost=cost,
            lost=lost,
            doubts=dict(doubts.get((role, model), {})),
            dearness=dearness.get(model, 1.0),
        )
        for role, model, requests, given, written, cost, lost in rows
    ]


def describe_doubts(usage: ModelUsage, currency: str) -> str:
    """One line about what may have been billed beside: how much, and for which requests."""
    lacks = ", ".join(f"{count} {why}" for why, count in usage.doubts.items())
    return f"at most {usage.lost:.4f} {currency}: {lacks}"
