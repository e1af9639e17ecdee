"""Problems whose options are rolled, on any benchmark: the questions, and the tables of circular accuracy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from eval.benchmarks.definition.benchmark import Asking, Published, Question, Table, ask_plainly
from eval.benchmarks.definition.variants import FLIP, VIEWS, View, expand, scores_in_view, why_not_rolled
from eval.benchmarks.tables.breakdown import group_values, mean
from eval.records.run_records import Run
from srt.io.records import Problem

ROLLS = {"rolls": ("1", "3", "all")}
"""The option of a benchmark that can roll: in how many positions the options are asked, the published one included."""
FLIPS = {"flip": ("off", "on")}


def ask_rolled(
    problems: Sequence[Problem], asking: Asking, ask: Callable[[Problem, Asking, str], Question] = ask_plainly
) -> Iterator[Question]:
    """Every variant of every problem, by the options ``rolls`` and ``flip``; ``ask`` writes the prompt of each."""
    rolls = asking.options.get("rolls", "1")
    for problem in problems:
        for variant, form in expand(
            problem, None if rolls == "all" else int(rolls), asking.options.get("flip") == "on"
        ):
            yield ask(form, asking, variant)


def shown_views(runs: Mapping[str, Run]) -> list[View]:
    """The views that differ from plain accuracy in any of the runs."""
    variants = {variant for run in runs.values() for _, variant in run.questions}
    rolled = any("roll-" in variant for variant in variants)
    flipped = any(variant.startswith(FLIP) for variant in variants)
    shown = {"average": rolled, "circular": rolled, "flip": flipped, "flip-circular": rolled and flipped}
    return [view for view in VIEWS if shown.get(view, True)]


def view_tables(runs: Mapping[str, Run]) -> list[Table]:
    """One table of all views; no table if every problem was asked once."""
    views = shown_views(runs)
    return [view_table("Options rolled, pictures mirrored", runs, views)] if len(views) > 1 else []


def view_table(
    title: str, runs: Mapping[str, Run], views: Sequence[View], published: Sequence[Published] = ()
) -> Table:
    """One row for each arm, one column for each view."""
    seen = {arm: [scores_in_view(run.scores.values(), view) for view in views] for arm, run in runs.items()}
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
    """Accuracy in one view, by arm (rows) and label (columns): the labels of ``order`` that occur, then any others.

    ``None`` if no problem has a label.
    """

    def labels(problem: Problem) -> list[str]:
        return [] if (found := label(problem)) is None else [found]

    there = {name for problem in next(iter(runs.values())).scored_problems for name in labels(problem)}
    columns = [name for name in order if name in there] + sorted(there - set(order))
    if not columns:
        return None
    groups = {arm: group_values(scores_in_view(run.scores.values(), view), run, labels) for arm, run in runs.items()}
    *_, last = groups.values()
    return Table(
        title=title,
        header=["arm", *columns],
        rows=[[arm, *(mean(each[column]) for column in columns)] for arm, each in groups.items()],
        counts=[None, *(len(last[column]) for column in columns)],
        published=list(published),
    )


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
