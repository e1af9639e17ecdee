"""One fault, chosen by its name, in one trace: to see what the checker says of it."""

from __future__ import annotations

from collections.abc import Iterator

from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.mutate.mutate_prose import ProseSources
from srt.mutate.mutate_traces import Sources, mutants_with
from srt.mutate.mutation_table import MutantRecord
from srt.prose.faults.prose_faults import KINDS

_DRAWS = 200
"""So many mutants of a trace in prose are looked through for one with the error that is wanted."""


def plant_fault(problem: Problem, trace: Trace, fault: str, seed: int) -> MutantRecord:
    """``trace`` with ``fault``, drawn at random by ``seed``, and what the checker says of it.

    ``fault`` is a class of the trace's world (``another_entity``) or, in prose, a kind of wrong equation (``operand``).
    What leaves the trace right by accident is drawn again.

    Raises:
        UserError: ``trace`` is of another problem or is not valid, or it has no place for ``fault``, or no such fault.
    """
    if trace.problem_id != problem.id:
        raise UserError(f"trace {trace.id}: problem_id: it is of {trace.problem_id!r}, not of problem {problem.id!r}")
    known, found = (_in_world if trace.kind == "world" else _in_prose)(problem, trace, fault, seed)
    if fault not in known:
        raise UserError(f"unknown fault {fault!r}{did_you_mean(fault, known)}: this trace can have {', '.join(known)}")
    planted = next((one for one in found if one.outcome != "accident"), None)
    if planted is None:
        raise UserError(f"trace {trace.id}: {fault}: it has no place for this fault; try another, or another trace")
    return planted


def _in_world(problem: Problem, trace: Trace, fault: str, seed: int) -> tuple[list[str], Iterator[MutantRecord]]:
    """The faults that there are, and mutants with ``fault``."""
    sources = Sources([trace], {problem.id: problem})
    if sources.get(0) is None:
        raise UserError(f"trace {sources.skipped[0]}")
    classes = {one.value: one for one in sources.planted}
    return list(classes), mutants_with(classes[fault], sources, seed) if fault in classes else iter(())


def _in_prose(problem: Problem, trace: Trace, fault: str, seed: int) -> tuple[list[str], Iterator[MutantRecord]]:
    """As :func:`_in_world`, of a free or cot trace."""
    sources = ProseSources([trace], {problem.id: problem})
    if not sources.traces:
        raise UserError(f"trace {sources.skipped[0]}")
    return list(KINDS), (one for one in sources.mutants(_DRAWS, seed) if one.error == fault)
