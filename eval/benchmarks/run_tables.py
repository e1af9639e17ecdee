"""The tables that a benchmark makes of its runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from eval.benchmarks.benchmark_registry import find_benchmark
from eval.benchmarks.definition.benchmark import Table
from eval.records.run_records import Run


def run_tables(runs: Mapping[str, Run], only: Collection[str] | None = None) -> list[Table]:
    """The tables of the benchmark that ``runs`` (by arm) are of, on the problems ``only`` where they are given.

    Runs of several benchmarks have no tables; runs with different options of one benchmark have its contrast tables.
    """
    asked = {(run.manifest.benchmark, tuple(sorted(run.manifest.options.items()))) for run in runs.values()}
    if len({name for name, _ in asked}) != 1:
        return []
    benchmark = find_benchmark(next(iter(asked))[0])
    tables = benchmark.tables if len(asked) == 1 else benchmark.contrast
    if tables is None:
        return []
    return tables(runs if only is None else {arm: run.restricted(only) for arm, run in runs.items()})
