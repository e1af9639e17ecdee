"""Answers of a trained model to the dev items of SpaCE2025's SPR, as an official predictions file.

    SRT_SPACE2025=... srt experiment recipes/ladder/space2025-booths.yaml
    SRT_SPACE2025=... python -m benchmarks.space2025.predict_dev runs/ladder/space2025-booths

takes the model at the last point of the curve of each arm and seed, and asks it the dev items that the recipe's test
would choose; one whose weights were not kept is left out. It writes to benchmarks/results/space2025-spr/NAME/:

``ARM-SEED.jsonl``  a line for every item of the dev file; the answer is empty where it was not asked or gave none
``figures.json``    what the same model has right of the labelled items of the recipe's test, and the figures of
                    :mod:`benchmarks.space2025.figures`; the dev items have no gold answers here

Neither file has a text of the benchmark.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from benchmarks.space2025.figures import FIGURES, RESULTS, TRAINED_ON, add_figures, dev_items, last_points, report
from eval.scoring.official_answers import official_answers
from srt.cli.experiment_stages import TrainAndEval
from srt.corpora.space2025 import write_predictions
from srt.experiment.experiment_folder import ExperimentFolder, read_experiment
from srt.experiment.experiment_models import trained_at
from srt.experiment.experiment_recipe import TEST
from srt.experiment.learning_curve import TestPuzzles
from srt.experiment.model_stages import Evaluation, TrainedModel
from srt.io.errors import UserError
from srt.io.jsonl import write_atomically
from srt.io.problem_files import read_problems
from srt.statistics.intervals import share_interval


def predict_dev(root: Path, results: Path = RESULTS) -> dict[str, Any]:
    """Write the predictions of every arm and seed of the experiment in ``root``, and return all figures.

    They go to the folder ``results/NAME``.

    Raises:
        UserError: no experiment with measured points in ``root``, the weights of none of them are there, or its test is
            no training file of SpaCE2025.
    """
    folder = ExperimentFolder(root)
    last = last_points(folder)
    if not last:
        raise UserError(f"{root}: curve/points.jsonl: no point of the test; give the output of srt experiment")
    experiment = read_experiment(root)
    models = {name: trained_at(experiment, point.arm, point.seed, point.items) for name, point in last.items()}
    lost = {name for name, model in models.items() if not _has_weights(model)}
    for name in sorted(lost):
        print(f"{name} is left out: no weights in {models[name].model}", file=sys.stderr)
    if len(lost) == len(last):
        raise UserError(f"{root}: no model has its weights; train again, or copy them there")
    every, asked = dev_items(experiment)
    problems = read_problems(every)
    puzzles = TestPuzzles.model_validate_json(folder.puzzles(TEST).read_bytes()).puzzles
    filed = results / experiment.name
    filed.mkdir(parents=True, exist_ok=True)
    figures: dict[str, dict[str, Any]] = {}
    for name, point in sorted((name, point) for name, point in last.items() if name not in lost):
        out = root / "dev" / f"{name}-{point.items}"
        TrainAndEval().evaluate(
            Evaluation(
                trained=models[name],
                problems=asked,
                arm=point.arm,
                prompt=experiment.prompt,
                out=out,
                settings=experiment.evaluate,
            )
        )
        answers = official_answers(out, asked).answers
        rows = [(problem.id, "SPR", answers.get(problem.id)) for problem in problems.values()]
        right, _ = share_interval(np.array([[float(digit) for digit in point.right]]), puzzles)
        figures[name] = {
            "trained items": point.items,
            "labelled items": len(point.right),
            "right of them": [round(share, 4) for share in (right.value, right.low, right.high)],
            "dev items": write_predictions(filed / f"{name}.jsonl", rows),
            "asked": len(read_problems(asked)),
            "answered": len(answers),
        }
    settings = experiment.model_dump(mode="json", exclude_defaults=True)
    kept = {key: settings[key] for key in ("model", "train", *TRAINED_ON) if key in settings}
    written = orjson.dumps({"figures": figures, "settings": kept}, option=orjson.OPT_INDENT_2)
    write_atomically(filed / FIGURES, [written, b"\n"])
    return add_figures(experiment, filed)


def _has_weights(trained: TrainedModel) -> bool:
    """Whether the folder of the model has weights; that of a run on another machine may have come without them."""
    return any(trained.model.glob("*.safetensors"))


if __name__ == "__main__":
    try:
        print(report(predict_dev(Path(sys.argv[1]))))
    except UserError as error:
        sys.exit(f"{error}")
