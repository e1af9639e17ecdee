"""Computing a comparison: scored runs on the problems that all have in common; nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from eval.benchmarks.run_tables import run_tables
from eval.conformance.conformance_records import backend_notes, read_conformance
from eval.errors.unread_answers import run_readings
from eval.records.run_records import (
    ARM_FIELDS,
    Run,
    differences_between,
    pooled,
    read_manifest,
    same_problems,
)
from eval.report.comparison_records import Comparison, RunAccuracy
from eval.report.report_wording import comparison_title
from eval.run.scored_run import read_run
from eval.scoring.arm_summary import summarise
from eval.scoring.decode_curves import decode_curves
from eval.scoring.differences import common_problems, differences
from eval.scoring.human_baseline import read_human_baseline, with_human_rows
from eval.scoring.proved_alone import proved_alone
from eval.scoring.unread_differences import arm_readings, unread_differences
from srt.experiment.model_stages import LearningCost
from srt.io.errors import UserError
from srt.io.records import Problem, cluster_of


class ComparedRuns(NamedTuple):
    """A comparison and what it was computed from.

    ``by_arm`` has the runs of each arm (its training seeds), ``pooled`` all of them as one run; ``common`` are the ids
    of the problems that every arm was asked.
    """

    comparison: Comparison
    by_arm: dict[str, list[Run]]
    pooled: dict[str, Run]
    common: list[str]


def make_comparison(
    folders: Sequence[str | Path],
    *,
    reference: str | None = None,
    human: Sequence[str | Path] = (),
    title: str | None = None,
    warning: str | None = None,
    learning: Sequence[LearningCost] = (),
    conformance: Sequence[Path] = (),
) -> ComparedRuns:
    """Compare the scored runs in ``folders``; arguments and errors are those of :func:`.compare.compare`."""
    by_arm = _read(folders)
    runs = {arm: pooled(several) for arm, several in by_arm.items()}
    # Before any figure: an arm that was asked easier problems would look better without being so.
    common, left_out = common_problems(runs)
    human_rows = [row for folder in human for row in read_human_baseline(folder).rows]
    paired = differences(by_arm, common, _reference(runs, reference))
    readings = {arm: [run_readings(run.folder) for run in several] for arm, several in by_arm.items()}
    problems = next(iter(runs.values())).problems
    compared = {problem_id: problems[problem_id] for problem_id in common}
    comparison = Comparison(
        title=comparison_title(list(runs.values()), title),
        common=len(common),
        clusters=len({cluster_of(problems[problem_id]) for problem_id in common}),
        left_out=left_out,
        arms=[summarise(several, set(common)) for several in by_arm.values()],
        differences=paired.rows,
        tokens_per_right=paired.tokens_per_right,
        tables=with_human_rows(run_tables(runs, set(common)), human_rows),
        runs={
            arm: [
                RunAccuracy(fingerprint=run.manifest.fingerprint, accuracy=summarise([run], set(common)).accuracy)
                for run in several
            ]
            for arm, several in by_arm.items()
        },
        unread=unread_differences(paired.rows, by_arm, common, readings),
        readings=arm_readings(by_arm, common, readings),
        proved_alone=[
            row for arm, several in by_arm.items() if (row := proved_alone(arm, several, compared)) is not None
        ],
        decode_curves=decode_curves(by_arm, compared),
        back_ends=backend_notes(
            [run.manifest for several in by_arm.values() for run in several],
            [read_conformance(path) for path in conformance],
        ),
        warning=warning,
        learning=list(learning),
    )
    return ComparedRuns(comparison, by_arm, runs, common)


def _reference(runs: dict[str, Run], given: str | None) -> str:
    """The arm that the others are compared with."""
    if given is None:
        return "base" if "base" in runs else next(iter(runs))
    if given not in runs:
        raise UserError(f"reference {given!r}: not one of the arms {', '.join(runs)}")
    return given


def _read(folders: Sequence[str | Path]) -> dict[str, list[Run]]:
    """Scored runs by arm, in the given order."""
    if not folders:
        raise UserError("no run folder: pass at least one")
    by_arm: dict[str, list[Run]] = {}
    problems: dict[str, dict[str, Problem]] = {}
    for folder in folders:
        # Runs on one file of problems share its records in memory.
        run = read_run(Path(folder), problems.get(read_manifest(Path(folder)).problems.sha256))
        problems.setdefault(run.manifest.problems.sha256, run.problems)
        others = by_arm.setdefault(run.manifest.arm, [])
        for other in others:
            same_arm = f"{folder} and {other.folder} are both of arm {run.manifest.arm!r}"
            if other.manifest.fingerprint == run.manifest.fingerprint:
                raise UserError(f"{same_arm}, with the very same model: give an arm of its own, or leave one out")
            different = differences_between(other.manifest, run.manifest, ARM_FIELDS)
            if not same_problems(other, run):
                different.append("problems")
            if different:
                raise UserError(f"{same_arm} but differ in {', '.join(different)}: give them arms of their own")
        others.append(run)
    # Runs scored under different policies differ in what counts as right.
    runs = [run for several in by_arm.values() for run in several]
    policies = {row.policy: run.folder for run in reversed(runs) for row in run.scores.values()}
    if len(policies) > 1:
        named = ", ".join(f"{folder} is {policy}" for policy, folder in sorted(policies.items()))
        raise UserError(f"the runs were scored under different policies ({named}): score them again under one")
    return by_arm
