"""What an arm is worth that answers only where its trace is proved: how often it answers, and how often it is right.

Coverage and risk of a classifier that may decline (El-Yaniv and Wiener, JMLR 11, 2010, p. 1605). The checker chooses
what is answered: neither figure is an accuracy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from eval.records.run_records import Run
from eval.records.run_rows import StoredScore
from eval.scoring.arm_summary import Share, share
from srt.io.records import Problem, Record, cluster_of


class ProvedAlone(Record):
    """``answered``: the share of the scored predictions whose trace is proved (coverage); one that is missing is not.
    ``right``: of those that are, the share whose answer is right (1 minus the risk); several training runs count there
    as repeats of their problem. ``all_right``: the share that is right where everything is answered."""

    arm: str
    answered: Share
    right: Share
    all_right: Share


def proved_alone(arm: str, runs: Sequence[Run], problems: Mapping[str, Problem]) -> ProvedAlone | None:
    """The figures of ``runs``, the training runs of ``arm``, on ``problems``; ``None`` where no text was judged as a
    trace of an exact world."""
    if not any(row.provable for run in runs for key, row in run.checked.items() if key[0] in problems):
        return None
    proved = [
        (score.value == 1, cluster_of(problems[score.problem_id]))
        for run in runs
        for score in run.scores.values()
        if score.problem_id in problems and is_proved(run, score)
    ]
    return ProvedAlone(
        arm=arm,
        answered=scored_share(runs, problems, is_proved),
        right=share(np.array([[right for right, _ in proved]], dtype=np.float64), [cluster for _, cluster in proved]),
        all_right=scored_share(runs, problems, lambda _, score: score.value == 1),
    )


def scored_share(
    runs: Sequence[Run], problems: Mapping[str, Problem], holds: Callable[[Run, StoredScore], bool]
) -> Share:
    """The share of the scores of ``problems`` of which ``holds`` says so, over problems and training runs."""
    by_run: list[dict[str, list[bool]]] = []
    for run in runs:
        values: dict[str, list[bool]] = defaultdict(list)
        for score in run.scores.values():
            if score.problem_id in problems:
                values[score.problem_id].append(holds(run, score))
        by_run.append(values)
    ids = list(by_run[0])
    means = np.array([[np.mean(values[problem_id]) for problem_id in ids] for values in by_run], dtype=np.float64)
    return share(means, [cluster_of(problems[problem_id]) for problem_id in ids])


def is_proved(run: Run, score: StoredScore) -> bool:
    """Whether the trace that was scored is proved; a prediction that is missing has none."""
    row = run.checked.get((score.problem_id, score.variant, score.repeat))
    return row is not None and row.proved
