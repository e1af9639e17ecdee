"""How many problems and training runs a comparison of two arms needs, from scored runs of both: ``srt power``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eval.records.run_records import Run, mean_values
from eval.scoring.differences import common_problems
from srt.io.errors import UserError
from srt.io.records import cluster_of
from srt.statistics.paired_difference import difference_parts
from srt.statistics.power import detectable_difference, discordance_of, effect_of, problems_needed
from srt.statistics.seed_power import detectable_by_problems, detectable_here, problems_for, variances

RUNS = (2, 3, 4, 5, 8)
"""Training runs of an arm for which a plan has the number of problems."""


class ComparisonPlan(NamedTuple):
    """What is needed to show a difference, planned from runs of two arms.

    ``arms``: how many runs each has. ``problems`` is how many all runs have, ``detectable`` the smallest difference (a
    share) that they show with these runs, ``None`` if none.

    ``needed``: by the number of runs of each arm that has several now, the number of problems that shows the
    difference, ``None`` if no number does. With one run of each arm the spread of runs is unknown: ``needed`` is empty,
    and ``problems_needed`` leaves it out.
    """

    arms: dict[str, int]
    problems: int
    difference: float
    discordance: float
    design_effect: float
    detectable: float | None
    needed: dict[int, int | None]
    problems_needed: int | None

    @property
    def spread_note(self) -> str:
        """What the runs say of the spread of training seeds, and what the plan makes of it."""
        once = [arm for arm, runs in self.arms.items() if runs == 1]
        if len(once) == len(self.arms):
            return "unknown with one run of each arm: another seed can change the difference; give two runs or more"
        return f"measured, but not for {once[0]}, which has one run and stays at one" if once else "measured"


def plan(runs: Sequence[Run], share: float, *, power: float, level: float) -> ComparisonPlan:
    """Plan a comparison that shows the difference ``share`` with the chance ``power`` at the two-sided ``level``.

    Raises:
        UserError: the runs are not of two arms, or have no scored problem in common.
    """
    by_arm: dict[str, list[Run]] = {}
    for run in runs:
        by_arm.setdefault(run.manifest.arm, []).append(run)
    if len(by_arm) != 2:
        raise UserError(f"runs of two arms were expected: these are of {', '.join(by_arm)}")
    common, _ = common_problems({str(run.folder): run for run in runs})
    clusters = [cluster_of(runs[0].problems[problem_id]) for problem_id in common]
    first, second = (np.array([_scores(run, common) for run in several]) for several in by_arm.values())
    apart = (first.mean(axis=0) - second.mean(axis=0)).tolist()
    discordance, effect = discordance_of(apart), effect_of(apart, clusters)
    counts = {arm: len(several) for arm, several in by_arm.items()}
    needed: dict[int, int | None] = {}
    at_once: int | None = None
    _, parts = difference_parts(first, second, clusters)
    found = variances(parts)
    if not found.arms:
        at_once = problems_needed(share, discordance, power=power, level=level, effect=effect)
        detectable = detectable_difference(len(common), discordance, power=power, level=level, effect=effect)
    else:
        detectable = detectable_here(detectable_by_problems(found, found.runs, power=power, level=level))
        for each in RUNS:
            curve = detectable_by_problems(found, [each] * len(found.arms), power=power, level=level)
            needed[each] = problems_for(abs(share), len(common), curve)
    difference = float(np.mean(apart))
    return ComparisonPlan(counts, len(common), difference, discordance, effect, detectable, needed, at_once)


def _scores(run: Run, common: Sequence[str]) -> list[float]:
    values = mean_values(run.scores.values())
    return [values[problem_id] for problem_id in common]
