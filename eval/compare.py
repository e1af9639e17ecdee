"""Runs side by side: the same problems, paired differences, tables, plots and a page.

Everything is computed on the problems that all runs have in common; what is left out is named. The same run folders
give the same bytes: no time, no path and no random state enters the tables.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from eval.benchmarks.benchmark import Table
from eval.benchmarks.tables import run_tables
from eval.bootstrap import RESAMPLES
from eval.clusters import cluster_of
from eval.differences import Difference, common_problems, differences
from eval.error_taxonomies import TAXONOMY_NAMES
from eval.human import read_people, with_people
from eval.plots import accuracy_against_tokens, accuracy_by_scene, sampling_curves
from eval.report import error_plot, page
from eval.report_errors import arm_errors
from eval.report_markdown import markdown
from eval.runs import R, RowId, Run, read_run, write_json
from eval.sampling import sample_curve
from eval.significance import Estimate
from eval.summary import Share, Summary, mean_values, summarise
from srt.errors import UserError
from srt.jsonl import write_atomically
from srt.records import Problem, Record

Drawing = Callable[[Problem], str | None]
SEED = 0
EXAMPLES = 400
"""Problems that the page shows, if not told otherwise."""
_OF_AN_ARM = ("backend", "settings", "style", "pictures", "benchmark", "options", "repeats")


class RunAccuracy(Record):
    """One run of an arm: the fingerprint of its model, and its accuracy on the common problems."""

    fingerprint: str
    accuracy: Share


class Comparison(Record):
    """What ``comparison.json`` holds. ``common`` problems are compared; ``left_out`` counts each arm's others.

    ``clusters`` is how many puzzles the common problems are, where those with one ``group_id`` count once.

    An arm with several runs (training seeds) stands in ``arms`` with the mean over them; ``runs`` has each alone.
    ``tokens_per_right`` are output tokens for each right answer, ``None`` for an arm without any. ``tables`` are those
    of the benchmark, where all runs are of one.
    """

    common: int
    clusters: int
    left_out: dict[str, int]
    arms: list[Summary]
    differences: list[Difference]
    tokens_per_right: dict[str, Estimate | None]
    tables: list[Table]
    resamples: int = RESAMPLES
    seed: int = SEED
    runs: dict[str, list[RunAccuracy]]


def compare(
    folders: Sequence[str | Path],
    output: str | Path,
    *,
    reference: str | None = None,
    drawing: Drawing | None = None,
    examples: int = EXAMPLES,
    people: Sequence[str | Path] = (),
) -> Comparison:
    """Compare the scored runs in ``folders`` and write the report folder ``output``.

    Writes ``comparison.json``, ``report.md``, ``accuracy_tokens.png``, ``accuracy_by_scene.png`` and ``report.html``;
    ``sampling.png`` where an arm was sampled, ``errors_*.png`` where the errors of one were classed (``srt errors``).
    ``reference`` is the arm that all others are compared with: ``base`` if there is one, else the first; ``srt`` is
    also compared with ``answer`` and ``cot``. ``drawing`` gives the picture of a problem's scene as SVG; its world's if
    none is given. ``examples`` is how many problems the page shows. Runs of one arm (training seeds) count as repeats.
    ``people`` are folders of ``srt human``, whose rows stand beneath the benchmark's tables.

    Raises:
        UserError: a folder that is no scored run, one model given twice for an arm, runs of an arm that differ in
            more than the model, runs scored under different policies, an unknown reference, no common problem, one
            problem id with different texts.
    """
    by_arm = _read(folders)
    runs = {arm: pool(several) for arm, several in by_arm.items()}
    names = list(runs)
    if reference is None:
        reference = "base" if "base" in runs else names[0]
    if reference not in runs:
        raise UserError(f"reference {reference!r}: no such arm here; there are {', '.join(names)}")
    common, left_out = common_problems(runs)
    accuracies = {
        arm: [
            RunAccuracy(fingerprint=run.stamp.fingerprint, accuracy=summarise(run, set(common)).accuracy)
            for run in several
        ]
        for arm, several in by_arm.items()
    }
    beside = [row for folder in people for row in read_people(folder).rows]
    paired = differences(by_arm, common, reference, SEED)
    problems = next(iter(runs.values())).problems
    comparison = Comparison(
        common=len(common),
        clusters=len({cluster_of(problems[problem_id]) for problem_id in common}),
        left_out=left_out,
        arms=[_summary(runs[arm], several, set(common)) for arm, several in by_arm.items()],
        differences=paired.rows,
        tokens_per_right=paired.tokens_per_right,
        tables=with_people(run_tables(runs, set(common)), beside),
        runs=accuracies,
    )
    output = Path(output)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{output}: a folder was expected, this is a file") from None
    plots = {
        "accuracy_tokens.png": accuracy_against_tokens,
        "accuracy_by_scene.png": accuracy_by_scene,
    }
    if any(arm.sampling for arm in comparison.arms):
        plots["sampling.png"] = sampling_curves
    for file, plot in plots.items():
        write_atomically(output / file, [plot(comparison.arms, dark=False)])
    errors = arm_errors(by_arm)
    for name in TAXONOMY_NAMES if errors else ():
        write_atomically(output / f"errors_{name}.png", [error_plot(errors, name, dark=False)])
    chosen = choose_examples(runs, common, examples)
    text = page(comparison, by_arm, runs, chosen, drawing or scene_picture)
    write_atomically(output / "report.html", [text.encode()])
    write_atomically(output / "report.md", [markdown(comparison, errors).encode()])
    write_json(output / "comparison.json", comparison)
    return comparison


def choose_examples(runs: dict[str, Run], common: list[str], count: int) -> list[str]:
    """Problems for people to look at: a turn for each pattern of who is right and who is proved.

    Patterns where the arms disagree on the answer come first, frequent ones before rare ones; within a pattern the
    common problems' order decides, so the choice is the same each time.
    """
    values = [mean_values(run.scores.values()) for run in runs.values()]
    proved = [
        {row.problem_id for row in run.checked.values() if row.check is not None and row.check.proved}
        for run in runs.values()
    ]
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
    """The solved scene as its exact world draws it; ``None`` where no world knows or solves the problem."""
    from srt.worlds import world_of
    from srt.worlds.world import Refused

    world = world_of(problem)
    try:
        return None if world is None else world.draw(problem)
    except Refused:
        return None


def pool(runs: Sequence[Run]) -> Run:
    """Runs of one arm as one run: the repeats of each come after those of the runs before it."""
    first = runs[0]
    per_run = first.stamp.repeats
    predictions, scores, checked = dict(first.predictions), dict(first.scores), dict(first.checked)
    for number, run in enumerate(runs[1:], 1):
        predictions.update(_moved(run.predictions, number * per_run))
        scores.update(_moved(run.scores, number * per_run))
        checked.update(_moved(run.checked, number * per_run))
    stamp = first.stamp.model_copy(update={"repeats": per_run * len(runs)})
    return dataclasses.replace(first, stamp=stamp, predictions=predictions, scores=scores, checked=checked)


def _summary(pooled: Run, runs: Sequence[Run], only: set[str]) -> Summary:
    """The summary of an arm. What sampling brings is a matter of each training run: a vote across runs is none."""
    summary = summarise(pooled, only)
    return summary if len(runs) == 1 else summary.model_copy(update={"sampling": sample_curve(runs, only)})


def _moved(rows: dict[RowId, R], by: int) -> dict[RowId, R]:
    return {(problem, variant, repeat + by): row for (problem, variant, repeat), row in rows.items()}


def _read(folders: Sequence[str | Path]) -> dict[str, list[Run]]:
    """Scored runs by arm, in the given order."""
    if not folders:
        raise UserError("no run folder was given; name at least one")
    by_arm: dict[str, list[Run]] = {}
    for folder in folders:
        run = read_run(Path(folder))
        others = by_arm.setdefault(run.stamp.arm, [])
        for other in others:
            same_arm = f"{folder} and {other.folder} are both of arm {run.stamp.arm!r}"
            if other.stamp.fingerprint == run.stamp.fingerprint:
                raise UserError(f"{same_arm}, with the very same model: give an arm of its own, or leave one out")
            different = [field for field in _OF_AN_ARM if getattr(other.stamp, field) != getattr(run.stamp, field)]
            if other.stamp.problems.sha256 != run.stamp.problems.sha256:
                different.append("problems")
            if different:
                raise UserError(f"{same_arm} but differ in {', '.join(different)}: give them arms of their own")
        others.append(run)
    _see_one_policy([run for several in by_arm.values() for run in several])
    return by_arm


def _see_one_policy(runs: Sequence[Run]) -> None:
    """Runs that were scored under different policies differ in what counts as right."""
    folders: dict[str, Path] = {}
    for run in runs:
        for row in run.scores.values():
            folders.setdefault(row.policy, run.folder)
    if len(folders) > 1:
        told = ", ".join(f"{folder} is {policy}" for policy, folder in sorted(folders.items()))
        raise UserError(f"the runs were scored under different policies ({told}): score them again under one")
