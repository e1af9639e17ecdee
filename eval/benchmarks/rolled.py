"""Problems with options asked in their variants, on any benchmark: what is asked, and the tables of the views."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from eval.benchmarks.benchmark import Asking, Published, Question, Table, ask_plainly
from eval.benchmarks.tables import mean
from eval.variants import FLIP, VIEWS, View, expand, see, why_not_rolled
from srt.records import Problem

if TYPE_CHECKING:
    from eval.runs import Run

ROLLS = {"rolls": ("1", "3", "all")}
"""The option of a benchmark that can roll: how many positions its options are asked in, the published one counted."""
FLIPS = {"flip": ("off", "on")}


def ask_rolled(
    problems: Sequence[Problem], asking: Asking, ask: Callable[[Problem, Asking, str], Question] = ask_plainly
) -> Iterator[Question]:
    """Every variant of every problem, as the options ``rolls`` and ``flip`` say; ``ask`` words each."""
    rolls = asking.options.get("rolls", "1")
    for problem in problems:
        for variant, form in expand(
            problem, None if rolls == "all" else int(rolls), asking.options.get("flip") == "on"
        ):
            yield ask(form, asking, variant)


def shown_views(runs: Mapping[str, Run]) -> list[View]:
    """The views in which the runs differ from plain accuracy at all."""
    variants = {variant for run in runs.values() for _, variant in run.questions}
    rolled = any("roll-" in variant for variant in variants)
    flipped = any(variant.startswith(FLIP) for variant in variants)
    shown = {
        "vanilla": True,
        "average": rolled,
        "circular": rolled,
        "flip": flipped,
        "flip-circular": rolled and flipped,
    }
    return [view for view in VIEWS if shown[view]]


def view_tables(runs: Mapping[str, Run]) -> list[Table]:
    """One table of all views, and none where every problem was asked once."""
    views = shown_views(runs)
    return [view_table("Options rolled, pictures mirrored", runs, views)] if len(views) > 1 else []


def view_table(
    title: str, runs: Mapping[str, Run], views: Sequence[View], published: Sequence[Published] = ()
) -> Table:
    """A row an arm, a column a view."""
    seen = {arm: [see(run.scores.values(), view) for view in views] for arm, run in runs.items()}
    first = next(iter(seen.values()))
    return Table(
        title=title,
        header=["arm", *views],
        rows=[[arm, *(mean(values.values()) for values in each)] for arm, each in seen.items()],
        counts=[None, *(len(values) for values in first)],
        published=list(published),
        note=_note(next(iter(runs.values())), views),
    )


def breakdown_table(
    title: str,
    runs: Mapping[str, Run],
    label: Callable[[Problem], str | None],
    view: View,
    order: Sequence[str] = (),
    published: Sequence[Published] = (),
) -> Table | None:
    """Accuracy in one view, a row an arm, a column a label: those of ``order`` that there are, then any other.

    ``None`` where no problem has a label.
    """
    run = next(iter(runs.values()))
    labels = {ident: found for ident, problem in run.problems.items() if (found := label(problem)) is not None}
    asked = {row.problem_id for row in run.scores.values()}
    there = {labels[ident] for ident in asked if ident in labels}
    columns = [name for name in order if name in there] + sorted(there - set(order))
    if not columns:
        return None
    rows: list[list[str | float | None]] = []
    counts: list[int | None] = [None] * (len(columns) + 1)
    for arm, each in runs.items():
        groups: dict[str, list[float]] = {column: [] for column in columns}
        for ident, value in see(each.scores.values(), view).items():
            if ident in labels:
                groups[labels[ident]].append(value)
        rows.append([arm, *(mean(groups[column]) for column in columns)])
        counts = [None, *(len(groups[column]) for column in columns)]
    return Table(title=title, header=["arm", *columns], rows=rows, counts=counts, published=list(published))


def _note(run: Run, views: Sequence[View]) -> str | None:
    if "circular" not in views:
        return None
    variants = Counter(ident for ident, variant in run.questions if not variant.startswith(FLIP))
    once = [ident for ident, count in variants.items() if count == 1]
    said = (
        "Circular: right in every roll of its options. Average: the mean over the rolls. A problem without a "
        "prediction for one of its rolls is wrong there."
    )
    if not once:
        return said
    reasons = Counter(why_not_rolled(run.problems[ident]) or "its rolls are not asked" for ident in once)
    why = "; ".join(f"{reason} ({count})" for reason, count in sorted(reasons.items()))
    return f"{said} {len(once)} of {len(variants)} problems could not be rolled and were asked once: {why}."
