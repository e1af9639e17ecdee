"""Learning curves: every arm and seed is trained up to each number of items in turn, and evaluated there.

A point is a checkpoint of one training run. The learning rate is constant after the warmup, so the run up to a point is
the beginning of every longer run: all points of a curve are equally fair, and a curve can be made longer later (so a
run is not finished at the last point, but stops there). The price is that no point has the gain that a falling learning
rate gives at the end of a run; every arm pays it.

The order is seed by seed, and point by point within a seed, so that whenever the experiment is stopped, the arms have
been measured after the same items. Each point is filed at once; once the data are made, several processes may measure
different arms or seeds of one experiment:

    OUTPUT/curve/TEST/ARM-S/ITEMS/  predictions and scores
    OUTPUT/curve/points.jsonl       a row for each of them (:class:`CurvePoint`)
    OUTPUT/curve/TEST.json          which of the test's problems are variants of one puzzle (:class:`TestPuzzles`)
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import orjson

from srt.experiment.experiment_blocks import BenchmarkTest
from srt.experiment.experiment_folder import ExperimentFolder, one_at_a_time
from srt.experiment.experiment_models import trained_at
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.model_stages import Evaluation, ModelStages, Say
from srt.experiment.portion import Portion
from srt.experiment.training_recipes import evaluation_settings
from srt.io.atomic_files import write_atomically
from srt.io.folder_lock import hold_folder
from srt.io.problem_files import read_problems
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem, Record, cluster_of


class CurvePoint(Record):
    """One arm with one seed after ``items`` training sequences, on one test.

    ``tokens`` is what the run had seen by then, ``labelled_tokens`` those of them that were trained on. ``right``,
    ``output_tokens``, ``proved``, ``computed`` (shares of all problems), ``first_wrong``, ``proved_each`` and
    ``certified_each`` as in :class:`~srt.experiment.model_stages.RunFigures`. Points of version 0.1 have no
    ``computed``, and older points nothing of each problem but ``right``.
    """

    test: str
    arm: str
    seed: int
    items: int
    tokens: int
    labelled_tokens: int
    right: str
    output_tokens: float
    proved: float
    computed: float = 0.0
    first_wrong: dict[str, int]
    proved_each: str = ""
    certified_each: str = ""

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return self.right.count("1") / len(self.right)


class TestPuzzles(Record):
    """For each problem of a test, in their order, the number of its puzzle; and the size of the family.

    ``trained_puzzles`` are among the ``training_problems``. ``puzzles_at_least`` estimates from below how many there
    are to draw training problems from: Chao's estimate (Scandinavian Journal of Statistics 11, 1984), from the puzzles
    that were drawn once and twice. Where every puzzle was drawn many times, it is their number.
    """

    __test__ = False  # for pytest

    puzzles: list[int]
    training_problems: int
    trained_puzzles: int
    puzzles_at_least: int


class LearningCurves:
    """The curves of ``experiment``, measured with ``stages``.

    ``recipe_of`` writes the training recipe of an arm and a seed.
    """

    def __init__(
        self,
        experiment: Experiment,
        tests: Mapping[str, BenchmarkTest | None],
        stages: ModelStages,
        recipe_of: Callable[[str, int], Path],
        launch: tuple[Path | None, Path | None],
        say: Say,
    ) -> None:
        self._experiment, self._tests, self._stages = experiment, tests, stages
        self._recipe_of, (self._launch, self._eval_launch), self._say = recipe_of, launch, say
        self._folder = ExperimentFolder(experiment.output)
        self._batch_size = int(experiment.train["batch_size"])
        assert experiment.curve is not None
        self._curve = experiment.curve

    def measure(self, portion: Portion) -> list[CurvePoint]:
        """Measure what is missing of ``portion``, and return all points that the folder has by now."""
        self._folder.curve.mkdir(exist_ok=True)
        for test in self._tests:
            if not self._folder.puzzles(test).exists():  # of problems that no longer change
                write_atomically(
                    self._folder.puzzles(test), [orjson.dumps(puzzles_of(self._folder, test).model_dump())]
                )
        for arm, seed, items in self._order(portion):
            trained = f"{self._experiment.trained_as(arm) or arm}-{seed}"
            with one_at_a_time(self._folder.root, f".{trained}.lock", f"runs {trained}", self._say):
                points = read_points(self._folder)
                done = {point.test for point in points if (point.arm, point.seed, point.items) == (arm, seed, items)}
                if done == self._tests.keys() or self._has_enough(arm, seed, items, points):
                    continue
                for point in self._measure_one(arm, seed, items):
                    self._file(point)
                    self._say(f"{arm}, seed {seed}, {items} items, {point.test}: {point.accuracy:.1%} right")
        return read_points(self._folder)

    def _file(self, point: CurvePoint) -> None:
        """Add ``point`` to the file, or put it in the place of an earlier one; other processes may add theirs."""
        with hold_folder(self._folder.curve, name=".points.lock", wait=True):
            others = (p for p in read_points(self._folder) if _place(p) != _place(point))
            write_records(self._folder.points, [*others, point])

    def _order(self, portion: Portion) -> Iterator[tuple[str, int, int]]:
        for seed in self._experiment.seeds:
            for items in self._curve.items:
                for arm in self._experiment.arms:
                    chosen = (portion.arms is None or arm in portion.arms) and (
                        portion.seeds is None or seed in portion.seeds
                    )
                    if chosen and (portion.items is None or items <= portion.items):
                        yield arm, seed, items

    def _has_enough(self, arm: str, seed: int, items: int, points: Sequence[CurvePoint]) -> bool:
        """Whether the arm that is trained had enough before: one with a banned operation ends where ``srt`` does."""
        enough, first = self._curve.enough, next(iter(self._tests))
        run = first, self._experiment.trained_as(arm) or arm, seed
        reached = (p.accuracy for p in points if (p.test, p.arm, p.seed) == run and p.items < items)
        return enough is not None and max(reached, default=0.0) >= enough

    def _measure_one(self, arm: str, seed: int, items: int) -> Iterator[CurvePoint]:
        """Train to ``items`` and evaluate on each test. A banned operation is banned in the checkpoints of ``srt``."""
        origin, step = self._experiment.trained_as(arm), items // self._batch_size
        name = f"{arm}, seed {seed}"
        tokens, labelled = 0, 0
        if origin is not None:
            recipe = self._recipe_of(origin, seed)
            model = self._folder.weights(origin, seed, items)
            if not model.exists():
                self._say(f"train: {name}, to {items} items")
                output = self._folder.model(origin, seed)
                self._stages.train(recipe, self._launch, lambda line: self._say(f"{name}: {line}"), step)
                _keep_weights(output / f"checkpoint-{step}", model)
            tokens, labelled = self._stages.tokens_until(recipe, [step])[0]
        for test, benchmark in self._tests.items():
            out = self._folder.measured(test, arm, seed, items)
            self._say(f"evaluate: {name}, {items} items" + (f", {test}" if len(self._tests) > 1 else ""))
            self._stages.evaluate(
                Evaluation(
                    trained=trained_at(self._experiment, arm, seed, items),
                    problems=self._folder.test(test),
                    arm=arm,
                    prompt=self._experiment.prompt,
                    out=out,
                    benchmark=benchmark,
                    settings=evaluation_settings(
                        self._experiment, f"{arm}/{seed}/{items}" + (f"/{test}" if len(self._tests) > 1 else ""), arm
                    ),
                    launch=self._eval_launch,
                )
            )
            figures = self._stages.figures(out)
            yield CurvePoint(
                test=test,
                arm=arm,
                seed=seed,
                items=items,
                tokens=tokens,
                labelled_tokens=labelled,
                right=figures.right,
                output_tokens=figures.output_tokens,
                proved=figures.proved,
                computed=figures.computed,
                first_wrong=figures.first_wrong,
                proved_each=figures.proved_each,
                certified_each=figures.certified_each,
            )


def puzzles_of(folder: ExperimentFolder, test: str) -> TestPuzzles:
    """Counted in the problems of the experiment in ``folder``."""
    return count_puzzles(read_problems(folder.test(test)).values(), read_problems(folder.train).values())


def count_puzzles(test: Iterable[Problem], train: Iterable[Problem]) -> TestPuzzles:
    """Of the problems of a test, and of those to train on."""
    clusters = [cluster_of(problem) for problem in test]
    number = {cluster: at for at, cluster in enumerate(dict.fromkeys(clusters))}
    trained = Counter(cluster_of(problem) for problem in train)
    times = Counter(trained.values())
    return TestPuzzles(
        puzzles=[number[cluster] for cluster in clusters],
        training_problems=trained.total(),
        trained_puzzles=len(trained),
        puzzles_at_least=len(trained) + times[1] * (times[1] - 1) // (2 * (times[2] + 1)),
    )


def _place(point: CurvePoint) -> tuple[str, str, int, int]:
    return point.test, point.arm, point.seed, point.items


def read_points(folder: ExperimentFolder) -> list[CurvePoint]:
    """The points that are measured in an experiment's folder."""
    return list(read_records(folder.points, CurvePoint)) if folder.points.exists() else []


def curve_table(points: Sequence[CurvePoint], test: str) -> str:
    """The accuracy of each arm after so many items, in Markdown: the mean over the seeds that were measured there."""
    here = [point for point in points if point.test == test]
    columns = sorted({point.items for point in here})
    lines = [
        "| right, % (seeds) | " + " | ".join(f"{items:,}" for items in columns) + " |",
        "|---" * (len(columns) + 1) + "|",
    ]
    for arm in dict.fromkeys(point.arm for point in here):
        cells = []
        for items in columns:
            values = [point.accuracy for point in here if (point.arm, point.items) == (arm, items)]
            cells.append(f"{100 * sum(values) / len(values):.1f} ({len(values)})" if values else "")
        lines.append(f"| {arm} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _keep_weights(trained: Path, kept: Path) -> None:
    """Copy a model folder without the optimizer, which is most of a checkpoint; atomically."""
    making = kept.with_name(f".{kept.name}.tmp")
    shutil.rmtree(making, ignore_errors=True)
    shutil.copytree(trained, making, ignore=_not_of_a_model)
    making.rename(kept)


def _not_of_a_model(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith((".safetensors", ".json", ".jinja", ".model", ".txt"))]
