"""The cases that are up for review: those with people, or an audit sample of those that passed."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from srt.errors import UserError
from srt.jsonl import read_records
from srt.problems import stream_problems
from srt.records import Problem
from srt.review.decisions import CASES
from srt.review.sample import audit_sample
from srt.teaching.folder import PROBLEMS, picture_root
from srt.teaching.records import Case, State

Where = Literal["queue", "audit"]


@dataclass(frozen=True)
class Queue:
    """``cases`` in the order of review, each with its problem; ``pictures`` is the root of picture paths."""

    where: Where
    cases: tuple[tuple[Case, Problem], ...]
    pictures: Path


def read_queue(folder: Path, audit: int | None = None) -> Queue:
    """The cases of ``folder`` that are with people; with ``audit``, a sample of that many which passed instead.

    The files are streamed: only what is up for review is held.

    Raises:
        UserError: no folder of ``srt teach``, a file of it that cannot be read, or a case without its problem.
    """
    if not (folder / CASES).is_file():
        raise UserError(f"{folder}: no {CASES} in it: a folder that srt teach has written was expected")
    if audit is None:
        cases = list(_cases(folder, State.PEOPLE))
    else:
        passed = {case.problem_id for case in _cases(folder, State.ACCEPTED, State.REPAIRED)}
        place = {problem_id: n for n, problem_id in enumerate(audit_sample(folder, passed, audit))}
        drawn = (case for case in _cases(folder, State.ACCEPTED, State.REPAIRED) if case.problem_id in place)
        cases = sorted(drawn, key=lambda case: place[case.problem_id])
    problems = _read_problems(folder, {case.problem_id for case in cases})
    for case in cases:
        if case.problem_id not in problems:
            raise UserError(f"{folder / CASES}: problem_id: {case.problem_id!r} is not in {PROBLEMS}")
    return Queue(
        where="queue" if audit is None else "audit",
        cases=tuple((case, problems[case.problem_id]) for case in cases),
        pictures=picture_root(folder),
    )


def _cases(folder: Path, *states: State) -> Iterator[Case]:
    for case in read_records(folder / CASES, Case):
        for trace in (case.trace, *(one.trace for one in case.rounds)):
            if trace is not None and trace.problem_id != case.problem_id:
                raise UserError(f"{folder / CASES}: {case.problem_id}: holds a trace of {trace.problem_id!r}")
        if case.state in states:
            yield case


def _read_problems(folder: Path, wanted: Container[str]) -> dict[str, Problem]:
    return {problem.id: problem for problem in stream_problems(folder / PROBLEMS) if problem.id in wanted}
