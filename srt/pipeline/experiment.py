"""``srt experiment``: arms x seeds, from problems to one comparison, resumed where it was killed.

Every stage writes its result atomically into the experiment's folder and is skipped when the result is there; training
and evaluation resume inside themselves. ``experiment.json`` holds the settings the folder was made with: a folder of
other settings is refused, so that nothing old is mixed with something new. What is wrong with the settings is found,
as far as it can be, before the folder is claimed for them.

    OUTPUT/data/       train and test problems, traces, checks
    OUTPUT/ARM/        sequences of each arm
    OUTPUT/init-S/     the random weights of seed S, the same for all arms (or none, when a model is given)
    OUTPUT/runs/ARM-S/ the trained model, its predictions and scores
    OUTPUT/report/     tables, plots, report.html
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Protocol

import orjson
import yaml

from srt.io.bundled_files import find_bundled
from srt.io.errors import UserError
from srt.io.jsonl import read_records, write_atomically
from srt.io.records import Sequence
from srt.language.arms import arm_named
from srt.language.prompts import PromptStyle
from srt.pipeline.build import build_file
from srt.pipeline.experiment_data import gather_problems, solve_and_check
from srt.pipeline.experiment_recipe import Experiment, InitModel


class ModelStages(Protocol):
    """The stages that need ``train`` and ``eval``, which this package must not import."""

    def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
        """Raise a :class:`UserError` for settings that ``train`` or ``eval`` would refuse; write nothing.

        ``recipe`` is the training recipe of the first arm, as ``train`` will be given it.
        """

    def init_model(self, spec: InitModel, texts: Iterator[str], seed: int, out: Path) -> None:
        """Make the initial weights and the tokenizer in ``out``."""

    def train(self, recipe: Path, launch: Path | None, say: Callable[[str], None]) -> None:
        """Run ``train/train_srt.py`` on a recipe file; resumes, and returns at once where it is done."""

    def evaluate(
        self, trained: TrainedModel, problems: Path, arm: str, prompt: PromptStyle, settings: dict[str, Any], out: Path
    ) -> None:
        """Predict and score; resumes."""

    def compare(self, runs: list[Path], out: Path, title: str) -> str:
        """Write the comparison, as ``report.html`` and more, and give its summary as Markdown."""


@dataclass(frozen=True)
class TrainedModel:
    """The folder of a model that is evaluated, and that of its adapter if it was trained with ``lora``."""

    model: Path
    adapter: Path | None = None


@dataclass(frozen=True)
class ExperimentResult:
    """The comparison of a finished experiment: its summary in Markdown, and the page."""

    summary: str
    page: Path


def run_experiment(experiment: Experiment, stages: ModelStages, say: Callable[[str], None]) -> ExperimentResult:
    """Run every stage that is not done yet. ``say`` is called with one line when a stage begins or is left out.

    Raises:
        UserError: the output folder holds an experiment with other settings, a data source is empty, and whatever the
            stages themselves refuse.
    """
    out = experiment.output
    # Test first: training problems are kept apart from it.
    parts = {"test": experiment.test_problems, "train": experiment.train_problems}
    new = not _is_this_experiment(experiment)
    if new:
        _check_settings(experiment, stages)
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / _MANIFEST, [orjson.dumps(_settings(experiment), option=orjson.OPT_INDENT_2)])
    try:
        for part, sources in parts.items():
            gather_problems(part, sources, out / "data", say)
    except UserError:
        if new:
            # A fault in the sources: once it is mended, the folder must not be refused as one of other settings.
            shutil.rmtree(out / "data", ignore_errors=True)
            (out / _MANIFEST).unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                out.rmdir()
        raise
    for part in parts:
        solve_and_check(part, out / "data", say)
    trained = [arm for arm in experiment.arms if arm_named(arm).build]
    for arm in trained:
        if not (out / arm / "sequences.jsonl").exists():
            say(f"build: the sequences of arm {arm}")
            built = build_file(
                out / "data" / "train.traces.jsonl",
                out / "data" / "train.jsonl",
                arm,
                out / arm,
                prompt=experiment.prompt,
                text=experiment.text,
            )
            if "refused" in built:
                say(f"build: {sum(built['refused'].values())} traces refused, see {built['refusals']}")
    runs: list[Path] = []
    for (arm, seed), model in _train_all(experiment, stages, say).items():
        say(f"evaluate: {arm}, seed {seed}")
        runs.append(out / "runs" / f"{arm}-{seed}")
        stages.evaluate(model, out / "data" / "test.jsonl", arm, experiment.prompt, experiment.evaluate, runs[-1])
    say("compare: the arms side by side")
    start = experiment.model
    described = start.name if isinstance(start, Path) else f"{start.arch} from random weights"
    summary = stages.compare(runs, out / "report", f"{out.name}: {described}")
    return ExperimentResult(summary=summary, page=out / "report" / "report.html")


_MANIFEST = "experiment.json"
_NOT_OF_THE_RESULT = {"output", "parallel"}


def _settings(experiment: Experiment) -> dict[str, Any]:
    """The settings that the result depends on, as JSON."""
    return experiment.model_dump(mode="json", exclude=_NOT_OF_THE_RESULT)


def _is_this_experiment(experiment: Experiment) -> bool:
    """Whether the output folder holds this experiment; raise if it holds another one, or something else."""
    out = experiment.output
    manifest = out / _MANIFEST
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: output: a folder was expected, this is a file")
    if not manifest.exists():
        if out.exists() and any(not file.name.startswith(".") for file in out.iterdir()):
            raise UserError(f"{out}: output: this folder holds files of something else; give another output")
        return False
    settings = _settings(experiment)
    try:
        held = dict(orjson.loads(manifest.read_bytes()))
    except (ValueError, TypeError):
        raise UserError(f"{manifest}: not the settings of an experiment; give another output") from None
    differing = sorted(
        key for key in (settings.keys() | held.keys()) - _NOT_OF_THE_RESULT if settings.get(key) != held.get(key)
    )
    if differing:
        raise UserError(
            f"{out}: this folder holds an experiment with other settings of {', '.join(differing)}; "
            "give another output, or remove the folder"
        )
    return True


def _check_settings(experiment: Experiment, stages: ModelStages) -> None:
    """Report faults of the settings before anything is written."""
    if isinstance(experiment.model, Path) and not experiment.model.is_dir():
        raise UserError(f"model: {experiment.model}: no such folder")
    if (launch := _launch_file(experiment)) is not None and not launch.is_file():
        raise UserError(f"launch: {experiment.launch}: no such accelerate file; there are some in configs/")
    arm, seed = experiment.arms[0], experiment.seeds[0]
    stages.check(experiment, _recipe(experiment, arm, seed, _start_folder(experiment, seed)))


def _launch_file(experiment: Experiment) -> Path | None:
    return None if experiment.launch is None else find_bundled(experiment.launch, "configs")


def _train_all(
    experiment: Experiment, stages: ModelStages, say: Callable[[str], None]
) -> dict[tuple[str, int], TrainedModel]:
    """Train every arm with every seed, ``parallel`` at a time; returns the models in the order of the arms."""
    models: dict[tuple[str, int], TrainedModel] = {}
    waiting: list[tuple[str, Path]] = []
    for seed in experiment.seeds:
        start = _initial_model(experiment, stages, seed, say)
        for arm in experiment.arms:
            run = experiment.output / "runs" / f"{arm}-{seed}"
            run.mkdir(parents=True, exist_ok=True)
            models[arm, seed] = TrainedModel(start)
            if arm_named(arm).build is None:
                continue
            adapts = experiment.train.get("lora") is not None
            models[arm, seed] = TrainedModel(start, run / _MODEL) if adapts else TrainedModel(run / _MODEL)
            recipe = yaml.safe_dump(_recipe(experiment, arm, seed, start), sort_keys=False)
            write_atomically(run / "recipe.yaml", [recipe.encode()])
            waiting.append((f"{arm}, seed {seed}", run / "recipe.yaml"))

    failed = Event()

    def train(job: tuple[str, Path]) -> None:
        name, recipe = job
        if failed.is_set():
            return
        say(f"train: {name}")
        try:
            stages.train(recipe, _launch_file(experiment), lambda line: say(f"{name}: {line}"))
        except BaseException as error:
            # Reported at once; the runs beside it are still waited for, and kept.
            failed.set()
            say(f"{name}: failed: {error}")
            raise

    with ThreadPoolExecutor(experiment.parallel) as pool:
        list(pool.map(train, waiting))
    return models


_MODEL = "model"


def _recipe(experiment: Experiment, arm: str, seed: int, start: Path) -> dict[str, Any]:
    """What ``train/train_srt.py`` is given: the experiment's ``train`` and what differs from run to run."""
    data = {arm: str(experiment.output / arm / "sequences.jsonl") for arm in experiment.arms if arm_named(arm).build}
    # A problem that is too long for one arm is left out of all of them.
    others = [path for other, path in data.items() if other != arm and experiment.train.get("too_long") == "drop"]
    return {
        **experiment.train,
        "data": str(experiment.output / arm / "sequences.jsonl"),
        **({"other_arms": others} if others else {}),
        "output": str(experiment.output / "runs" / f"{arm}-{seed}" / _MODEL),
        "seed": seed,
        "logging": _logging(experiment, arm, seed),
        "model": {**experiment.train.get("model", {}), "path": str(start)},
    }


def _logging(experiment: Experiment, arm: str, seed: int) -> Any:
    """The ``logging`` of one run: named experiment/arm/seed, and in W&B grouped by the experiment."""
    given = experiment.train.get("logging") or {}
    if not isinstance(given, dict):
        return given  # a fault, which train reports
    group = {"group": experiment.name} if "wandb" in (given.get("report_to") or ()) else {}
    return {**group, **given, "name": f"{experiment.name}/{arm}/{seed}"}


def _initial_model(experiment: Experiment, stages: ModelStages, seed: int, say: Callable[[str], None]) -> Path:
    """The weights that every arm starts from: the given model, or random ones of this seed."""
    folder = _start_folder(experiment, seed)
    if isinstance(experiment.model, InitModel) and not folder.exists():
        say(f"init-model: {experiment.model.arch}, seed {seed}")
        # Made beside its place and moved there whole: after a kill, half a model must not pass for one.
        making = folder.with_name(f".{folder.name}.tmp")
        shutil.rmtree(making, ignore_errors=True)
        stages.init_model(experiment.model, _texts(experiment), seed, making)
        making.rename(folder)
    return folder


def _start_folder(experiment: Experiment, seed: int) -> Path:
    return experiment.model if isinstance(experiment.model, Path) else experiment.output / f"init-{seed}"


def _texts(experiment: Experiment) -> Iterator[str]:
    """What the tokenizer of a new model is trained on: the sequences of all arms, so that no arm is favoured."""
    for arm in experiment.arms:
        if arm_named(arm).build:
            for sequence in read_records(experiment.output / arm / "sequences.jsonl", Sequence):
                yield from (message.content for message in (*sequence.prompt, *sequence.completion))
