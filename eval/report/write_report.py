"""The files of a report: the page, the tables as text, the plots and the figures."""

from __future__ import annotations

from pathlib import Path

from eval.errors.error_taxonomies import TAXONOMY_NAMES
from eval.records.run_records import Run, mean_values, write_json
from eval.report.html_page import error_plot, page
from eval.report.make_comparison import ComparedRuns
from eval.report.markdown import markdown
from eval.report.plots import (
    accuracy_against_tokens,
    accuracy_by,
    main_dimension,
    proved_against_tokens,
    sampling_curves,
)
from eval.report.report_errors import arm_errors
from eval.report.report_examples import Drawing
from eval.report.report_wording import shown_dimensions
from srt.io.atomic_files import write_atomically
from srt.io.folder_lock import make_folder
from srt.io.records import Problem


def write_report(output: Path, compared: ComparedRuns, chosen: list[str], drawing: Drawing | None = None) -> None:
    """Write the report folder ``output``; the page shows the problems ``chosen``, each as ``drawing`` draws its scene.

    The same run folders give the same bytes: no file depends on a time, a path or a random state.
    """
    make_folder(output)
    comparison = compared.comparison
    for file, png in _plots(compared).items():
        write_atomically(output / file, [png])
    errors = arm_errors(compared.by_arm)
    # Without errors that were classed there is nothing to draw, and an empty plot would read as "no errors".
    for name in TAXONOMY_NAMES if errors else ():
        write_atomically(output / f"errors_{name}.png", [error_plot(errors, name, dark=False)])
    # In pieces, which are written as they come: the examples make a page of many megabytes.
    pieces = page(comparison, compared.by_arm, compared.pooled, chosen, drawing or scene_picture)
    write_atomically(output / "report.html", (piece.encode() for piece in pieces))
    write_atomically(output / "report.md", [markdown(comparison, errors).encode()])
    # Last: other tools read this file, and where it is, the rest of the report is too.
    write_json(output / "comparison.json", comparison)


def _plots(compared: ComparedRuns) -> dict[str, bytes]:
    """The plots of the arms, by file; none of what no arm has a figure for."""
    arms = compared.comparison.arms
    plots = {}
    if any(arm.output_tokens for arm in arms):
        plots["accuracy_tokens.png"] = accuracy_against_tokens(arms, dark=False)
    if (dimension := main_dimension(arms)) in shown_dimensions(arms):
        plots[f"accuracy_by_{dimension}.png"] = accuracy_by(dimension, arms, dark=False)
    if any(arm.sampling for arm in arms):
        plots["sampling.png"] = sampling_curves(arms, dark=False)
    for number, study in enumerate(compared.comparison.decode_curves, 1):
        plots[f"proved_tokens{f'_{number}' * (number > 1)}.png"] = proved_against_tokens(study, dark=False)
    return plots


def choose_examples(runs: dict[str, Run], common: list[str], count: int) -> list[str]:
    """Problems to show: in turn one of each pattern of which arms are right and which are proved or computed.

    Patterns in which the arms disagree on the answer come first, frequent ones before rare ones; within a pattern the
    order of the common problems decides, so that the choice is the same each time.
    """
    values = [mean_values(run.scores.values()) for run in runs.values()]
    upheld = [{key[0] for key, row in run.checked.items() if row.proved or row.computed} for run in runs.values()]
    patterns: dict[tuple[tuple[bool, ...], tuple[bool, ...]], list[str]] = {}
    for problem_id in common:
        right = tuple(value[problem_id] == 1 for value in values)
        patterns.setdefault((right, tuple(problem_id in ids for ids in upheld)), []).append(problem_id)
    # A reader learns most where the arms disagree; of examples in which all are right there are always enough.
    order = sorted(patterns, key=lambda pattern: (len(set(pattern[0])) == 1, -len(patterns[pattern]), pattern))
    chosen: list[str] = []
    turn = 0
    while len(chosen) < min(count, len(common)):
        chosen += [patterns[pattern][turn] for pattern in order if turn < len(patterns[pattern])]
        turn += 1
    return chosen[:count]


def scene_picture(problem: Problem) -> str | None:
    """The solved scene as its exact world draws it; ``None`` if no world recognises and solves the problem."""
    # Imported here: the worlds are loaded only where a page shows scenes.
    from srt.worlds.world import Refused
    from srt.worlds.world_registry import world_of

    world = world_of(problem)
    try:
        drawing = None if world is None else world.extras.figures.solved
        return None if drawing is None else drawing(problem)
    except Refused:
        return None
