"""The traces that Reviewers are measured on: mutants with one known fault each, and valid traces as controls.

World traces get the faults of their world (:mod:`srt.mutate.mutate_traces`). Free and cot traces get wrong equations
(:mod:`srt.mutate.mutate_prose`), free traces also the faults of :mod:`srt.mutate.step_faults`. What turned out to be no
fault, or cannot be known to be one, is left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from srt.io.records import Problem, Record
from srt.language.faults import Fault, FaultWord
from srt.language.trace import Trace
from srt.mutate.mutate_prose import ProseSources
from srt.mutate.mutate_traces import Sources, mutants
from srt.mutate.mutation_table import MutationTable
from srt.mutate.step_faults import STEP_FAULTS, different_mutants
from srt.prose.faults.prose_faults import Kind
from srt.teaching.loop.machine_audit import audit

Sort = Literal["world", "prose"]
SORTS: tuple[Sort, ...] = ("world", "prose")


class ShownTrace(Record):
    """A trace that all are shown, and the fault planted in it: ``None`` for a control.

    ``error`` is the kind of a wrong equation. ``in_reading`` says that the fault is in a CORRELATE step.
    """

    trace: Trace
    planted: FaultWord | None = None
    error: Kind | None = None
    step: int | None = None
    in_reading: bool = False
    change: str = ""

    @property
    def sort(self) -> Sort:
        """Traces of an exact world, or prose."""
        return "world" if self.trace.kind == "world" else "prose"


class DrawnTraces(Record):
    """The traces to show, in random order. ``left_out`` counts mutants that are no fault, or not certainly one;
    ``unusable`` says why traces were not used."""

    shown: tuple[ShownTrace, ...]
    left_out: int
    unusable: tuple[str, ...]


def draw_traces(
    traces: Sequence[Trace],
    problems: Mapping[str, Problem],
    n: int,
    controls: int,
    seed: int,
    *,
    normal_form: bool = False,
) -> DrawnTraces:
    """Up to ``n`` faulty mutants of each sort, spread over the classes, and up to ``controls`` valid traces of each.

    A trace of a world is used if it is proved, one in prose if the machine has no objection to it, as in the loop with
    ``normal_form``. The same arguments give the same traces.
    """
    world = [trace for trace in traces if trace.kind == "world"]
    sources, table = Sources(world, problems), MutationTable()
    usable = [trace for number, trace in enumerate(world) if sources.get(number) is not None]
    unusable = list(sources.skipped)
    prose = []
    for trace in traces:
        if trace.kind == "world":
            continue
        found = audit(problems[trace.problem_id], trace, normal_form=normal_form)
        if found.issues:
            unusable.append(f"{trace.id}: {found.issues[0].fault}: {found.issues[0].explanation}")
        else:
            prose.append(trace.model_copy(update={"checks": found.checks}))
    shown = []
    left_out = 0
    for record in mutants(sources, n, seed, table) if usable else ():
        if record.outcome == "accident":
            left_out += 1
        else:
            shown.append(_shown(record.trace, record.fault, record.step, record.change))
    for one in islice(_of_prose(prose, problems, seed), n) if prose else ():
        if one is None:
            left_out += 1
        else:
            shown.append(one)
    shown = [
        # Mutants of one trace need ids of their own: opinions name them.
        one.model_copy(update={"trace": one.trace.model_copy(update={"id": f"{one.trace.id}~{number}"})})
        for number, one in enumerate(shown, 1)
    ]
    rng = random.Random(f"{seed}:controls")
    for of_sort in (usable, prose):
        shown += [ShownTrace(trace=trace) for trace in rng.sample(of_sort, min(controls, len(of_sort)))]
    rng.shuffle(shown)
    return DrawnTraces(shown=tuple(shown), left_out=left_out, unusable=tuple(unusable))


def _of_prose(traces: Sequence[Trace], problems: Mapping[str, Problem], seed: int) -> Iterator[ShownTrace | None]:
    """Mutants in prose, the classes by turns; ``None`` for one that is no fault for certain."""
    free = [trace for trace in traces if trace.kind == "free"]
    streams: list[Iterator[ShownTrace | None]] = [_equations(traces, problems, seed)]
    for fault in STEP_FAULTS:
        streams.append(_steps(fault, free, problems, seed))
    # By turns, so that a class with few mutants has its share before the total is reached.
    while streams:
        for stream in list(streams):
            try:
                yield next(stream)
            except StopIteration:
                streams.remove(stream)


def _equations(traces: Sequence[Trace], problems: Mapping[str, Problem], seed: int) -> Iterator[ShownTrace | None]:
    sources = ProseSources(traces, problems)
    # As many as there are; the caller takes what it needs.
    for record in sources.mutants(10**9, seed):
        if record.outcome in ("accident", "unknown"):
            yield None
        else:
            yield _shown(record.trace, record.fault, record.step, record.change, record.error)


def _steps(
    fault: Fault, traces: Sequence[Trace], problems: Mapping[str, Problem], seed: int
) -> Iterator[ShownTrace | None]:
    for _, mutant in different_mutants(fault, traces, problems, random.Random(f"{seed}:{fault.value}")):
        yield _shown(mutant.trace, fault, mutant.step, mutant.change)


def _shown(trace: Trace, fault: FaultWord, step: int, change: str, error: Kind | None = None) -> ShownTrace:
    reading = 0 < step <= len(trace.steps) and trace.steps[step - 1].op == "CORRELATE"
    return ShownTrace(trace=trace, planted=fault, error=error, step=step or None, in_reading=reading, change=change)
