"""``srt experiment``: arms x seeds, from problems to one comparison, resumed where it was killed.

Every stage writes its result atomically into the experiment's folder and is skipped when the result is there; training
and evaluation resume inside themselves. ``experiment.json`` holds the settings the folder was made with: a folder of
other settings is refused, so that nothing old is mixed with something new.

    OUTPUT/data/       train and test problems, traces, checks
    OUTPUT/ARM/        sequences of each arm
    OUTPUT/init-S/     the random weights of seed S, the same for all arms (or none, when a model is given)
    OUTPUT/runs/ARM-S/ the trained model, its predictions and scores
    OUTPUT/report/     tables, plots, report.html
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import orjson
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from srt.build import TextStyle, build_file
from srt.corpora import import_file
from srt.errors import UserError
from srt.generate import generate_file, load_spec
from srt.jsonl import read_records, write_atomically, write_records
from srt.language.arms import check_arm
from srt.prompts import PromptStyle
from srt.records import Problem
from srt.solve import solve_file
from srt.verify import check_file


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SampledSource(_Closed):
    """``n`` problems of an exact world; ``spec`` as ``srt generate --spec`` reads it."""

    world: str
    n: int = Field(gt=0)
    spec: dict[str, Any] = Field(default_factory=dict)
    needs: str | None = None


class CorpusSource(_Closed):
    """A file of a published corpus, its items filtered by ``meta`` (as in ``where: {scene: booth}``).

    ``needs`` names an environment variable with the corpus's folder: where it is not set, the source is left out, and
    the run says so.
    """

    corpus: str
    path: str
    where: dict[str, str] = Field(default_factory=dict)
    needs: str | None = None


class InitModel(_Closed):
    """A small model of a real architecture with random weights; its tokenizer is trained on the sequences."""

    arch: str
    options: dict[str, Any] = Field(default_factory=dict)


class Experiment(_Closed):
    """The recipe of an experiment. ``train`` is a training recipe without model path, data, output and seed.

    ``launch`` is an accelerate file. ``parallel`` runs are trained at a time: on a processor, two small models with a
    thread each learn faster than one after the other with two.
    """

    name: str
    output: Path
    arms: list[str] = Field(min_length=1)
    seeds: list[int] = Field(default=[0], min_length=1)
    train_problems: list[SampledSource | CorpusSource] = Field(min_length=1)
    test_problems: list[SampledSource | CorpusSource] = Field(min_length=1)
    prompt: PromptStyle = "full"
    text: TextStyle = "claims"
    model: InitModel | Path
    train: dict[str, Any]
    launch: Path | None = None
    parallel: int = Field(default=1, ge=1)
    evaluate: dict[str, Any] = Field(default_factory=dict)


class Workers(Protocol):
    """What the experiment asks of ``train`` and ``eval``, which this package must not import."""

    def init_model(self, spec: InitModel, texts: Iterator[str], seed: int, out: Path) -> None:
        """Make the initial weights and the tokenizer in ``out``."""

    def train(self, recipe: Path, launch: Path | None, say: Callable[[str], None]) -> None:
        """Run ``train/train_srt.py`` on a recipe file; resumes, and returns at once where it is done."""

    def evaluate(
        self, model: Path, problems: Path, arm: str, prompt: PromptStyle, settings: dict[str, Any], out: Path
    ) -> None:
        """Predict and score; resumes."""

    def compare(self, runs: list[Path], out: Path) -> Path:
        """Write the comparison and give the path of its page."""


@dataclass(frozen=True)
class Done:
    """Where the comparison of a finished experiment lies."""

    table: Path
    page: Path


def load_experiment(path: Path) -> Experiment:
    """Read an experiment's YAML file; every fault in it is named at once in one :class:`UserError`."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not YAML: {error}") from None
    if not isinstance(data, dict):
        raise UserError(f"{path}: a mapping of keys was expected")
    try:
        experiment = Experiment.model_validate(data)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(str(p) for p in fault['loc'])}: {_told(fault)}" for fault in error.errors(include_url=False)
        )
        raise UserError(f"{path}: {faults}") from None
    for arm in experiment.arms:
        check_arm(arm)
    return experiment


def run_experiment(experiment: Experiment, workers: Workers, say: Callable[[str], None]) -> Done:
    """Run every stage that is not done yet. ``say`` is told, in one line, what begins or was left out.

    Raises:
        UserError: the output folder holds an experiment with other settings, a data source is empty, and whatever the
            stages themselves refuse.
    """
    _claim_folder(experiment)
    out = experiment.output
    for part, sources in (("train", experiment.train_problems), ("test", experiment.test_problems)):
        _make_problems(part, sources, out / "data", say)
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
    models = _train_all(experiment, workers, say)
    runs: list[Path] = []
    for (arm, seed), model in models.items():
        say(f"evaluate: {arm}, seed {seed}")
        runs.append(out / "runs" / f"{arm}-{seed}")
        workers.evaluate(model, out / "data" / "test.jsonl", arm, experiment.prompt, experiment.evaluate, runs[-1])
    say("compare: the arms side by side")
    page = workers.compare(runs, out / "report")
    return Done(table=page.with_name("report.md"), page=page)


def _claim_folder(experiment: Experiment) -> None:
    """Stamp the output folder with the settings; refuse one that has other settings, and say in what."""
    stamp = experiment.output / "experiment.json"
    settings = orjson.loads(orjson.dumps(experiment.model_dump(mode="json")))
    if stamp.exists():
        held = orjson.loads(stamp.read_bytes())
        differing = sorted(key for key in settings.keys() | held.keys() if settings.get(key) != held.get(key))
        if differing:
            raise UserError(
                f"{experiment.output}: this folder holds an experiment with other settings of {', '.join(differing)}: "
                "give another output, or remove the folder"
            )
        return
    experiment.output.mkdir(parents=True, exist_ok=True)
    write_atomically(stamp, [orjson.dumps(settings, option=orjson.OPT_INDENT_2)])


def _make_problems(
    part: str, sources: list[SampledSource | CorpusSource], folder: Path, say: Callable[[str], None]
) -> None:
    """Problems, traces and verdicts of one part; only problems whose trace is proved are kept for training."""
    folder.mkdir(exist_ok=True)
    problems, traces, done = (folder / f"{part}{suffix}" for suffix in (".jsonl", ".traces.jsonl", ".done.json"))
    if done.exists():
        return
    gathered: list[Problem] = []
    for number, source in enumerate(sources, 1):
        if source.needs and not os.environ.get(source.needs):
            say(f"{part}: source {number} is left out: {source.needs} is not set")
            continue
        say(f"{part}: source {number}")
        gathered += _problems_of(source, part, folder / f"{part}.{number}.jsonl")
    if not gathered:
        raise UserError(f"{part}_problems: no source gave a problem")
    write_records(problems, gathered)
    say(f"{part}: solve and check {len(gathered)} problems")
    solved = solve_file(problems, traces)
    checked = check_file(traces, problems)
    if checked.proved < checked.traces:
        raise UserError(f"{part}: {checked.traces - checked.proved} traces are not proved, first {checked.faults[0]}")
    counts = {"problems": len(gathered), "traces": checked.traces, "proved": checked.proved, "refused": solved.refused}
    write_atomically(done, [orjson.dumps(counts)])


def _problems_of(source: SampledSource | CorpusSource, part: str, path: Path) -> list[Problem]:
    if isinstance(source, SampledSource):
        generate_file(source.world, source.n, part, path, load_spec(source.world, source.spec))
        return list(read_records(path, Problem))
    import_file(source.corpus, Path(os.path.expandvars(source.path)), path)
    return [p for p in read_records(path, Problem) if all(p.meta.get(k) == v for k, v in source.where.items())]


def _train_all(experiment: Experiment, workers: Workers, say: Callable[[str], None]) -> dict[tuple[str, int], Path]:
    """Train every arm with every seed, ``parallel`` at a time; the model folder of each, in the order of the arms."""
    models: dict[tuple[str, int], Path] = {}
    waiting: list[tuple[str, Path]] = []
    for seed in experiment.seeds:
        start = _initial_model(experiment, workers, seed, say)
        for arm in experiment.arms:
            run = experiment.output / "runs" / f"{arm}-{seed}"
            run.mkdir(parents=True, exist_ok=True)
            models[arm, seed] = start
            if arm == "base":
                continue
            models[arm, seed] = run / "model"
            write_atomically(run / "recipe.yaml", [_recipe(experiment, arm, seed, start, run)])
            waiting.append((f"{arm}, seed {seed}", run / "recipe.yaml"))

    def train(job: tuple[str, Path]) -> None:
        name, recipe = job
        say(f"train: {name}")
        workers.train(recipe, experiment.launch, lambda line: say(f"{name}: {line}"))

    with ThreadPoolExecutor(experiment.parallel) as pool:
        list(pool.map(train, waiting))
    return models


def _recipe(experiment: Experiment, arm: str, seed: int, start: Path, run: Path) -> bytes:
    settings = {
        **experiment.train,
        "data": str(experiment.output / arm / "sequences.jsonl"),
        "output": str(run / "model"),
        "seed": seed,
        "model": {**experiment.train.get("model", {}), "path": str(start)},
    }
    return yaml.safe_dump(settings, sort_keys=False).encode()


def _initial_model(experiment: Experiment, workers: Workers, seed: int, say: Callable[[str], None]) -> Path:
    """The weights that every arm starts from: the given model, or random ones of this seed."""
    if isinstance(experiment.model, Path):
        return experiment.model
    folder = experiment.output / f"init-{seed}"
    if not folder.exists():
        say(f"init-model: {experiment.model.arch}, seed {seed}")
        workers.init_model(experiment.model, _texts(experiment), seed, folder)
    return folder


def _texts(experiment: Experiment) -> Iterator[str]:
    """What the tokenizer of a new model is trained on: the sequences of all arms, so that no arm is favoured."""
    from srt.records import Sequence

    for arm in experiment.arms:
        if arm != "base":
            for sequence in read_records(experiment.output / arm / "sequences.jsonl", Sequence):
                yield from (message.content for message in (*sequence.prompt, *sequence.completion))


def _told(fault: Any) -> str:
    if fault["type"] == "extra_forbidden":
        return "unknown key"
    return str(fault["msg"]).removeprefix("Value error, ")
