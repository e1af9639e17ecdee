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
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, Protocol

import orjson
import yaml

from srt.build import build_file
from srt.corpora import import_file
from srt.errors import UserError
from srt.experiment_recipe import Experiment, InitModel, SampledSource, Source
from srt.generate import generate_file, identities, load_spec, split_key
from srt.jsonl import read_records, write_atomically, write_records
from srt.problems import read_problems
from srt.prompts import PromptStyle
from srt.records import Problem, Record
from srt.solve import solve_file
from srt.verify import check_file


class Workers(Protocol):
    """What the experiment asks of ``train`` and ``eval``, which this package must not import."""

    def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
        """Raise a :class:`UserError` for settings that ``train`` or ``eval`` would refuse; write nothing.

        ``recipe`` is the training recipe of the first arm, as ``train`` will be given it.
        """

    def init_model(self, spec: InitModel, texts: Iterator[str], seed: int, out: Path) -> None:
        """Make the initial weights and the tokenizer in ``out``."""

    def train(self, recipe: Path, launch: Path | None, say: Callable[[str], None]) -> None:
        """Run ``train/train_srt.py`` on a recipe file; resumes, and returns at once where it is done."""

    def evaluate(
        self, trained: Trained, problems: Path, arm: str, prompt: PromptStyle, settings: dict[str, Any], out: Path
    ) -> None:
        """Predict and score; resumes."""

    def compare(self, runs: list[Path], out: Path) -> Path:
        """Write the comparison and give the path of its page."""


@dataclass(frozen=True)
class Trained:
    """What is evaluated: the folder of a model, and that of its adapter where training made one (``train.lora``)."""

    model: Path
    adapter: Path | None = None


@dataclass(frozen=True)
class Done:
    """Where the comparison of a finished experiment lies."""

    table: Path
    page: Path


def run_experiment(experiment: Experiment, workers: Workers, say: Callable[[str], None]) -> Done:
    """Run every stage that is not done yet. ``say`` is told, in one line, what begins or was left out.

    Raises:
        UserError: the output folder holds an experiment with other settings, a data source is empty, and whatever the
            stages themselves refuse.
    """
    out = experiment.output
    # Test first: training problems are kept apart from it.
    parts = {"test": experiment.test_problems, "train": experiment.train_problems}
    new = not _is_claimed(experiment)
    if new:
        _check_settings(experiment, workers)
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / _STAMP, [orjson.dumps(_settings(experiment), option=orjson.OPT_INDENT_2)])
    try:
        for part, sources in parts.items():
            _gather(part, sources, out / "data", say)
    except UserError:
        if new:
            # A fault in the sources: once it is mended, the folder must not be refused as one of other settings.
            _give_up_folder(out)
        raise
    for part in parts:
        _prove(part, out / "data", say)
    trained = [arm for arm in experiment.arms if arm != "base"]
    for arm in trained:
        if not (out / arm / "sequences.jsonl").exists():
            say(f"build: the sequences of arm {arm}")
            build_file(
                out / "data" / "train.traces.jsonl",
                out / "data" / "train.jsonl",
                arm,
                out / arm,
                prompt=experiment.prompt,
                text=experiment.text,
            )
    runs: list[Path] = []
    for (arm, seed), model in _train_all(experiment, workers, say).items():
        say(f"evaluate: {arm}, seed {seed}")
        runs.append(out / "runs" / f"{arm}-{seed}")
        workers.evaluate(model, out / "data" / "test.jsonl", arm, experiment.prompt, experiment.evaluate, runs[-1])
    say("compare: the arms side by side")
    page = workers.compare(runs, out / "report")
    return Done(table=page.with_name("report.md"), page=page)


_STAMP = "experiment.json"
_NOT_OF_THE_RESULT = {"output", "parallel"}


def _settings(experiment: Experiment) -> dict[str, Any]:
    """All that decides what the experiment ends with, as JSON has it."""
    settings: dict[str, Any] = experiment.model_dump(mode="json", exclude=_NOT_OF_THE_RESULT)
    return settings


def _is_claimed(experiment: Experiment) -> bool:
    """Whether the output folder is stamped with these settings; refuse one with others, and one of something else."""
    out = experiment.output
    stamp = out / _STAMP
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: output: a folder was expected, this is a file")
    if not stamp.exists():
        if out.exists() and any(not file.name.startswith(".") for file in out.iterdir()):
            raise UserError(f"{out}: output: this folder holds files that are of no experiment: give another output")
        return False
    settings = _settings(experiment)
    try:
        held = dict(orjson.loads(stamp.read_bytes()))
    except (ValueError, TypeError):
        raise UserError(f"{stamp}: not the settings of an experiment: give another output") from None
    differing = sorted(
        key for key in (settings.keys() | held.keys()) - _NOT_OF_THE_RESULT if settings.get(key) != held.get(key)
    )
    if differing:
        raise UserError(
            f"{out}: this folder holds an experiment with other settings of {', '.join(differing)}: "
            "give another output, or remove the folder"
        )
    return True


def _check_settings(experiment: Experiment, workers: Workers) -> None:
    """Find what can be found wrong before anything is written."""
    if isinstance(experiment.model, Path) and not experiment.model.is_dir():
        raise UserError(f"model: {experiment.model}: no such folder")
    if experiment.launch is not None and not experiment.launch.is_file():
        raise UserError(f"launch: {experiment.launch}: no such accelerate file; there are some in configs/")
    arm, seed = experiment.arms[0], experiment.seeds[0]
    workers.check(experiment, _recipe(experiment, arm, seed, _start_folder(experiment, seed)))


def _give_up_folder(out: Path) -> None:
    shutil.rmtree(out / "data", ignore_errors=True)
    (out / _STAMP).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        out.rmdir()


class _Gathered(Record):
    """What was put together for a part: how many different split keys it has, and what its test kept out of it."""

    keys: int
    dropped: int


def _gather(part: str, sources: list[Source], folder: Path, say: Callable[[str], None]) -> None:
    """The problems of one part, from all its sources, in one file, and beside it what there is to know of them."""
    folder.mkdir(exist_ok=True)
    problems = folder / f"{part}.jsonl"
    if problems.exists():
        return
    test = folder / "test.jsonl"
    gathered: list[Problem] = []
    keys: set[str] = set()
    dropped = 0
    for number, source in enumerate(sources, 1):
        if source.needs and not os.environ.get(source.needs):
            say(f"{part}: source {number} is left out: {source.needs} is not set")
            continue
        say(f"{part}: source {number}")
        kept_out = test if part == "train" and source.exclude_test else None
        found = _problems_of(source, part, folder / f"{part}.{number}.jsonl", kept_out)
        if found.dropped:
            say(f"{part}: source {number}: {found.dropped} problems are in the test and were dropped")
        gathered += found.problems
        keys |= found.keys
        dropped += found.dropped
    if not gathered:
        raise UserError(f"{part}_problems: no source gave a problem")
    if twice := [name for name, count in Counter(problem.id for problem in gathered).items() if count > 1]:
        raise UserError(f"{part}_problems: {len(twice)} problems come from two sources, first {twice[0]!r}")
    if part == "test" and all(problem.answer is None for problem in gathered):
        raise UserError("test_problems: none of them has a gold answer, so there is nothing to score")
    write_records(folder / _GATHERED.format(part), [_Gathered(keys=len(keys), dropped=dropped)])
    write_records(problems, gathered)


_GATHERED = "{}.gathered.json"


def _prove(part: str, folder: Path, say: Callable[[str], None]) -> None:
    """Traces and verdicts of one part. A problem that the teacher refuses is in no training sequence."""
    problems, traces, done = (folder / f"{part}{suffix}" for suffix in (".jsonl", ".traces.jsonl", ".done.json"))
    if done.exists():
        return
    say(f"{part}: solve and check")
    solved = solve_file(problems, traces)
    checked = check_file(traces, problems)
    if checked.proved < checked.traces:
        raise UserError(f"{part}: {checked.traces - checked.proved} traces are not proved, first {checked.faults[0]}")
    gathered = next(read_records(folder / _GATHERED.format(part), _Gathered))
    counts = {
        "problems": solved.problems,
        "keys": gathered.keys,
        "dropped": gathered.dropped,
        "traces": checked.traces,
        "proved": checked.proved,
        "refused": solved.refused,
    }
    write_atomically(done, [orjson.dumps(counts)])


@dataclass(frozen=True)
class _Found:
    """What a source gave: its problems, their split keys, and how many were dropped because they are in the test."""

    problems: list[Problem]
    keys: set[str]
    dropped: int


def _problems_of(source: Source, part: str, path: Path, kept_out: Path | None) -> _Found:
    """The problems of ``source`` without those with the text or the split key of one in the file ``kept_out``."""
    if isinstance(source, SampledSource):
        spec = load_spec(source.world, source.spec)
        summary = generate_file(source.world, source.n, part, path, spec, exclude=kept_out)
        problems = list(read_problems(path).values())
        return _Found(problems, {p.group_id for p in problems if p.group_id}, summary.collisions)
    import_file(source.corpus, Path(os.path.expandvars(source.path)), path)
    test = set() if kept_out is None else identities(read_problems(kept_out).values())
    chosen = [p for p in read_problems(path).values() if all(p.meta.get(key) == v for key, v in source.where.items())]
    kept = [(p, split_key(p)) for p in chosen if not test & identities([p])]
    return _Found([p for p, _ in kept], {key for _, key in kept if key}, len(chosen) - len(kept))


def _train_all(experiment: Experiment, workers: Workers, say: Callable[[str], None]) -> dict[tuple[str, int], Trained]:
    """Train every arm with every seed, ``parallel`` at a time; what came of each, in the order of the arms."""
    models: dict[tuple[str, int], Trained] = {}
    waiting: list[tuple[str, Path]] = []
    for seed in experiment.seeds:
        start = _initial_model(experiment, workers, seed, say)
        for arm in experiment.arms:
            run = experiment.output / "runs" / f"{arm}-{seed}"
            run.mkdir(parents=True, exist_ok=True)
            models[arm, seed] = Trained(start)
            if arm == "base":
                continue
            adapts = experiment.train.get("lora") is not None
            models[arm, seed] = Trained(start, run / _MODEL) if adapts else Trained(run / _MODEL)
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
            workers.train(recipe, experiment.launch, lambda line: say(f"{name}: {line}"))
        except BaseException as error:
            # Told at once: what is being trained beside it is still waited for, and kept.
            failed.set()
            say(f"{name}: failed: {error}")
            raise

    with ThreadPoolExecutor(experiment.parallel) as pool:
        list(pool.map(train, waiting))
    return models


_MODEL = "model"


def _recipe(experiment: Experiment, arm: str, seed: int, start: Path) -> dict[str, Any]:
    """What ``train/train_srt.py`` is given: the experiment's ``train`` and what differs from run to run."""
    return {
        **experiment.train,
        "data": str(experiment.output / arm / "sequences.jsonl"),
        "output": str(experiment.output / "runs" / f"{arm}-{seed}" / _MODEL),
        "seed": seed,
        "model": {**experiment.train.get("model", {}), "path": str(start)},
    }


def _initial_model(experiment: Experiment, workers: Workers, seed: int, say: Callable[[str], None]) -> Path:
    """The weights that every arm starts from: the given model, or random ones of this seed."""
    folder = _start_folder(experiment, seed)
    if isinstance(experiment.model, InitModel) and not folder.exists():
        say(f"init-model: {experiment.model.arch}, seed {seed}")
        # Made beside its place and moved there whole: after a kill, half a model must not pass for one.
        making = folder.with_name(f".{folder.name}.tmp")
        shutil.rmtree(making, ignore_errors=True)
        workers.init_model(experiment.model, _texts(experiment), seed, making)
        making.rename(folder)
    return folder


def _start_folder(experiment: Experiment, seed: int) -> Path:
    return experiment.model if isinstance(experiment.model, Path) else experiment.output / f"init-{seed}"


def _texts(experiment: Experiment) -> Iterator[str]:
    """What the tokenizer of a new model is trained on: the sequences of all arms, so that no arm is favoured."""
    from srt.records import Sequence

    for arm in experiment.arms:
        if arm != "base":
            for sequence in read_records(experiment.output / arm / "sequences.jsonl", Sequence):
                yield from (message.content for message in (*sequence.prompt, *sequence.completion))
