"""Answers of a trained model to the dev items of SpaCE2025's SPR, as an official predictions file.

    SRT_SPACE2025=... srt experiment recipes/ladder/space2025-booths.yaml --items 64000
    SRT_SPACE2025=... python -m benchmarks.space2025_dev runs/ladder/space2025-booths

takes the model at the last point of the curve of each arm and seed, asks it the dev items that the ``where`` of the
recipe's test selects, and writes ``ARM-SEED.jsonl`` to benchmarks/results/space2025-spr/NAME/: a line for every item of
the dev file, with an empty answer where it was not asked or gave none. Dev items have no gold answers here. What the
same model has right of the labelled items of the recipe's test is in ``figures.json`` beside it. Neither file has a
text of the benchmark.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from eval.scoring.official_answers import official_answers
from srt.cli.experiment_stages import TrainAndEval
from srt.corpora import import_file
from srt.corpora.space2025 import write_predictions
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import TEST, Experiment
from srt.experiment.gather_problems import selected
from srt.experiment.learning_curve import CurvePoint, TestPuzzles, read_points, trained_at
from srt.experiment.model_stages import Evaluation
from srt.experiment.problem_sources import CorpusSource
from srt.io.errors import UserError
from srt.io.jsonl import write_atomically, write_records
from srt.io.problem_files import read_problems
from srt.io.yaml_config import parse_config
from srt.statistics.intervals import share_interval

RESULTS = Path(__file__).resolve().parent / "results" / "space2025-spr"


def predict_dev(root: Path) -> None:
    """Write the predictions of every arm and seed of the experiment in ``root``."""
    settings = orjson.loads((root / "experiment.json").read_bytes())
    experiment = parse_config(Experiment, {**settings, "output": str(root)}, str(root))
    source = experiment.test_problems[0]
    if not isinstance(source, CorpusSource) or "_train" not in source.path:
        raise UserError(f"{root}: its test is no training file of SpaCE2025, so its dev items are not known")
    folder, every = ExperimentFolder(root), root / "dev" / "all.jsonl"
    every.parent.mkdir(exist_ok=True)
    import_file("space2025", Path(os.path.expandvars(source.path.replace("_train", "_dev"))), every)
    problems = read_problems(every)
    asked = root / "dev" / "asked.jsonl"
    write_records(asked, selected(problems.values(), source.where, source.path))
    last: dict[tuple[str, int], CurvePoint] = {}
    for point in read_points(folder):
        if point.test == TEST and point.items >= last.get((point.arm, point.seed), point).items:
            last[point.arm, point.seed] = point
    puzzles = TestPuzzles.model_validate_json((root / "curve" / f"{TEST}.json").read_bytes()).puzzles
    figures: dict[str, dict[str, Any]] = {}
    for (arm, seed), point in sorted(last.items()):
        out = root / "dev" / f"{arm}-{seed}-{point.items}"
        TrainAndEval().evaluate(
            Evaluation(
                trained=trained_at(experiment, arm, seed, point.items),
                problems=asked,
                arm=arm,
                prompt=experiment.prompt,
                out=out,
                settings=experiment.evaluate,
            )
        )
        answers = official_answers(out, asked).answers
        (RESULTS / experiment.name).mkdir(parents=True, exist_ok=True)
        file = RESULTS / experiment.name / f"{arm}-{seed}.jsonl"
        rows = [(problem.id, "SPR", answers.get(problem.id)) for problem in problems.values()]
        right, _ = share_interval(np.array([[float(digit) for digit in point.right]]), puzzles)
        figures[f"{arm}-{seed}"] = {
            "trained items": point.items,
            "labelled items": len(point.right),
            "right of them": [round(share, 4) for share in (right.value, right.low, right.high)],
            "dev items": write_predictions(file, rows),
            "asked": len(read_problems(asked)),
            "answered": len(answers),
        }
        print(f"{file}: {figures[f'{arm}-{seed}']}")
    kept = {key: settings[key] for key in ("model", "train", "train_problems") if key in settings}
    written = orjson.dumps({"figures": figures, "settings": kept}, option=orjson.OPT_INDENT_2)
    write_atomically(RESULTS / experiment.name / "figures.json", [written, b"\n"])


if __name__ == "__main__":
    predict_dev(Path(sys.argv[1]))
