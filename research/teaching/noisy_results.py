"""The results of the study of noisy teachers (:mod:`research.teaching.noisy_teacher`): filed, and as tables.

    python -m research.teaching.noisy_results runs/noisy-teacher     # files what is finished there
    python -m research.teaching.noisy_results                        # prints the tables of what is filed

``research/results/noisy-teacher`` has the files of a family (:mod:`research.families`), whose arms are the cells of the
study, such as ``srt-slips-0.3-verified``; and ``kept.jsonl`` (:class:`Kept`).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson

from eval.benchmarks.tables.breakdown import markdown_rows
from eval.records.run_records import PREDICTIONS
from research import families
from research.factorial import seed_interval
from research.families import OUTPUTS, POINTS, PUZZLES, RUNS, SETTINGS, Family, digits, read_family
from research.file_results import add_points, packed_texts, pretty, read_manifest
from srt.experiment.learning_curve import CurvePoint, TestPuzzles
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Record

NAME, STUDY, KEPT = "noisy-teacher", "study.json", "kept.jsonl"
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
    def name(self) -> str:
        """As ``srt-slips-0.3-all``."""
        return f"{self.arm}-{self.noise.replace(' ', '-')}-{self.keep}"


def file_cells(root: Path) -> Path:
    """File what is finished in ``root``, beside what is filed already, and return the folder that it is in.

    Raises:
        UserError: ``root`` is not the folder of a study, or nothing is finished in it.
    """
    if not (root / STUDY).exists():
        raise UserError(f"{root / STUDY}: not there; research.teaching.noisy_teacher makes it")
    if not (root / POINTS).exists():
        raise UserError(f"{root / POINTS}: not there; no run is finished")
    folder = families.RESULTS / NAME
    (folder / OUTPUTS).mkdir(parents=True, exist_ok=True)
    kept = list(read_records(root / "data" / KEPT, Kept))
    settings = {"name": NAME, "arms": [one.name for one in kept], **orjson.loads((root / STUDY).read_bytes())}
    write_atomically(folder / SETTINGS, [pretty(settings)])
    write_records(folder / KEPT, kept)
    write_atomically(folder / PUZZLES, [(root / PUZZLES).read_bytes()])
    measured = list(read_records(root / POINTS, CurvePoint))
    add_points(folder, measured)
    path = folder / RUNS
    runs: dict[str, Any] = orjson.loads(path.read_bytes()) if path.exists() else {}
    for point in measured:
        name = f"{point.arm}-{point.seed}"
        write_atomically(folder / OUTPUTS / f"{name}.jsonl.gz", [packed_texts(root / "tested" / name / PREDICTIONS)])
        runs[name] = read_manifest(root / "runs" / name / "manifest.json")
    write_atomically(path, [pretty(dict(sorted(runs.items())))])
    return folder


def counts_table(counted: Sequence[Kept]) -> str:
    """How many texts were read for those kept, and how many of these have the error."""
    rows = [[one.arm, one.noise, one.keep, f"{one.read:,}", f"{one.kept:,}", f"{one.erred:,}"] for one in counted]
    return markdown_rows(["arm", "noise", "kept", "texts read", "trained on", "with the error"], rows)


def accuracy_table(family: Family, counted: Sequence[Kept]) -> str:
    """Accuracy of each cell, its mean with Student's interval over seeds."""
    rows = []
    for kept in counted:
        if points := family.of(kept.name):
            right = [digits(point.right) for point in points]
            shares = [float(each.mean()) for each in right]
            proved = [each * digits(point.proved_each) for each, point in zip(right, points, strict=True)]
            certified = [each * digits(p.certified_each) for each, p in zip(right, points, strict=True)]
            row = [
                kept.arm,
                kept.noise,
                kept.keep,
                _percents(shares, 0, 1),
                ", ".join(f"{100 * one:.1f}" for one in shares),
            ]
            rows.append([*row, f"{100 * np.mean(proved):.1f}", f"{100 * np.mean(certified):.1f}"])
    head = ["arm", "noise", "kept", "right % [95% over seeds]", "by seed"]
    return markdown_rows([*head, "proved and right %", "certified and right %"], rows)


def slope_table(family: Family, counted: Sequence[Kept]) -> str:
    """The least-squares slope of accuracy over the share of slips, in points for each tenth of the texts."""
    rows = []
    for arm in dict.fromkeys(one.arm for one in counted):
        for keep in ("all", "verified"):
            if found := slopes(family, counted, arm, keep):
                each = ", ".join(f"{10 * value:+.1f}" for value in found)
                rows.append([arm, keep, _percents([value / 10 for value in found], sign="+"), each])
    return markdown_rows(["arm", "kept", "points for each 10% slips [95% over seeds]", "by seed"], rows)


def slopes(family: Family, counted: Sequence[Kept], arm: str, keep: str) -> list[float]:
    """Of each seed, with the run on clean texts as a share of 0: accuracy (a share) for a share of slips."""
    cells = [
        (0.0 if one.noise == "clean" else float(one.noise.split()[1]), one.name)
        for one in counted
        if one.arm == arm and (one.noise == "clean" or (one.noise.startswith("slips") and one.keep == keep))
    ]
    accuracy = {(point.arm, point.seed): point.accuracy for point in family.points}
    found = []
    for seed in sorted({point.seed for point in family.points}):
        line = [(share, accuracy[name, seed]) for share, name in cells if (name, seed) in accuracy]
        if len(line) == len(cells) > 1:
            found.append(float(np.polyfit([share for share, _ in line], [right for _, right in line], 1)[0]))
    return found


def tables(family: Family, counted: Sequence[Kept]) -> str:
    """All three, in Markdown."""
    parts = counts_table(counted), accuracy_table(family, counted), slope_table(family, counted)
    return "\n\n".join(parts)


def read_cells(root: Path) -> tuple[Family, list[Kept]]:
    """What is measured in the folder of a study: its cells as a family."""
    kept = list(read_records(root / "data" / KEPT, Kept))
    test = TestPuzzles.model_validate_json((root / PUZZLES).read_bytes())
    points = list(read_records(root / POINTS, CurvePoint))
    return Family(NAME, {"arms": [one.name for one in kept]}, points, test, []), kept


def _percents(shares: Sequence[float], least: float = -np.inf, most: float = np.inf, sign: str = "") -> str:
    """The mean and its interval, which ends where the values do."""
    found = seed_interval(shares)
    ends = found.value, max(found.low, least), min(found.high, most)
    value, low, high = (f"{100 * share:{sign}.1f}".replace("inf", "∞") for share in ends)
    return f"{value} [{low}, {high}]"


def main(roots: Sequence[str]) -> None:
    """File each folder, or, without one, print the tables."""
    for root in roots:
        folder = file_cells(Path(root))
        print(f"{folder}: {len(read_family(folder).points)} runs")
    if not roots:
        folder = families.RESULTS / NAME
        if not folder.exists():
            raise UserError(f"{folder}: not there; run research/recipes/noisy-teacher.yaml and file it")
        print(tables(read_family(folder), list(read_records(folder / KEPT, Kept))))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as error:
        sys.exit(f"{error}")
