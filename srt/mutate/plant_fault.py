"""One fault, chosen by its name, in one trace: to see what the checker says of it."""

from __future__ import annotations

import random
from collections.abc import Iterator

from srt.checking import check
from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.mutate.mutate_prose import ProseSources
from srt.mutate.mutate_traces import Sources, mutants_with
from srt.mutate.step_faults import STEP_FAULTS
from srt.prose.faults.prose_faults import KINDS

_IN_STEPS = {fault.value: plant for fault, plant in STEP_FAULTS.items()}
_DRAWS = 200
"""So many mutants of a trace in prose are looked through for one with the fault that is wanted."""


def plant_fault(problem: Problem, trace: Trace, fault: str, seed: int) -> Trace:
    """``trace`` with ``fault`` at a place that ``seed`` draws. What leaves the trace right by accident is drawn again.

    ``fault`` is a class of the trace's world (``another_entity``); in prose, a kind of wrong equation (``operand``); in
    a free trace, also a class that :mod:`srt.mutate.step_faults` plants (``misread``).

    Raises:
        UserError: ``trace`` is of another problem or is not valid, or it has no place for ``fault``, or no such fault.
    """
    if trace.problem_id != problem.id:
        raise UserError(f"trace {trace.id}: problem_id: it is of {trace.problem_id!r}, not of problem {problem.id!r}")
    known, found = (_in_world if trace.kind == "world" else _in_prose)(problem, trace, fault, seed)
    if fault not in known:
        raise UserError(f"unknown fault {fault!r}{did_you_mean(fault, known)}: this trace can have {', '.join(known)}")
    planted = next(found, None)
    if planted is None:
        raise UserError(f"trace {trace.id}: {fault}: it has no place for this fault; try another, or another trace")
    return planted


def _in_world(problem: Problem, trace: Trace, fault: str, seed: int) -> tuple[list[str], Iterator[Trace]]:
    """The faults that there are, and mutants with ``fault``."""
    sources = Sources([trace], {problem.id: problem})
    if sources.get(0) is None:
        raise UserError(f"trace {sources.skipped[0]}")
    classes = {one.value: one for one in sources.planted}
    mutants = mutants_with(classes[fault], sources, seed) if fault in classes else iter(())
    return list(classes), (one.trace for one in mutants if one.outcome != "accident")


def _in_prose(problem: Problem, trace: Trace, fault: str, seed: int) -> tuple[list[str], Iterator[Trace]]:
    """As :func:`_in_world`, of a free or cot trace."""
    in_steps = list(_IN_STEPS) if trace.kind == "free" else []
    return [*KINDS, *in_steps], (_in_steps if fault in in_steps else _in_equations)(problem, trace, fault, seed)


def _in_equations(problem: Problem, trace: Trace, kind: str, seed: int) -> Iterator[Trace]:
    sources = ProseSources([trace], {problem.id: problem})
    if not sources.traces:
        raise UserError(f"trace {sources.skipped[0]}")
    for one in sources.mutants(_DRAWS, seed):
        if one.error == kind and one.outcome != "accident":
            yield one.trace


def _in_steps(problem: Problem, trace: Trace, fault: str, seed: int) -> Iterator[Trace]:
    checked = check(problem, trace)
    if checked.refuted:
        raise UserError(f"trace {trace.id}: the checker refutes it")
    rng = random.Random(f"{seed}:{fault}")
    for _ in range(_DRAWS):
        mutant = _IN_STEPS[fault](problem, trace.model_copy(update={"checks": checked}), rng)
        if mutant is not None:
            yield mutant.trace
