"""The report of a comparison: a Markdown table, and one page of HTML that needs nothing but itself.

Everything on the page that comes from data is escaped by the template engine; pictures are data URIs, and the page's
own policy forbids scripts and requests.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from eval.extract import trace_text
from eval.plots import accuracy_against_tokens, accuracy_by_scene, colour
from eval.runs import Checked, Run
from eval.summary import DIMENSIONS, Share, Summary
from srt.answers import canonical_text
from srt.records import Prediction, Problem

if TYPE_CHECKING:
    from eval.compare import Comparison

_TITLES = {"scene": "scene", "compass": "compass", "lang": "language", "right_options": "right options"}


@dataclass(frozen=True)
class Line:
    """A line of a generated text: ``verdict`` is the checker's word on it, ``why`` its reason or counterexample."""

    text: str
    verdict: str | None = None
    truth: str | None = None
    why: str | None = None


@dataclass(frozen=True)
class Output:
    """What one arm wrote for one problem, ready to be shown."""

    arm: str
    colour: str
    right: bool
    extracted: str | None
    status: str
    tokens: int | None
    lines: list[Line]
    note: str | None


@dataclass(frozen=True)
class Example:
    """A problem and what every arm wrote for it."""

    problem: Problem
    gold: str
    picture: str | None
    outputs: list[Output]


def markdown(comparison: Comparison) -> str:
    """The tables as Markdown."""
    parts = ["# Comparison", _scope(comparison), _headline(comparison.arms)]
    if comparison.differences:
        parts += ["## Paired differences", _difference_table(comparison), _footnote(comparison)]
    if any(len(several) > 1 for several in comparison.runs.values()):
        parts += ["## By run", _run_table(comparison)]
    for dimension in shown_dimensions(comparison.arms):
        parts += [f"## By {_TITLES[dimension]}", _breakdown(comparison.arms, dimension)]
    return "\n\n".join(parts) + "\n"


def page(
    comparison: Comparison, runs: dict[str, Run], chosen: Sequence[str], drawing: Callable[[Problem], str | None]
) -> str:
    """The page as text. ``chosen`` are the ids of the problems to show; ``drawing`` gives their pictures as SVG."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=percent, interval=interval, signed=_signed, p=_p)
    plots = [
        (title, *(_data_uri("image/png", plot(comparison.arms, dark=dark)) for dark in (False, True)))
        for title, plot in (
            ("Accuracy against output tokens", accuracy_against_tokens),
            ("Accuracy by scene", accuracy_by_scene),
        )
    ]
    return environment.get_template("report.html.jinja").render(
        comparison=comparison,
        scope=_scope(comparison),
        colours={arm.arm: colour(index) for index, arm in enumerate(comparison.arms)},
        plots=plots,
        dimensions=[
            (name, _TITLES[name], _labels(comparison.arms, name)) for name in shown_dimensions(comparison.arms)
        ],
        examples=[_example(problem_id, runs, drawing) for problem_id in chosen],
        runs=runs,
        footnote=_footnote(comparison),
    )


def shown_dimensions(arms: Sequence[Summary]) -> list[str]:
    """The breakdowns that divide anything: those with more than one label."""
    return [name for name in DIMENSIONS if len(_labels(arms, name)) > 1]


def percent(share: float) -> str:
    """``0.1234`` as ``12.3``."""
    return f"{100 * share:.1f}"


def interval(share: Share) -> str:
    """A share in percent with its interval: ``50.0 [40.1, 59.9]``."""
    return f"{percent(share.share)} [{percent(share.low)}, {percent(share.high)}]"


def _example(problem_id: str, runs: dict[str, Run], drawing: Callable[[Problem], str | None]) -> Example:
    problem = next(iter(runs.values())).problems[problem_id]
    svg = drawing(problem)
    return Example(
        problem=problem,
        gold=canonical_text(problem.answer) if problem.answer else "",
        picture=None if svg is None else _data_uri("image/svg+xml", svg.encode()),
        outputs=[_output(index, name, run, problem_id) for index, (name, run) in enumerate(runs.items())],
    )


def _output(index: int, arm: str, run: Run, problem_id: str) -> Output:
    variant = next(variant for asked, variant in run.questions if asked == problem_id)
    key = (problem_id, variant, 0)
    score, prediction, checked = run.scores[key], run.predictions.get(key), run.checked.get(key)
    lines, note = ([], "no prediction") if prediction is None or checked is None else _lines(prediction, checked)
    return Output(
        arm=arm,
        colour=colour(index),
        right=score.value == 1,
        extracted=score.extracted,
        status=score.status,
        tokens=prediction.output_tokens if prediction else None,
        lines=lines,
        note=note,
    )


def _lines(prediction: Prediction, checked: Checked) -> tuple[list[Line], str | None]:
    """The text line by line, each with its verdict where the checker gave one, and what is to be said of the whole."""
    lines = [Line(text) for text in trace_text(prediction.text).split("\n")]
    if checked.check is None:
        if checked.fault:
            return lines, f"no trace: {checked.fault}"
        return lines, f"not checked: {checked.refusal}" if checked.refusal else "prose: nothing to check"
    verdicts = [*checked.check.steps, checked.check.answer]
    if len(verdicts) != len(lines):
        return lines, "not shown: the verdicts are not one a line"
    unused = ", ".join(f"#{number}" for number in checked.check.unused)
    return [
        Line(
            line.text,
            verdict.support,
            None if verdict.truth == "unknown" else verdict.truth,
            _why(verdict.reason, verdict.counterexample, verdict.witness),
        )
        for line, verdict in zip(lines, verdicts, strict=True)
    ], (f"not used by a later step or the answer: {unused}" if unused else None)


def _why(reason: str | None, counterexample: str | None, witness: str | None) -> str | None:
    parts = [
        reason,
        f"counterexample: {counterexample}" if counterexample else None,
        f"could also be: {witness}" if witness else None,
    ]
    return "; ".join(part for part in parts if part) or None


def _scope(comparison: Comparison) -> str:
    text = f"{_problems(comparison)} that all {len(comparison.arms)} arms have in common."
    left = ", ".join(f"{name} {count}" for name, count in comparison.left_out.items() if count)
    return text + (f" Left out, because another arm lacks them: {left}." if left else "")


def _problems(comparison: Comparison) -> str:
    if comparison.clusters == comparison.common:
        return f"{comparison.common} problems"
    return f"{comparison.common} problems, {comparison.clusters} puzzles up to names and symmetry,"


def _footnote(comparison: Comparison) -> str:
    clustered = comparison.clusters < comparison.common
    return (
        f"Intervals of differences: paired cluster bootstrap, {comparison.resamples} resamples of "
        f"{comparison.clusters} clusters, seed {comparison.seed}. p: exact McNemar, two-sided; p (Holm): adjusted over "
        "the rows of this table. McNemar's test, like the Wilson intervals of the accuracies, treats problems as "
        "independent"
        + (f", which {comparison.common} problems of {comparison.clusters} puzzles are not. " if clustered else ". ")
        + "None covers the chance of training: another seed of an arm can differ by more."
    )


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
            f"{_signed(row.difference)} [{_signed(row.low)}, {_signed(row.high)}]",
            "-" if row.only_arm is None else str(row.only_arm),
            "-" if row.only_reference is None else str(row.only_reference),
            _p(row.p),
            _p(row.p_holm),
            "-" if row.token_ratio is None else f"{row.token_ratio:.2f}",
        ]
        for row in comparison.differences
    ]
    return _table(head, rows)


def _run_table(comparison: Comparison) -> str:
    rows = [
        [arm, run.fingerprint[:16], interval(run.accuracy)]
        for arm, several in comparison.runs.items()
        for run in several
    ]
    return _table(["arm", "model (SHA-256)", "accuracy % [95%]"], rows)


def _breakdown(arms: Sequence[Summary], dimension: str) -> str:
    rows = []
    for label in _labels(arms, dimension):
        groups = [arm.by[dimension].get(label) for arm in arms]
        count = next(group.count for group in groups if group)
        rows.append([label, str(count), *("-" if group is None else interval(group) for group in groups)])
    return _table([_TITLES[dimension], "problems", *(arm.arm for arm in arms)], rows)


def _labels(arms: Sequence[Summary], dimension: str) -> list[str]:
    return sorted({label for arm in arms for label in arm.by[dimension]})


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [list(map(_cell, head)), ["---", *["---:"] * (len(head) - 1)], *(list(map(_cell, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    """``text`` as one cell of a Markdown table: what would end the cell or begin a tag is escaped."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _signed(share: float) -> str:
    points = round(100 * share, 1)
    return f"{points:+.1f}".replace("-", "−") if points else "0.0"


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1e}" if value < 0.001 else f"{value:.3f}"


def _data_uri(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
