"""What the loop leaves behind for each problem, and what people decide: the records of a teaching folder.

A folder holds ``folder.json`` (what it was made with), ``teach.sqlite`` (the journal of requests, and the cases: the
one source of truth while a run goes on) and, written whole from it at the end of each run: ``problems.jsonl``,
``cases.jsonl`` (every case), ``traces.jsonl`` (accepted and repaired traces, and what people accepted or edited),
``report.html`` and ``report.json``. ``decisions.jsonl`` is the review page's: it only grows.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from srt.endpoint.messages import Role
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.records import Record


class State(StrEnum):
    """Where a problem stands. ``PENDING`` is not begun, in hand, or stopped by the budget: the next run takes it up."""

    ACCEPTED = "accepted"
    REPAIRED = "repaired"
    PEOPLE = "people"
    FAILED = "failed"
    PENDING = "pending"


class Outcome(StrEnum):
    """How one answer of a model turned out; each has its own policy in :mod:`srt.teaching.policy`."""

    OK = "ok"
    LENGTH = "length"
    REFUSAL = "refusal"
    MALFORMED = "malformed"
    EMPTY = "empty"
    ANOTHER_PROBLEM = "another_problem"
    REJECTED = "rejected"
    UNAVAILABLE = "unavailable"


class Issue(Record):
    """One thing that is wrong with a trace. ``step`` counts from 1; ``None`` is the trace as a whole."""

    by: Literal["machine", "reviewer"]
    step: int | None = None
    fault: Fault
    explanation: str
    suggested_fix: str | None = None


class Round(Record):
    """One candidate and what was said of it. ``trace`` is ``None`` where the model's answer was no trace.

    ``overruled`` are issues of the Reviewer that the machine knows to be wrong (it has proved the step). ``doubt`` is
    what the machine could not decide and left to the Reviewer: whether the answer means the gold answer.
    """

    made_by: Literal["teacher", "checker"]
    outcome: Outcome
    trace: Trace | None = None
    issues: tuple[Issue, ...] = ()
    overruled: tuple[Issue, ...] = ()
    reviewed: bool = False
    doubt: str | None = None


class Case(Record):
    """One problem on its way through the loop. ``trace`` (with its checks) is what the loop ended with, if it did.

    ``outcomes`` counts, by the role that was asked, how every answer turned out, those that were asked again included.
    ``reason`` says in one line why the case is with people, failed or still pending.
    """

    problem_id: str
    category: str | None = None
    state: State
    rounds: tuple[Round, ...] = ()
    trace: Trace | None = None
    diagram_description: str | None = None
    outcomes: dict[Role, dict[Outcome, int]] = Field(default_factory=dict)
    reason: str | None = None


class Decision(Record):
    """What a person decided, in the queue or in the audit. ``trace`` is the edited one (``edit`` only).

    ``undo`` takes back the decision on this problem that holds until then; :mod:`srt.review.decisions` reads the list.
    ``when`` is ISO 8601 in UTC; ``digest`` is the SHA-256 of the trace that the person saw, so that a decision on an
    older trace is noticed.
    """

    problem_id: str
    where: Literal["queue", "audit"]
    action: Literal["accept", "edit", "reject", "undo"]
    trace: Trace | None = None
    fault: Fault | None = None
    note: str = ""
    who: str = Field(min_length=1)
    when: str
    digest: str
