"""The results of the ladder: what is filed in benchmarks/results/ladder of each family, and how it is read again.

    python -m benchmarks.ladder.results runs/ladder/FAMILY ...

copies from the folders of experiments, for each family: ``settings.json`` (the recipe), ``points.jsonl`` (a row for
each arm, seed and number of items), ``sampled.jsonl`` (:mod:`benchmarks.ladder.sampled`), ``test.json`` (its puzzles),
``scenes.json`` (the scene of each test problem, where there are several) and ``manifests/ARM-SEED.json`` (versions,
device, git revision, hashes of data and weights). Where points of that family are filed already, those of the folder
are added. :mod:`benchmarks.ladder.plans` adds ``plans.jsonl``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from benchmarks.ladder.sampled import SAMPLED, SampledPoint, read_sampled
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import TEST
from srt.experiment.learning_curve import CurvePoint, TestPuzzles
from srt.io.jsonl import read_records, write_atomically, write_records
from srt.io.problem_files import stream_problems
from srt.io.records import Problem, Record
from srt.statistics.items_to_level import Curve

_CHECKOUT = re.compile(rb"(?<=[ \"])/[^ \"]*/(?=train/train_srt\.py)")
"""Where the project lay on the machine: a path of the results is one of the project."""
SCENES = "scenes.json"
PLANS = "plans.jsonl"
FILED = Path(__file__).resolve().parents[1] / "results" / "ladder"


class PlanCount(Record):
    """How far the texts of one arm with one seed are right after ``items``, in one kind of scene.

    Of ``texts``, ``plans`` seat everybody right, and of these ``asked`` ask for the right seats. ``naming`` have a
    plan, the seats that are asked for, and names: of these ``named`` name whoever sits there by their own plan, and
    ``letters`` give the letters of whom they name. ``by_options`` has of how many, and how many of these give the
    letters, where none of those who are named is an option, where one is, and where more are; ``by_letter`` the same
    of the option's letter, where one is.
    """

    arm: str
    seed: int
    items: int
    scene: str
    texts: int
    plans: int
    asked: int
    naming: int
    named: int
    letters: int
    by_options: tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
    by_letter: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Family:
    """The filed results of one family."""

    name: str
    settings: dict[str, Any]
    points: list[CurvePoint]
    test: TestPuzzles
    sampled: list[SampledPoint]
    scenes: list[str]
    """Of each test problem, such as ``booth, compass``; empty where all are alike."""
    plans: list[PlanCount]
    """Where the outputs were read by :mod:`benchmarks.ladder.plans`."""

    @property
    def arms(self) -> list[str]:
        """Those that have points, in the order of the recipe."""
        measured = {point.arm for point in self.points}
        return [arm for arm in self.settings["arms"] if arm in measured]

    def of(self, arm: str, items: int | None = None) -> list[CurvePoint]:
        """The points of ``arm``, by seed and items; only those at ``items``, if given."""
        found = [point for point in self.points if point.arm == arm and items in (None, point.items)]
        return sorted(found, key=lambda point: (point.seed, point.items))

    def of_seeds(self, seeds: Set[int]) -> Family:
        """The same family with the points of these seeds alone."""
        return replace(self, points=[point for point in self.points if point.seed in seeds])

    def items(self, *arms: str) -> list[int]:
        """The numbers of items at which all of ``arms`` were measured with the same seeds (at least one)."""
        seeds = {arm: self._seeds(arm) for arm in arms}
        common = set.intersection(*(set(of_arm) for of_arm in seeds.values()))
        return sorted(items for items in common if len({frozenset(seeds[arm][items]) for arm in arms}) == 1)

    def curves(self, arm: str) -> dict[int, Curve]:
        """The curve of each seed."""
        curves: dict[int, dict[int, npt.NDArray[np.float64]]] = {}
        for point in self.of(arm):
            curves.setdefault(point.seed, {})[point.items] = scores(point)
        return dict(curves)

    def _seeds(self, arm: str) -> dict[int, set[int]]:
        seeds: dict[int, set[int]] = {}
        for point in self.of(arm):
            seeds.setdefault(point.items, set()).add(point.seed)
        return seeds


def scores(point: CurvePoint) -> npt.NDArray[np.float64]:
    """1 for each problem that was answered correctly, else 0."""
    return digits(point.right)


def digits(right: str) -> npt.NDArray[np.float64]:
    """The numbers that the characters are."""
    return np.array([float(digit) for digit in right])


def read_filed() -> list[Family]:
    """All families that are filed, the smallest first."""
    families = []
    for folder in sorted(path for path in FILED.iterdir() if (path / "points.jsonl").exists()):
        families.append(
            Family(
                name=folder.name,
                settings=orjson.loads((folder / "settings.json").read_bytes()),
                points=[p for p in read_records(folder / "points.jsonl", CurvePoint) if p.test == "test"],
                test=TestPuzzles.model_validate_json((folder / "test.json").read_bytes()),
                sampled=read_sampled(folder),
                scenes=orjson.loads(path.read_bytes()) if (path := folder / SCENES).exists() else [],
                plans=list(read_records(path, PlanCount)) if (path := folder / PLANS).exists() else [],
            )
        )
    return sorted(families, key=lambda family: family.test.puzzles_at_least)


def file_results(experiment: Path) -> None:
    """File the results in the folder of an experiment."""
    settings = orjson.loads((experiment / "experiment.json").read_bytes())
    run = ExperimentFolder(experiment)
    folder = FILED / str(settings["name"])
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "settings.json", [orjson.dumps(settings, option=orjson.OPT_INDENT_2)])
    write_atomically(folder / "test.json", [run.puzzles(TEST).read_bytes()])
    scenes = [scene_of(problem) for problem in stream_problems(run.test(TEST))]
    if len(set(scenes)) > 1:
        write_atomically(folder / SCENES, [orjson.dumps(scenes)])
    points: dict[tuple[str, str, int, int], CurvePoint] = {}
    for path in (folder / "points.jsonl", run.points):
        if path.exists():
            points |= {(p.test, p.arm, p.seed, p.items): p for p in read_records(path, CurvePoint)}
    write_records(folder / "points.jsonl", (points[key] for key in sorted(points)))
    measured = [*read_sampled(folder), *read_sampled(run.curve)]
    if measured:
        by_place = {(p.arm, p.seed, p.items, p.samples, p.temperature): p for p in measured}
        write_records(folder / SAMPLED, (by_place[place] for place in sorted(by_place)))
    runs = {f"{point.arm}-{point.seed}" for point in points.values()}
    for manifest in sorted(experiment.glob("runs/*/model/manifest.json")):
        if manifest.parent.parent.name not in runs:
            continue  # A run that was stopped before its first point.
        kept = folder / "manifests" / f"{manifest.parent.parent.name}.json"
        kept.parent.mkdir(exist_ok=True)
        write_atomically(kept, [_CHECKOUT.sub(b"", manifest.read_bytes())])
    print(f"{folder}: {len(points)} points")


def scene_of(problem: Problem) -> str:
    """Its shape, whichever way people face, and whether it has a compass."""
    shape = str(problem.meta["scene"]).partition("-")[0]
    return shape if problem.meta["compass"] == "none" else f"{shape}, compass"


def main(folders: Sequence[str]) -> None:
    """File the results of each folder."""
    for folder in folders:
        file_results(Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
