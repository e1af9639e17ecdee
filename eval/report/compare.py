"""Compare runs on the same problems: paired differences, tables, plots and a page.

Everything is computed on the problems that all runs have in common; the number of others is reported. The same run
folders give the same bytes: tables depend on no time, no path and no random state.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from eval.benchmarks.tables.run_tables import run_tables
from eval.errors.error_taxonomies import TAXONOMY_NAMES
from eval.records.run_records import (
    ARM_FIELDS,
    Run,
    differences_between,
    mean_values,
    pooled,
    read_manifest,
    same_problems,
    write_json,
)
from eval.report.comparison_records import Comparison, RunAccuracy
from eval.report.html_page import error_plot, page
from eval.report.markdown import markdown
from eval.report.plots import accuracy_against_tokens, accuracy_by, main_dimension, sampling_curves
from eval.report.report_errors import arm_errors
from eval.report.report_examples import Drawing
from eval.report.report_wording import comparison_title
from eval.report.wandb_log import log_comparison, require_wandb
from eval.run.scored_run import read_run
from eval.run.wandb_settings import WandbSettings
from eval.scoring.arm_summary import summarise
from eval.scoring.differences import common_problems, differences
from eval.scoring.human_baseline import read_human_baseline, with_human_rows
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.folder_lock import make_folder
from srt.io.records import Problem, cluster_of

EXAMPLES = 400
"""Number of problems that the page shows by default."""


def compare(
    folders: Sequence[str | Path],
    output: str | Path,
    *,
    reference: str | None = None,
    drawing: Drawing | None = None,
    examples: int = EXAMPLES,
    human: Sequence[str | Path] = (),
    title: str | None = None,
    warning: str | None = None,
    wandb: WandbSettings | None = None,
) -> Comparison:
    """Compare the scored runs in ``folders`` and write the report folder ``output``.

    Writes ``comparison.json``, ``report.md``, ``accuracy_tokens.png``, ``accuracy_by_<dimension>.png`` (the first
    dimension of the problems' world, else ``category``) and ``report.html``; ``sampling.png`` where an arm was sampled,
    ``errors_*.png`` where the errors of one were classed (``srt errors``).
    ``reference`` is the arm that all others are compared with: by default ``base`` if there is one, else the first;
    ``srt`` is also compared with ``answer`` and ``cot``, and each ``srt-*`` with ``srt``. ``drawing`` draws a problem's
    scene as SVG; by default its world does. ``examples`` is how many problems the page shows. Runs of one arm are its
    training seeds.
    ``human`` are folders of ``srt human``, whose rows are shown below the benchmark's tables. ``title`` names the
    experiment and the model, by default the models of the runs; the benchmark is added to it. ``wandb``:
    where in W&B to report to.

    Raises:
        UserError: a folder without a scored run, one model twice in an arm, runs of an arm that differ in more than the
            model, runs scored under different policies, an unknown reference, no common problem, different problems
            under one id.
    """
    if wandb is not None:
        require_wandb()
    by_arm = _read(folders)
    runs = {arm: pooled(several) for arm, several in by_arm.items()}
    if reference is None:
        reference = "base" if "base" in runs else next(iter(runs))
    if reference not in runs:
        raise UserError(f"reference {reference!r}: not one of the arms {', '.join(runs)}")
    common, left_out = common_problems(runs)
    human_rows = [row for folder in human for row in read_human_baseline(folder).rows]
    paired = differences(by_arm, common, reference)
    problems = next(iter(runs.values())).problems
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
        warning=warning,
    )
    output = Path(output)
    make_folder(output)
    dimension = main_dimension(comparison.arms)
    plots = {
        "accuracy_tokens.png": accuracy_against_tokens(comparison.arms, dark=False),
        f"accuracy_by_{dimension}.png": accuracy_by(dimension, comparison.arms, dark=False),
    }
    if any(arm.sampling for arm in comparison.arms):
        plots["sampling.png"] = sampling_curves(comparison.arms, dark=False)
    for file, png in plots.items():
        write_atomically(output / file, [png])
    errors = arm_errors(by_arm)
    for name in TAXONOMY_NAMES if errors else ():
        write_atomically(output / f"errors_{name}.png", [error_plot(errors, name, dark=False)])
    chosen = choose_examples(runs, common, examples)
    # In pieces, which are written as they come: the examples make a page of many megabytes.
    pieces = page(comparison, by_arm, runs, chosen, drawing or scene_picture)
    write_atomically(output / "report.html", (piece.encode() for piece in pieces))
    write_atomically(output / "report.md", [markdown(comparison, errors).encode()])
    write_json(output / "comparison.json", comparison)
    if wandb is not None:
        log_comparison(wandb, output, comparison, runs, chosen)
    return comparison


def choose_examples(runs: dict[str, Run], common: list[str], count: int) -> list[str]:
    """Problems to show: in turn one of each pattern of which arms are right and which are proved.

    Patterns in which the arms disagree on the answer come first, frequent ones before rare ones; within a pattern the
    order of the common problems decides, so that the choice is the same each time.
    """
    values = [mean_values(run.scores.values()) for run in runs.values()]
    proved = [{key[0] for key, row in run.checked.items() if row.proved} for run in runs.values()]
    patterns: dict[tuple[tuple[bool, ...], tuple[bool, ...]], list[str]] = {}
    for problem_id in common:
        right = tuple(value[problem_id] == 1 for value in values)
        patterns.setdefault((right, tuple(problem_id in ids for ids in proved)), []).append(problem_id)
    order = sorted(patterns, key=lambda pattern: (len(set(pattern[0])) == 1, -len(patterns[pattern]), pattern))
    chosen: list[str] = []
    turn = 0
    while len(chosen) < min(count, len(common)):
        chosen += [patterns[pattern][turn] for pattern in order if turn < len(patterns[pattern])]
        turn += 1
    return chosen[:count]


def scene_picture(problem: Problem) -> str | None:
    """The solved scene as its exact world draws it; ``None`` if no world recognises and solves the problem."""
    from srt.worlds.world import Refused
    from srt.worlds.world_registry import world_of

    world = world_of(problem)
    try:
        drawing = None if world is None else world.extras.figures.solved
        return None if drawing is None else drawing(problem)
    except Refused:
        return None


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
