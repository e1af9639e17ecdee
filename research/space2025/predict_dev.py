"""Answers of a trained model to the dev items of SpaCE2025's SPR, as an official predictions file.

    SRT_SPACE2025=... srt experiment research/recipes/space2025-booths.yaml
    SRT_SPACE2025=... python -m research.space2025.predict_dev runs/research/space2025-booths [--samples 4]

takes the model at the last point of the curve of each arm and seed, and asks it the dev items that the recipe's test
would choose; one whose weights were not kept is left out. It writes to research/results/NAME/dev/:

``ARM-SEED.jsonl``          a line for every item of the dev file; the answer is empty where none was asked for or given
``srt-checked-SEED.jsonl``  with ``--samples``: where the checker proves a sample's trace, the answer of such samples,
                            else that of the file above, as :mod:`research.sampled` chooses
``figures.json``            what the same model has right of the labelled items of the recipe's test, and the figures
                            of :mod:`research.space2025.figures`; the dev items have no gold answers here

No file has a text of the benchmark.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from eval.scoring.official_answers import official_answers
from research.families import RESULTS
from research.space2025.figures import DEV, FIGURES, TRAINED_ON, add_figures, dev_items, last_points, report
from srt.cli.experiment_stages import TrainAndEval
from srt.corpora.space2025 import write_predictions
from srt.experiment.experiment_folder import ExperimentFolder, read_experiment
from srt.experiment.experiment_models import trained_at
from srt.experiment.experiment_recipe import TEST
from srt.experiment.learning_curve import TestPuzzles
from srt.experiment.model_stages import Evaluation, TrainedModel
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.records import Answer, Problem
from srt.statistics.intervals import share_interval

TEMPERATURE = 0.7
"""Of samples; that of :mod:`research.sampled`."""


def predict_dev(root: Path, results: Path = RESULTS, samples: int = 0) -> dict[str, Any]:
    """Write the predictions of every arm and seed of the experiment in ``root``, and return all figures.

    They go to the folder ``results/NAME/dev``. With ``samples``, an arm whose traces can be proved has a second file.

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
    filed = results / experiment.name / DEV
    filed.mkdir(parents=True, exist_ok=True)
    figures: dict[str, dict[str, Any]] = {}
    for name, point in sorted((name, point) for name, point in last.items() if name not in lost):
        evaluation = Evaluation(
            trained=models[name],
            problems=asked,
            arm=point.arm,
            prompt=experiment.prompt,
            out=root / "dev" / f"{name}-{point.items}",
            settings=experiment.evaluate,
        )
        TrainAndEval().evaluate(evaluation)
        answers = official_answers(evaluation.out, asked).answers
        right, _ = share_interval(np.array([[float(digit) for digit in point.right]]), puzzles)
        figures[name] = {
            "trained items": point.items,
            "labelled items": len(point.right),
            "right of them": [round(share, 4) for share in (right.value, right.low, right.high)],
            "dev items": _write(filed / f"{name}.jsonl", problems, answers),
            "asked": len(read_problems(asked)),
            "answered": len(answers),
        }
        if samples and point.arm == "srt":
            proved = _proved(evaluation, samples)
            checked = f"srt-checked-{point.seed}"
            figures[checked] = {
                "samples": samples,
                "temperature": TEMPERATURE,
                "dev items": _write(filed / f"{checked}.jsonl", problems, {**answers, **proved}),
                "proved": len(proved),
            }
    settings = experiment.model_dump(mode="json", exclude_defaults=True)
    kept = {key: settings[key] for key in ("model", "train", *TRAINED_ON) if key in settings}
    written = orjson.dumps({"figures": figures, "settings": kept}, option=orjson.OPT_INDENT_2)
    write_atomically(filed / FIGURES, [written, b"\n"])
    return add_figures(experiment, filed)


def _write(path: Path, problems: Mapping[str, Problem], answers: Mapping[str, Answer]) -> int:
    """Write a line for each of ``problems``, and return how many."""
    return write_predictions(path, [(name, "SPR", answers.get(name)) for name in problems])


def _proved(greedy: Evaluation, samples: int) -> dict[str, Answer]:
    """Ask as ``greedy`` does, so many times, and return the answers of the items that have a proved trace."""
    settings = {**greedy.settings, "repeats": samples, "temperature": TEMPERATURE}
    sampled = replace(greedy, out=Path(f"{greedy.out}-{samples}"), settings=settings)
    TrainAndEval().evaluate(sampled)
    found = official_answers(sampled.out, sampled.problems, vote="checked")
    return {name: answer for name, answer in found.answers.items() if name in (found.by_proof or ())}


def _has_weights(trained: TrainedModel) -> bool:
    """Whether the folder of the model has weights; that of a run on another machine may have come without them."""
    return any(trained.model.glob("*.safetensors"))


def main() -> None:
    """Predict, and print the figures."""
    parser = argparse.ArgumentParser(description="Official predictions for SpaCE2025's dev items, of each arm.")
    parser.add_argument("folder", type=Path, help="the folder of an experiment with a curve")
    parser.add_argument("--samples", type=int, default=0, help="choose among so many samples of srt by their proofs")
    asked = parser.parse_args()
    try:
        print(report(predict_dev(asked.folder, samples=asked.samples)))
    except UserError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
