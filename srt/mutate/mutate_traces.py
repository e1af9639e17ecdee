"""Make mutants of valid traces, spread evenly over classes and traces, and judge what the checker says of each.

The draws are made here, one after the other, each class with its own random numbers. What takes long, to take a trace
apart and to judge a mutant, is a function of one trace, so that it can run in any process.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from srt.checking import check
from srt.io.errors import UserError
from srt.io.output_paths import keep_apart
from srt.io.problem_files import read_problems
from srt.io.progress import progress
from srt.io.record_lines import dump
from srt.io.record_reader import read_records
from srt.io.record_writer import open_records
from srt.io.records import Problem
from srt.io.worker_processes import Workers
from srt.language.faults import FaultClass
from srt.language.trace import Step, Trace
from srt.mutate.mutate_prose import ProseSources
from srt.mutate.mutation_table import MutantRecord, MutationTable
from srt.pipeline.check import first_fault
from srt.worlds.kit.mutation import Mutant, MutationSubject
from srt.worlds.world import Refused
from srt.worlds.world_registry import world_of, worlds

_CHUNK: Final = 4
_MUTANTS_A_WORKER: Final = 200
"""A worker takes about a second to start: it is not worth it for fewer."""
_MOST_AHEAD: Final = 256


def mutate_file(
    traces: Path, problems: Path, n: int, seed: int, out: Path | None = None, *, workers: int = 1
) -> MutationTable:
    """Make ``n`` corruptions of the valid traces of a file, fewer where there are not so many different ones.

    World traces get the faults of their world, traces in prose wrong equations: ``n`` of each sort. The same files,
    ``n`` and ``seed`` give the same mutants. With ``out``, every mutant is written there as a
    :class:`~srt.mutate.mutation_table.MutantRecord`. A trace whose problem is not in the file is counted as skipped.
    At most ``workers`` processes do the work, fewer for few mutants; the output does not depend on them.

    Raises:
        UserError: an unreadable file, no valid trace, or a worker that was killed.
    """
    if out is not None:
        keep_apart(out, traces, problems)
    by_id = read_problems(problems)
    known, unknown = [], []
    for trace in read_records(traces, Trace):
        if trace.problem_id in by_id:
            known.append(trace)
        else:
            unknown.append(f"{trace.id}: its problem {trace.problem_id!r} is not in {problems}")
    table = MutationTable(skipped=unknown)
    with Workers(min(workers, max(1, n // _MUTANTS_A_WORKER))) as pool:
        sources = Sources([trace for trace in known if trace.kind == "world"], by_id, pool)
        prose = ProseSources([trace for trace in known if trace.kind != "world"], by_id, pool)
        any_of_a_world = any(sources.get(i) for i in range(len(sources)))
        if not any_of_a_world and not prose.traces:
            skipped = [*sources.skipped, *prose.skipped, *unknown]
            why = f"; the first: {skipped[0]}" if skipped else ""
            raise UserError(f"{traces}: no valid trace of an exact world, and no equation in prose, in this file{why}")
        records = _all_mutants(sources if any_of_a_world else None, prose, n, seed, table)
        with open_records({} if out is None else {out: MutantRecord}) as sinks:
            for record in records:  # Counted in the table.
                for write in sinks:
                    write(dump(record))
    return table


def _all_mutants(
    sources: Sources | None, prose: ProseSources, n: int, seed: int, table: MutationTable
) -> Iterator[MutantRecord]:
    if sources is not None:
        yield from mutants(sources, n, seed, table)
    for record in progress(prose.mutants(n, seed), n, "mutants in prose"):
        table.add(record)
        yield record
    table.in_prose = prose.traces
    table.skipped += prose.skipped


def mutants(sources: Sources, n: int, seed: int, table: MutationTable) -> Iterator[MutantRecord]:
    """Up to ``n`` mutants of ``sources``, of which at least one is valid, counted in ``table``."""
    table.planted = sources.planted
    for record in progress(sources.judge(_spread(sources, n, seed)), n, "mutants"):
        table.add(record)
        yield record
    table.traces = sources.valid
    table.skipped += sources.skipped


def mutants_with(fault: FaultClass, sources: Sources, seed: int) -> Iterator[MutantRecord]:
    """Different mutants of ``sources`` with ``fault``, as long as new ones are found."""
    drawn = _stream(fault, sources, range(len(sources)), seed, 0)
    return sources.judge((fault, *found) for found in drawn)


class _Drawn(NamedTuple):
    """A mutant of a trace of ``problem``, not judged yet."""

    problem: Problem
    subject: MutationSubject
    fault: FaultClass
    mutant: Mutant


class Sources:
    """The traces to corrupt, taken apart when they are first needed. Those that are not valid go to ``skipped``."""

    def __init__(
        self, traces: Sequence[Trace], problems: Mapping[str, Problem], workers: Workers | None = None
    ) -> None:
        self._traces = traces
        self._problems = problems
        self._workers = workers or Workers(1)
        self._ahead: dict[int, MutationSubject | str] = {}
        """Taken apart, and not asked for yet."""
        self._subjects: dict[int, MutationSubject | None] = {}
        self.skipped: list[str] = []

    def __len__(self) -> int:
        return len(self._traces)

    @cached_property
    def planted(self) -> tuple[FaultClass, ...]:
        """The classes of fault of the worlds that the traces are of, each once."""
        found = {world_of(self._problems[trace.problem_id]) for trace in self._traces}
        plant = [world.extras.faults for world in worlds() if world in found and world.extras.faults]
        return tuple(dict.fromkeys(fault for faults in plant for fault in faults().planted))

    @property
    def valid(self) -> int:
        """How many valid traces were asked for."""
        return sum(subject is not None for subject in self._subjects.values())

    def get(self, i: int, next_ones: Sequence[int] = ()) -> MutationSubject | None:
        """Trace ``i`` taken apart, or ``None`` where it is not a valid trace of a world that has mutations.

        Several processes take ``next_ones`` apart with it: they will probably be asked for next.
        """
        if i not in self._subjects:
            if i not in self._ahead:
                self._take_apart([i, *next_ones] if self._workers.count > 1 else [i])
            found = self._ahead.pop(i)
            if isinstance(found, str):
                self.skipped.append(f"{self._traces[i].id}: {found}")
            self._subjects[i] = None if isinstance(found, str) else found
        return self._subjects[i]

    def judge(self, drawn: Iterator[tuple[FaultClass, int, Mutant]]) -> Iterator[MutantRecord]:
        """The verdicts on mutants, each made of the trace of its number."""
        return self._workers.map(_judged, (self._drawn(*one) for one in drawn), _CHUNK)

    def _drawn(self, fault: FaultClass, i: int, mutant: Mutant) -> _Drawn:
        subject = self._subjects[i]
        assert subject is not None
        return _Drawn(self._problems[self._traces[i].problem_id], subject, fault, mutant)

    def _take_apart(self, numbers: Sequence[int]) -> None:
        needed = [i for i in dict.fromkeys(numbers) if i not in self._ahead and i not in self._subjects]
        jobs = ((self._traces[i], self._problems[self._traces[i].problem_id]) for i in needed)
        self._ahead.update(zip(needed, self._workers.map(_subject_or_fault, jobs, _CHUNK), strict=True))


def _subject_or_fault(job: tuple[Trace, Problem]) -> MutationSubject | str:
    """The trace taken apart, or why it is no source of mutants."""
    trace, problem = job
    if trace.kind != "world":
        return f"a {trace.kind} trace makes no claims of a world"
    world = world_of(problem)
    if world is None:
        return "no exact world knows its problem"
    if world.extras.faults is None:
        return f"the world {world.name!r} has no faults to plant"
    try:
        subject = world.extras.faults().subject(problem, trace)
    except (ValueError, Refused) as error:
        return str(error)
    checked = check(problem, trace)
    return subject if checked.proved else f"the checker does not prove it: {first_fault(trace, checked)}"


def _spread(sources: Sources, n: int, seed: int) -> Iterator[tuple[FaultClass, int, Mutant]]:
    """``n`` different mutants, the classes by turns; a class that finds nothing more drops out."""
    order = list(range(len(sources)))
    random.Random(f"{seed}").shuffle(order)
    ahead = min(n // max(1, len(sources.planted)), _MOST_AHEAD)
    streams = {fault: _stream(fault, sources, order, seed, ahead) for fault in sources.planted}
    made = 0
    while streams and made < n:
        for fault in list(streams):
            found = next(streams[fault], None)
            if found is None:
                del streams[fault]
                continue
            yield (fault, *found)
            made += 1
            if made == n:
                return


def _stream(
    fault: FaultClass, sources: Sources, order: Sequence[int], seed: int, ahead: int
) -> Iterator[tuple[int, Mutant]]:
    """Different mutants of one class; each class begins elsewhere among the traces and goes round them.

    ``ahead`` is how many traces it looks ahead.
    """
    rng = random.Random(f"{seed}:{fault.value}")
    at = rng.randrange(len(order))
    patience = max(1000, 2 * len(order))
    seen: set[tuple[int, tuple[Step, ...], str]] = set()
    failures = 0
    while failures < patience:
        i = order[at]
        at = (at + 1) % len(order)
        subject = sources.get(i, order[at : at + ahead])
        mutant = None if subject is None else subject.mutate(fault, rng)
        if mutant is None or (key := (i, mutant.trace.steps, mutant.trace.answer)) in seen:
            failures += 1
            continue
        seen.add(key)
        failures = 0
        yield i, mutant


def _judged(drawn: _Drawn) -> MutantRecord:
    problem, subject, fault, mutant = drawn
    verdict = subject.judge(mutant.trace)
    checked = check(problem, mutant.trace)
    if fault.family == "truth-changing":
        accident, caught = not verdict.false, checked.refuted
    else:
        accident, caught = verdict.proved, not checked.proved
    false = [f"step {n} is false" if n else "the answer is false" for n in verdict.false[:2]]
    return MutantRecord(
        trace=mutant.trace,
        fault=fault,
        step=mutant.step,
        change=mutant.change,
        outcome="accident" if accident else "caught" if caught else "missed",
        oracle="; ".join([*false, *verdict.faults[:2]]) or "proved",
        verdict=first_fault(mutant.trace, checked) or "proved",
        disputed=accident and verdict.proved != checked.proved,
    )
