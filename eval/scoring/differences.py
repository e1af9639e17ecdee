"""Arms compared on the same problems: accuracy, tokens, and how many problems it takes to show a difference."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from eval.records.run_records import Run, mean_values, same_problem, same_problems, settings_apart
from eval.scoring.arm_summary import reference_tokenizers
from srt.io.errors import UserError
from srt.io.records import Record, cluster_of
from srt.statistics.crossed_variance import Floats
from srt.statistics.intervals import Estimate, Interval, estimate
from srt.statistics.paired_difference import Test, difference_parts, paired_difference
from srt.statistics.power import detectable_difference, discordance_of, effect_of, problems_needed
from srt.statistics.ratio_of_totals import Quotient, ratio_interval
from srt.statistics.seed_power import (
    detectable_by_problems,
    detectable_here,
    problems_for,
    runs_needed,
    variances,
)
from srt.statistics.significance import holm

POINTS = (1, 2, 3, 5)
"""Differences, in points of accuracy, for which a comparison reports the number of problems needed."""

_OWN_PAIRS = (("srt", "answer"), ("srt", "cot"))


class Difference(Record):
    """``arm`` minus ``reference`` on the common problems: accuracy, its 95% interval, and the p-value.

    ``count`` problems form ``clusters`` (problems of one ``group_id`` are one); ``runs_arm`` and ``runs_reference`` are
    training runs. ``p`` is of ``test``, and the interval excludes 0 exactly if it is below 0.05
    (:func:`srt.statistics.paired_difference.paired_difference`). ``p_holm`` is adjusted over all rows of the table.
    ``only_arm`` and ``only_reference`` count the problems that one alone solves, ``None`` where scores are fractions.
    ``different`` names the settings, apart from the arm, in which the runs differ.

    ``token_ratio`` is the ratio of mean output tokens per prediction (``None`` where they are not given),
    ``reference_token_ratio`` the same by one
    tokenizer for both (``None`` without one, or with different ones), ``per_right_ratio`` that of output tokens per
    right answer (``None`` if one arm has none).

    ``discordance`` is the mean square of the paired differences (the share of problems that one alone solves),
    ``design_effect`` the factor by which clusters multiply their variance. ``needed`` is the number of problems that
    would show so many points with power 0.8 at level 0.05, ``detectable`` the smallest difference (a share) that these
    problems show. With one run of each arm both follow from discordance and design effect and leave training out; where
    an arm has several, they are simulated with its spread (:mod:`srt.statistics.seed_power`), for as many runs as here,
    and ``needed`` is ``None`` where no number of problems is enough.

    ``widened``: how many times as wide as with a known spread of runs the interval is, ``None`` without several runs;
    ``runs_to_bound``: the runs of each arm with which it would be at most 1.25 times as wide, ``None`` if it is now, or
    if 20 are too few.
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
    p: float
    test: Test
    p_holm: float
    different: list[str]
    token_ratio: Estimate | None
    reference_token_ratio: Estimate | None
    per_right_ratio: Estimate | None
    discordance: float
    design_effect: float
    needed: dict[str, int | None]
    detectable: float | None
    widened: float | None = None
    runs_to_bound: int | None = None


class Differences(NamedTuple):
    """``rows`` of the table, and, by arm, output tokens per right answer."""

    rows: list[Difference]
    tokens_per_right: dict[str, Estimate | None]


def differences(by_arm: Mapping[str, Sequence[Run]], common: Sequence[str], reference: str) -> Differences:
    """Every arm against ``reference``, ``srt`` against ``answer`` and ``cot``, and each ``srt-*`` and ``srt+*`` (an
    operation that is left out or banned, a control, a checker that helps) against ``srt``, on the problems ``common``.

    ``by_arm`` has the training runs of each arm.
    """
    names = list(by_arm)
    pairs = [(name, reference) for name in names if name != reference]
    own = [*_OWN_PAIRS, *((name, "srt") for name in names if name.startswith(("srt-", "srt+")))]
    pairs += [pair for pair in own if set(pair) <= set(names) and pair not in pairs and pair[::-1] not in pairs]
    measured = {name: np.stack([_measured(run, common) for run in runs], axis=1) for name, runs in by_arm.items()}
    problems = next(iter(by_arm.values()))[0].problems
    clusters = [cluster_of(problems[problem_id]) for problem_id in common]
    rows = []
    for arm, other in pairs:
        row = _difference(arm, other, measured[arm], measured[other], clusters)
        both = (*by_arm[arm], *by_arm[other])
        one, another = by_arm[arm][0], by_arm[other][0]
        different = settings_apart(one.manifest, another.manifest)
        if not same_problems(one, another):
            files = (each.manifest.problems.sha256[:16] for each in (one, another))
            different.append(f"problems file {' against '.join(files)}")
        update: dict[str, object] = {"different": different}
        if len(reference_tokenizers(score for run in both for score in run.scores.values())) > 1:
            update["reference_token_ratio"] = None
        rows.append(row.model_copy(update=update))
    # After all rows are known: the more rows, the less a small p says.
    adjusted = holm([row.p for row in rows])
    rows = [row.model_copy(update={"p_holm": p}) for row, p in zip(rows, adjusted, strict=True)]
    per_right = {
        name: _estimate(ratio_interval(Quotient(each[_SPENT], each[_CREDIT]), clusters))
        for name, each in measured.items()
    }
    return Differences(rows, per_right)


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
            if not same_problem(run.problems[problem_id], first.problems[problem_id]):
                raise UserError(
                    f"{run.folder}: its problem {problem_id!r} differs from the problem of that id in {first.folder}"
                )
    return common, {name: len(ids - shared) for name, ids in scored.items()}


_VALUE, _CREDIT, _SPENT, _PREDICTIONS, _REFERENCE, _COUNTED, _NOT_GIVEN = range(7)


def _measured(run: Run, common: Sequence[str]) -> Floats:
    """Figures of one run, ``[figure, problem]``: the score (mean over variants and repeats), and over all variants and
    repeats the sums of scores, of output tokens, of predictions, of reference tokens, of predictions that have them.
    Where one prediction has no output tokens, the run counts as having none. What a server refused counts in none."""
    place = {problem_id: index for index, problem_id in enumerate(common)}
    table = np.zeros((_NOT_GIVEN + 1, len(common)))
    for problem_id, value in mean_values(row for row in run.scores.values() if row.problem_id in place).items():
        table[_VALUE, place[problem_id]] = value
    for row in run.scores.values():
        if row.problem_id in place:
            table[_CREDIT, place[row.problem_id]] += row.value
            if row.reference_tokens is not None:
                table[[_REFERENCE, _COUNTED], place[row.problem_id]] += (row.reference_tokens, 1)
    for key, prediction in run.predictions.items():
        if key[0] in place and not prediction.is_refused:
            counted = prediction.output_tokens is not None
            table[[_SPENT, _PREDICTIONS, _NOT_GIVEN], place[key[0]]] += (
                prediction.output_tokens or 0,
                int(counted),
                int(not counted),
            )
    if table[_NOT_GIVEN].any():
        table[[_SPENT, _PREDICTIONS]] = 0  # there is no ratio of totals that are 0
    return table


def _difference(arm: str, reference: str, first: Floats, second: Floats, clusters: Sequence[Hashable]) -> Difference:
    """The row of two arms, each ``[figure, run, problem]``."""
    a, b = (each[_VALUE].mean(axis=0).tolist() for each in (first, second))
    # Paired by problem: most of the variance is between problems, and cancels in the difference.
    apart = [x - y for x, y in zip(a, b, strict=True)]
    # Where scores are means over repeats or partial credit, "solved by one alone" means nothing.
    binary = {*a, *b} <= {0.0, 1.0}
    discordance, effect = discordance_of(apart), effect_of(apart, clusters)
    found = paired_difference(first[_VALUE], second[_VALUE], clusters)
    _, parts = difference_parts(first[_VALUE], second[_VALUE], clusters)
    bound = runs_needed(parts)
    needed: dict[str, int | None]
    if bound is None:
        needed = {str(points): problems_needed(points / 100, discordance, effect=effect) for points in POINTS}
        detectable = detectable_difference(len(clusters), discordance, effect=effect)
    else:
        measured = variances(parts)
        by_problems = detectable_by_problems(measured, measured.runs)
        needed = {str(points): problems_for(points / 100, len(clusters), by_problems) for points in POINTS}
        detectable = detectable_here(by_problems)

    def ratio(above: int, below: int) -> Estimate | None:
        one, other = (Quotient(each[above], each[below]) for each in (first, second))
        return _estimate(ratio_interval(one, clusters, other))

    return Difference(
        arm=arm,
        reference=reference,
        count=len(clusters),
        clusters=len(set(clusters)),
        runs_arm=first.shape[1],
        runs_reference=second.shape[1],
        difference=found.interval.value,
        low=found.interval.low,
        high=found.interval.high,
        only_arm=sum(value > 0 for value in apart) if binary else None,
        only_reference=sum(value < 0 for value in apart) if binary else None,
        p=found.p,
        test=found.test,
        p_holm=found.p,
        different=[],
        token_ratio=ratio(_SPENT, _PREDICTIONS),
        reference_token_ratio=ratio(_REFERENCE, _COUNTED),
        per_right_ratio=ratio(_SPENT, _CREDIT),
        discordance=discordance,
        design_effect=effect,
        needed=needed,
        detectable=detectable,
        widened=bound.widened if bound else None,
        runs_to_bound=bound.runs if bound else None,
    )


def _estimate(interval: Interval | None) -> Estimate | None:
    return None if interval is None else estimate(interval)
