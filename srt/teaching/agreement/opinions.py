"""What the machine and a Reviewer say of the traces that they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from srt.io.records import Problem, Record
from srt.language.faults import FaultWord
from srt.llm.exchange import Answered, LlmContext, Outcome
from srt.llm.journaled_client import ask_all
from srt.prose.faults.prose_faults import Kind
from srt.teaching.agreement.shown_traces import ShownTrace, Sort
from srt.teaching.case_store.case_records import Issue
from srt.teaching.loop.machine_audit import MachineAudit
from srt.teaching.loop.reviewer import review


class Opinion(Record):
    """The issues that the machine and one Reviewer raised on one trace. ``reviewer`` is ``None`` without a review.

    ``model`` names the Reviewer; the other fields are those of :class:`ShownTrace`.
    """

    model: str
    trace_id: str
    problem_id: str
    sort: Sort
    planted: FaultWord | None = None
    error: Kind | None = None
    step: int | None = None
    in_reading: bool = False
    change: str = ""
    machine: tuple[Issue, ...]
    reviewer: tuple[Issue, ...] | None
    outcome: Outcome | None


async def ask_opinions(
    model: str,
    shown: Sequence[ShownTrace],
    audits: Sequence[MachineAudit],
    problems: Mapping[str, Problem],
    context: LlmContext,
    at_once: int,
) -> list[Opinion]:
    """The opinions of the Reviewer of ``context`` on each trace, in order, with at most ``at_once`` reviews in flight.

    It gets the same prompt as in the loop and never learns what the machine found. Once the budget is spent, the
    remaining traces get no outcome. Raises what ``context.ask`` raises about the run.
    """

    async def review_one(pair: tuple[ShownTrace, MachineAudit]) -> Answered[tuple[Issue, ...]]:
        one, machine = pair
        return await review(problems[one.trace.problem_id], one.trace, context, doubt=machine.doubt)

    pairs = list(zip(shown, audits, strict=True))
    reviews = await ask_all(pairs, review_one, at_once, f"reviews by {model}")
    return [
        Opinion(
            model=model,
            trace_id=one.trace.id,
            problem_id=one.trace.problem_id,
            sort=one.sort,
            planted=one.planted,
            error=one.error,
            step=one.step,
            in_reading=one.in_reading,
            change=one.change,
            machine=machine.issues,
            reviewer=reviewed.value if reviewed else None,
            outcome=reviewed.outcome if reviewed else None,
        )
        for (one, machine), reviewed in zip(pairs, reviews, strict=True)
    ]
