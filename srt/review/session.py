"""One sitting of review over a folder: the cases, what was decided on them, and the one way to decide.

The crash contract: a decision is on disk (fsync) before :meth:`ReviewSession.decide` returns, and a decision that is
refused leaves nothing behind. A kill at any moment loses only what was not answered yet.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Literal

from pydantic import Field

from srt.jsonl import AppendLog
from srt.language.faults import Fault
from srt.language.trace import Trace, TraceKind
from srt.records import Problem, Record
from srt.review.decisions import DECISIONS, Standing, by_problem, digest, read_decisions, shown_trace, standing
from srt.review.draft import Draft, DraftFault, read_draft
from srt.review.judge import Judgement, judge
from srt.review.queue import Queue
from srt.teaching.records import Case, Decision
from srt.worlds import world_of


class Asked(Record):
    """A decision as the page asks for it. ``digest`` is that of the trace the person sees."""

    action: Literal["accept", "edit", "reject", "undo"]
    digest: str
    draft: Draft | None = None
    fault: Fault | None = None
    note: str = Field(default="", max_length=10_000)


class Stale(Exception):
    """The trace has changed since the person loaded it. Nothing was saved."""


class Refused(Exception):
    """The decision cannot stand. Nothing was saved. ``faults`` are the editor's, ``judgement`` the machine's part."""

    def __init__(self, message: str, faults: list[DraftFault] | None = None, judgement: Judgement | None = None):
        super().__init__(message)
        self.faults = faults or []
        self.judgement = judgement


@dataclass
class Item:
    """One case in review. ``standing`` is what the decisions on it amount to; ``history`` is all of them."""

    case: Case
    problem: Problem
    standing: Standing
    history: list[Decision]

    @property
    def kind(self) -> TraceKind:
        """The kind of trace that this case has, or would have if somebody wrote one."""
        trace = self.standing.trace or shown_trace(self.case)
        if trace is not None:
            return trace.kind
        return "world" if world_of(self.problem) else "free"


class ReviewSession:
    """The items of a queue, in its order, and the log of decisions. One at a time in a folder: the caller holds it."""

    def __init__(self, folder: Path, queue: Queue, who: str) -> None:
        self.folder = folder
        self.where = queue.where
        self.pictures = queue.pictures
        self.who = who
        self._log = AppendLog(folder / DECISIONS)  # cuts off a torn last line before anything is read
        decided = by_problem(read_decisions(folder))
        self.items = [
            Item(case, problem, standing(case, history), history)
            for case, problem in queue.cases
            for history in [decided.get(case.problem_id, [])]
        ]

    def __enter__(self) -> ReviewSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._log.__exit__(kind, value, trace)

    def try_draft(self, item: Item, draft: Draft) -> tuple[list[DraftFault], Judgement | None]:
        """What keeps ``draft`` from being a trace, or what the machine says of it. Saves nothing."""
        read = read_draft(draft, item.problem, item.kind, item.standing.trace)
        return ([], judge(item.problem, read)) if isinstance(read, Trace) else (read, None)

    def decide(self, item: Item, asked: Asked) -> Decision:
        """Save one decision and give it back as it was saved.

        Raises:
            Stale: ``asked.digest`` is not that of the trace as it is now.
            Refused: the trace is missing, malformed or proved wrong, or there is nothing to undo.
            OSError: it could not be written (a full disk); the log is as it was.
        """
        if asked.digest != digest(item.standing.trace):
            raise Stale("this trace has changed since you loaded it: look at it again")
        edited = None
        if asked.action == "accept":
            if item.standing.trace is None:
                raise Refused("there is no trace to accept: edit one")
            if item.standing.last is not None and item.standing.last.action in ("accept", "edit"):
                raise Refused("this trace is accepted already; undo takes it back")
            _pass(item.problem, item.standing.trace)
        elif asked.action == "edit":
            edited = self._edited(item, asked.draft)
        elif asked.action == "reject" and asked.fault is None and not asked.note.strip():
            raise Refused("a rejection needs a class of fault or a note")
        elif asked.action == "undo" and item.standing.last is None:
            raise Refused("there is no decision on this case to undo")
        decision = Decision(
            problem_id=item.problem.id,
            where=self.where,
            action=asked.action,
            trace=edited,
            fault=asked.fault if asked.action == "reject" else None,
            note=asked.note.strip(),
            who=self.who,
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            digest=asked.digest,
        )
        self._append(decision)
        item.history.append(decision)
        item.standing = standing(item.case, item.history)
        return decision

    def _append(self, decision: Decision) -> None:
        path = self._log.path
        size = path.stat().st_size
        try:
            self._log.append(decision)
        except OSError:
            # What was told as not saved must not lie there half written, nor be written later from a buffer.
            with suppress(OSError):
                self._log.__exit__(None, None, None)
            os.truncate(path, size)
            self._log = AppendLog(path)
            raise

    def _edited(self, item: Item, draft: Draft | None) -> Trace:
        if draft is None:
            raise Refused("an edit needs the edited trace")
        read = read_draft(draft, item.problem, item.kind, item.standing.trace)
        if not isinstance(read, Trace):
            raise Refused(_told(read[0]), faults=read)
        if digest(read) == digest(item.standing.trace):
            raise Refused("nothing was changed: accept the trace as it is")
        return read.model_copy(update={"checks": _pass(item.problem, read).audit.checks})


def _pass(problem: Problem, trace: Trace) -> Judgement:
    judgement = judge(problem, trace)
    if judgement.barred:
        first = judgement.barred[0]
        where = f"step {first.step}" if first.step else "the trace"
        raise Refused(f"{where} is wrong: {first.explanation}", judgement=judgement)
    return judgement


def _told(fault: DraftFault) -> str:
    return (f"step {fault.step}, " if fault.step else "") + f"{fault.field}: {fault.message}"
