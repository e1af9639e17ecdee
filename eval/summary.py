"""One run in figures: accuracy with Wilson intervals, tokens, and in columns of their own what the checker proved."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

import numpy as np

from eval.runs import Run
from eval.significance import wilson
from srt.records import Problem, Record, Score

DIMENSIONS = ("scene", "compass", "lang", "right_options")


class Share(Record):
    """A share of ``count`` problems, with its 95% Wilson interval. ``right`` can be fractional where repeats differ."""

    count: int
    right: float
    share: float
    low: float
    high: float


class Tokens(Record):
    """Mean and percentiles (linear interpolation) of tokens a prediction."""

    mean: float
    p10: float
    p50: float
    p90: float
    p99: float


class Traces(Record):
    """What the checker says. Shares are of all predictions, so that a text that is no trace counts against both.

    ``with_steps``: the text parses as a trace with steps; ``proved``: every step, and the answer, is proved and every
    step is used. ``steps`` counts verdicts over all steps of all traces; ``refused`` are traces that the checker would
    not judge.
    """

    with_steps: Share
    proved: Share
    proved_and_right: Share
    steps: dict[str, int]
    refused: int


class Summary(Record):
    """The figures of one run. ``missing`` predictions count as wrong; problems ``without_gold`` do not count."""

    arm: str
    problems: int
    repeats: int
    missing: int
    without_gold: int
    accuracy: Share
    statuses: dict[str, int]
    by: dict[str, dict[str, Share]]
    output_tokens: Tokens | None
    input_tokens: Tokens | None
    traces: Traces


def summarise(run: Run, only: Collection[str] | None = None) -> Summary:
    """Figures of ``run``, over the problems ``only`` where they are given."""
    problems = {key: value for key, value in run.problems.items() if only is None or key in only}
    scores = [row for row in run.scores.values() if row.problem_id in problems]
    predictions = [row for row in run.predictions.values() if row.problem_id in problems]
    values = mean_values(scores)
    groups: dict[str, dict[str, list[float]]] = {dimension: defaultdict(list) for dimension in DIMENSIONS}
    for problem_id, value in values.items():
        for dimension in DIMENSIONS:
            groups[dimension][label(problems[problem_id], dimension)].append(value)
    expected = sum(problem_id in problems for problem_id, _ in run.questions) * run.stamp.repeats
    return Summary(
        arm=run.stamp.arm,
        problems=len(problems),
        repeats=run.stamp.repeats,
        missing=expected - len(predictions),
        without_gold=len(problems) - len(values),
        accuracy=share(values.values()),
        statuses=dict(sorted(Counter(row.status for row in scores).items())),
        by={name: {key: share(group[key]) for key in sorted(group)} for name, group in groups.items()},
        output_tokens=_tokens([row.output_tokens for row in predictions]),
        input_tokens=_tokens([row.input_tokens for row in predictions]),
        traces=_traces(run, problems),
    )


def mean_values(scores: Iterable[Score]) -> dict[str, float]:
    """The score of each problem: the mean over its variants and repeats."""
    values: dict[str, list[float]] = defaultdict(list)
    for row in scores:
        values[row.problem_id].append(row.value)
    return {problem_id: sum(rows) / len(rows) for problem_id, rows in values.items()}


def label(problem: Problem, dimension: str) -> str:
    """Where ``problem`` falls in a breakdown; ``-`` where it says nothing; a ``compass`` of null is "none"."""
    if dimension == "lang":
        return problem.lang
    if dimension == "right_options":
        return str(len(problem.answer.value)) if problem.answer and problem.answer.kind == "choice_set" else "-"
    value = problem.meta.get(dimension)
    if value is None and dimension == "scene":
        value = problem.category
    if value is None and dimension == "compass" and "compass" in problem.meta:
        return "none"
    return "-" if value is None else str(value)


def share(values: Collection[float]) -> Share:
    """The mean of ``values``, each in [0, 1], with its Wilson interval; an empty collection has the share 0 of 0."""
    right = float(sum(values))
    interval = wilson(right, len(values))
    return Share(
        count=len(values), right=right, share=interval.value if values else 0.0, low=interval.low, high=interval.high
    )


def _tokens(counts: list[int]) -> Tokens | None:
    if not counts:
        return None
    p10, p50, p90, p99 = (float(value) for value in np.percentile(counts, [10, 50, 90, 99]))
    return Tokens(mean=sum(counts) / len(counts), p10=p10, p50=p50, p90=p90, p99=p99)


def _traces(run: Run, problems: Collection[str]) -> Traces:
    rows = {key: row for key, row in run.checked.items() if row.problem_id in problems}
    proved = {key: bool(row.check and row.check.proved) for key, row in rows.items()}
    right = {key: bool(key in run.scores and run.scores[key].value == 1) for key in rows}
    verdicts = Counter(step.support for row in rows.values() if row.check for step in row.check.steps)
    return Traces(
        with_steps=share([float(row.has_steps) for row in rows.values()]),
        proved=share([float(value) for value in proved.values()]),
        proved_and_right=share([float(proved[key] and right[key]) for key in rows]),
        steps={name: verdicts[name] for name in ("proved", "consistent", "unchecked", "refuted")},
        refused=sum(row.refusal is not None for row in rows.values()),
    )
