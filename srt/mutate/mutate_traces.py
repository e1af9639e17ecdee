"""Make mutants of valid traces, spread evenly over classes and traces, and judge what the checker says of each."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from srt.checking import check
from srt.io.errors import UserError
from srt.io.jsonl import dump, keep_apart, open_records, read_records
from srt.io.problem_files import read_problems
from srt.io.progress import progress
from srt.io.records import Problem
from srt.language.faults import PLANTED, Fault
from srt.language.trace import Step, Trace
from srt.mutate.mutate_prose import ProseSources
from srt.mutate.mutation_table import MutantRecord, MutationTable
from srt.pipeline.check import first_fault
from srt.worlds.mutation import Mutant, MutationSubject
from srt.worlds.world_registry import world_of


def mutate_file(traces: Path, problems: Path, n: int, seed: int, out: Path | None = None) -> MutationTable:
    """Make ``n`` corruptions of the valid traces of a file, fewer where there are not so many different ones.

    World traces get the faults of their world, traces in prose wrong equations: ``n`` of each sort. The same files,
    ``n`` and ``seed`` give the same mutants. With ``out``, every mutant is written there as a
    :class:`~srt.mutate.mutation_table.MutantRecord`.

    Raises:
        UserError: an unreadable file, no valid trace, or a trace of a problem that ``problems`` does not hold.
    """
    if out is not None:
        keep_apart(out, traces, problems)
    by_id = read_problems(problems)
    valid = list(read_records(traces, Trace))
    for trace in valid:
        if trace.problem_id not in by_id:
            raise UserError(f"trace {trace.id}: its problem {trace.problem_id!r} is not in the problems file")
    table = MutationTable()
    sources = Sources([trace for trace in valid if trace.kind == "world"], by_id)
    prose = ProseSources([trace for trace in valid if trace.kind != "world"], by_id)
    any_of_a_world = any(sources.get(i) for i in range(len(sources)))
    if not any_of_a_world and not prose.traces:
        skipped = [*sources.skipped, *prose.skipped]
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
    table.skipped = [*table.skipped, *prose.skipped]


def mutants(sources: Sources, n: int, seed: int, table: MutationTable) -> Iterator[MutantRecord]:
    """Up to ``n`` mutants of ``sources``, of which at least one is valid, counted in ``table``."""
    for fault, i, mutant in progress(_spread(sources, n, seed), n, "mutants"):
        subject = sources.get(i)
        assert subject is not None
        record = _judged(sources.problem(i), subject, fault, mutant)
        table.add(record)
        yield record
    table.traces, table.skipped = sources.valid, sources.skipped


class Sources:
    """The traces to corrupt, taken apart when they are first needed. Those that are not valid go to ``skipped``."""

    def __init__(self, traces: Sequence[Trace], problems: Mapping[str, Problem]) -> None:
        self._traces = traces
        self._problems = problems
        self._subjects: dict[int, MutationSubject | None] = {}
        self.skipped: list[str] = []

    def __len__(self) -> int:
        return len(self._traces)

    @property
    def valid(self) -> int:
        """How many valid traces were taken apart."""
        return sum(subject is not None for subject in self._subjects.values())

    def problem(self, i: int) -> Problem:
        """The problem of trace ``i``."""
        return self._problems[self._traces[i].problem_id]

    def get(self, i: int) -> MutationSubject | None:
        """Trace ``i`` taken apart, or ``None`` where it is not a valid trace of a world that has mutations."""
        if i not in self._subjects:
            try:
                self._subjects[i] = self._take_apart(self._traces[i], self.problem(i))
            except ValueError as error:
                self._subjects[i] = None
                self.skipped.append(f"{self._traces[i].id}: {error}")
        return self._subjects[i]

    def _take_apart(self, trace: Trace, problem: Problem) -> MutationSubject:
        if trace.kind != "world":
            raise ValueError(f"a {trace.kind} trace makes no claims of a world")
        world = world_of(problem)
        if world is None:
            raise ValueError("no exact world knows its problem")
        subject = world.mutation_subject(problem, trace)
        checked = check(problem, trace)
        if not checked.proved:
            raise ValueError(f"the checker does not prove it: {first_fault(checked)}")
        return subject


def _spread(sources: Sources, n: int, seed: int) -> Iterator[tuple[Fault, int, Mutant]]:
    """``n`` different mutants, the classes by turns; a class that finds nothing more drops out."""
    order = list(range(len(sources)))
    random.Random(f"{seed}").shuffle(order)
    streams = {fault: _stream(fault, sources, order, seed) for fault in PLANTED}
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


def _stream(fault: Fault, sources: Sources, order: Sequence[int], seed: int) -> Iterator[tuple[int, Mutant]]:
    """Different mutants of one class; each class begins elsewhere among the traces and goes round them."""
    rng = random.Random(f"{seed}:{fault.value}")
    at = rng.randrange(len(order))
    patience = max(1000, 2 * len(order))
    seen: set[tuple[int, tuple[Step, ...], str]] = set()
    failures = 0
    while failures < patience:
        i = order[at]
        at = (at + 1) % len(order)
        subject = sources.get(i)
        mutant = None if subject is None else subject.mutate(fault, rng)
        if mutant is None or (key := (i, mutant.trace.steps, mutant.trace.answer)) in seen:
            failures += 1
            continue
        seen.add(key)
        failures = 0
        yield i, mutant


def _judged(problem: Problem, subject: MutationSubject, fault: Fault, mutant: Mutant) -> MutantRecord:
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
        verdict="proved" if checked.proved else first_fault(checked),
        disputed=accident and verdict.proved != checked.proved,
    )
