"""What the reports show of errors and of judges: the files that ``srt errors`` and ``srt judge`` left, arm by arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eval.error_classes import ERRORS, ErrorRow, ErrorSummary, read_error_summary
from eval.error_taxonomies import TAXONOMY_NAMES, TaxonomyName
from eval.judge import JudgedSummary, read_judged
from eval.runs import RowId, Run
from srt.jsonl import read_records


@dataclass(frozen=True)
class ArmErrors:
    """The errors of an arm, summed over those of its runs that were classed; ``runs`` are all that it has.

    ``classes``: by taxonomy, class and who said so (``machine``, ``judge``). ``findings`` say what failed first.
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
    """The errors of every arm that has a classed run; those without any are left out."""
    found = []
    for arm, runs in by_arm.items():
        summaries = [summary for run in runs if (summary := read_error_summary(run.folder)) is not None]
        if summaries:
            found.append(_summed(arm, len(runs), summaries))
    return found


def first_faults(run: Run) -> dict[RowId, tuple[str, str]]:
    """By prediction of ``run``, the kind of what failed first, and all of it in words; empty where none was classed."""
    path = run.folder / ERRORS
    if not path.is_file():
        return {}
    return {row.id: (row.finding.kind.replace("_", " "), _told(row)) for row in read_records(path, ErrorRow)}


def judged_arms(by_arm: Mapping[str, Sequence[Run]]) -> list[tuple[str, JudgedSummary]]:
    """A judge's column for each run that was judged, with the name of its arm."""
    return [(arm, judged) for arm, runs in by_arm.items() for run in runs if (judged := read_judged(run.folder))]


def _told(row: ErrorRow) -> str:
    finding = row.finding
    at = f" at step {finding.step}" if finding.step else ""
    why = f": {finding.reason}" if finding.reason else ""
    return f"{finding.kind.replace('_', ' ')}{at}{why}"


def _summed(arm: str, runs: int, summaries: Sequence[ErrorSummary]) -> ArmErrors:
    findings: Counter[str] = Counter()
    classes: dict[TaxonomyName, dict[str, dict[str, int]]] = {name: {} for name in TAXONOMY_NAMES}
    unclassed: dict[TaxonomyName, int] = dict.fromkeys(TAXONOMY_NAMES, 0)
    for summary in summaries:
        findings.update(summary.findings)
        for name in TAXONOMY_NAMES:
            unclassed[name] += summary.unclassed.get(name, 0)
            for word, said in summary.classes.get(name, {}).items():
                sums = classes[name].setdefault(word, {"machine": 0, "judge": 0})
                for who, count in said.items():
                    sums[who] += count
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
