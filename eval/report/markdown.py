"""The report of a comparison as Markdown: the tables of the page, for terminals, diffs and papers."""

from __future__ import annotations

from collections.abc import Sequence

from eval.benchmarks.tables.breakdown import markdown_rows, markdown_table
from eval.errors.error_taxonomies import TAXONOMIES, TAXONOMY_NAMES, TaxonomyName
from eval.report.comparison_records import Comparison
from eval.report.headline import headline
from eval.report.number_format import (
    bare,
    credit,
    difference_bounds,
    estimate_percent,
    interval,
    p_value,
    percent,
    ratio,
    signed,
    tokens,
)
from eval.report.report_errors import ArmErrors
from eval.report.report_wording import (
    DECODE_NOTE,
    ERROR_NOTE,
    LEARNING_NOTE,
    PROVED_ALONE_NOTE,
    SAMPLING_NOTE,
    SIZE_NOTE,
    chosen_by_checker,
    difference_groups,
    footnote,
    has_traces,
    labels,
    missing,
    scope,
    shown_dimensions,
    shown_tables,
    token_sources,
    tokens_not_given,
    training,
    unlike_settings,
)
from eval.report.unread_wording import READ_NOTE, UNREAD_NOTE, counted, unread_says
from eval.scoring.arm_summary import ArmSummary
from eval.scoring.differences import Difference
from eval.scoring.dimensions import title
from srt.experiment.model_stages import LearningCost


def summary(comparison: Comparison) -> str:
    """The answer in a sentence, the arms, and their paired differences."""
    warned = [f"> **{comparison.warning}**"] if comparison.warning else []
    parts = [f"# {comparison.title}", *warned, f"**{headline(comparison)}**"]
    parts += [unread_says(comparison), *missing(comparison)]
    parts += [*unlike_settings(comparison), *chosen_by_checker(comparison), *tokens_not_given(comparison)]
    parts += [f"{training(comparison)} {scope(comparison)}", _arms_table(comparison.arms)]
    parts += filter(None, [token_sources(comparison)])
    if comparison.learning:
        parts += ["## Tokens and time of learning", _learning_table(comparison.learning)]
    if comparison.differences:
        for heading, rows in difference_groups(comparison):
            parts += [f"## {heading}", _difference_table(rows)]
        parts += [footnote(comparison)]
    return "\n\n".join(parts) + "\n"


def markdown(comparison: Comparison, errors: Sequence[ArmErrors] = ()) -> str:
    """The summary, then all tables; ``errors`` are those of the arms that were classed."""
    parts = [summary(comparison).rstrip()]
    if comparison.unread or comparison.readings:
        parts += ["## Unread answers", *_unread_tables(comparison)]
    if comparison.differences:
        parts += ["## Tokens and sample size", _size_table(comparison)]
    if any(len(several) > 1 for several in comparison.runs.values()):
        parts += ["## By run", _run_table(comparison)]
    for dimension in shown_dimensions(comparison.arms):
        parts += [f"## By {title(dimension)}", _breakdown(comparison.arms, dimension)]
    parts += [markdown_table(table) for table in shown_tables(comparison)]
    if any(arm.sampling for arm in comparison.arms):
        parts += ["## Sampling many", _sampling_table(comparison.arms)]
    if comparison.proved_alone:
        parts += ["## If only proved answers are given", _proved_table(comparison)]
    if comparison.decode_curves:
        parts += ["## Proved and right against tokens", _decode_tables(comparison)]
    for name in TAXONOMY_NAMES if errors else ():
        parts += [f"## Errors in {TAXONOMIES[name].title}'s classes", _error_table(errors, name)]
    return "\n\n".join(parts) + "\n"


def _arms_table(arms: Sequence[ArmSummary]) -> str:
    head = [
        "arm",
        "accuracy % [95%]",
        "right",
        "unread %",
        "tokens mean",
        "p50",
        "p90",
        "p99",
        "kept",
        "lines drawn again",
        "taken back",
        "traces %",
        "proved %",
        "computed %",
        "certified %",
    ]
    rows = []
    judged = has_traces(arms)
    for arm in arms:
        tokens = arm.output_tokens
        counts = ["not given", "-", "-", "-"]
        if tokens is not None:
            counts = [f"{tokens.mean:.1f}", *(f"{x:.0f}" for x in (tokens.p50, tokens.p90, tokens.p99))]
        guided = ["-"] * 3
        if arm.redrawn is not None:
            guided = [f"{x:.1f}" for x in (arm.redrawn.kept_tokens, arm.redrawn.tries, arm.redrawn.lines_back)]
        right = f"{credit(arm.accuracy.right)}/{arm.accuracy.count}"
        of = arm.traces
        traces = [percent(share.share) if judged else "-" for share in (of.with_steps, of.proved, of.computed)]
        traces.append("-" if of.certified is None else percent(of.certified.share))
        rows.append([arm.arm, interval(arm.accuracy), right, percent(arm.unread), *counts, *guided, *traces])
    return _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table without the columns of which no row has a figure."""
    kept = [place for place in range(len(head)) if any(row[place] not in _NO_FIGURE for row in rows)]
    return markdown_rows([head[place] for place in kept], [[row[place] for place in kept] for row in rows])


_NO_FIGURE = ("-", "not given")


def _learning_table(costs: Sequence[LearningCost]) -> str:
    head = ["arm", "runs", "tokens read and sampled", "s", "tokens trained on", "s of training"]
    rows = [
        [
            each.arm,
            str(each.runs),
            f"{each.sampled:,.0f}",
            f"{each.sampling_seconds:,.0f}",
            f"{each.trained:,.0f}",
            f"{each.training_seconds:,.0f}",
        ]
        for each in costs
    ]
    return f"{markdown_rows(head, rows)}\n\n{LEARNING_NOTE}"


def _unread_tables(comparison: Comparison) -> list[str]:
    """The differences under another count of unread outputs, and what a model read in them."""
    parts = []
    if comparison.unread:
        head = ["difference", "unread %", "as printed: wrong", "as right", "as read"]
        rows = [
            [
                f"{row.arm} − {row.reference}",
                f"{percent(row.unread_arm)} and {percent(row.unread_reference)}",
                counted(row.printed),
                counted(row.as_right),
                f"{counted(row.as_read)} ({row.reader})" if row.as_read else "-",
            ]
            for row in comparison.unread
        ]
        parts.append(_table(head, rows))
    parts.append(UNREAD_NOTE)
    if comparison.readings:
        head = ["arm", "read by", "unread", "usable replies", "an answer stated", "of them right"]
        rows = [
            [each.arm, each.reader, f"{each.unread}", f"{each.replies}", f"{each.stated}", credit(each.right)]
            for each in comparison.readings
        ]
        parts += [markdown_rows(head, rows), READ_NOTE]
    return parts


def _difference_table(differences: Sequence[Difference]) -> str:
    head = ["difference", "points [95%]", "only first", "only second", "p", "p (Holm)", "tokens ratio"]
    rows = [
        [
            f"{row.arm} − {row.reference}",
            f"{signed(row.difference)} [{', '.join(difference_bounds(row))}]",
            *("-" if count is None else str(count) for count in (row.only_arm, row.only_reference)),
            p_value(row.p),
            p_value(row.p_holm),
            "-" if row.token_ratio is None else f"{row.token_ratio.value:.2f}",
        ]
        for row in differences
    ]
    return _table(head, rows)


def _size_table(comparison: Comparison) -> str:
    """Ratios of tokens with their intervals, and how many problems a difference would need."""
    points = list(comparison.differences[0].needed)
    ratios = ["tokens [95%]", "tokens a right answer [95%]", "reference tokens [95%]"]
    head = ["difference", *ratios, "runs", "shows, points"]
    rows = [
        [
            f"{row.arm} − {row.reference}",
            ratio(row.token_ratio),
            ratio(row.per_right_ratio),
            ratio(row.reference_token_ratio),
            f"{row.runs_arm} and {row.runs_reference}",
            "-" if row.detectable is None else percent(row.detectable),
            *("none" if (count := row.needed[each]) is None else f"{count:,}" for each in points),
        ]
        for row in comparison.differences
    ]
    spent = "; ".join(f"{arm} {tokens(each)}" for arm, each in comparison.tokens_per_right.items() if each)
    table = _table([*head, *(f"problems for {each}" for each in points)], rows)
    return f"{table}\n\n{SIZE_NOTE}" + (f" Output tokens for each right answer: {spent}." if spent else "")


def _sampling_table(arms: Sequence[ArmSummary]) -> str:
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


def _proved_table(comparison: Comparison) -> str:
    head = ["arm", "answered % [95%]", "of these right % [95%]", "wrong", "all answered: right % [95%]"]
    rows = [
        [
            row.arm,
            interval(row.answered),
            interval(row.right) if row.right.count else "-",
            credit(row.right.count - row.right.right),
            interval(row.all_right),
        ]
        for row in comparison.proved_alone
    ]
    return f"{markdown_rows(head, rows)}\n\n{PROVED_ALONE_NOTE}"


def _decode_tables(comparison: Comparison) -> str:
    head = ["arm", "decode", "budget", "tokens", "x", "proved and right % [95%]"]
    tables = [
        _table(
            head,
            [
                [
                    point.arm,
                    way,
                    bare(point.budget),
                    f"{point.tokens:.1f}",
                    "-" if point.times is None else f"{point.times:.2f}",
                    interval(point.proved_and_right),
                ]
                for way, points in study.by_way()
                for point in points
            ],
        )
        for study in comparison.decode_curves
    ]
    return "\n\n".join([*tables, DECODE_NOTE])


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
    return f"{markdown_rows(head, rows)}\n\n{ERROR_NOTE}"


def _run_table(comparison: Comparison) -> str:
    rows = [
        [arm, run.fingerprint[:16], interval(run.accuracy)]
        for arm, several in comparison.runs.items()
        for run in several
    ]
    return markdown_rows(["arm", "run (SHA-256)", "accuracy % [95%]"], rows)


def _breakdown(arms: Sequence[ArmSummary], dimension: str) -> str:
    rows = []
    for label in labels(arms, dimension):
        groups = [arm.by.get(dimension, {}).get(label) for arm in arms]
        count = next(group.count for group in groups if group)
        rows.append([label, str(count), *("-" if group is None else interval(group) for group in groups)])
    return markdown_rows([title(dimension), "problems", *(arm.arm for arm in arms)], rows)
