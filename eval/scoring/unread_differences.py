"""The difference of two arms under another count of their unread outputs, beside the printed one, where they are wrong.

Neither count is the truth: of unread outputs nobody knows what they answer. Where the two differ, how the arms write
decides a part of the difference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

import numpy as np

from eval.records.run_records import Run, mean_values
from eval.records.run_rows import RowId
from eval.scoring.differences import Difference
from eval.scoring.unread import UNREAD, unread_share, with_unread_as
from srt.io.records import Record, cluster_of
from srt.statistics.paired_difference import paired_difference

APART: Final = 0.02
"""Arms whose shares of unread outputs differ by more than this have a second figure beside their difference."""


@dataclass(frozen=True)
class RunReadings:
    """What the language model ``reader`` read in the unread outputs of one run: the scores of those that it gave a
    usable reply for, and which of them state an answer."""

    reader: str
    values: Mapping[RowId, float]
    stated: frozenset[RowId]


class ArmReadings(Record):
    """What ``reader`` read in an arm's ``unread`` outputs on the compared problems: ``replies`` can be used, ``stated``
    of these outputs state an answer, and ``right`` is the sum of their scores."""

    arm: str
    reader: str
    unread: int
    replies: int
    stated: int
    right: float


class CountedDifference(Record):
    """A difference of accuracies with its 95% interval and p-value, as those of
    :class:`~eval.scoring.differences.Difference`."""

    difference: float
    low: float
    high: float
    p: float


class UnreadDifference(Record):
    """``arm`` minus ``reference`` with other scores for the outputs from which no answer was read.

    ``unread_arm`` and ``unread_reference`` are their shares on the compared problems. ``printed`` counts them as wrong,
    ``as_right`` as right in both arms; ``as_read`` as the language model ``reader`` read them, ``None`` where no one
    model read all runs of both that have such outputs.
    """

    arm: str
    reference: str
    unread_arm: float
    unread_reference: float
    printed: CountedDifference
    as_right: CountedDifference
    as_read: CountedDifference | None
    reader: str | None


def arm_readings(
    by_arm: Mapping[str, Sequence[Run]],
    common: Sequence[str],
    readings: Mapping[str, Sequence[RunReadings | None]],
) -> list[ArmReadings]:
    """What one model read in all runs of an arm, on the problems ``common``; without arms of which that is not so,
    or every answer was read anyway."""
    found = []
    shown = set(common)
    for arm, runs in by_arm.items():
        if (reader := _one_reader(readings[arm])) is None:
            continue
        unread = [
            (each, key)
            for run, each in zip(runs, readings[arm], strict=True)
            for key, row in run.scores.items()
            if each and row.status in UNREAD and key[0] in shown
        ]
        if not unread:
            continue
        replies = [(each, key) for each, key in unread if key in each.values]
        found.append(
            ArmReadings(
                arm=arm,
                reader=reader,
                unread=len(unread),
                replies=len(replies),
                stated=sum(key in each.stated for each, key in replies),
                right=sum(each.values[key] for each, key in replies),
            )
        )
    return found


def unread_differences(
    rows: Sequence[Difference],
    by_arm: Mapping[str, Sequence[Run]],
    common: Sequence[str],
    readings: Mapping[str, Sequence[RunReadings | None]],
) -> list[UnreadDifference]:
    """Those of ``rows``, the differences of ``by_arm`` on the problems ``common``, whose arms differ by more than
    :data:`APART` in unread outputs, and those of which one model has read the unread outputs of both arms.

    ``readings`` has for each run of an arm what was read in it.
    """
    shown = set(common)
    shares = {
        arm: fmean(unread_share(row for row in run.scores.values() if row.problem_id in shown) for run in runs)
        for arm, runs in by_arm.items()
    }
    readers = {arm: _one_reader(read) for arm, read in readings.items()}

    def reader_of(row: Difference) -> str | None:
        # An arm of which every answer was read needs no reader.
        names = {readers[arm] for arm in (row.arm, row.reference) if shares[arm]}
        return names.pop() if len(names) == 1 else None

    problems = next(iter(by_arm.values()))[0].problems
    clusters = [cluster_of(problems[problem_id]) for problem_id in common]

    def counted(value: Callable[[RunReadings | None, RowId], float]) -> list[CountedDifference]:
        def scores(run: Run, read: RunReadings | None) -> list[float]:
            values = mean_values(with_unread_as(run, lambda key: value(read, key)).scores.values())
            return [values[problem_id] for problem_id in common]

        tables = {arm: np.array(list(map(scores, runs, readings[arm]))) for arm, runs in by_arm.items()}
        found = [paired_difference(tables[row.arm], tables[row.reference], clusters) for row in rows]
        return [
            CountedDifference(difference=each.interval.value, low=each.interval.low, high=each.interval.high, p=each.p)
            for each in found
        ]

    # The hair's breadth is for sums of fractions.
    apart = [abs(shares[row.arm] - shares[row.reference]) > APART + 1e-9 for row in rows]
    by_reader = [reader_of(row) for row in rows]
    right = counted(lambda read, key: 1.0) if any(apart) or any(by_reader) else []
    as_read = counted(lambda read, key: read.values.get(key, 0.0) if read else 0.0) if any(by_reader) else []
    return [
        UnreadDifference(
            arm=row.arm,
            reference=row.reference,
            unread_arm=shares[row.arm],
            unread_reference=shares[row.reference],
            printed=_counted(row),
            as_right=right[place],
            as_read=as_read[place] if by_reader[place] else None,
            reader=by_reader[place],
        )
        for place, row in enumerate(rows)
        if apart[place] or by_reader[place]
    ]


def _counted(row: Difference) -> CountedDifference:
    return CountedDifference(difference=row.difference, low=row.low, high=row.high, p=row.p)


def _one_reader(read: Sequence[RunReadings | None]) -> str | None:
    """The model that read all runs of an arm; ``None`` where there are several, or one run was not read."""
    names = {each.reader if each else None for each in read}
    return names.pop() if len(names) == 1 else None
