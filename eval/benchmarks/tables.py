"""The tables of a benchmark: arms as rows, what the problems are labelled with as columns, rows of others below."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from eval.benchmarks.benchmark import Published, Table, Unit
from eval.equality.policy import POLICIES
from srt.records import Problem

if TYPE_CHECKING:
    from eval.runs import Run

Cell = str | float | None


def run_tables(runs: Mapping[str, Run], only: Collection[str] | None = None) -> list[Table]:
    """The tables of the benchmark that ``runs`` (by arm) are of, on the problems ``only`` where they are given.

    None where the runs are of several benchmarks. Runs with different options of one benchmark have its tables of such
    a contrast.
    """
    from eval.benchmarks import find_benchmark

    asked = {(run.stamp.benchmark, tuple(sorted(run.stamp.options.items()))) for run in runs.values()}
    if len({name for name, _ in asked}) != 1:
        return []
    benchmark = find_benchmark(next(iter(asked))[0])
    tables = benchmark.tables if len(asked) == 1 else benchmark.contrast
    if tables is None:
        return []
    return tables(runs if only is None else {arm: _restricted(run, only) for arm, run in runs.items()})


def breakdown(
    title: str,
    runs: Mapping[str, Run],
    columns: Sequence[str],
    labels: Callable[[Problem], Collection[str]],
    *,
    first: Sequence[str] = (),
    last: Sequence[str] = ("overall",),
    published: Iterable[Published] = (),
    note: str | None = None,
) -> Table:
    """Accuracy of each run in each of ``columns``: ``labels`` says in which a problem counts (in none, or in several).

    ``first`` and ``last`` name the columns around them, of ``overall`` (all scored problems) and ``tokens`` (mean
    output tokens of a prediction). Repeats and variants of a problem are averaged first. The counts are of the problems
    that are scored.
    """
    headings = [*first, *columns, *last]
    grouped = {arm: _grouped(run, labels) for arm, run in runs.items()}
    shown = next(iter(grouped.values()))
    repeats = {run.stamp.repeats for run in runs.values()}
    averaged = f"Means of {repeats.pop()} runs." if len(repeats) == 1 and repeats != {1} else None
    return Table(
        title=title,
        header=["arm", *headings],
        rows=[
            [arm, *(mean_tokens(runs[arm]) if name == "tokens" else mean(groups.get(name, ())) for name in headings)]
            for arm, groups in grouped.items()
        ],
        units={"tokens": "tokens"} if "tokens" in headings else {},
        counts=[None, *(None if name == "tokens" else len(shown.get(name, ())) for name in headings)],
        published=list(published),
        note=" ".join(filter(None, (note, averaged))) or None,
    )


def values_of(run: Run) -> dict[str, float]:
    """The score of each problem that was scored: the mean over its variants and repeats."""
    from eval.summary import mean_values  # here: summaries are of runs, and what a run is needs the benchmarks

    return mean_values(run.scores.values())


def mean(values: Collection[float]) -> float | None:
    """The mean of ``values``; ``None`` of none."""
    return sum(values) / len(values) if values else None


def mean_tokens(run: Run) -> float | None:
    """Output tokens of a prediction, on the mean."""
    return mean([row.output_tokens for row in run.predictions.values()])


def policy_note(runs: Mapping[str, Run]) -> str:
    """Under which policy answers were compared, and what it says of units."""
    used = sorted({row.policy for run in runs.values() for row in run.scores.values()})
    return " ".join(f"Answers: {name} policy ({POLICIES[name].rstrip('.')})." for name in used)


def markdown_table(table: Table) -> str:
    """``table`` as Markdown: its title, the rows, then the counts, then the rows of others, each marked as such."""
    measured = [[cell_text(cell, _unit(table, name)) for name, cell in _named(table, row)] for row in table.rows]
    lines = [table.header, ["---", *["---:"] * (len(table.header) - 1)], *measured]
    if table.counts:
        lines.append(["problems", *("" if count is None else f"{count:,}" for count in table.counts[1:])])
    for row in table.published:
        mark = "people, published" if row.people else "published"
        figures = [cell_text(row.figures.get(name), _unit(table, name)) for name in table.header[1:]]
        lines.append([f"{row.model} ({mark})", *figures])
    body = "\n".join(f"| {' | '.join(map(_escaped, line))} |" for line in lines)
    sources = dict.fromkeys(row.source for row in table.published)
    notes = [table.note, f"Published: {'; '.join(sources)}." if sources else None]
    return "\n\n".join([f"## {table.title}", body, *filter(None, notes)])


def cell_text(cell: Cell, unit: Unit) -> str:
    """A cell as people read it: a percentage and tokens with one decimal, a share with four, a count without any."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    match unit:
        case "percent":
            return f"{100 * cell:.1f}"
        case "points":
            return f"{100 * cell:+.1f}"
        case "share":
            return f"{cell:.4f}"
        case "ratio":
            return f"{cell:.2f}"
        case "tokens":
            return f"{cell:.1f}"
        case "count":
            return f"{cell:g}"


def _grouped(run: Run, labels: Callable[[Problem], Collection[str]]) -> dict[str, list[float]]:
    """The values of the run's problems by label, and all of them as ``overall``."""
    groups: dict[str, list[float]] = {"overall": []}
    for problem_id, value in values_of(run).items():
        for name in {*labels(run.problems[problem_id]), "overall"}:
            groups.setdefault(name, []).append(value)
    return groups


def _restricted(run: Run, only: Collection[str]) -> Run:
    """``run`` on the problems ``only``."""
    return dataclasses.replace(
        run,
        problems={key: value for key, value in run.problems.items() if key in only},
        questions={key: value for key, value in run.questions.items() if key[0] in only},
        predictions={key: row for key, row in run.predictions.items() if key[0] in only},
        scores={key: row for key, row in run.scores.items() if key[0] in only},
        checked={key: row for key, row in run.checked.items() if key[0] in only},
    )


def _named(table: Table, row: Sequence[Cell]) -> Iterable[tuple[str, Cell]]:
    return zip(table.header, row, strict=True)


def _unit(table: Table, column: str) -> Unit:
    return table.units.get(column, table.unit)


def _escaped(text: str) -> str:
    """``text`` as one cell: what would end it or begin a tag is escaped."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
