"""The results of the study of noisy teachers (:mod:`research.teaching.noisy_teacher`): filed, and as tables.

    python -m research.teaching.noisy_results runs/noisy-teacher     # files what is finished there
    python -m research.teaching.noisy_results                        # prints the tables of what is filed

``research/results/noisy-teacher`` has ``settings.json`` (the recipe), ``kept.jsonl`` (:class:`Kept`), ``cells.jsonl``
(:class:`Cell`), ``runs.json`` (manifests of training) and ``outputs/`` (what each model wrote on the test).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson

from eval.benchmarks.tables.breakdown import markdown_rows
from eval.records.run_records import PREDICTIONS, SCORES
from research import families
from research.factorial import seed_interval
from research.families import OUTPUTS, RUNS, SETTINGS, digits
from research.file_results import packed_texts, pretty, read_manifest
from srt.cli.experiment_stages import TrainAndEval
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Record

ARMS = ("srt", "cot")
NAME, STUDY, KEPT, CELLS = "noisy-teacher", "study.json", "data/kept.jsonl", "cells.jsonl"
Keep = Literal["all", "verified"]


class Kept(Record):
    """The texts of a cell: ``read`` until there were enough, and how many of those kept have the error."""

    arm: str
    noise: str
    keep: Keep
    read: int
    kept: int
    erred: int

    @property
    def stem(self) -> str:
        """The name of its files."""
        return f"{self.arm}-{self.noise.replace(' ', '-')}-{self.keep}"


class Cell(Record):
    """A trained model on the test. Each mask has a character for each problem: whether the answer is right, the trace
    proved, the text certified (empty if no text of the run can be)."""

    arm: str
    noise: str
    keep: Keep
    seed: int
    right: str
    proved: str
    certified: str

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return float(digits(self.right).mean())

    @property
    def proved_and_right(self) -> float:
        """The share of answers that are both."""
        return float((digits(self.right) * digits(self.proved)).mean())

    @property
    def certified_and_right(self) -> float | None:
        """The share of answers that are both; ``None`` without a mask."""
        return float((digits(self.right) * digits(self.certified)).mean()) if self.certified else None


def read_cells(root: Path, seeds: Sequence[int]) -> Iterator[tuple[Cell, Path]]:
    """Each cell of ``seeds`` that is trained and evaluated in ``root``, and its evaluation's folder."""
    for seed in seeds:
        for kept in read_records(root / KEPT, Kept):
            tested = root / "tested" / f"{kept.stem}-{seed}"
            if (tested / SCORES).exists():
                found = TrainAndEval().figures(tested)
                masks = {"right": found.right, "proved": found.proved_each, "certified": found.certified_each}
                yield Cell(arm=kept.arm, noise=kept.noise, keep=kept.keep, seed=seed, **masks), tested


def file_cells(root: Path) -> Path:
    """File what is finished in ``root``, beside what is filed already, and return the folder that it is in.

    Raises:
        UserError: ``root`` is not the folder of a study, or nothing is finished in it.
    """
    if not (root / STUDY).exists():
        raise UserError(f"{root / STUDY}: not there; research.teaching.noisy_teacher makes it")
    folder = families.RESULTS / NAME
    cells = {(one.arm, one.noise, one.keep, one.seed): one for one in _filed(folder)}
    path = folder / RUNS
    runs: dict[str, Any] = orjson.loads(path.read_bytes()) if path.exists() else {}
    settings = orjson.loads((root / STUDY).read_bytes())
    finished = list(read_cells(root, settings["seeds"]))
    if not finished:
        raise UserError(f"{root / 'tested'}: no evaluation there")
    (folder / OUTPUTS).mkdir(parents=True, exist_ok=True)
    for cell, tested in finished:
        cells[(cell.arm, cell.noise, cell.keep, cell.seed)] = cell
        write_atomically(folder / OUTPUTS / f"{tested.name}.jsonl.gz", [packed_texts(tested / PREDICTIONS)])
        runs[tested.name] = read_manifest(root / "runs" / tested.name / "manifest.json")
    write_atomically(folder / SETTINGS, [pretty(settings)])
    write_records(folder / "kept.jsonl", read_records(root / KEPT, Kept))
    write_records(folder / CELLS, (cells[place] for place in sorted(cells)))
    write_atomically(path, [pretty(dict(sorted(runs.items())))])
    return folder


def _filed(folder: Path) -> list[Cell]:
    return list(read_records(folder / CELLS, Cell)) if (folder / CELLS).exists() else []


def counts_table(counted: Sequence[Kept]) -> str:
    """How many texts were read for those kept, and how many of these have the error."""
    rows = [[one.arm, one.noise, one.keep, f"{one.read:,}", f"{one.kept:,}", f"{one.erred:,}"] for one in counted]
    return markdown_rows(["arm", "noise", "kept", "texts read", "trained on", "with the error"], rows)


def accuracy_table(cells: Sequence[Cell]) -> str:
    """Accuracy of each cell, its mean with Student's interval over seeds."""
    rows = []
    for arm, noise, keep in dict.fromkeys((one.arm, one.noise, one.keep) for one in cells):
        found = [one for one in cells if (one.arm, one.noise, one.keep) == (arm, noise, keep)]
        right = [one.accuracy for one in found]
        certified = [one.certified_and_right for one in found if one.certified_and_right is not None]
        proved = f"{100 * np.mean([one.proved_and_right for one in found]):.1f}" if arm == "srt" else ""
        each = ", ".join(f"{100 * value:.1f}" for value in right)
        rows.append(
            [arm, noise, keep, _percents(right), each, proved, f"{100 * np.mean(certified):.1f}" if certified else ""]
        )
    head = [
        "arm",
        "noise",
        "kept",
        "right % [95% over seeds]",
        "by seed",
        "proved and right %",
        "certified and right %",
    ]
    return markdown_rows(head, rows)


def slope_table(cells: Sequence[Cell]) -> str:
    """The least-squares slope of accuracy over the share of slips, in points for each tenth of the texts."""
    rows = []
    for arm in ARMS:
        for keep in ("all", "verified"):
            found = slopes(cells, arm, keep)
            if found:
                each = ", ".join(f"{10 * value:+.1f}" for value in found)
                rows.append([arm, keep, _percents([value / 10 for value in found], "+"), each])
    return markdown_rows(["arm", "kept", "points for each 10% slips [95% over seeds]", "by seed"], rows)


def slopes(cells: Sequence[Cell], arm: str, keep: Keep) -> list[float]:
    """Of each seed, with the run on clean texts as a share of 0: accuracy (a share) for a share of slips."""
    found = []
    for seed in sorted({one.seed for one in cells}):
        points = {
            0.0 if one.noise == "clean" else float(one.noise.split()[1]): one.accuracy
            for one in cells
            if (one.arm, one.seed) == (arm, seed)
            and (one.noise == "clean" or (one.noise.startswith("slips") and one.keep == keep))
        }
        if len(points) > 1:
            found.append(float(np.polyfit(list(points), list(points.values()), 1)[0]))
    return found


def tables(counted: Sequence[Kept], cells: Sequence[Cell]) -> str:
    """All three, in Markdown."""
    return f"{counts_table(counted)}\n\n{accuracy_table(cells)}\n\n{slope_table(cells)}"


def _percents(shares: Sequence[float], sign: str = "") -> str:
    found = seed_interval(shares)
    value, low, high = (
        f"{100 * share:{sign}.1f}".replace("inf", "∞") for share in (found.value, found.low, found.high)
    )
    return f"{value} [{low}, {high}]"


def main(roots: Sequence[str]) -> None:
    """File each folder, or, without one, print the tables."""
    for root in roots:
        folder = file_cells(Path(root))
        print(f"{folder}: {len(_filed(folder))} runs")
    if not roots:
        folder = families.RESULTS / NAME
        if not (cells := _filed(folder)):
            raise UserError(f"{folder / CELLS}: nothing is filed; run research/recipes/noisy-teacher.yaml")
        print(tables(list(read_records(folder / "kept.jsonl", Kept)), cells))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as error:
        sys.exit(f"{error}")
