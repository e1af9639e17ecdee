"""The records of a teaching folder: the case of each problem, and the decisions of people.

A folder holds ``folder.json`` (its manifest) and ``teach.sqlite`` (the journal of requests, and the cases: the source
of truth during a run). At the end of each run these files are written from it: ``problems.jsonl``, ``cases.jsonl``
(every case), ``traces.jsonl`` (accepted and repaired traces, and those that people accepted or edited),
``report.html`` and ``report.json``. ``decisions.jsonl`` is written by the review page and only grows.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from srt.io.records import Record
from srt.language.faults import FaultWord
from srt.language.trace import Trace
from srt.llm.exchange import Outcome


class ModelRole(StrEnum):
    """A role of a model. Tokens and cost are counted by role."""

    TEACHER = "teacher"
    REVIEWER = "reviewer"
    CHECKER = "checker"
    DESCRIBER = "describer"


class State(StrEnum):
    """The state of a problem in a run.

    ``HUMAN`` waits for a person's decision. ``PENDING`` has not ended yet: not begun, in progress, or stopped by the
    budget; the next run takes it up.
    """

    ACCEPTED = "accepted"
    REPAIRED = "repaired"
    HUMAN = "human"
    FAILED = "failed"
    PENDING = "pending"

    @classmethod
    def _missing_(cls, value: object) -> State | None:
        # Folders written before the state was renamed say "people".
        return cls.HUMAN if value == "people" else None


class Issue(Record):
    """One fault in a trace. ``step`` counts from 1; ``None`` is the trace as a whole."""

    by: Literal["machine", "reviewer"]
    step: int | None = None
    fault: FaultWord
    explanation: str
    suggested_fix: str | None = None


class Round(Record):
    """One candidate and the issues found in it. ``trace`` is ``None`` if the model's answer could not be used.

    ``overruled`` are issues of the Reviewer that the machine knows to be wrong (it has proved or computed the step).
    ``doubt`` is the question that the machine left to the Reviewer: whether the answer means the same as gold.
    """

    made_by: Literal["teacher", "checker"]
    outcome: Outcome
    trace: Trace | None = None
    issues: tuple[Issue, ...] = ()
    overruled: tuple[Issue, ...] = ()
    reviewed: bool = False
    doubt: str | None = None


class TeachingCase(Record):
    """One problem and how far the loop took it. ``trace`` (with its checks) is the one that the loop ended with.

    ``outcomes`` counts the outcomes of all answers by role, including answers that were asked for again. ``reason``
    says on one line why the state is ``human``, ``failed`` or ``pending``. ``recipe`` names the settings that it was
    made with, in the folder's manifest; older cases have none.
    """

    problem_id: str
    category: str | None = None
    state: State
    rounds: tuple[Round, ...] = ()
    trace: Trace | None = None
    diagram_description: str | None = None
    outcomes: dict[ModelRole, dict[Outcome, int]] = Field(default_factory=dict)
    reason: str | None = None
    recipe: str | None = None


class Decision(Record):
    """A person's decision, in the queue or in the audit. ``trace`` is the edited one (``edit`` only).

    ``undo`` reverts the decision on this problem that is in effect; :mod:`srt.teaching.case_store.decisions` reads the
    list. ``when`` is ISO 8601 in UTC. ``digest`` is the SHA-256 of the trace that the person saw, so that a decision on
    an older trace is noticed.
    """

    problem_id: str
    where: Literal["queue", "audit"]
    action: Literal["accept", "edit", "reject", "undo"]
    trace: Trace | None = None
    fault: FaultWord | None = None
    note: str = ""
    who: str = Field(min_length=1)
    when: str
    digest: str
