"""Before anything is generated: every gold answer can be met, or the run is refused by the name of one that cannot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eval.benchmarks.benchmark_registry import find_benchmark
from eval.benchmarks.definition.variants import twin, twin_names
from srt.io.errors import RecordError
from srt.io.parquet_files import record_place
from srt.io.record_reader import read_unique
from srt.io.records import Problem
from srt.judging.gold_fault import gold_fault

_NAMED = 5


def require_gold_that_can_be_met(problems: Path, benchmark: str) -> None:
    """Check the gold answers in the file ``problems``, those of other forms of a problem too, as ``benchmark`` grades.

    Raises:
        RecordError: no output can meet one of them; the message names the first by line, field and what would be
            right, and says how many there are.
    """
    grade = find_benchmark(benchmark).grade
    count, first = 0, None
    unmet: list[str] = []
    for number, problem in read_unique(problems, Problem, "id"):
        count += 1
        fault = next((found for form in _forms(problem) if (found := gold_fault(form, grade))), None)
        if fault is not None:
            first = first or f"{record_place(problems, number)}: {fault}"
            unmet.append(problem.id)
    if first is not None:
        named = ", ".join(unmet[:_NAMED]) + (", ..." if len(unmet) > _NAMED else "")
        raise RecordError(
            f"{first} (of {count} problems, {len(unmet)} have a gold answer that no output can meet: {named}; srt "
            "import leaves such problems out)"
        )


def _forms(problem: Problem) -> Iterator[Problem]:
    """The problem and its other forms. Options that are rolled need no look: letters stay letters."""
    yield problem
    for name in twin_names(problem):
        form = twin(problem, name)
        if form is not None:
            yield form
