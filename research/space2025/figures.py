"""What the predictions for SpaCE2025's booths rest on: figures beside those of :mod:`research.space2025.predict_dev`.

    SRT_SPACE2025=... python -m research.space2025.figures research/recipes/space2025-booths.yaml

samples the recipe's training problems anew, as its experiment does (two minutes of one core), reads the predictions
files in research/results/NAME/dev, prints the figures and adds them to ``figures.json`` there. No model and
no run is needed. An *item* is one of those of the benchmark that the recipe tests: a labelled one of the training
file, or one of the dev file.

``most frequent answer``  the answer that most labelled items have, and how many
``training problems``     how many there are, and how many puzzles (split keys)
``items in training``     how many items a training problem repeats, in each sense of :data:`SENSES`
``questions``             for each question, how many items and training problems ask it
``figures``               of each model, by question and by scene: the dev items that it answers as the exact solver
                          does; by question, those that it answers as if the question had no "not"
``differences``           of two arms with the same seeds: in how many of these dev items one is ahead, with its
                          interval and p (:func:`srt.statistics.paired_difference.paired_difference`, by puzzles)

``python -m research.space2025.predict_dev RUN`` prints and writes these figures, too, and those that need the outputs
of a run: the labelled items that are right, by question and by scene, and how many of those are right that mean the
same as no training problem.
"""

from __future__ import annotations

import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import orjson

from research.families import RESULTS
from srt.cli.experiment_stages import TrainAndEval
from srt.corpora import import_file
from srt.corpora.space2025 import read_predictions
from srt.experiment.experiment_blocks import InitModel
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_reader import load_experiment
from srt.experiment.experiment_recipe import TEST, Experiment
from srt.experiment.gather_problems import gather_problems, selected
from srt.experiment.learning_curve import CurvePoint, read_points
from srt.experiment.problem_sources import CorpusSource
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.pipeline.generate import split_key
from srt.statistics.paired_difference import paired_difference
from srt.worlds.seating.claim_language import Equal, Member
from srt.worlds.seating.derivation.masks import masks_of
from srt.worlds.seating.derivation.solver import solve
from srt.worlds.seating.reading.problem_reader import Puzzle, read_problem
from srt.worlds.seating.scenes import scene_name
from srt.worlds.seating.writing.sentence_templates import relation_name
from srt.worlds.world import Refused

_RIGHT, _ALIKE = "labelled items right", "dev items as the exact solver"
_OVERLOOKED = 'dev items with "not" overlooked'
DEV = "dev"
"""The folder of predictions in that of a family's results."""
FIGURES = "figures.json"
TRAINED_ON = ("train_problems", "stages")
"""The keys of a recipe that say what it trains on; a recipe has one of them."""


def add_figures(experiment: Experiment, results: Path) -> dict[str, Any]:
    """Add the figures to ``results/figures.json``, and return all that it has then.

    The problems that were trained and tested on are in the output folder of ``experiment``; where it has learning
    curves, too, the figures of labelled items are added.
    """
    folder = ExperimentFolder(experiment.output)
    training, labelled = read_problems(folder.train), read_problems(folder.test(TEST))
    dev = read_problems(dev_items(experiment)[1])
    repeated = repeated_items([*labelled.values(), *dev.values()], training.values())
    held: dict[str, Any] = orjson.loads((results / FIGURES).read_bytes())
    last = last_points(folder)
    alike: dict[str, list[bool]] = {}
    for model, figures in held["figures"].items():
        answers = read_predictions(results / f"{model}.jsonl")
        figures |= _dev_figures(dev, answers)
        alike[model] = [sorted(answers[name]) == right_letters(read_problem(item)) for name, item in dev.items()]
        if model in last:
            figures |= _labelled_figures(labelled, last[model].right, repeated["meaning"])
    settings = held.pop("settings")
    held |= {"differences": _differences(alike, [split_key(item) for item in dev.values()])}
    held |= _problem_figures(labelled, dev, training, repeated)
    held["settings"] = settings
    write_atomically(results / FIGURES, [orjson.dumps(held, option=orjson.OPT_INDENT_2), b"\n"])
    return held


def _dev_figures(dev: Mapping[str, Problem], answers: Mapping[str, Any]) -> dict[str, Any]:
    """Of one model, whose letters for each item are ``answers``."""
    alike, overlooked = dict[str, bool](), dict[str, bool]()
    for name, item in dev.items():
        puzzle, given = read_problem(item), sorted(answers[name])
        alike[name] = given == right_letters(puzzle)
        if (affirmed := _affirmed(puzzle)) != puzzle:
            overlooked[name] = given == right_letters(affirmed)
    return {
        _ALIKE: sum(alike.values()),
        f"{_ALIKE} by question": _true_by(question_of, alike, dev),
        f"{_ALIKE} by scene": _true_of_all(alike, dev),
        f"{_OVERLOOKED} by question": _true_by(question_of, overlooked, dev),
    }


def _differences(alike: Mapping[str, Sequence[bool]], puzzles: Sequence[Hashable]) -> dict[str, Any]:
    """Of the arms with the same seeds, from what each model (``ARM-SEED``) answers as the exact solver does."""
    arms: dict[str, dict[str, Sequence[bool]]] = {}
    for model, answers in alike.items():
        arm, _, seed = model.rpartition("-")
        arms.setdefault(arm, {})[seed] = answers
    found = {}
    for first, second in combinations(sorted(arms, reverse=True), 2):
        if (seeds := sorted(arms[first])) != sorted(arms[second]):
            continue
        one, other = (np.array([arms[arm][seed] for seed in seeds], dtype=float) for arm in (first, second))
        interval, p, _ = paired_difference(one, other, puzzles)
        found[f"{first} − {second}"] = {
            _ALIKE: [round(share, 4) for share in (interval.value, interval.low, interval.high)],
            "p": float(f"{p:.2g}"),
            "only one of them": [int((one > other).sum()), int((other > one).sum())],
        }
    return found


def _labelled_figures(labelled: Mapping[str, Problem], digits: str, repeated: Container[str]) -> dict[str, Any]:
    """Of one model, with a digit 1 for each item that is right; ``repeated`` are the items that were trained on."""
    right = {name: digit == "1" for name, digit in zip(labelled, digits, strict=True)}
    new = [one for name, one in right.items() if name not in repeated]
    return {
        f"{_RIGHT} by question": _true_by(question_of, right, labelled),
        f"{_RIGHT} by scene": _true_of_all(right, labelled),
        "right of labelled items with a new meaning": [sum(new), len(new)],
    }


def _problem_figures(
    labelled: Mapping[str, Problem],
    dev: Mapping[str, Problem],
    training: Mapping[str, Problem],
    repeated: Mapping[str, set[str]],
) -> dict[str, Any]:
    """Of the items and of what was trained on, whatever the model."""
    given = Counter("".join(item.answer.value) for item in labelled.values() if item.answer is not None)
    letters, times = given.most_common(1)[0]
    parts = {"labelled": labelled, "dev": dev}
    asked = {name: Counter(map(question_of, part.values())) for name, part in {**parts, "training": training}.items()}
    return {
        "most frequent answer": {"letters": letters, "labelled": times},
        "training problems": {"problems": len(training), "puzzles": len({p.group_id for p in training.values()})},
        "items in training": {
            name: {"items": len(part), "puzzles": len(set(map(split_key, part.values())))}
            | {f"same {sense}": len(found & part.keys()) for sense, found in repeated.items()}
            for name, part in parts.items()
        },
        "questions": {
            question: {name: counts[question] for name, counts in asked.items()}
            for question in sorted(set().union(*asked.values()))
        },
    }


def report(held: Mapping[str, Any]) -> str:
    """The figures as text: a table of the questions, then a line for each of the others."""
    by_question = {
        f"{model}: {what}": figures[f"{what} by question"]
        for model, figures in held["figures"].items()
        for what in (_RIGHT, _ALIKE, _OVERLOOKED)
        if f"{what} by question" in figures
    }
    columns = ["labelled", "dev", "training", *by_question]
    rows = [
        [question, *(by_question[c].get(question, "") if c in by_question else counts[c] for c in columns)]
        for question, counts in held["questions"].items()
    ]
    table = [["question", *columns], ["---"] * (len(columns) + 1), *rows]
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in table]
    single = {
        name: held[name] for name in ("differences", "most frequent answer", "training problems", "items in training")
    }
    for model, figures in held["figures"].items():
        single |= {f"{model}: {name}": value for name, value in figures.items() if not name.endswith("by question")}
    return "\n".join([*lines, *(f"{name}: {value}" for name, value in single.items())])


def repeated_items(items: Iterable[Problem], training: Iterable[Problem]) -> dict[str, set[str]]:
    """In each sense of :data:`SENSES`, the ids of the ``items`` that are the same as a problem of ``training``."""
    known: dict[str, defaultdict[Hashable, set[str]]] = {sense: defaultdict(set) for sense in SENSES}
    for item in items:
        for sense, form in SENSES.items():
            known[sense][form(item)].add(item.id)
    found: dict[str, set[str]] = {sense: set() for sense in SENSES}
    for problem in training:
        for sense, form in SENSES.items():
            found[sense] |= known[sense].get(form(problem), set())
    return found


def _claims(problem: Problem) -> Hashable:
    puzzle = read_problem(problem)
    return puzzle.scene, frozenset(puzzle.names), frozenset(clue.claim for clue in puzzle.clues), puzzle.question


def _meaning(problem: Problem) -> Hashable:
    puzzle = read_problem(problem)
    masks, names = masks_of(puzzle.scene), sorted(puzzle.names)
    number = {name: at for at, name in enumerate(names)}
    clues = frozenset(masks.meaning(clue.claim, number) for clue in puzzle.clues)
    return puzzle.scene, tuple(names), clues, tuple(masks.fillers(puzzle.question, number))


SENSES: dict[str, Callable[[Problem], Hashable]] = {
    "text": lambda problem: problem.question,
    "claims": _claims,
    "meaning": _meaning,
    "puzzle": split_key,
}
"""When two problems are the same. In none of these senses do the options matter, and only in the first their words.

``text``: word for word. ``claims``: the same people, the same clues in any order and the same question; "A sits left of
B" and "B sits right of A" are two claims. ``meaning``: these are one: each clue holds in the same seatings, and the
question has the same people in the blank in each. ``puzzle``: as ``claims``, but with any other people and after a turn
of the scene: the same split key.
"""


def question_of(problem: Problem) -> str:
    """What is asked, as in ``not beside, compass``: the relation, and whether the scene has a compass."""
    puzzle = read_problem(problem)
    return relation_name(puzzle.question) + (", compass" if puzzle.scene.compass != "none" else "")


def right_letters(puzzle: Puzzle) -> list[str] | None:
    """The letters that the exact solver proves; ``None`` where the puzzle has no single solution."""
    try:
        return list(solve(puzzle).letters)
    except Refused:
        return None


def _affirmed(puzzle: Puzzle) -> Puzzle:
    """The puzzle whose question has no "not"."""
    question = tuple(
        tuple(replace(atom, negated=False) if isinstance(atom, Equal | Member) else atom for atom in atoms)
        for atoms in puzzle.question
    )
    return replace(puzzle, question=question)


def scene_of(problem: Problem) -> str:
    """``booth-NS``, ``hexagon-out``, ``shelf``: the scene and its compass, as specifications call it."""
    return scene_name(read_problem(problem).scene)


def _true_by(
    kind: Callable[[Problem], str], answers: Mapping[str, bool], items: Mapping[str, Problem]
) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for name, true in answers.items():
        counts[kind(items[name])] += true
    return dict(sorted(counts.items()))


def _true_of_all(answers: Mapping[str, bool], items: Mapping[str, Problem]) -> dict[str, list[int]]:
    """For each scene, how many are true, and of how many."""
    counts = Counter(scene_of(items[name]) for name in answers)
    return {scene: [true, counts[scene]] for scene, true in _true_by(scene_of, answers, items).items()}


def dev_items(experiment: Experiment) -> tuple[Path, Path]:
    """The files of all dev problems, and of those that the recipe's test would choose; written to its folder.

    Raises:
        UserError: the test of ``experiment`` is no training file of SpaCE2025.
    """
    source = experiment.test_problems[0]
    if not isinstance(source, CorpusSource) or "_train" not in source.path:
        raise UserError(
            f"{experiment.output}: test_problems: not a training file of SpaCE2025, so its dev items are not known"
        )
    every, asked = (experiment.output / "dev" / name for name in ("all.jsonl", "asked.jsonl"))
    every.parent.mkdir(exist_ok=True)
    import_file("space2025", Path(os.path.expandvars(source.path.replace("_train", "_dev"))), every)
    write_records(asked, selected(read_problems(every).values(), source.where, source.path))
    return every, asked


def last_points(folder: ExperimentFolder) -> dict[str, CurvePoint]:
    """The last point of the curve of each arm and seed, by the name of their predictions file."""
    points = [point for point in read_points(folder) if point.test == TEST]
    return {f"{point.arm}-{point.seed}": point for point in sorted(points, key=lambda point: point.items)}


def main(recipe: Path) -> None:
    """Sample what ``recipe`` trains on, add the figures to its results and print them."""
    experiment = load_experiment(recipe)
    results = RESULTS / experiment.name / DEV
    if not (results / FIGURES).exists():
        raise UserError(f"{results}: no predictions there; python -m research.space2025.predict_dev RUN writes them")
    filed = orjson.loads((results / FIGURES).read_bytes())["settings"]
    given = experiment.model_dump(mode="json", include=set(TRAINED_ON), exclude_defaults=True)
    if key := next((key for key in TRAINED_ON if filed.get(key) != given.get(key)), None):
        raise UserError(f"{recipe}: {key}: not those that {results / FIGURES} was made with")
    with TemporaryDirectory() as folder:
        # Sampling needs no model, and that of a recipe may be a folder which is not here.
        sampled = experiment.model_copy(update={"output": Path(folder), "model": InitModel(arch="llama")})
        gather_problems(sampled, {TEST: None}, TrainAndEval(), print)
        print(report(add_figures(sampled, results)))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except UserError as error:
        sys.exit(f"{error}")
