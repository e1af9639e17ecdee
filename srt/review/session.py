"""A review session over a folder: its cases, the decisions on them, and how a decision is saved.

The crash contract: a decision is on disk (fsync) before :meth:`ReviewSession.decide` returns, and a decision that is
refused leaves nothing behind. A kill at any moment loses only decisions that were not confirmed yet.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from srt.io.append_log import AppendLog
from srt.io.records import Problem, Record
from srt.language.faults import FaultWord
from srt.language.trace import Trace, TraceKind
from srt.review.draft import Draft, DraftFault, read_draft
from srt.review.machine_verdict import MachineVerdict, machine_verdict
from srt.review.review_queue import ReviewQueue
from srt.teaching.case_store.case_records import Decision, TeachingCase
from srt.teaching.case_store.decisions import (
    DECISIONS,
    ReviewState,
    by_problem,
    digest,
    latest_trace,
    read_decisions,
    review_state,
)
from srt.worlds.world_registry import fault_classes, world_of


class DecisionRequest(Record):
    """A decision as the page sends it. ``digest`` is that of the trace the person sees."""

    action: Literal["accept", "edit", "reject", "undo"]
    digest: str
    draft: Draft | None = None
    fault: FaultWord | None = None
    note: str = Field(default="", max_length=10_000)

    @field_validator("fault")
    @classmethod
    def _is_known(cls, fault: FaultWord | None) -> FaultWord | None:
        if fault is not None and fault not in fault_classes():
            raise ValueError(f"{fault!r} is no class of fault")
        return fault


class StaleDecision(Exception):
    """The trace has changed since the person loaded it. Nothing was saved."""


class DecisionRefused(Exception):
    """The decision is not allowed. Nothing was saved. ``faults`` are those of the draft."""

    def __init__(self, message: str, faults: list[DraftFault] | None = None, verdict: MachineVerdict | None = None):
        super().__init__(message)
        self.faults = faults or []
        self.verdict = verdict


@dataclass
class ReviewItem:
    """One case in review. ``review`` is the result of the decisions on it; ``history`` has all of them."""

    case: TeachingCase
    problem: Problem
    review: ReviewState
    history: list[Decision]

    @property
    def kind(self) -> TraceKind:
        """The kind of trace that this case has, or would have if somebody wrote one."""
        trace = self.review.trace or latest_trace(self.case)
        if trace is not None:
            return trace.kind
        return "world" if world_of(self.problem) else "free"


class ReviewSession:
    """The items of a queue, in its order, and the log of decisions. The caller holds the folder."""

    def __init__(self, folder: Path, queue: ReviewQueue, who: str) -> None:
        self.folder = folder
        self.where = queue.where
        self.pictures = queue.pictures
        self.who = who
        self._log = AppendLog(folder / DECISIONS)  # cuts off a torn last line before anything is read
        decided = by_problem(read_decisions(folder))
        self.items = [
            ReviewItem(case, problem, review_state(case, history), history)
            for case, problem in queue.cases
            for history in [decided.get(case.problem_id, [])]
        ]

    def __enter__(self) -> ReviewSession:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.__exit__(None, None, None)

    def check_draft(self, item: ReviewItem, draft: Draft) -> tuple[list[DraftFault], MachineVerdict | None]:
        """The faults of ``draft``, or the machine's verdict if it is a trace. Nothing is saved."""
        read = read_draft(draft, item.problem, item.kind, item.review.trace, self.who)
        return ([], machine_verdict(item.problem, read)) if isinstance(read, Trace) else (read, None)

    def decide(self, item: ReviewItem, request: DecisionRequest) -> Decision:
        """Save one decision and return it.

        Raises:
            StaleDecision: ``request.digest`` is not that of the current trace.
            DecisionRefused: the trace is missing, malformed or proved wrong, or there is nothing to undo.
            OSError: it could not be written (a full disk); the log is as it was.
        """
        # Two windows may show the same case; the later decision would be on a trace that is gone.
        if request.digest != digest(item.review.trace):
            raise StaleDecision("this trace has changed since you loaded it; look at it again")
        edited = None
        if request.action == "accept":
            if item.review.trace is None:
                raise DecisionRefused("there is no trace to accept; write one in the editor")
            if item.review.last is not None and item.review.last.action in ("accept", "edit"):
                raise DecisionRefused("this trace is already accepted; use undo to reopen it")
            _not_blocked(item.problem, item.review.trace)
        elif request.action == "edit":
            edited = self._edited(item, request.draft)
        elif request.action == "reject" and request.fault is None and not request.note.strip():
            raise DecisionRefused("a rejection needs a class of fault or a note")
        elif request.action == "undo" and item.review.last is None:
            raise DecisionRefused("there is no decision on this case to undo")
        decision = Decision(
            problem_id=item.problem.id,
            where=self.where,
            action=request.action,
            trace=edited,
            fault=request.fault if request.action == "reject" else None,
            note=request.note.strip(),
            who=self.who,
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            digest=request.digest,
        )
        self._append(decision)
        item.history.append(decision)
        item.review = review_state(item.case, item.history)
        return decision

    def _append(self, decision: Decision) -> None:
        path = self._log.path
        size = path.stat().st_size
        try:
            self._log.append(decision)
        except OSError:
            # The page says that it was not saved: no part of it may stay in the file or be written from a buffer later.
            with suppress(OSError):
                self._log.__exit__(None, None, None)
            os.truncate(path, size)
            # A new log: the old file object still holds the record in its buffer, and would write it at the next
            # decision.
            self._log = AppendLog(path)
            raise

    def _edited(self, item: ReviewItem, draft: Draft | None) -> Trace:
        if draft is None:
            raise DecisionRefused("an edit needs the edited trace")
        read = read_draft(draft, item.problem, item.kind, item.review.trace, self.who)
        if not isinstance(read, Trace):
            first = read[0]
            where = f"step {first.step}, " if first.step else ""
            raise DecisionRefused(f"{where}{first.field}: {first.message}", faults=read)
        old = item.review.trace
        # The teacher is left out of the comparison: it is the person in every edited trace.
        if old is not None and digest(read.model_copy(update={"teacher": old.teacher})) == digest(old):
            raise DecisionRefused("nothing was changed; accept the trace as it is")
        return read.model_copy(update={"checks": _not_blocked(item.problem, read).audit.checks})


def _not_blocked(problem: Problem, trace: Trace) -> MachineVerdict:
    """The machine's verdict on ``trace``; raises :class:`DecisionRefused` if it blocks the trace."""
    verdict = machine_verdict(problem, trace)
    if verdict.blocking:
        first = verdict.blocking[0]
        where = f"step {first.step}" if first.step else "the trace"
        raise DecisionRefused(f"{where} is wrong: {first.explanation}", verdict=verdict)
    return verdict
