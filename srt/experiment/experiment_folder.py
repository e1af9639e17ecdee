"""The folder of an experiment: where each stage puts its result, and whether the folder is this experiment's.

OUTPUT/experiment.json          the settings that it was made with
OUTPUT/data/TEST.jsonl          the problems of each test
OUTPUT/data/train.jsonl         those that are trained on; of each stage of a curriculum, stage.NAME.jsonl
OUTPUT/data/solved.jsonl        their traces from an exact world, all proved
OUTPUT/data/unsolved.jsonl      the problems without, if only these are taught
OUTPUT/data/ARM.sequences.jsonl the sequences of each arm; ARM.held_out.jsonl those that are kept from training;
                                ARM.NAME.sequences.jsonl those of a stage
OUTPUT/data/left_out.jsonl      the problems that some arm has no sequence of, and why
OUTPUT/taught/                  folders of ``srt teach``
OUTPUT/init-S/                  the random weights of seed S, the same for all arms (or none, when a model is given)
OUTPUT/runs/ARM-S/              the training recipe and the trained model; of an arm that goes on from ``srt``, a folder
                                for each round, with what it samples and learns from
OUTPUT/tested/TEST/ARM-S/       predictions and scores
OUTPUT/curve/                   the same of each point of learning curves (:mod:`srt.experiment.learning_curve`)
OUTPUT/result.json              what came out, once all is done (:mod:`srt.experiment.experiment_result`)
OUTPUT/report/                  tables, plots, report.html; with several tests, in a folder for each
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import orjson

from srt.experiment.experiment_blocks import InitModel
from srt.experiment.experiment_reader import parse_experiment
from srt.experiment.experiment_recipe import Experiment
from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.folder_lock import FolderHeld, hold_folder, make_folder

DATA_LOCK = ".data.lock"
"""Held by the process that makes the data and the initial weights."""
_MANIFEST = "experiment.json"
_NOT_OF_THE_RESULT = frozenset({"output", "parallel", "eval_launch", "tiny"})
_OF_LATER_STAGES = frozenset({"train", "evaluate", "curve"})
"""Settings on which neither the data nor the initial weights depend."""


class ExperimentFolder:
    """The paths in the folder ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.data = root / "data"
        self.train = self.data / "train.jsonl"
        self.solved = self.data / "solved.jsonl"
        self.unsolved = self.data / "unsolved.jsonl"
        self.left_out = self.data / "left_out.jsonl"
        self.curve = root / "curve"
        self.points = self.curve / "points.jsonl"

    def test(self, name: str) -> Path:
        """The problems of a test."""
        return self.data / f"{name}.jsonl"

    def stage(self, name: str) -> Path:
        """The problems of a stage."""
        return self.data / f"stage.{name}.jsonl"

    def sequences(self, arm: str, stage: str | None = None) -> Path:
        """What ``arm`` is trained on (in one stage): beside the problems, because it refers to the same pictures."""
        return self.data / f"{arm}.{f'{stage}.' if stage else ''}sequences.jsonl"

    def held_out(self, arm: str) -> Path:
        """What ``arm`` is watched on during training."""
        return self.data / f"{arm}.held_out.jsonl"

    def taught(self, name: str) -> Path:
        """What ``srt teach`` writes for the arm ``name``."""
        return self.root / "taught" / name

    def start(self, seed: int) -> Path:
        """The random weights of a seed, the same for all arms."""
        return self.root / f"init-{seed}"

    def run(self, arm: str, seed: int) -> Path:
        """The training run; the model is in ``model`` below it."""
        return self.root / "runs" / f"{arm}-{seed}"

    def model(self, arm: str, seed: int) -> Path:
        """What that run has trained."""
        return self.run(arm, seed) / "model"

    def learned(self, arm: str, seed: int, rounds: int) -> Path:
        """What an arm that goes on from ``srt`` has become after so many rounds."""
        return self.run(arm, seed) / f"round-{rounds}" / "model"

    def tested_on(self, test: str) -> Path:
        """The run folders of the evaluations on a test."""
        return self.root / "tested" / test

    def tested(self, test: str, arm: str, seed: int) -> Path:
        """The run folder of an evaluation."""
        return self.tested_on(test) / f"{arm}-{seed}"

    def measured(self, test: str, arm: str, seed: int, items: int) -> Path:
        """The run folder of the evaluation at a point of a learning curve."""
        return self.curve / test / f"{arm}-{seed}" / str(items)

    def weights(self, arm: str, seed: int, items: int) -> Path:
        """The weights of a trained arm at a point of its curve."""
        return self.curve / "weights" / f"{arm}-{seed}" / str(items)

    def kept_weights(self) -> dict[str, list[int]]:
        """At which points of their curves the weights of runs (``srt-0``) are there."""
        runs = sorted(path for path in (self.curve / "weights").glob("*") if path.is_dir())
        return {run.name: sorted(int(at.name) for at in run.iterdir() if at.name.isdigit()) for run in runs}

    def puzzles(self, test: str) -> Path:
        """Which problems of a test are variants of one puzzle, for learning curves."""
        return self.curve / f"{test}.json"

    def report(self, test: str, tests: int) -> Path:
        """The report of one of so many tests."""
        return self.root / "report" if tests == 1 else self.root / "report" / test


@contextlib.contextmanager
def one_at_a_time(root: Path, lock: str, doing: str, say: Callable[[str], None]) -> Iterator[None]:
    """Hold ``lock`` in the folder ``root``, or wait for another process that does what ``doing`` says.

    What the block does may be done when its turn comes.
    """
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(hold_folder(root, name=lock))
        except FolderHeld:
            say(f"waiting for another process, which {doing}")
            held.enter_context(hold_folder(root, name=lock, wait=True))
        yield


def read_experiment(root: Path) -> Experiment:
    """The experiment that the folder ``root`` holds; a :class:`UserError` where it holds none."""
    try:
        settings = orjson.loads((root / _MANIFEST).read_bytes())
    except (OSError, ValueError):
        raise UserError(f"{root}: {_MANIFEST}: cannot be read; give the output of srt experiment") from None
    return parse_experiment({**settings, "output": str(root)}, str(root))


def held_in_output(experiment: Experiment) -> Literal["nothing", "changed", "same"]:
    """What the output folder holds of this experiment; raise if it holds another one, or something else.

    ``changed``: this one, but for settings that may still be changed, which are written by :func:`claim` and not here.
    """
    out = experiment.output
    manifest = out / _MANIFEST
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: output: a folder was expected, this is a file")
    if not manifest.exists():
        if out.exists() and any(not file.name.startswith(".") for file in out.iterdir()):
            raise UserError(f"{out}: output: this folder holds files of something else; give another output")
        return "nothing"
    settings = _settings(experiment)
    try:
        held = dict(orjson.loads(manifest.read_bytes()))
    except (ValueError, TypeError):
        raise UserError(f"{manifest}: not the settings of an experiment; give another output") from None
    differing = sorted(
        key for key in (settings.keys() | held.keys()) - _NOT_OF_THE_RESULT if settings.get(key) != held.get(key)
    )
    if not differing:
        return "same"
    if _only_adds(experiment, held, differing) or _only_of_later_stages(experiment, differing):
        return "changed"
    raise UserError(
        f"{out}: this folder holds an experiment with other settings of "
        f"{', '.join(_nested(differing, settings, held))}; "
        f"give another output, or remove the folder{_why_not_longer(experiment, differing)}"
    )


def _nested(keys: list[str], now: Any, before: Any) -> Iterator[str]:
    """The settings among ``keys`` that differ, down to the key in a block (``train.steps``)."""
    for key in keys:
        one, other = ({} if block.get(key) is None else block[key] for block in (now, before))  # a default is left out
        if isinstance(one, dict) and isinstance(other, dict):
            inner = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
            yield from (f"{key}.{name}" for name in _nested(inner, one, other))
        else:
            yield key


def _only_adds(experiment: Experiment, held: dict[str, Any], differing: list[str]) -> bool:
    """Whether the folder has learning curves, to which only arms, seeds and points at their end are added.

    Initial weights must stay the same, and so must all steps that the longer runs begin with.
    """
    if experiment.curve is None or not set(differing) <= {"arms", "seeds", "curve", "stages"}:
        return False
    if "arms" in differing and isinstance(experiment.model, InitModel) and not experiment.model.tokenizer_arms:
        return False
    if {"curve", "stages"} & set(differing) and not _only_longer(experiment, held):
        return False
    before = {"arms": held.get("arms", []), "seeds": held.get("seeds", [0])}
    return set(before["arms"]) <= set(experiment.arms) and set(before["seeds"]) <= set(experiment.seeds)


def _is_steady(experiment: Experiment) -> bool:
    """Whether the learning rate of a step does not depend on the length of the run."""
    train = experiment.train
    return train.get("scheduler") == "constant" and isinstance(train.get("warmup"), int) and train.get("decay") is None


def _why_not_longer(experiment: Experiment, differing: list[str]) -> str:
    """What to add to a refusal, where points were added to a curve whose steps depend on its length."""
    if experiment.curve is None or "curve" not in differing or _is_steady(experiment):
        return ""
    return " (a curve can be made longer where train.warmup is a number of steps and there is no train.decay)"


def _only_longer(experiment: Experiment, held: dict[str, Any]) -> bool:
    """Whether the curves of the folder are the beginning of those of ``experiment``."""
    now = _settings(experiment)
    if "curve" not in held:
        return False
    before, points = held["curve"]["items"], now["curve"]["items"]
    return (
        _is_steady(experiment)
        and points[: len(before)] == before
        and {**held["curve"], "items": points} == now["curve"]
        and _without_length(held.get("stages")) == _without_length(now.get("stages"))
    )


def _without_length(stages: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    """Stages without the items of the last one, with which a curve grows."""
    return stages and [*stages[:-1], {key: value for key, value in stages[-1].items() if key != "items"}]


def _only_of_later_stages(experiment: Experiment, differing: list[str]) -> bool:
    """Whether all that differs is of training and evaluation, of which nothing is there yet.

    What training refuses, such as a sequence that is too long, is found only once the data are there, which may have
    taken hours: they are kept.
    """
    folder = experiment.output
    begun = any(folder.glob("runs/*/model")) or any((folder / name).exists() for name in ("tested", "curve"))
    return not begun and set(differing) <= _OF_LATER_STAGES


def claim(experiment: Experiment) -> None:
    """Write the settings into the folder, so that it is refused to other experiments from now on."""
    make_folder(experiment.output)
    settings = orjson.dumps(_settings(experiment), option=orjson.OPT_INDENT_2)
    write_atomically(experiment.output / _MANIFEST, [settings])


def give_up(experiment: Experiment) -> None:
    """Undo :func:`claim` and remove the data: a corrected recipe must not meet another experiment's folder."""
    shutil.rmtree(experiment.output / "data", ignore_errors=True)
    for name in (_MANIFEST, DATA_LOCK):
        (experiment.output / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        experiment.output.rmdir()


def _settings(experiment: Experiment) -> dict[str, Any]:
    """The settings that the result depends on, as JSON; a key that is left out is as one at its default."""
    return experiment.model_dump(mode="json", exclude=set(_NOT_OF_THE_RESULT), exclude_defaults=True)
