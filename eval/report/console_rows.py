"""The figures of one scored run, and of human responses, as a console shows them: one line each, in percent and words.

``summary.json`` and ``human.json`` have all of them, with their intervals.
"""

from __future__ import annotations

from collections.abc import Mapping

from eval.report.number_format import interval, percent
from eval.scoring.arm_summary import ArmSummary, Redrawn, Share, Tokens
from eval.scoring.dimensions import title
from eval.scoring.human_baseline import HumanSummary


def console_rows(summary: ArmSummary) -> dict[str, str]:
    """The rows of ``summary``, by their name."""
    traces = summary.traces
    predictions = sum(summary.statuses.values()) - summary.missing
    rows = {
        "arm": summary.arm,
        "accuracy": _accuracy(summary.accuracy),
        "answers": _counts(summary.statuses),
        "unread answers": f"{percent(summary.unread)}% of outputs, which count as wrong",
        "compared": f"{summary.policy} policy; decided by {_counts(summary.decided)}",
        "samples a question": str(summary.repeats) if summary.repeats > 1 else "",
        "missing": f"{summary.missing} prediction{'s' * (summary.missing > 1)}, counted as wrong"
        if summary.missing
        else "",
        "without gold": f"{summary.without_gold} problems, which do not count" if summary.without_gold else "",
        "unreadable gold": f"{len(summary.unreadable_gold)} problems, which only the same text meets"
        if summary.unreadable_gold
        else "",
        "output tokens": _tokens(summary.output_tokens) or "not given",
        "of them kept": _kept(summary.redrawn),
        "of them reasoning": _tokens(summary.reasoning_tokens, predictions),
        "input tokens": _tokens(summary.input_tokens) or "not given",
        "tokens by the reference": _tokens(summary.reference_tokens, predictions),
        "tokens a right answer": f"{summary.tokens_per_right:,.0f}" if summary.tokens_per_right else "",
        "traces": f"{percent(traces.with_steps.share)}% of outputs; proved {percent(traces.proved.share)}%, "
        f"computed {percent(traces.computed.share)}%"
        if traces.with_steps.right
        else "",
        "certified": f"{percent(traces.certified.share)}% of outputs" if traces.certified else "",
        "steps": _counts(traces.steps) if any(traces.steps.values()) else "",
    }
    for dimension, shares in summary.by.items():
        if len(shares) > 1:
            rows |= {
                f"{title(dimension)} {label}": f"{percent(one.share)}%, {_of(one)}" for label, one in shares.items()
            }
    if summary.sampling is not None:
        rows |= {
            f"{at.k} samples": f"majority {percent(at.majority.value)}%, pass@{at.k} {percent(at.at_least_one.value)}%"
            for at in summary.sampling.curve
        }
    # A row without a figure is left out: on a terminal, ten lines of "none" would hide the two that matter.
    return {name: text for name, text in rows.items() if text}


def human_rows(summary: HumanSummary) -> dict[str, str]:
    """The rows of the human figures in ``summary``, by their name; by category only where there are several."""
    wrong = ", ".join(
        f"{what} {count}" for what, count in (("empty", summary.unanswered), ("unread", summary.unread)) if count
    )
    rows = {
        "benchmark": summary.benchmark,
        "participants": f"{summary.participants}",
        "items": f"{summary.items}",
        "responses": f"{summary.responses}" + (f" ({wrong}, which count as wrong)" if wrong else ""),
        "micro-average": _accuracy(summary.micro),
    }
    if summary.majority is not None:
        rows["majority"] = f"{percent(summary.majority)}%, mean of {len(summary.groups)} groups"
        rows["items without a majority"] = f"{summary.without_majority}, which count as wrong"
        rows |= {f"majority of {group}": _accuracy(share) for group, share in summary.groups.items()}
    for table in summary.tables:
        for place, column in enumerate(table.header[1:], 1):
            if column != "overall":
                figures = zip(("micro-average", "majority"), (row[place] for row in table.rows), strict=False)
                said = ", ".join(f"{name} {percent(cell)}%" for name, cell in figures if isinstance(cell, float))
                rows[f"category {column}"] = f"{said}, of {table.counts[place]} items"
    return rows


def _accuracy(share: Share) -> str:
    return f"{interval(share).replace(' ', '% ', 1)}, {_of(share)}"


def _of(share: Share) -> str:
    return f"{share.right:g} of {share.count}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counts.items() if count) or "nothing"


def _tokens(tokens: Tokens | None, predictions: int | None = None) -> str:
    """Mean and percentiles; with ``predictions`` also over how many of these, where not all have such tokens."""
    if tokens is None:
        return ""
    figures = f"mean {tokens.mean:,.1f}, median {tokens.p50:,.0f}, p99 {tokens.p99:,.0f}"
    return figures if predictions is None else f"{figures}, over {tokens.count:,} of {predictions:,} outputs"


def _kept(redrawn: Redrawn | None) -> str:
    if redrawn is None:
        return ""
    return (
        f"mean {redrawn.kept_tokens:,.1f}; an output has {redrawn.tries:.1f} lines drawn again and "
        f"{redrawn.lines_back:.1f} taken back"
    )
