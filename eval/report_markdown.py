"""The report of a comparison as Markdown: the tables of the page, for a terminal, a diff and a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eval.benchmarks.tables import markdown_table
from eval.error_taxonomies import TAXONOMIES, TAXONOMY_NAMES, TaxonomyName
from eval.report_errors import ArmErrors
from eval.report_figures import bare, estimate_percent, interval, p_value, percent, ratio, signed, tokens
from eval.significance import Estimate
from eval.summary import DIMENSIONS, Summary

if TYPE_CHECKING:
    from eval.compare import Comparison
    from eval.differences import Difference

SIZE_NOTE = (
    "Problems for so many points: how many would show such a difference with power 0.8 at the level 0.05, where arms "
    "disagree as often, and problems hang together as much, as here; shows: the smallest difference that these do."
)
SAMPLING_NOTE = (
    "Tokens: output tokens a question, all k samples. Majority: the most frequent answer. pass@k: one is right. "
    "Checked and oracle pick samples by the checker's, or the solver's, word before they vote: knowledge that a model "
    "does not have. Intervals: bootstrap over clusters of problems."
)
ERROR_NOTE = (
    "Over all predictions of an arm without full credit, also of problems that other arms lack. Machine's word first; "
    "+ n: a judge's, only where the machine has none. No class: nobody said, among them what was never an error of "
    "reasoning (truncated, no answer)."
)
TITLES = {"scene": "scene", "compass": "compass", "lang": "language", "right_options": "right options"}


def markdown(comparison: Comparison, errors: Sequence[ArmErrors] = ()) -> str:
    """The tables as Markdown; ``errors`` are those of the arms that were classed."""
    parts = ["# Comparison", scope(comparison), _headline(comparison.arms)]
    if comparison.differences:
        parts += ["## Paired differences", _difference_table(comparison), footnote(comparison)]
        parts += ["## Tokens and sample size", _size_table(comparison)]
    if any(len(several) > 1 for several in comparison.runs.values()):
        parts += ["## By run", _run_table(comparison)]
    for dimension in shown_dimensions(comparison.arms):
        parts += [f"## By {TITLES[dimension]}", _breakdown(comparison.arms, dimension)]
    parts += [markdown_table(table) for table in comparison.tables]
    if any(arm.sampling for arm in comparison.arms):
        parts += ["## Sampling many", _sampling_table(comparison.arms)]
    for name in TAXONOMY_NAMES if errors else ():
        parts += [f"## Errors in {TAXONOMIES[name].title}'s classes", _error_table(errors, name)]
    return "\n\n".join(parts) + "\n"


def shown_dimensions(arms: Sequence[Summary]) -> list[str]:
    """The breakdowns that divide anything: those with more than one label."""
    return [name for name in DIMENSIONS if len(labels(arms, name)) > 1]


def labels(arms: Sequence[Summary], dimension: str) -> list[str]:
    """What the problems of ``arms`` are labelled with in ``dimension``, sorted."""
    return sorted({label for arm in arms for label in arm.by[dimension]})


def scope(comparison: Comparison) -> str:
    """What is compared, and what is left out."""
    text = f"{_problems(comparison)} that all {len(comparison.arms)} arms have in common."
    left = ", ".join(f"{name} {count}" for name, count in comparison.left_out.items() if count)
    return text + (f" Left out, because another arm lacks them: {left}." if left else "")


def footnote(comparison: Comparison) -> str:
    """How the paired differences were tested, and what the test does not cover."""
    clustered = comparison.clusters < comparison.common
    return (
        f"Intervals of differences: paired cluster bootstrap, {comparison.resamples} resamples of "
        f"{comparison.clusters} clusters, seed {comparison.seed}. p: exact McNemar, two-sided; p (Holm): adjusted over "
        "the rows of this table. McNemar's test, like the Wilson intervals of the accuracies, treats problems as "
        "independent"
        + (f", which {comparison.common} problems of {comparison.clusters} puzzles are not. " if clustered else ". ")
        + "None covers the chance of training: another seed of an arm can differ by more."
    )


def _problems(comparison: Comparison) -> str:
    if comparison.clusters == comparison.common:
        return f"{comparison.common} problems"
    return f"{comparison.common} problems, {comparison.clusters} puzzles up to names and symmetry,"


def _headline(arms: Sequence[Summary]) -> str:
    head = ["arm", "accuracy % [95%]", "right", "tokens mean", "p50", "p90", "p99", "traces %", "proved %"]
    rows = []
    for arm in arms:
        tokens = arm.output_tokens
        counts = (
            ["-"] * 4
            if tokens is None
            else [f"{tokens.mean:.1f}"] + [f"{x:.0f}" for x in (tokens.p50, tokens.p90, tokens.p99)]
        )
        right = f"{arm.accuracy.right:g}/{arm.accuracy.count}"
        traces = [percent(arm.traces.with_steps.share), percent(arm.traces.proved.share)]
        rows.append([arm.arm, interval(arm.accuracy), right, *counts, *traces])
    return _table(head, rows)


def _difference_table(comparison: Comparison) -> str:
    head = ["difference", "points [95%]", "only first", "only second", "p", "p (Holm)", "tokens ratio"]
    rows = [
        [
            f"{row.arm} − {row.reference}",
            f"{signed(row.difference)} [{signed(row.low)}, {signed(row.high)}]",
            "-" if row.only_arm is None else str(row.only_arm),
            "-" if row.only_reference is None else str(row.only_reference),
            p_value(row.p),
            p_value(row.p_holm),
            "-" if row.token_ratio is None else f"{row.token_ratio:.2f}",
        ]
        for row in comparison.differences
    ]
    return _table(head, rows)


def _size_table(comparison: Comparison) -> str:
    """Ratios of tokens with their intervals, and how many problems a difference would need."""
    points = list(comparison.differences[0].needed)
    head = [
        "difference",
        "tokens [95%]",
        "tokens a right answer [95%]",
        "reference tokens [95%]",
        "runs",
        "shows, points",
    ]
    rows = [
        [
            f"{row.arm} − {row.reference}",
            ratio(token_ratio(row)),
            ratio(row.per_right_ratio),
            ratio(row.reference_token_ratio),
            f"{row.runs_arm} and {row.runs_reference}",
            "-" if row.detectable is None else percent(row.detectable),
            *(f"{row.needed[each]:,}" for each in points),
        ]
        for row in comparison.differences
    ]
    spent = "; ".join(f"{arm} {tokens(each)}" for arm, each in comparison.tokens_per_right.items())
    return "\n\n".join(
        [
            _table([*head, *(f"problems for {each}" for each in points)], rows),
            f"{SIZE_NOTE} Output tokens for each right answer: {spent}.",
        ]
    )


def token_ratio(row: Difference) -> Estimate | None:
    """The ratio of output tokens with its interval."""
    if row.token_ratio is None:
        return None
    return Estimate(value=row.token_ratio, low=row.token_low, high=row.token_high)


def _sampling_table(arms: Sequence[Summary]) -> str:
    rows = [
        [
            arm.arm,
            str(at.k),
            bare(at.tokens),
            *map(estimate_percent, (at.mean, at.majority, at.at_least_one, at.checked, at.oracle)),
        ]
        for arm in arms
        if arm.sampling
        for at in arm.sampling.curve
    ]
    head = ["arm", "k", "tokens", "one sample %", "majority %", "pass@k %", "checked %", "oracle %"]
    return f"{_table(head, rows)}\n\n{SAMPLING_NOTE}"


def _error_table(errors: Sequence[ArmErrors], name: TaxonomyName) -> str:
    rows = []
    for arm in errors:
        said = arm.classes[name]
        cells = [
            f"{said.get(word, {}).get('machine', 0)}"
            + (f" + {judge}" if (judge := said.get(word, {}).get("judge")) else "")
            for word in TAXONOMIES[name].classes
        ]
        rows.append([arm.arm, str(arm.wrong), *cells, str(arm.unclassed[name])])
    head = ["arm", "wrong", *(word.replace("_", " ") for word in TAXONOMIES[name].classes), "no class"]
    return f"{_table(head, rows)}\n\n{ERROR_NOTE}"


def _run_table(comparison: Comparison) -> str:
    rows = [
        [arm, run.fingerprint[:16], interval(run.accuracy)]
        for arm, several in comparison.runs.items()
        for run in several
    ]
    return _table(["arm", "model (SHA-256)", "accuracy % [95%]"], rows)


def _breakdown(arms: Sequence[Summary], dimension: str) -> str:
    rows = []
    for label in labels(arms, dimension):
        groups = [arm.by[dimension].get(label) for arm in arms]
        count = next(group.count for group in groups if group)
        rows.append([label, str(count), *("-" if group is None else interval(group) for group in groups)])
    return _table([TITLES[dimension], "problems", *(arm.arm for arm in arms)], rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [list(map(_cell, head)), ["---", *["---:"] * (len(head) - 1)], *(list(map(_cell, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    """``text`` as one cell of a Markdown table: what would end the cell or begin a tag is escaped."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
