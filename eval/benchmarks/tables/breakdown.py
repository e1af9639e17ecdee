"""The tables of a benchmark: arms as rows, the labels of problems as columns, published rows below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from eval.benchmarks.definition.benchmark import Published, Table, Unit
from eval.records.run_records import Run, given_counts, mean_values
from srt.answers.equality import POLICIES
from srt.io.records import Problem

Cell = str | float | None


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
    """Accuracy of each run in each of ``columns``; ``labels`` gives the columns of a problem (none, one, or several).

    ``first`` and ``last`` name the columns around them: ``overall`` (all scored problems) and ``tokens`` (mean output
    tokens of a prediction). Repeats and variants of a problem are averaged first. The counts are of scored problems.
    """
    headings = [*first, *columns, *last]
    grouped = {
        arm: group_values(mean_values(run.scores.values()), run, lambda problem: {*labels(problem), "overall"})
        for arm, run in runs.items()
    }
    shown = next(iter(grouped.values()))
    repeats = {run.manifest.repeats for run in runs.values()}
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


def group_values(
    values: Mapping[str, float], run: Run, labels: Callable[[Problem], Collection[str]]
) -> dict[str, list[float]]:
    """``values``, which are by problem of ``run``, by label."""
    groups: dict[str, list[float]] = defaultdict(list)
    for problem_id, value in values.items():
        for name in labels(run.problems[problem_id]):
            groups[name].append(value)
    return groups


def mean(values: Collection[float]) -> float | None:
    """The mean of ``values``; ``None`` if there are none."""
    return sum(values) / len(values) if values else None


def mean_tokens(run: Run) -> float | None:
    """Mean output tokens of a prediction; ``None`` where they are not given for all."""
    return mean(given_counts(row.output_tokens for row in run.predictions.values()))


def policy_note(runs: Mapping[str, Run]) -> str:
    """The policies under which answers were compared, and how they treat units."""
    scores = [row for run in runs.values() for row in run.scores.values()]
    own = " and ".join(sorted({row.policy for row in scores}))
    described = "; ".join(f"{name}: {policy.description}" for name, policy in POLICIES.items())
    both = (
        "rows say where the other policy changes a figure"
        if any(row.other_value is not None for row in scores)
        else "the other policy gives the same figures"
    )
    return (
        f"Answers: {own} policy; {both}. {described[0].upper()}{described[1:]}. Published rows were graded in other "
        "ways, often more leniently: compare them with both."
    )


def under_both_policies(runs: Mapping[str, Run]) -> dict[str, Run]:
    """Each run as it was scored, and below it the same under the other policy, where that changes a score.

    For tables with published rows: other graders compared those answers, often more leniently.
    """
    rows: dict[str, Run] = {}
    for arm, run in runs.items():
        rows[arm] = run
        changed = {
            key: replace(row, value=row.other_value) for key, row in run.scores.items() if row.other_value is not None
        }
        if changed:
            own = next(iter(run.scores.values())).policy
            rows[f"{arm}, {'lenient' if own == 'strict' else 'strict'}"] = replace(run, scores=run.scores | changed)
    return rows


def markdown_table(table: Table) -> str:
    """``table`` as Markdown: its title, the rows, the counts, then published rows, marked as such."""
    marks = {"measured": "", "published": " (published)", "human": " (human, published)"}
    rows = [[row.name + marks[row.kind], *row.cells] for row in table_rows(table)]
    if table.counts:
        counts = ["problems", *("" if count is None else f"{count:,}" for count in table.counts[1:])]
        rows.insert(len(table.rows), counts)
    sources = dict.fromkeys(row.source for row in table.published)
    notes = [table.note, f"Published: {'; '.join(sources)}." if sources else None]
    return "\n\n".join([f"## {table.title}", markdown_rows(table.header, rows), *filter(None, notes)])


class TableRow(NamedTuple):
    """A row of a table, its cells as text."""

    name: str
    kind: Literal["measured", "published", "human"]
    cells: list[str]


def table_rows(table: Table) -> list[TableRow]:
    """The rows of ``table``: measured rows, then published ones."""
    columns = table.header[1:]
    units = [table.units.get(name, table.unit) for name in columns]

    def texts(cells: Iterable[Cell]) -> list[str]:
        return [cell_text(cell, unit) for cell, unit in zip(cells, units, strict=True)]

    rows = [TableRow(str(name), "measured", texts(cells)) for name, *cells in table.rows]
    for row in table.published:
        rows.append(TableRow(row.model, "human" if row.human else "published", texts(map(row.figures.get, columns))))
    return rows


def markdown_rows(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of texts, the first column to the left; what would end a cell or begin a tag is escaped."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(_escaped, line))} |" for line in lines)


def cell_text(cell: Cell, unit: Unit) -> str:
    """A cell as it is printed: a percentage and tokens with one decimal, a share with four, a count without any."""
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


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
