"""Arms compared on the same problems: accuracy, tokens, and how many problems it takes to show a difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from eval.run.run_records import Run, mean_values
from eval.scoring.arm_summary import reference_tokenizers
from srt.io.errors import UserError
from srt.io.records import Record
from srt.statistics.bootstrap import Floats, bootstrap
from srt.statistics.clusters import cluster_of
from srt.statistics.power import detectable_difference, discordance_of, effect_of, problems_needed
from srt.statistics.significance import Estimate, Interval, estimate, holm, mcnemar_exact

POINTS = (1, 2, 3, 5)
"""Differences, in points of accuracy, for which a comparison reports the number of problems needed."""

_OWN_PAIRS = (("srt", "answer"), ("srt", "cot"))


class Difference(Record):
    """``arm`` minus ``reference`` on the common problems: accuracy, its 95% bootstrap interval, exact McNemar.

    ``count`` problems form ``clusters`` (problems of one ``group_id`` are one), which the bootstrap draws whole;
    ``runs_arm`` and ``runs_reference`` are training runs, which it draws if there are several.
    ``only_arm`` and ``only_reference`` count the problems that one alone solves, ``p`` is their test; all three are
    ``None`` where repeats make values fractional. ``p_holm`` is adjusted over all rows of the table.

    ``token_ratio`` is the ratio of mean output tokens per prediction, ``reference_token_ratio`` the same by one
    tokenizer for both (``None`` without one, or with different ones), ``per_right_ratio`` that of output tokens per
    right answer; their intervals come from the same resamples.

    ``discordance`` is the mean square of the paired differences (the share of problems that one alone solves),
    ``design_effect`` the factor by which clusters multiply their variance. From both follow ``needed``, the number of
    problems that would show so many points with power 0.8 at level 0.05, and ``detectable``, the smallest difference
    (a share) that these problems show.
    """

    arm: str
    reference: str
    count: int
    clusters: int
    runs_arm: int
    runs_reference: int
    difference: float
    low: float
    high: float
    only_arm: int | None
    only_reference: int | None
    p: float | None
    p_holm: float | None
    token_ratio: float | None
    token_low: float | None
    token_high: float | None
    reference_token_ratio: Estimate | None
    per_right_ratio: Estimate | None
    discordance: float
    design_effect: float
    needed: dict[str, int]
    detectable: float | None


class Differences(NamedTuple):
    """``rows`` of the table, and, by arm, output tokens per right answer."""

    rows: list[Difference]
    tokens_per_right: dict[str, Estimate | None]


def differences(by_arm: Mapping[str, Sequence[Run]], common: Sequence[str], reference: str, seed: int) -> Differences:
    """Every arm against ``reference``, and ``srt`` against ``answer`` and ``cot``, on the problems ``common``.

    ``by_arm`` has the training runs of each arm. All figures come from the same resamples
    (:mod:`srt.statistics.bootstrap`).
    """
    names = list(by_arm)
    pairs = [(name, reference) for name in names if name != reference]
    pairs += [pair for pair in _OWN_PAIRS if set(pair) <= set(names) and pair not in pairs and pair[::-1] not in pairs]
    measured = {name: np.stack([_measured(run, common) for run in runs]) for name, runs in by_arm.items()}
    problems = next(iter(by_arm.values()))[0].problems
    clusters = [cluster_of(problems[problem_id]) for problem_id in common]

    def figures(totals: Sequence[Floats], count: Floats) -> Floats:
        of = dict(zip(names, totals, strict=True))
        columns = [figure for arm, other in pairs for figure in _of_pair(of[arm], of[other], count)]
        columns += [arm[:, _SPENT] / arm[:, _CREDIT] for arm in totals]
        return np.stack(columns, axis=1)

    found = bootstrap(list(measured.values()), clusters, figures, seed=seed)
    rows = []
    for at, (arm, other) in enumerate(pairs):
        row = _difference(arm, other, measured[arm], measured[other], clusters, found[4 * at : 4 * at + 4])
        scores = (score for run in (*by_arm[arm], *by_arm[other]) for score in run.scores.values())
        several = len(reference_tokenizers(scores)) > 1
        rows.append(row.model_copy(update={"reference_token_ratio": None}) if several else row)
    tested = [row for row in rows if row.p is not None]
    adjusted = iter(holm([row.p for row in tested if row.p is not None]))
    rows = [row if row.p is None else row.model_copy(update={"p_holm": next(adjusted)}) for row in rows]
    return Differences(rows, dict(zip(names, map(_finite, found[4 * len(pairs) :]), strict=True)))


class Spread(NamedTuple):
    """How two runs differ over their common ``problems``: the input of :mod:`srt.statistics.power`."""

    problems: int
    difference: float
    discordance: float
    design_effect: float


def spread(first: Run, second: Run) -> Spread:
    """``first`` minus ``second``; a :class:`~srt.io.errors.UserError` where they have no scored problem in common."""
    common, _ = common_problems({str(run.folder): run for run in (first, second)})
    values = [mean_values(run.scores.values()) for run in (first, second)]
    apart = [values[0][problem_id] - values[1][problem_id] for problem_id in common]
    clusters = [cluster_of(first.problems[problem_id]) for problem_id in common]
    return Spread(len(common), math.fsum(apart) / len(apart), discordance_of(apart), effect_of(apart, clusters))


def common_problems(runs: Mapping[str, Run]) -> tuple[list[str], dict[str, int]]:
    """Problems with gold that all runs share, in the first run's order, and how many others each run has."""
    scored = {name: {problem.id for problem in run.scored_problems} for name, run in runs.items()}
    shared = set.intersection(*scored.values())
    first = next(iter(runs.values()))
    common = [problem_id for problem_id in first.problems if problem_id in shared]
    if not common:
        raise UserError(f"the runs {', '.join(runs)} cannot be compared: they have no scored problem in common")
    for run in runs.values():
        for problem_id in common:
            if run.problems[problem_id] != first.problems[problem_id]:
                raise UserError(
                    f"{run.folder}: its problem {problem_id!r} differs from the problem of that id in {first.folder}"
                )
    return common, {name: len(ids - shared) for name, ids in scored.items()}


_VALUE, _CREDIT, _SPENT, _PREDICTIONS, _REFERENCE, _COUNTED = range(6)


def _measured(run: Run, common: Sequence[str]) -> Floats:
    """Columns of one run, ``[problem, column]``: the score (mean over variants and repeats), and over all variants and
    repeats the sums of scores, of output tokens, of predictions, of reference tokens, of predictions that have them."""
    place = {problem_id: index for index, problem_id in enumerate(common)}
    table = np.zeros((len(common), 6))
    for problem_id, value in mean_values(row for row in run.scores.values() if row.problem_id in place).items():
        table[place[problem_id], _VALUE] = value
    for row in run.scores.values():
        if row.problem_id in place:
            table[place[row.problem_id], _CREDIT] += row.value
            if row.reference_tokens is not None:
                table[place[row.problem_id], [_REFERENCE, _COUNTED]] += (row.reference_tokens, 1)
    for prediction in run.predictions.values():
        if prediction.problem_id in place:
            table[place[prediction.problem_id], [_SPENT, _PREDICTIONS]] += (prediction.output_tokens, 1)
    return table


def _of_pair(first: Floats, second: Floats, count: Floats) -> list[Floats]:
    """Difference of accuracies; ratios of output tokens, of reference tokens, of tokens per right answer."""
    ratios = [
        (first[:, top] / first[:, bottom]) / (second[:, top] / second[:, bottom])
        for top, bottom in ((_SPENT, _PREDICTIONS), (_REFERENCE, _COUNTED), (_SPENT, _CREDIT))
    ]
    return [(first[:, _VALUE] - second[:, _VALUE]) / count, *ratios]


def _difference(
    arm: str,
    reference: str,
    first: Floats,
    second: Floats,
    clusters: Sequence[tuple[str, str]],
    found: Sequence[Interval],
) -> Difference:
    a, b = (each[:, :, _VALUE].mean(axis=0).tolist() for each in (first, second))
    apart = [x - y for x, y in zip(a, b, strict=True)]
    binary = {*a, *b} <= {0.0, 1.0}
    only_arm, only_reference = sum(value > 0 for value in apart), sum(value < 0 for value in apart)
    discordance, effect = discordance_of(apart), effect_of(apart, clusters)
    accuracy, tokens, reference_tokens, per_right = found[0], *map(_finite, found[1:])
    return Difference(
        arm=arm,
        reference=reference,
        count=len(clusters),
        clusters=len(set(clusters)),
        runs_arm=len(first),
        runs_reference=len(second),
        difference=accuracy.value,
        low=accuracy.low,
        high=accuracy.high,
        only_arm=only_arm if binary else None,
        only_reference=only_reference if binary else None,
        p=mcnemar_exact(only_arm, only_reference) if binary else None,
        p_holm=None,
        token_ratio=tokens.value if tokens else None,
        token_low=tokens.low if tokens else None,
        token_high=tokens.high if tokens else None,
        reference_token_ratio=reference_tokens,
        per_right_ratio=per_right,
        discordance=discordance,
        design_effect=effect,
        needed={str(points): problems_needed(points / 100, discordance, effect=effect) for points in POINTS},
        detectable=detectable_difference(len(clusters), discordance, effect=effect),
    )


def _finite(interval: Interval) -> Estimate | None:
    """``None`` after a division by zero."""
    return estimate(interval) if math.isfinite(interval.value) else None
