"""Repeated sampling: the accuracy that ``k`` samples of each question reach, and their cost in tokens.

Every figure is the mean over problems of the expectation over ``k`` of the samples that were drawn: unbiased, and
without a random choice. ``checked`` and ``oracle`` use knowledge that the model does not have and are separate columns:
there the checker, or the solver's truth, selects samples before they vote.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from eval.records.run_records import Run
from eval.records.run_rows import StoredScore
from eval.scoring.vote import Votes, majority, pass_at_k, preferred
from srt.answers.equality import POLICIES
from srt.answers.groups import groups
from srt.io.records import Problem, Record, cluster_of
from srt.statistics.crossed_variance import Floats
from srt.statistics.intervals import Estimate, estimate, share_interval


class AtK(Record):
    """The accuracy of ``k`` samples of a question, and the output ``tokens`` of all of them together, if given.

    ``mean``: a single sample (the same for every ``k``). ``majority``: the most frequent answer. ``at_least_one``: one
    of them is right (pass@k). ``checked``: the most frequent answer among the samples that the checker proves, or among
    all if it proves none; ``oracle``: the same with samples whose steps are all true by the solver; each ``None``
    without such verdicts, as of prose, which is never proved. Intervals are over clusters and training runs, as those
    of accuracy.
    """

    k: int
    tokens: float | None
    mean: Estimate
    majority: Estimate
    at_least_one: Estimate
    checked: Estimate | None
    oracle: Estimate | None


class Sampling(Record):
    """The curve over ``k``: powers of two, and all ``samples``. ``ties`` counts questions in which two or more answers
    lead over all samples; each scores the mean of the leading answers."""

    samples: int
    ties: int
    curve: list[AtK]


class _Sample(NamedTuple):
    """One sample of a question, and whether its trace is proved, and all its steps true."""

    score: StoredScore
    proved: bool
    true: bool


def sample_curve(runs: Sequence[Run], only: Collection[str]) -> Sampling | None:
    """The curve of ``runs``, the training runs of one arm, on the problems ``only``.

    ``None`` if each question was asked once. Variants of a problem are averaged, and so are runs. Missing samples of a
    question count as samples without an answer.
    """
    samples = runs[0].manifest.repeats
    ids = [problem_id for problem_id, problem in runs[0].problems.items() if problem.answer and problem_id in only]
    if samples < 2 or not ids:
        return None
    # 1, 2, 4, ... and the number of samples itself.
    sizes = sorted({1 << power for power in range(samples.bit_length()) if 1 << power <= samples} | {samples})
    measured, ties = zip(*(_measured(run, ids, sizes) for run in runs), strict=True)
    values = np.stack(measured)
    clusters = [cluster_of(runs[0].problems[problem_id]) for problem_id in ids]
    rows = [row for run in runs for row in run.checked.values()]
    checks, by_truth = any(row.provable for row in rows), any(row.true is not None for row in rows)
    curve = []
    for at, k in enumerate(sizes):
        first = at * _FIGURES
        mean, vote, some, checked, oracle = (
            estimate(share_interval(values[:, :, column], clusters)[0]) for column in range(first + 1, first + _FIGURES)
        )
        curve.append(
            AtK(
                k=k,
                tokens=None if np.isnan(spent := values[:, :, first].mean()) else float(spent),
                mean=mean,
                majority=vote,
                at_least_one=some,
                checked=checked if checks else None,
                oracle=oracle if by_truth else None,
            )
        )
    return Sampling(samples=samples, ties=sum(ties), curve=curve)


_FIGURES = 6
"""Columns for each number of samples: tokens, and the five shares of :class:`AtK`."""


def _measured(run: Run, ids: Sequence[str], sizes: Sequence[int]) -> tuple[Floats, int]:
    """``[problem, column]``, six columns for each of ``sizes``; and how many votes over all samples are tied."""
    tokens: dict[tuple[str, str], list[float]] = defaultdict(list)
    for key, prediction in run.predictions.items():
        tokens[key[:2]].append(math.nan if prediction.output_tokens is None else prediction.output_tokens)
    samples: dict[str, dict[str, list[_Sample]]] = defaultdict(lambda: defaultdict(list))
    for key, score in run.scores.items():
        row = run.checked.get(key)
        samples[score.problem_id][score.variant].append(
            _Sample(score, row is not None and row.proved, row is not None and row.true is True)
        )
    rows, ties = [], 0
    for problem_id in ids:
        of_variants = []
        for variant, several in samples[problem_id].items():
            spent = tokens[problem_id, variant]
            columns, tied = _worth(run.questions[problem_id, variant], several)
            ties += tied
            # The mean of a sample: k of them cost k times as much on average.
            cost = sum(spent) / len(spent) if spent else 0.0
            of_variants.append([figure for k in sizes for figure in (k * cost, *columns[:, k])])
        # The variants of a problem count as one problem.
        rows.append(np.mean(of_variants, axis=0))
    return np.array(rows), ties


def _worth(question: Problem, samples: Sequence[_Sample]) -> tuple[Floats, bool]:
    """The five figures of one question for every ``k``, ``[figure, k]``; and whether the vote over all is tied."""
    count = len(samples)
    scores = [sample.score for sample in samples]
    voters = [place for place, score in enumerate(scores) if score.status == "ok" and score.extracted is not None]
    texts = [scores[place].extracted or "" for place in voters]
    alike = [[voters[index] for index in each] for each in groups(texts, question, POLICIES[scores[0].policy])]
    total = _votes(scores, alike, range(count))
    leading = sorted((answer.votes for answer in total), reverse=True)[:2]

    def picked(picks: Sequence[bool]) -> Floats:
        # A selected sample without an answer cannot vote: it counts as not selected.
        chosen = _votes(scores, alike, [place for place in range(count) if picks[place]])
        rest = _votes(scores, alike, [place for place in range(count) if not picks[place]])
        return preferred(chosen, rest, count - len(voters))

    figures = [
        np.full(count + 1, sum(score.value for score in scores) / count),
        majority(total, count - len(voters)),
        pass_at_k(sum(score.value == 1 for score in scores), count),
        picked([sample.proved for sample in samples]),
        picked([sample.true for sample in samples]),
    ]
    return np.stack(figures), len(leading) == 2 and leading[0] == leading[1]


def _votes(scores: Sequence[StoredScore], alike: Sequence[Sequence[int]], among: Collection[int]) -> list[Votes]:
    """The votes of the samples ``among``; ``alike`` has the places of equal answers, which share their score."""
    values = [[scores[place].value for place in places if place in among] for places in alike]
    return [Votes(len(each), sum(each) / len(each)) for each in values if each]
