"""Guided decoding of SpaCE2025's dev items at equal tokens, and official predictions files of its ways.

    SRT_SPACE2025=... srt experiment research/recipes/space2025-short.yaml
    SRT_SPACE2025=... python -m research.space2025.guided_dev runs/research/space2025-short [budgets=[1,8] ...]

tunes on 50 labelled items, spread over the recipe's test, and reports the dev items; what follows the folder are keys
of :class:`research.decoding.guided_decoding.Study`. The dev items have no gold answers here: ``right`` says that the
answer is that of the exact solver, which has 99.0% of the labelled items as their gold in English and 99.7% in Chinese.
Items that it refuses are asked, too, and are never counted as right. Written to research/results/NAME/guided/:

``guided_decoding.json``   the rows of the table
``WAY-BUDGET.jsonl``       a prediction for each dev item, in the official form; empty where the text has no answer
``masks.json``             of each such file, in its order: what is right, proved, and certified ("1"), and the tokens

No file has a text of the benchmark.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from research.decoding.cells import Cell
from research.decoding.guided_decoding import Study, run
from research.families import RESULTS
from research.space2025.figures import dev_items, last_points
from srt.answers.extraction import extract
from srt.corpora.space2025 import write_predictions
from srt.experiment.experiment_folder import ExperimentFolder, read_experiment
from srt.experiment.experiment_models import trained_at
from srt.experiment.experiment_recipe import TEST
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_lines import parse_record
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem
from srt.io.yaml_config import parse_config, read_yaml
from srt.language.trace import Trace
from srt.pipeline.solve import solve_one

TUNE = 50
"""So many labelled items set the unit of tokens."""
MASKS = ("right", "proved", "certified")


def guided_dev(root: Path, changes: list[str], results: Path = RESULTS) -> str:
    """Write all that is missing, and return the table in Markdown.

    Raises:
        UserError: no experiment with measured points of ``srt`` in ``root``, or its test is no training file of
            SpaCE2025.
    """
    experiment, folder = read_experiment(root), ExperimentFolder(root)
    points = [point for point in last_points(folder).values() if point.arm == "srt"]
    if not points:
        raise UserError(f"{root}: curve/points.jsonl: no point of srt; give the output of srt experiment")
    models = [str(trained_at(experiment, point.arm, point.seed, point.items).model) for point in points]
    labelled = list(read_problems(folder.test(TEST)).values())
    labelled = labelled[:: max(1, len(labelled) // TUNE)][:TUNE]  # the file begins with one scene
    dev = [_with_gold(problem) for problem in read_problems(dev_items(experiment)[0]).values()]
    asked, output = root / "guided" / "problems.jsonl", root / "guided"
    output.mkdir(exist_ok=True)
    write_records(asked, [*labelled, *dev])
    given = {
        "models": models,
        "problems": str(asked),
        "output": str(output),
        "prompt": experiment.prompt,
        "max_new_tokens": 512,
        "tune": TUNE,
        "ways": ["greedy", "majority", "best", "certificate", "proved", "solver"],
    }
    table = run(parse_config(Study, {**given, **read_yaml(os.devnull, changes)}, str(root)))
    filed = results / experiment.name / "guided"
    filed.mkdir(parents=True, exist_ok=True)
    write_atomically(filed / "guided_decoding.json", [(output / "guided_decoding.json").read_bytes()])
    masks = {}
    for path in sorted((output / "cells" / "model-0").glob("*.json")):
        if not path.name.startswith("tune-"):
            masks[path.stem] = _file(
                parse_record(path.read_bytes(), Cell, str(path)), dev, filed / f"{path.stem}.jsonl"
            )
    write_atomically(filed / "masks.json", [orjson.dumps(masks, option=orjson.OPT_INDENT_2), b"\n"])
    return table


def _with_gold(problem: Problem) -> Problem:
    """``problem`` with the answer of the exact solver; without one where it refuses."""
    trace = solve_one(problem)
    if not isinstance(trace, Trace):
        return problem
    return problem.model_copy(update={"answer": Answer(kind="choice_set", value=trace.answer.split(", "))})


def _file(cell: Cell, problems: Sequence[Problem], path: Path) -> dict[str, Any]:
    """Write the answers of ``cell`` to ``path``; returns its masks, in the order of ``problems``."""
    texts = {text.problem_id: text for text in cell.texts}
    problems = [problem for problem in problems if problem.id in texts]  # fewer, where the study reports fewer
    rows = [(problem, texts[problem.id]) for problem in problems]
    answers = [extract(text.text, problem, "stop" if text.ended else "length").answer for problem, text in rows]
    write_predictions(path, [(problem.id, "SPR", each) for problem, each in zip(problems, answers, strict=True)])
    masks = {name: "".join(str(int(getattr(text, name) is True)) for _, text in rows) for name in MASKS}
    return {**masks, "output_tokens": [text.output_tokens for _, text in rows]}


def main() -> None:
    """Write, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder of an experiment with a curve")
    parser.add_argument("changes", nargs="*", metavar="key=value")
    asked = parser.parse_args()
    try:
        print(guided_dev(asked.folder, asked.changes))
    except UserError as error:
        sys.exit(f"{error}")


if __name__ == "__main__":
    main()
