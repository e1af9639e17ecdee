"""The errors and judgements in reports: the files that ``srt errors`` and ``srt ask-judge`` wrote, by arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eval.errors.answer_judge import JudgedSummary, read_judged
from eval.errors.error_classes import ERRORS, ErrorRow, ErrorSummary, read_error_summary
from eval.errors.error_taxonomies import TAXONOMY_NAMES, TaxonomyName
from eval.records.run_records import Run
from eval.records.run_rows import RowId
from srt.io.record_reader import read_records


@dataclass(frozen=True)
class ArmErrors:
    """The errors of an arm, summed over its ``classed_runs``, those that ``srt errors`` classed; ``runs`` counts all.

    ``classes``: counts by taxonomy, class and rater (``machine``, ``judge``). ``findings`` counts what failed first.
    """

    arm: str
    runs: int
    classed_runs: int
    predictions: int
    wrong: int
    findings: dict[str, int]
    classes: dict[TaxonomyName, dict[str, dict[str, int]]]
    unclassed: dict[TaxonomyName, int]
    judges: list[str] = field(default_factory=list)
    agreement: list[str] = field(default_factory=list)


def arm_errors(by_arm: Mapping[str, Sequence[Run]]) -> list[ArmErrors]:
    """The errors of every arm that has a classed run; none where no arm has a wrong prediction."""
    found = []
    for arm, runs in by_arm.items():
        summaries = [summary for run in runs if (summary := read_error_summary(run.folder)) is not None]
        if summaries:
            found.append(_summed(arm, len(runs), summaries))
    return found if any(arm.wrong for arm in found) else []


def first_faults(run: Run) -> dict[RowId, tuple[str, str]]:
    """By prediction of ``run``, the kind of what failed first, and a full description; empty if none was classed."""
    path = run.folder / ERRORS
    if not path.is_file():
        return {}
    faults = {}
    for row in read_records(path, ErrorRow):
        kind = row.finding.kind.replace("_", " ")
        at = f" at step {row.finding.step}" if row.finding.step else ""
        faults[row.id] = (kind, kind + at + (f": {row.finding.reason}" if row.finding.reason else ""))
    return faults


def judged_arms(by_arm: Mapping[str, Sequence[Run]]) -> list[tuple[str, JudgedSummary]]:
    """A judge's column for each run that was judged, with the name of its arm."""
    return [(arm, judged) for arm, runs in by_arm.items() for run in runs if (judged := read_judged(run.folder))]


def _summed(arm: str, runs: int, summaries: Sequence[ErrorSummary]) -> ArmErrors:
    findings: Counter[str] = Counter()
    classes: dict[TaxonomyName, dict[str, dict[str, int]]] = {name: {} for name in TAXONOMY_NAMES}
    unclassed: dict[TaxonomyName, int] = dict.fromkeys(TAXONOMY_NAMES, 0)
    for summary in summaries:
        findings.update(summary.findings)
        for name in TAXONOMY_NAMES:
            unclassed[name] += summary.unclassed.get(name, 0)
            for word, counts in summary.classes.get(name, {}).items():
                sums = classes[name].setdefault(word, {"machine": 0, "judge": 0})
                for rater, count in counts.items():
                    sums[rater] += count
    agreement = [
        f"{who}, {name}: the same class for {each.same} of {each.count}"
        + ("" if each.kappa is None else f", kappa {each.kappa:.2f}")
        for summary in summaries
        for who, by_name in summary.agreement.items()
        for name, each in by_name.items()
    ]
    return ArmErrors(
        arm=arm,
        runs=runs,
        classed_runs=len(summaries),
        predictions=sum(summary.predictions for summary in summaries),
        wrong=sum(summary.wrong for summary in summaries),
        findings=dict(sorted(findings.items())),
        classes=classes,
        unclassed=unclassed,
        judges=sorted({summary.judge for summary in summaries if summary.judge}),
        agreement=agreement,
    )
