"""A review session over a folder: its cases, the decisions on them, and how a decision is saved.

The crash contract: a decision is on disk (fsync) before :meth:`ReviewSession.decide` returns, and a decision that is
refused leaves nothing behind. A kill at any moment loses only decisions that were not confirmed yet.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
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
from srt.review.review_queue import QueuedCase, ReviewQueue
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
    """A decision as the page sends it.

    ``digest`` is that of the trace that the person sees, ``seen`` the number of decisions on the case that stand beside
    it.
    """

    action: Literal["accept", "edit", "reject", "undo"]
    digest: str
    seen: int = Field(ge=0)
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
    """The trace or the decisions on it have changed since the person loaded them. Nothing was saved."""


class DecisionRefused(Exception):
    """The decision is not allowed. Nothing was saved. ``faults`` are those of the draft."""

    def __init__(self, message: str, faults: list[DraftFault] | None = None, verdict: MachineVerdict | None = None):
        super().__init__(message)
        self.faults = faults or []
        self.verdict = verdict


@dataclass(slots=True)
class ListedCase:
    """A case as it stands in the list. ``history`` has all decisions on it, ``last`` is the one in effect."""

    queued: QueuedCase
    history: tuple[Decision, ...] = ()
    last: Decision | None = None


@dataclass(frozen=True)
class ReviewItem:
    """One case in review, read from its files, and the ``review`` that the decisions on it (``history``) come to."""

    listed: ListedCase
    case: TeachingCase
    problem: Problem
    review: ReviewState
    history: tuple[Decision, ...]

    @property
    def kind(self) -> TraceKind:
        """The kind of trace to write: that of the candidates; without any, what the loop would have asked for."""
        trace = self.review.trace or latest_trace(self.case)
        if trace is not None:
            return trace.kind
        return "world" if world_of(self.problem) else "free"


class ReviewSession:
    """The cases of a queue, in its order, and the log of decisions. The caller holds the folder."""

    def __init__(self, folder: Path, queue: ReviewQueue, who: str) -> None:
        self.folder = folder
        self.where = queue.where
        self.pictures = queue.pictures
        self.who = who
        self._queue = queue
        self._log = AppendLog(folder / DECISIONS)  # cuts off a torn last line before anything is read
        decided = by_problem(read_decisions(folder))
        self.cases = []
        for queued in queue.cases:
            history = tuple(decided.get(queued.problem_id, ()))
            last = queue.last_decision(queued, history) if history else None
            self.cases.append(ListedCase(queued, history, last))

    def __enter__(self) -> ReviewSession:
        return self

    def __exit__(self, *_: object) -> None:
        self._log.__exit__(None, None, None)

    def open(self, number: int) -> ReviewItem:
        """Case ``number``, from 0, with the decisions so far; raises as :meth:`ReviewQueue.read` does."""
        listed = self.cases[number]
        # Taken once: a decision made meanwhile belongs neither to this review nor to what the person has seen.
        history = listed.history
        case, problem = self._queue.read(listed.queued)
        return ReviewItem(listed, case, problem, review_state(case, history), history)

    def check_draft(self, item: ReviewItem, draft: Draft) -> tuple[list[DraftFault], MachineVerdict | None]:
        """The faults of ``draft``, or the machine's verdict if it is a trace. Nothing is saved."""
        read = read_draft(draft, item.problem, item.kind, item.review.trace, self.who)
        return ([], machine_verdict(item.problem, read)) if isinstance(read, Trace) else (read, None)

    def decide(self, number: int, request: DecisionRequest) -> ReviewItem:
        """Save one decision on case ``number``, and return the case as it is then. One call at a time.

        Raises:
            StaleDecision: the trace, or the decisions on the case, are others than those that the person has seen.
            DecisionRefused: the trace is missing, malformed or proved wrong, or there is nothing to undo.
            OSError: it could not be written (a full disk); the log is as it was.
        """
        item = self.open(number)
        # Two windows may show the same case; the later decision would be on a trace that is gone, or would take back
        # one that nobody has looked at in that window.
        if request.digest != digest(item.review.trace):
            raise StaleDecision("this trace has changed since you loaded it; look at it again")
        if request.seen != len(item.history):
            raise StaleDecision("another decision on this case was made since you loaded it; look at it again")
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
        history = (*item.history, decision)
        review = review_state(item.case, history)
        item.listed.history, item.listed.last = history, review.last
        return replace(item, review=review, history=history)

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
