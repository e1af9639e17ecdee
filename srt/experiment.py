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
import difflib
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Annotated, Any, Protocol

import orjson
import yaml
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, field_validator

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


# The form is told by its key, so that a fault in one form is not told as faults in every other.
Source = Annotated[
    Annotated[SampledSource, Tag("(sampled)")] | Annotated[CorpusSource, Tag("(corpus)")],
    Discriminator(lambda v: "(corpus)" if isinstance(v, CorpusSource) or "corpus" in _keys(v) else "(sampled)"),
]
Model = Annotated[
    Annotated[InitModel, Tag("(random)")] | Annotated[Path, Tag("(folder)")],
    Discriminator(lambda v: "(random)" if isinstance(v, InitModel | dict) else "(folder)"),
]


class Experiment(_Closed):
    """The recipe of an experiment. ``train`` is a training recipe without model path, data, output and seed.

    ``launch`` is an accelerate file. ``parallel`` runs are trained at a time: on a processor, two small models with a
    thread each learn faster than one after the other with two.
    """

    name: str
    output: Path
    arms: list[str] = Field(min_length=1)
    seeds: list[int] = Field(default=[0], min_length=1)
    train_problems: list[Source] = Field(min_length=1)
    test_problems: list[Source] = Field(min_length=1)
    prompt: PromptStyle = "full"
    text: TextStyle = "claims"
    model: Model
    train: dict[str, Any]
    launch: Path | None = None
    parallel: int = Field(default=1, ge=1)
    evaluate: dict[str, Any] = Field(default_factory=dict)

    @field_validator("arms", "seeds")
    @classmethod
    def _once(cls, values: list[Any]) -> list[Any]:
        if twice := [str(value) for value, count in Counter(values).items() if count > 1]:
            raise ValueError(f"{', '.join(twice)} stands there more than once")
        return values

    @field_validator("arms")
    @classmethod
    def _known(cls, arms: list[str]) -> list[str]:
        for arm in arms:
            try:
                check_arm(arm)
            except UserError as error:
                raise ValueError(str(error)) from None
        return arms

    @field_validator("train")
    @classmethod
    def _leaves_us_the_rest(cls, train: dict[str, Any]) -> dict[str, Any]:
        model = train.get("model", {})
        if not isinstance(model, dict):
            raise ValueError("model: a mapping of keys was expected")
        ours = [key for key in _SET_HERE if key in train] + ["model.path"] * ("path" in model)
        if ours:
            raise ValueError(f"{', '.join(ours)}: left out here, because the experiment sets it")
        return train


_SET_HERE = ("data", "output", "seed")


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
    except IsADirectoryError:
        raise UserError(f"{path}: a file was expected, this is a folder") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not YAML: {error}") from None
    if not isinstance(data, dict):
        raise UserError(f"{path}: a mapping of keys was expected")
    try:
        return Experiment.model_validate(data)
    except ValidationError as error:
        faults = "; ".join(_told(dict(fault)) for fault in error.errors(include_url=False))
        raise UserError(f"{path}: {faults}") from None


def run_experiment(experiment: Experiment, workers: Workers, say: Callable[[str], None]) -> Done:
    """Run every stage that is not done yet. ``say`` is told, in one line, what begins or was left out.

    Raises:
        UserError: the output folder holds an experiment with other settings, a data source is empty, and whatever the
            stages themselves refuse.
    """
    out = experiment.output
    parts = {"train": experiment.train_problems, "test": experiment.test_problems}
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
    models = _train_all(experiment, workers, say)
    runs: list[Path] = []
    for (arm, seed), model in models.items():
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


def _gather(part: str, sources: list[Source], folder: Path, say: Callable[[str], None]) -> None:
    """The problems of one part, from all its sources, in one file."""
    folder.mkdir(exist_ok=True)
    problems = folder / f"{part}.jsonl"
    if problems.exists():
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
    if twice := [name for name, count in Counter(problem.id for problem in gathered).items() if count > 1]:
        raise UserError(f"{part}_problems: {len(twice)} problems come from two sources, first {twice[0]!r}")
    write_records(problems, gathered)


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
    counts = {
        "problems": solved.problems,
        "traces": checked.traces,
        "proved": checked.proved,
        "refused": solved.refused,
    }
    write_atomically(done, [orjson.dumps(counts)])


def _problems_of(source: Source, part: str, path: Path) -> list[Problem]:
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
            models[arm, seed] = run / _MODEL
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


_FORMS: dict[str, type[BaseModel]] = {"(sampled)": SampledSource, "(corpus)": CorpusSource, "(random)": InitModel}


def _told(fault: dict[str, Any]) -> str:
    """One fault of validation: the key, what is wrong with it, and what would be right."""
    words = [str(part) for part in fault["loc"]]
    name = ".".join(word for word in words if not word.startswith("("))
    if fault["type"] != "extra_forbidden":
        return f"{name}: {str(fault['msg']).removeprefix('Value error, ')}"
    form = next((_FORMS[word] for word in words if word in _FORMS), Experiment)
    near = difflib.get_close_matches(words[-1], form.model_fields, n=1)
    return f"{name}: no such key, " + (
        f"did you mean {near[0]}?" if near else f"known are {', '.join(form.model_fields)}"
    )


def _keys(value: object) -> Any:
    return value if isinstance(value, dict) else ()
