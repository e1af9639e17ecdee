"""The cases to review: those in the state ``human``, or an audit sample of those that passed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from srt.io.errors import UserError
from srt.io.problem_files import stream_problems
from srt.io.record_reader import read_records
from srt.io.records import Problem
from srt.teaching.case_store.audit_sample import audit_sample
from srt.teaching.case_store.case_records import State, TeachingCase
from srt.teaching.case_store.decisions import CASES
from srt.teaching.case_store.manifest import PROBLEMS, picture_root

Where = Literal["queue", "audit"]


@dataclass(frozen=True)
class ReviewQueue:
    """``cases`` in the order of review, each with its problem; ``pictures`` is the root of picture paths."""

    where: Where
    cases: tuple[tuple[TeachingCase, Problem], ...]
    pictures: Path


def read_queue(folder: Path, audit: int | None = None) -> ReviewQueue:
    """The cases of ``folder`` in the state ``human``; with ``audit``, a sample of that many which passed instead.

    The files are streamed: only the cases to review are held in memory.

    Raises:
        UserError: not a folder of ``srt teach``, a file that cannot be read, or a case without its problem.
    """
    if not (folder / CASES).is_file():
        raise UserError(f"{folder}: there is no {CASES} in it; name a folder written by srt teach")
    if audit is None:
        cases = list(_cases(folder, State.HUMAN))
    else:
        passed = {case.problem_id for case in _cases(folder, State.ACCEPTED, State.REPAIRED)}
        rank = {problem_id: n for n, problem_id in enumerate(audit_sample(folder, passed, audit))}
        drawn = (case for case in _cases(folder, State.ACCEPTED, State.REPAIRED) if case.problem_id in rank)
        cases = sorted(drawn, key=lambda case: rank[case.problem_id])
    wanted = {case.problem_id for case in cases}
    problems = {problem.id: problem for problem in stream_problems(folder / PROBLEMS) if problem.id in wanted}
    for case in cases:
        if case.problem_id not in problems:
            raise UserError(f"{folder / CASES}: problem_id: {case.problem_id!r} is not in {PROBLEMS}")
    return ReviewQueue(
        where="queue" if audit is None else "audit",
        cases=tuple((case, problems[case.problem_id]) for case in cases),
        pictures=picture_root(folder),
    )


def _cases(folder: Path, *states: State) -> Iterator[TeachingCase]:
    for case in read_records(folder / CASES, TeachingCase):
        for trace in (case.trace, *(one.trace for one in case.rounds)):
            if trace is not None and trace.problem_id != case.problem_id:
                raise UserError(f"{folder / CASES}: {case.problem_id}: has a trace of {trace.problem_id!r}")
        if case.state in states:
            yield case
