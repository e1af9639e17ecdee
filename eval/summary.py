"""One run in figures: accuracy with its intervals, tokens, what sampling brings, the tables of its benchmark, and in
columns of their own what the checker proved."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from eval.benchmarks.benchmark import Table
from eval.benchmarks.tables import run_tables
from eval.clusters import cluster_of
from eval.equality import unreadable_gold
from eval.runs import Run
from eval.sampling import Sampling, sample_curve
from eval.significance import clustered_wilson, wilson
from srt.records import Problem, Record, Score

DIMENSIONS = ("scene", "compass", "lang", "right_options")


class Share(Record):
    """A share of ``count`` problems, with its 95% Wilson interval. ``right`` can be fractional where repeats differ."""

    count: int
    right: float
    share: float
    low: float
    high: float


class Clustered(Record):
    """The 95% interval of accuracy where problems come in ``clusters`` (:func:`eval.significance.clustered_wilson`).

    ``design_effect``: by how much the clusters multiply the variance of the accuracy.
    """

    clusters: int
    design_effect: float
    low: float
    high: float


class Tokens(Record):
    """Mean and percentiles (linear interpolation) of tokens a prediction, over the ``count`` that have them."""

    count: int
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
    """The figures of one run. ``missing`` predictions count as wrong; problems ``without_gold`` do not count.

    Answers were compared under ``policy``; ``decided`` counts what decided (:data:`eval.equality.equal.How`), and
    ``unreadable_gold`` says of which problems gold is not understood, and why: only the same text can meet it.

    ``clustered``: the interval of the accuracy where problems come in groups, ``None`` where each stands for itself.
    ``answer_tokens`` are output tokens that are no ``reasoning_tokens``; both are of the predictions whose text shows
    where the answer begins. ``image_tokens`` are part of ``input_tokens``, and counted where there were pictures.
    ``reference_tokens`` are what ``reference_tokenizer``, the same for all models, makes of the outputs.
    ``tokens_per_right``: all output tokens over the sum of the scores. ``tables`` are the benchmark's own, over all
    problems; ``sampling`` is there where questions were asked more than once.
    """

    arm: str
    problems: int
    repeats: int
    missing: int
    without_gold: int
    accuracy: Share
    clustered: Clustered | None
    statuses: dict[str, int]
    policy: str
    decided: dict[str, int]
    unreadable_gold: dict[str, str]
    by: dict[str, dict[str, Share]]
    output_tokens: Tokens | None
    reasoning_tokens: Tokens | None
    answer_tokens: Tokens | None
    input_tokens: Tokens | None
    image_tokens: Tokens | None
    reference_tokens: Tokens | None
    reference_tokenizer: str | None
    tokens_per_right: float | None
    traces: Traces
    sampling: Sampling | None
    tables: list[Table]


def summarise(run: Run, only: Collection[str] | None = None) -> Summary:
    """Figures of ``run``, over the problems ``only`` where they are given (then without the benchmark's tables)."""
    problems = {key: value for key, value in run.problems.items() if only is None or key in only}
    scores = [row for row in run.scores.values() if row.problem_id in problems]
    predictions = [row for row in run.predictions.values() if row.problem_id in problems]
    values = mean_values(scores)
    groups: dict[str, dict[str, list[float]]] = {dimension: defaultdict(list) for dimension in DIMENSIONS}
    for problem_id, value in values.items():
        for dimension in DIMENSIONS:
            groups[dimension][label(problems[problem_id], dimension)].append(value)
    expected = sum(problem_id in problems for problem_id, _ in run.questions) * run.stamp.repeats
    split = [(row.output_tokens, row.reasoning_tokens) for row in predictions]
    return Summary(
        arm=run.stamp.arm,
        problems=len(problems),
        repeats=run.stamp.repeats,
        missing=expected - len(predictions),
        without_gold=len(problems) - len(values),
        accuracy=share(values.values()),
        clustered=_clustered([problems[problem_id] for problem_id in values], list(values.values())),
        statuses=dict(sorted(Counter(row.status for row in scores).items())),
        policy=" and ".join(sorted({row.policy for row in scores})),
        decided=dict(sorted(Counter(row.how for row in scores if row.how).items())),
        unreadable_gold=_unreadable_gold(problems.values()),
        by={name: {key: share(group[key]) for key in sorted(group)} for name, group in groups.items()},
        output_tokens=_tokens([output for output, _ in split]),
        reasoning_tokens=_tokens([reasoning for _, reasoning in split if reasoning is not None]),
        answer_tokens=_tokens([output - reasoning for output, reasoning in split if reasoning is not None]),
        input_tokens=_tokens([row.input_tokens for row in predictions]),
        image_tokens=_tokens([row.image_tokens for row in predictions if row.image_tokens]),
        reference_tokens=_tokens([row.reference_tokens for row in scores if row.reference_tokens is not None]),
        reference_tokenizer=" and ".join(sorted(reference_tokenizers(scores))) or None,
        tokens_per_right=_tokens_per_right(run, problems),
        traces=_traces(run, problems),
        sampling=sample_curve([run], problems),
        tables=run_tables({run.stamp.arm: run}) if only is None else [],
    )


def _unreadable_gold(problems: Iterable[Problem]) -> dict[str, str]:
    why = {problem.id: unreadable_gold(problem.answer) for problem in problems if problem.answer}
    return {problem_id: reason for problem_id, reason in why.items() if reason}


def mean_values(scores: Iterable[Score]) -> dict[str, float]:
    """The score of each problem: the mean over its variants and repeats."""
    values: dict[str, list[float]] = defaultdict(list)
    for row in scores:
        values[row.problem_id].append(row.value)
    return {problem_id: sum(rows) / len(rows) for problem_id, rows in values.items()}


def reference_tokenizers(scores: Iterable[Score]) -> set[str]:
    """The tokenizers that counted reference tokens of ``scores``; there should be one at most."""
    return {row.reference_tokenizer for row in scores if row.reference_tokenizer is not None}


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


def _clustered(problems: Sequence[Problem], values: Sequence[float]) -> Clustered | None:
    clusters = [cluster_of(problem) for problem in problems]
    if not 2 <= len(set(clusters)) < len(clusters):
        return None
    interval, effect = clustered_wilson(values, clusters)
    return Clustered(clusters=len(set(clusters)), design_effect=effect, low=interval.low, high=interval.high)


def _tokens_per_right(run: Run, problems: Collection[str]) -> float | None:
    """Of the problems that have gold: tokens spent on any other can buy no right answer."""
    credit = sum(row.value for row in run.scores.values() if row.problem_id in problems)
    spent = sum(row.output_tokens for key, row in run.predictions.items() if key in run.scores and key[0] in problems)
    return spent / credit if credit else None


def _tokens(counts: list[int]) -> Tokens | None:
    if not counts:
        return None
    p10, p50, p90, p99 = (float(value) for value in np.percentile(counts, [10, 50, 90, 99]))
    return Tokens(count=len(counts), mean=sum(counts) / len(counts), p10=p10, p50=p50, p90=p90, p99=p99)


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
