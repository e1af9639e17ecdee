"""The opinions, counted: who objected to how many traces of each class, with intervals, and who named the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from srt.io.records import Record
from srt.language.faults import Fault
from srt.statistics.clopper_pearson import clopper_pearson
from srt.statistics.kappa import agreement
from srt.teaching.agreement.opinions import Opinion
from srt.teaching.agreement.shown_traces import SORTS, Sort
from srt.teaching.loop.review_classes import names_it, review_class


class FoundShare(Record):
    """``found`` of ``of`` traces, with the two-sided 95% Clopper-Pearson interval; ``share`` is ``None`` of none.

    ``named`` counts those of a Reviewer in which one issue is of the class that was planted.
    """

    found: int
    of: int
    share: float | None
    low: float
    high: float
    named: int | None = None


class AgreementRow(Record):
    """One row of the table. ``planted`` is the finer class or kind of error, ``None`` for all of ``review_class``;
    both are ``None`` for the untouched traces. ``reviewers`` are by model, each of the traces that it reviewed."""

    sort: Sort
    review_class: Fault | None
    planted: str | None
    machine: FoundShare
    reviewers: dict[str, FoundShare]


def agreement_rows(opinions: Sequence[Opinion]) -> list[AgreementRow]:
    """The table: for each sort of trace every class, what was planted of it, all faults, and the false alarms."""
    return [row for sort in SORTS for row in _rows_of(sort, [one for one in opinions if one.sort == sort])]


def reviewer_summary(opinions: Sequence[Opinion]) -> dict[str, Any]:
    """What is counted over all traces that one Reviewer was shown.

    ``missed_by_both`` and ``only_reviewer`` name traces worth a look; Cohen's kappa is that of objecting at all.
    """
    reviewed = [one for one in opinions if one.reviewer is not None]
    unusable = Counter(one.outcome.value if one.outcome else "budget spent" for one in opinions if one.reviewer is None)
    pairs = [(bool(one.machine), bool(one.reviewer)) for one in reviewed]
    return {
        "shown": len(opinions),
        "reviewed": len(reviewed),
        "without_review": dict(unusable),
        "both": pairs.count((True, True)),
        "only_machine": pairs.count((True, False)),
        "only_reviewer": pairs.count((False, True)),
        "neither": pairs.count((False, False)),
        "kappa": agreement([(str(machine), str(reviewer)) for machine, reviewer in pairs]).kappa,
        "missed_by_both": [one.trace_id for one in reviewed if one.planted and not (one.machine or one.reviewer)],
        "only_reviewer_found": [one.trace_id for one in reviewed if one.planted and one.reviewer and not one.machine],
    }


def _rows_of(sort: Sort, opinions: Sequence[Opinion]) -> Iterator[AgreementRow]:
    if not opinions:
        return
    faulty = [one for one in opinions if one.planted is not None]
    for named in dict.fromkeys(review_class(fault) for fault in Fault):
        of_class = [one for one in faulty if one.planted is not None and review_class(one.planted) is named]
        if not of_class:
            continue
        yield _row(sort, named, None, of_class)
        planted = dict.fromkeys(map(_planted, of_class))
        if len(planted) > 1:
            for name in sorted(planted):
                yield _row(sort, named, name, [one for one in of_class if _planted(one) == name])
    if faulty:
        yield _row(sort, None, "all faults", faulty)
    untouched = [one for one in opinions if one.planted is None]
    if untouched:
        yield _row(sort, None, None, untouched)


def _planted(opinion: Opinion) -> str:
    assert opinion.planted is not None
    return opinion.error or str(opinion.planted)


def _row(sort: Sort, named: Fault | None, planted: str | None, opinions: Sequence[Opinion]) -> AgreementRow:
    by_model: dict[str, list[Opinion]] = {}
    for one in opinions:
        by_model.setdefault(one.model, []).append(one)
    # The machine says the same beside every Reviewer.
    machine = next(iter(by_model.values()))
    reviewers = {}
    for model, group in by_model.items():
        reviewed = [one for one in group if one.reviewer is not None]
        faulty = any(one.planted for one in group)
        share = _share(sum(bool(one.reviewer) for one in reviewed), len(reviewed))
        reviewers[model] = share.model_copy(update={"named": sum(map(_names, reviewed)) if faulty else None})
    found = _share(sum(bool(one.machine) for one in machine), len(machine))
    return AgreementRow(sort=sort, review_class=named, planted=planted, machine=found, reviewers=reviewers)


def _names(opinion: Opinion) -> bool:
    return opinion.planted is not None and any(
        names_it(issue.fault, opinion.planted, opinion.in_reading) for issue in opinion.reviewer or ()
    )


def _share(found: int, n: int) -> FoundShare:
    bounds = clopper_pearson(found, n)
    return FoundShare(found=found, of=n, share=found / n if n else None, low=bounds.low, high=bounds.high)
