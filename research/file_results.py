"""File the results of experiments: what the tables need of them, in ``research/results/NAME``.

    python -m research.file_results runs/demo ...

reads the folder that ``srt experiment`` wrote. Points of learning curves are copied; of an experiment without a curve,
such as the demos, each evaluation is a point at the end of its training. Where points of that name are filed already,
those of the folder are added, so an experiment may be filed in portions. :mod:`research.families` says what each file
holds.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from eval.records.run_records import PREDICTIONS
from research import families
from research.families import OUTPUTS, POINTS, PUZZLES, RUNS, SETTINGS
from research.sampled import SAMPLED, read_sampled
from srt.cli.experiment_stages import TrainAndEval
from srt.experiment.experiment_folder import ExperimentFolder, read_experiment
from srt.experiment.experiment_recipe import TEST, Experiment
from srt.experiment.learning_curve import CurvePoint, puzzles_of, read_points
from srt.experiment.model_stages import TrainedTokens
from srt.experiment.problem_sources import CorpusSource
from srt.experiment.rehearsal.tiny_experiment import TITLE
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Prediction

_CHECKOUT = re.compile(rb"(?<=[ \"])/[^ \"]*/(?=train/train_srt\.py)")
"""Where the project lay on the machine: a path of the results is one of the project."""


def file_results(root: Path) -> Path:
    """File the results of the experiment in ``root``, and return the folder that they are in.

    Raises:
        UserError: no experiment in ``root``, a rehearsal, or nothing of it was evaluated.
    """
    experiment, run = read_experiment(root), ExperimentFolder(root)
    if experiment.name.startswith(TITLE):
        raise UserError(f"{root}: name: {experiment.name}; a rehearsal is not filed")
    measured = [point for point in read_points(run) if point.test == TEST] or list(_evaluated(experiment, run))
    if not measured:
        raise UserError(f"{root}: tested/{TEST}: no evaluation there; run srt experiment to its end")
    folder = families.RESULTS / experiment.name
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / SETTINGS, [pretty(orjson.loads((root / "experiment.json").read_bytes()))])
    counted = run.puzzles(TEST)  # a learning curve has counted them
    puzzles = counted.read_bytes() if counted.exists() else orjson.dumps(puzzles_of(run, TEST).model_dump())
    write_atomically(folder / PUZZLES, [puzzles])
    add_points(folder, measured)
    _add_sampled(folder, run)
    _add_outputs(folder, experiment, run, measured)
    _add_runs(folder, run)
    return folder


def _evaluated(experiment: Experiment, run: ExperimentFolder) -> Iterator[CurvePoint]:
    """A point for each evaluation of an experiment without a curve."""
    stages = TrainAndEval()
    for path in sorted((run.root / "tested" / TEST).glob("*-*")):
        arm, _, seed = path.name.rpartition("-")
        recipe = run.run(experiment.trained_as(arm) or arm, int(seed)) / "recipe.yaml"
        items, trained = 0, TrainedTokens(0, 0)
        if recipe.exists():  # ``base`` is not trained
            steps = experiment.train.get("steps")
            if steps is None:
                raise UserError(f"{run.root}: train.steps: needed, to say after how many items an arm was evaluated")
            items = steps * experiment.train["batch_size"]
            trained = stages.tokens_until(recipe, [steps])[0]
        figures = stages.figures(path)
        yield CurvePoint(
            test=TEST,
            arm=arm,
            seed=int(seed),
            items=items,
            tokens=trained.tokens,
            labelled_tokens=trained.with_label,
            right=figures.right,
            output_tokens=figures.output_tokens,
            proved=figures.proved,
            computed=figures.computed,
            first_wrong=figures.first_wrong,
            proved_each=figures.proved_each,
            certified_each=figures.certified_each,
        )


def add_points(folder: Path, measured: Sequence[CurvePoint]) -> None:
    """Write ``measured`` beside the points that are filed in ``folder``, in the place of older ones."""
    path = folder / POINTS
    filed = list(read_records(path, CurvePoint)) if path.exists() else []
    by_place = {(point.arm, point.seed, point.items): point for point in (*filed, *measured)}
    write_records(path, (by_place[place] for place in sorted(by_place)))


def _add_sampled(folder: Path, run: ExperimentFolder) -> None:
    if measured := [*read_sampled(folder), *read_sampled(run.curve)]:
        by_place = {(p.arm, p.seed, p.items, p.samples, p.temperature): p for p in measured}
        write_records(folder / SAMPLED, (by_place[place] for place in sorted(by_place)))


def _add_outputs(folder: Path, experiment: Experiment, run: ExperimentFolder, measured: Sequence[CurvePoint]) -> None:
    """What each model wrote at the last point of its curve: the text for each problem, by id.

    Nothing of a published corpus is filed: a trace says again what its problem says, and licences forbid copies.
    """
    if any(isinstance(source, CorpusSource) for source in experiment.test_problems):
        return
    last = {(point.arm, point.seed): point.items for point in sorted(measured, key=lambda point: point.items)}
    for (arm, seed), items in last.items():
        written = run.measured(TEST, arm, seed, items)
        if not written.exists():  # an experiment without a curve
            written = run.root / "tested" / TEST / f"{arm}-{seed}"
        if not (written / PREDICTIONS).exists():
            continue
        (folder / OUTPUTS).mkdir(exist_ok=True)
        write_atomically(folder / OUTPUTS / f"{arm}-{seed}.jsonl.gz", [packed_texts(written / PREDICTIONS)])


def packed_texts(predictions: Path) -> bytes:
    """The text for each problem, by id, as compressed JSON lines; the same texts give the same bytes."""
    rows = read_records(predictions, Prediction)
    texts = b"".join(orjson.dumps({"problem_id": row.problem_id, "text": row.text}) + b"\n" for row in rows)
    return gzip.compress(texts, mtime=0)


def read_manifest(path: Path) -> Any:
    """The manifest of a training run, without where the project lay."""
    return orjson.loads(_CHECKOUT.sub(b"", path.read_bytes()))


def _add_runs(folder: Path, run: ExperimentFolder) -> None:
    """The manifests of the runs that have a point; not of one that was stopped before its first."""
    path = folder / RUNS
    runs: dict[str, Any] = orjson.loads(path.read_bytes()) if path.exists() else {}
    measured = {f"{point.arm}-{point.seed}" for point in read_records(folder / POINTS, CurvePoint)}
    for manifest in run.root.glob("runs/*/model/manifest.json"):
        if (name := manifest.parent.parent.name) in measured:
            runs[name] = read_manifest(manifest)
    write_atomically(path, [pretty(dict(sorted(runs.items())))])


def pretty(value: dict[str, Any]) -> bytes:
    """Indented JSON."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def main(roots: Sequence[str]) -> None:
    """File the results of each folder."""
    for root in roots:
        folder = file_results(Path(root))
        print(f"{folder}: {len(families.read_family(folder).points)} points")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    try:
        main(sys.argv[1:])
    except UserError as error:
        sys.exit(f"{error}")
