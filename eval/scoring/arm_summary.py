"""The figures of one run: accuracy with intervals, tokens, the gain from sampling, the benchmark's tables, and, in
separate columns, what the checker proved or computed."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

import numpy as np

from eval.benchmarks.definition.benchmark import Table
from eval.benchmarks.run_tables import run_tables
from eval.records.run_records import Run, given_counts, mean_values, pooled
from eval.records.run_rows import StoredPrediction, StoredScore
from eval.scoring.dimensions import dimensions, labels_of
from eval.scoring.sampling import Sampling, sample_curve
from eval.scoring.unread import unread_share
from srt.answers.equality import unreadable_gold
from srt.io.records import Problem, Record, cluster_of
from srt.statistics.crossed_variance import Floats
from srt.statistics.intervals import share_interval


class Share(Record):
    """A share of ``count`` problems in ``clusters``, with its 95% interval over clusters and, if there are several,
    training runs (:func:`srt.statistics.intervals.share_interval`).

    ``right`` can be fractional where repeats differ. ``design_effect``: by how much clusters and runs multiply the
    variance of the share; ``None`` if that is not known.
    """

    count: int
    clusters: int
    right: float
    share: float
    low: float
    high: float
    design_effect: float | None


class Tokens(Record):
    """Mean and percentiles (linear interpolation) of tokens a prediction, over the ``count`` that have them."""

    count: int
    mean: float
    p10: float
    p50: float
    p90: float
    p99: float


class Redrawn(Record):
    """What a guide cost, as means over the ``count`` predictions that one watched: ``kept_tokens`` of the output tokens
    are in the text, ``tries`` lines were drawn again, ``lines_back`` lines that had been kept were taken back."""

    count: int
    kept_tokens: float
    tries: float
    lines_back: float


class Traces(Record):
    """The checker's results. Shares are of all predictions, so that a text that is not a trace counts against both.

    ``with_steps``: the text parses as a trace with steps. ``proved`` is said of traces of exact worlds: every step and
    the answer are proved, and every step is used. ``computed`` is said of free traces: the answer is, and every step
    that could be decided. ``certified`` is said of any text (:class:`srt.judging.judgement.Judgement`); it is ``None``
    where no problem has a certificate. ``steps`` counts verdicts over all steps of all traces; ``refused`` counts
    traces that the checker could not check.
    """

    with_steps: Share
    proved: Share
    proved_and_right: Share
    computed: Share
    computed_and_right: Share
    certified: Share | None = None
    certified_and_right: Share | None = None
    steps: dict[str, int]
    refused: int


class ArmSummary(Record):
    """The figures of one arm. ``missing`` predictions count as wrong; problems ``without_gold`` do not count.

    ``runs`` are its training runs; all figures but the intervals treat them as repeats. ``backend`` made the
    predictions: the tokens of ``file`` are as the file gives them. ``decode`` is the way of decoding
    (:data:`eval.decoding.ways.WAYS`), if one was set.

    ``unread`` is the share of outputs from which no answer was read (:data:`eval.scoring.unread.UNREAD`).

    Answers were compared under ``policy``; ``decided`` counts what decided (:data:`srt.answers.equality.outcome.How`),
    and ``unreadable_gold`` names problems whose gold answer could not be parsed, and why: only the same text equals it.

    ``by``: the accuracy by each dimension that the problems have (:mod:`eval.scoring.dimensions`).

    ``output_tokens`` and ``input_tokens`` are ``None`` where a prediction from a file has no count of them.
    ``answer_tokens`` are output tokens other than ``reasoning_tokens``; both are over the predictions whose text shows
    where the answer begins. ``image_tokens`` are part of ``input_tokens``, counted where there were pictures.
    ``reference_tokens`` are counted by ``reference_tokenizer``, the same for all models. ``tokens_per_right``: all
    output tokens over the sum of the scores. ``redrawn`` is set if texts were guided. ``tables`` are the benchmark's,
    over all problems; ``sampling`` is set if questions were asked more than once.
    """

    arm: str
    backend: str
    decode: str | None = None
    runs: int
    problems: int
    repeats: int
    missing: int
    without_gold: int
    accuracy: Share
    statuses: dict[str, int]
    unread: float
    policy: str
    decided: dict[str, int]
    unreadable_gold: dict[str, str]
    by: dict[str, dict[str, Share]]
    output_tokens: Tokens | None
    redrawn: Redrawn | None = None
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


def summarise(runs: Sequence[Run], only: Collection[str] | None = None) -> ArmSummary:
    """Figures of ``runs``, the training runs of one arm, over the problems ``only`` where they are given (then without
    the benchmark's tables)."""
    run = pooled(runs)
    asked = {problem_id for problem_id, _ in run.questions}  # a benchmark may leave problems of its file out
    problems = {key: value for key, value in run.problems.items() if key in (asked if only is None else only)}
    scores = [row for row in run.scores.values() if row.problem_id in problems]
    predictions = [row for key, row in run.predictions.items() if key[0] in problems]
    by_run = [mean_values(each.scores.values()) for each in runs]
    scored = [problem_id for problem_id in by_run[0] if problem_id in problems]
    groups: dict[str, dict[str, list[str]]] = {dimension: defaultdict(list) for dimension in dimensions()}
    for problem_id in scored:
        for dimension, label in labels_of(problems[problem_id]).items():
            groups[dimension][label].append(problem_id)
    # With the others a refused request would make the texts look short.
    generated = [row for row in predictions if not row.is_refused]
    decode = run.manifest.settings and run.manifest.settings.decode
    expected = sum(problem_id in problems for problem_id, _ in run.questions) * run.manifest.repeats

    def accuracy(of: Sequence[str]) -> Share:
        values = np.array([[values[problem_id] for problem_id in of] for values in by_run], dtype=np.float64)
        return share(values, [cluster_of(problems[problem_id]) for problem_id in of])

    # Of the same predictions, or reasoning and answer would not add up to the output.
    split = [
        (row.output_tokens, row.reasoning_tokens)
        for row in predictions
        if row.output_tokens is not None and row.reasoning_tokens is not None
    ]
    return ArmSummary(
        arm=run.manifest.arm,
        backend=run.manifest.backend,
        decode=decode and decode.way,
        runs=len(runs),
        problems=len(problems),
        repeats=run.manifest.repeats,
        missing=expected - len(predictions),
        without_gold=len(problems) - len(scored),
        accuracy=accuracy(scored),
        statuses=dict(sorted(Counter(row.status for row in scores).items())),
        unread=unread_share(scores),
        policy=" and ".join(sorted({row.policy for row in scores})),
        decided=dict(sorted(Counter(row.how for row in scores if row.how).items())),
        unreadable_gold={
            problem.id: reason
            for problem in problems.values()
            if problem.answer and (reason := unreadable_gold(problem.answer))
        },
        by={name: {key: accuracy(group[key]) for key in sorted(group)} for name, group in groups.items() if group},
        output_tokens=_tokens(given_counts(row.output_tokens for row in generated)),
        redrawn=_redrawn(predictions),
        reasoning_tokens=_tokens([reasoning for _, reasoning in split]),
        answer_tokens=_tokens([output - reasoning for output, reasoning in split]),
        input_tokens=_tokens(given_counts(row.input_tokens for row in generated)),
        image_tokens=_tokens([row.image_tokens for row in predictions if row.image_tokens]),
        reference_tokens=_tokens([row.reference_tokens for row in scores if row.reference_tokens is not None]),
        reference_tokenizer=" and ".join(sorted(reference_tokenizers(scores))) or None,
        tokens_per_right=_tokens_per_right(run, problems),
        traces=_traces(run, problems),
        sampling=sample_curve(runs, problems),
        tables=run_tables({run.manifest.arm: run}) if only is None else [],
    )


def reference_tokenizers(scores: Iterable[StoredScore]) -> set[str]:
    """The tokenizers that counted reference tokens of ``scores``; there should be one at most."""
    return {row.reference_tokenizer for row in scores if row.reference_tokenizer is not None}


def share(values: Floats, clusters: Sequence[Hashable]) -> Share:
    """The mean of ``values``, ``[run, problem]``, each in [0, 1], with its interval; without problems it is 0 of 0."""
    interval, effect = share_interval(values, clusters)
    count = values.shape[1]
    return Share(
        count=count,
        clusters=len(set(clusters)),
        right=float(values.mean(axis=0).sum()),
        share=interval.value if count else 0.0,
        low=interval.low,
        high=interval.high,
        design_effect=effect if count and math.isfinite(effect) else None,
    )


def share_of(values: Mapping[str, float], problems: Mapping[str, Problem]) -> Share:
    """The mean of ``values``, which are by problem, with its interval over clusters of ``problems``."""
    clusters = [cluster_of(problems[problem_id]) for problem_id in values]
    return share(np.array([list(values.values())], dtype=np.float64), clusters)


def _tokens_per_right(run: Run, problems: Collection[str]) -> float | None:
    """Over the problems that have a gold answer: tokens spent on others cannot buy a right answer."""
    # Credit and tokens of the same problems, or an arm could look cheap by answering what is not scored.
    credit = sum(row.value for row in run.scores.values() if row.problem_id in problems)
    rows = [row for key, row in run.predictions.items() if key in run.scores and key[0] in problems]
    spent = given_counts(row.output_tokens for row in rows)
    return sum(spent) / credit if credit and spent else None


def _tokens(counts: list[int]) -> Tokens | None:
    if not counts:
        return None
    # Percentiles beside the mean: a few outputs that run into the token limit move the mean and hide the usual length.
    p10, p50, p90, p99 = (float(value) for value in np.percentile(counts, [10, 50, 90, 99]))
    return Tokens(count=len(counts), mean=sum(counts) / len(counts), p10=p10, p50=p50, p90=p90, p99=p99)


def _redrawn(predictions: Sequence[StoredPrediction]) -> Redrawn | None:
    counts = [
        (row.kept_tokens, row.tries, row.lines_back)
        for row in predictions
        if row.kept_tokens is not None and row.tries is not None and row.lines_back is not None
    ]
    if not counts:
        return None
    kept, tries, back = (sum(each) / len(counts) for each in zip(*counts, strict=True))
    return Redrawn(count=len(counts), kept_tokens=kept, tries=tries, lines_back=back)


def _traces(run: Run, problems: Mapping[str, Problem]) -> Traces:
    rows = {key: row for key, row in run.checked.items() if key[0] in problems}
    right = {key for key, score in run.scores.items() if score.value == 1}
    # One row a prediction, not a problem: the repeats of a problem are in its cluster.
    clusters = [cluster_of(problems[key[0]]) for key in rows]

    def of_rows(holds: Iterable[bool]) -> Share:
        return share(np.array([list(holds)], dtype=np.float64), clusters)

    certifiable = any(row.certified is not None for row in rows.values())
    verdicts: Counter[str] = Counter()
    for row in rows.values():
        verdicts.update(row.steps)
    return Traces(
        with_steps=of_rows(row.has_steps for row in rows.values()),
        proved=of_rows(row.proved for row in rows.values()),
        proved_and_right=of_rows(row.proved and key in right for key, row in rows.items()),
        computed=of_rows(row.computed for row in rows.values()),
        computed_and_right=of_rows(row.computed and key in right for key, row in rows.items()),
        certified=of_rows(row.certified is True for row in rows.values()) if certifiable else None,
        certified_and_right=of_rows(row.certified is True and key in right for key, row in rows.items())
        if certifiable
        else None,
        steps={name: verdicts[name] for name in ("proved", "computed", "consistent", "unchecked", "refuted")},
        refused=sum(row.refused for row in rows.values()),
    )
