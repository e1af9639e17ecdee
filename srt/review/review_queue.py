"""The cases to review: those in the state ``human``, or an audit sample of those that passed.

A queue may have tens of thousands of cases, of which a person opens one at a time. So a start reads each line once, for
what the list shows, and notes where it stands; case and problem are read as records when they are opened.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import ValidationError

from srt.io.errors import UserError
from srt.io.problem_files import problem_id
from srt.io.record_lines import parse_record, validation_fault
from srt.io.record_offsets import line_at, line_offsets, read_at
from srt.io.record_reader import Line, UniqueValues
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.teaching.case_store.audit_sample import audit_sample
from srt.teaching.case_store.case_records import Decision, State, TeachingCase
from srt.teaching.case_store.decisions import CASES, replay
from srt.teaching.case_store.manifest import PROBLEMS, picture_root

Where = Literal["queue", "audit"]

_PASSED = (State.ACCEPTED, State.REPAIRED)
_SHOWN = 120
"""Characters of a question that the list shows."""


@dataclass(frozen=True, slots=True)
class QueuedCase:
    """A case as the list shows it, and where its records stand in their files, in bytes.

    ``faults`` are those of the last candidate.
    """

    problem_id: str
    category: str
    state: State
    faults: tuple[str, ...]
    question: str
    case_at: int
    problem_at: int


@dataclass(frozen=True)
class ReviewQueue:
    """``cases`` in the order of review; ``pictures`` is the root of picture paths."""

    folder: Path
    where: Where
    cases: tuple[QueuedCase, ...]
    pictures: Path

    def read(self, queued: QueuedCase) -> tuple[TeachingCase, Problem]:
        """The case in full, and its problem.

        Raises:
            UserError: one of them cannot be read, or the files have changed since the queue was read.
        """
        case = read_at(self.folder / CASES, queued.case_at, TeachingCase)
        problem = read_at(self.folder / PROBLEMS, queued.problem_at, Problem)
        if not case.problem_id == problem.id == queued.problem_id:
            raise UserError(f"{self.folder}: its files have changed since srt review was started; start it again")
        return case, problem

    def last_decision(self, queued: QueuedCase, history: Iterable[Decision]) -> Decision | None:
        """The decision of ``history`` that is in effect on the case. Raises as :meth:`read` does."""
        path = self.folder / CASES
        values = orjson.loads(line_at(path, queued.case_at))
        candidates = (each["trace"] for each in reversed(values.get("rounds", ())) if each.get("trace") is not None)
        shown = values.get("trace") or next(candidates, None)
        try:
            # Of the whole record only this is read, without its verdicts: they are a large part of it, and no part of
            # its digest.
            trace = None if shown is None else Trace.model_validate({**shown, "checks": None})
        except ValidationError as error:
            raise UserError(f"{path}: {queued.problem_id}: trace: {validation_fault(error)}") from None
        return replay(queued.state, trace, history).last


def read_queue(folder: Path, audit: int | None = None) -> ReviewQueue:
    """The cases of ``folder`` in the state ``human``; with ``audit``, a sample of that many which passed instead.

    Raises:
        UserError: not a folder of ``srt teach``, a file that cannot be read, or a case without its problem.
    """
    if not (folder / CASES).is_file():
        raise UserError(f"{folder}: there is no {CASES} in it; name a folder written by srt teach")
    if audit is None:
        chosen = {values["problem_id"]: (offset, values) for offset, values in _cases(folder, {State.HUMAN})}
    else:
        chosen = {}
        passed = {values["problem_id"]: (offset, values) for offset, values in _cases(folder, _PASSED)}
        for name in audit_sample(folder, passed, audit):
            chosen[name] = passed[name]
    questions = _questions(folder / PROBLEMS, chosen)
    for name in chosen:
        if name not in questions:
            raise UserError(f"{folder / CASES}: problem_id: {name!r} is not in {PROBLEMS}")
    return ReviewQueue(
        folder=folder,
        where="queue" if audit is None else "audit",
        cases=tuple(_queued(*chosen[name], *questions[name]) for name in chosen),
        pictures=picture_root(folder),
    )


def _queued(case_at: int, case: Mapping[str, Any], problem_at: int, problem: Mapping[str, Any]) -> QueuedCase:
    return QueuedCase(
        problem_id=case["problem_id"],
        category=case["category"] or problem["category"] or "none",
        state=case["state"],
        faults=tuple(sorted(case["faults"])),
        question=problem["question"],
        case_at=case_at,
        problem_at=problem_at,
    )


def _cases(folder: Path, states: Collection[State]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Offset, and what the list shows, of each case in one of ``states``."""
    path = folder / CASES
    for offset, number, line in line_offsets(path):
        try:
            values = orjson.loads(line)
            state, name, category = State(values["state"]), values["problem_id"], values.get("category")
            rounds = [each for each in values.get("rounds", ()) if each.get("trace") is not None]
            traces = [values.get("trace") or {}, *(each["trace"] for each in rounds)]
            others = {trace.get("problem_id", name) for trace in traces} - {name}
            faults = {str(issue["fault"]) for issue in rounds[-1].get("issues", ())} if rounds else set()
            if not isinstance(name, str) or not isinstance(category, str | None):
                raise TypeError
        except (ValueError, TypeError, KeyError, AttributeError):
            # Reading it as a record says what is wrong.
            parse_record(line, TeachingCase, f"{path}:{number}")
            raise
        if others:
            raise UserError(f"{path}: {name}: has a trace of {min(others, key=str)!r}")
        if state in states:
            yield offset, {"problem_id": name, "state": state, "category": category, "faults": faults}


def _questions(path: Path, wanted: Collection[str]) -> dict[str, tuple[int, dict[str, Any]]]:
    """By id: offset and what the list shows of each problem of ``wanted``."""
    found, ids = {}, UniqueValues(path, "id")
    for offset, number, line in line_offsets(path):
        name = problem_id(Line(f"{path}:{number}", number, line))
        ids.add(name, number)
        if name in wanted:
            values = orjson.loads(line)
            found[name] = offset, {"question": str(values["question"])[:_SHOWN], "category": values.get("category")}
    return found
