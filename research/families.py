"""The filed results of each family of problems: what ``research/results/NAME`` holds, read again.

``settings.json``   the recipe
``points.jsonl``    a row for each arm, seed and number of training items (:class:`CurvePoint`)
``test.json``       which test problems are variants of one puzzle (:class:`TestPuzzles`)
``sampled.jsonl``   answers chosen among samples (:mod:`research.sampled`), of some families
``runs.json``       of each training run (``ARM-SEED``): versions, device, git revision, hashes of data and weights
``outputs/``        what the models wrote at the last point of their curves (``ARM-SEED.jsonl.gz``), of newer families
``dev/``            predictions for SpaCE2025's dev items (:mod:`research.space2025.predict_dev`), of some families

:mod:`research.file_results` writes all but ``dev/``.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from research.sampled import SampledPoint, read_sampled
from srt.experiment.learning_curve import CurvePoint, TestPuzzles
from srt.io.record_reader import read_records
from srt.statistics.items_to_level import Curve

RESULTS = Path(__file__).resolve().parent / "results"
SETTINGS, POINTS, PUZZLES, RUNS = "settings.json", "points.jsonl", "test.json", "runs.json"
OUTPUTS = "outputs"


@dataclass(frozen=True)
class Family:
    """The results of one recipe: all arms and seeds on the same problems."""

    name: str
    settings: dict[str, Any]
    points: list[CurvePoint]
    test: TestPuzzles
    sampled: list[SampledPoint]

    @property
    def arms(self) -> list[str]:
        """Those that have points, in the order of the recipe."""
        measured = {point.arm for point in self.points}
        return [arm for arm in self.settings["arms"] if arm in measured]

    def of(self, arm: str, items: int | None = None) -> list[CurvePoint]:
        """The points of ``arm``, by seed and items; only those at ``items``, if given."""
        found = [point for point in self.points if point.arm == arm and items in (None, point.items)]
        return sorted(found, key=lambda point: (point.seed, point.items))

    def right(self, arm: str, items: int) -> npt.NDArray[np.float64]:
        """1 for each problem that was answered correctly, else 0: a row for each seed."""
        return np.stack([digits(point.right) for point in self.of(arm, items)])

    def seeds(self, arm: str, items: int) -> Set[int]:
        """Those that were measured there."""
        return {point.seed for point in self.of(arm, items)}

    def common_items(self, one: str, other: str) -> list[int]:
        """The numbers of items at which both arms were measured with the same seeds (at least one)."""
        measured = sorted({point.items for point in self.of(one)} & {point.items for point in self.of(other)})
        return [items for items in measured if self.seeds(one, items) == self.seeds(other, items)]

    def curves(self, arm: str) -> dict[int, Curve]:
        """The curve of each seed."""
        curves: dict[int, dict[int, npt.NDArray[np.float64]]] = {}
        for point in self.of(arm):
            curves.setdefault(point.seed, {})[point.items] = digits(point.right)
        return dict(curves)

    def of_seeds(self, seeds: Set[int]) -> Family:
        """The same family with the points of these seeds alone."""
        return replace(self, points=[point for point in self.points if point.seed in seeds])


def digits(right: str) -> npt.NDArray[np.float64]:
    """The numbers that the characters are."""
    return np.array([float(digit) for digit in right])


def read_family(folder: Path) -> Family:
    """The results in ``folder``."""
    return Family(
        name=folder.name,
        settings=orjson.loads((folder / SETTINGS).read_bytes()),
        points=list(read_records(folder / POINTS, CurvePoint)),
        test=TestPuzzles.model_validate_json((folder / PUZZLES).read_bytes()),
        sampled=read_sampled(folder),
    )


def read_families(results: Path = RESULTS) -> list[Family]:
    """All families that are filed, by name. An experiment without a learning curve, such as a demo, is none."""
    filed = (read_family(path.parent) for path in sorted(results.glob(f"*/{POINTS}")))
    return [family for family in filed if family.settings.get("curve")]
