"""Sampling many: what ``k`` samples of each question are worth, and what they cost in tokens.

Every figure is the mean over problems of what is expected of ``k`` of the samples that were drawn: without bias, and
without a random pick. ``checked`` and ``oracle`` use knowledge that the model does not have and stand in columns of
their own: there the checker, or the solver's truth, picks samples before they vote.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.bootstrap import bootstrap
from eval.clusters import cluster_of
from eval.equality import groups
from eval.runs import Checked, Run
from eval.significance import Estimate, estimate
from eval.vote import Heap, majority, pass_at_k, preferred
from srt.records import Problem, Record, Score

Floats = NDArray[np.float64]


class AtK(Record):
    """What ``k`` samples of a question give, and the ``tokens`` that all of them take together.

    ``mean``: one sample taken blindly (the same for every ``k``). ``majority``: the most frequent answer.
    ``at_least_one``: one of them is right, which is pass@k. ``checked``: the most frequent answer among the samples
    that the checker proves, of all where it proves none; ``oracle``: the same with the solver's truth, all steps true;
    each ``None`` where there was nothing to pick by. Intervals are of a bootstrap over clusters of problems.
    """

    k: int
    tokens: float
    mean: Estimate
    majority: Estimate
    at_least_one: Estimate
    checked: Estimate | None
    oracle: Estimate | None


class Sampling(Record):
    """The curve over ``k``: powers of two, and all ``samples``. ``ties`` counts the votes over all samples of a
    question in which two answers or more lead together; each counts as the mean of their scores."""

    samples: int
    ties: int
    curve: list[AtK]


class _Sample(NamedTuple):
    """One sample of a question, with what the checker and the solver say of its trace."""

    score: Score
    proved: bool
    true: bool


def sample_curve(runs: Sequence[Run], only: Collection[str]) -> Sampling | None:
    """What ``k`` samples are worth in ``runs``, which are the training runs of one arm, on the problems ``only``.

    ``None`` where each question was asked once. Variants of a problem are averaged, and so are runs. A question's
    missing samples are samples without an answer.
    """
    samples = runs[0].stamp.repeats
    ids = [problem_id for problem_id, problem in runs[0].problems.items() if problem.answer and problem_id in only]
    if samples < 2 or not ids:
        return None
    sizes = sorted({1 << power for power in range(samples.bit_length()) if 1 << power <= samples} | {samples})
    measured, ties = zip(*(_measured(run, ids, sizes) for run in runs), strict=True)
    values = np.stack(measured)
    clusters = [cluster_of(runs[0].problems[problem_id]) for problem_id in ids]
    found = bootstrap([values], clusters, lambda totals, count: totals[0] / count[:, None])
    figures = iter(found)
    by_checker = any(row.check is not None for run in runs for row in run.checked.values())
    by_truth = any(_knows_truth(row) for run in runs for row in run.checked.values())
    curve = []
    for k in sizes:
        tokens, mean, vote, some, checked, oracle = (next(figures) for _ in range(6))
        curve.append(
            AtK(
                k=k,
                tokens=tokens.value,
                mean=estimate(mean),
                majority=estimate(vote),
                at_least_one=estimate(some),
                checked=estimate(checked) if by_checker else None,
                oracle=estimate(oracle) if by_truth else None,
            )
        )
    return Sampling(samples=samples, ties=sum(ties), curve=curve)


def _measured(run: Run, ids: Sequence[str], sizes: Sequence[int]) -> tuple[Floats, int]:
    """``[problem, column]``, six columns for each of ``sizes``; and how many votes over all samples are tied."""
    tokens: dict[tuple[str, str], list[int]] = defaultdict(list)
    for prediction in run.predictions.values():
        tokens[prediction.problem_id, prediction.variant].append(prediction.output_tokens)
    samples: dict[str, dict[str, list[_Sample]]] = defaultdict(lambda: defaultdict(list))
    for key, score in run.scores.items():
        row = run.checked.get(key)
        proved = row is not None and row.check is not None and row.check.proved
        samples[score.problem_id][score.variant].append(_Sample(score, proved, row is not None and _all_true(row)))
    rows, ties = [], 0
    for problem_id in ids:
        of_variants = []
        for variant, several in samples[problem_id].items():
            spent = tokens[problem_id, variant]
            columns, tied = _worth(run.questions[problem_id, variant], several)
            ties += tied
            cost = sum(spent) / len(spent) if spent else 0.0
            of_variants.append([figure for k in sizes for figure in (k * cost, *columns[:, k])])
        rows.append(np.mean(of_variants, axis=0))
    return np.array(rows), ties


def _worth(question: Problem, samples: Sequence[_Sample]) -> tuple[Floats, bool]:
    """The five figures of one question for every ``k``, ``[figure, k]``; and whether the vote over all is tied."""
    count = len(samples)
    scores = [sample.score for sample in samples]
    voices = [place for place, score in enumerate(scores) if score.status == "ok" and score.extracted is not None]
    texts = [scores[place].extracted or "" for place in voices]
    alike = [[voices[index] for index in each] for each in groups(texts, question, scores[0].policy)]
    everyone = _heaps(scores, alike, range(count))
    leading = sorted((heap.votes for heap in everyone), reverse=True)[:2]

    def picked(picks: Sequence[bool]) -> Floats:
        # A picked sample without an answer has nothing to vote for: it is as if it had not been picked.
        chosen = _heaps(scores, alike, [place for place in range(count) if picks[place]])
        rest = _heaps(scores, alike, [place for place in range(count) if not picks[place]])
        return preferred(chosen, rest, count - len(voices))

    figures = [
        np.full(count + 1, sum(score.value for score in scores) / count),
        majority(everyone, count - len(voices)),
        pass_at_k(sum(score.value == 1 for score in scores), count),
        picked([sample.proved for sample in samples]),
        picked([sample.true for sample in samples]),
    ]
    return np.stack(figures), len(leading) == 2 and leading[0] == leading[1]


def _heaps(scores: Sequence[Score], alike: Sequence[Sequence[int]], among: Collection[int]) -> list[Heap]:
    """The answers of the samples ``among``; ``alike`` are the places of equal ones. Equal answers share their score."""
    heaps = []
    for places in alike:
        values = [scores[place].value for place in places if place in among]
        if values:
            heaps.append(Heap(len(values), sum(values) / len(values)))
    return heaps


def _all_true(row: Checked) -> bool:
    return row.check is not None and bool(row.check.steps) and all(step.truth == "true" for step in row.check.steps)


def _knows_truth(row: Checked) -> bool:
    return row.check is not None and any(step.truth != "unknown" for step in row.check.steps)
