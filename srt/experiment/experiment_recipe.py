"""The recipe of ``srt experiment``: one YAML file, read and checked as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, ValidationInfo, field_validator, model_validator

from srt.experiment.problem_sources import Source, TrainingStage
from srt.io.bundled_files import find_bundled
from srt.io.errors import UserError
from srt.io.records import Lang
from srt.io.yaml_config import Config, extended_file, merged, parse_config, read_yaml
from srt.language.arm import Input
from srt.language.arms import arm_named
from srt.language.prompts import PromptStyle
from srt.pipeline.kept_traces import Keep
from srt.worlds.world import CLAIMS, NEEDED, Kind
from srt.worlds.world_registry import check_offered


class BenchmarkTest(Config):
    """A benchmark as a test: asked, graded and reported by its own rules, with the keys of ``srt eval``.

    ``data`` is the user's copy. ``name`` is that of its folders and its report; by default the benchmark's.
    """

    benchmark: str
    data: str
    lang: Lang | None = None
    options: dict[str, str] = Field(default_factory=dict)
    prompts: Path | None = None
    where: dict[str, str] = Field(default_factory=dict)
    n: int | None = Field(default=None, gt=0)
    needs: str | None = None
    name: str = Field(default="", pattern=r"^(\w[\w-]*)?$")

    @model_validator(mode="after")
    def _is_named(self) -> BenchmarkTest:
        return self if self.name else self.model_copy(update={"name": self.benchmark})


class TaughtTraces(Config):
    """Traces that language models write while the experiment runs: ``teach`` is a config of ``srt teach``."""

    teach: Path


class InitModel(Config):
    """A small model of a real architecture with random weights.

    Its tokenizer is trained on the sequences of ``tokenizer_arms``, by default those of all arms: say which, if the
    same weights and tokenizer are to be had with other arms besides.
    """

    arch: str
    options: dict[str, Any] = Field(default_factory=dict)
    tokenizer_arms: list[str] = Field(default_factory=list)


class ContinuedModel(Config):
    """What each arm of another experiment had learned, with each seed, after so many ``items`` of its curve.

    ``continues`` is the folder of that experiment.
    """

    continues: Path
    items: int = Field(ge=1, strict=True)


class Curve(Config):
    """Where the learning curves of an experiment are measured: after so many training ``items`` (sequences).

    An arm whose accuracy on the first test has reached ``enough`` is not trained further (with that seed).
    """

    items: list[int] = Field(min_length=1)
    enough: float | None = Field(default=None, gt=0, le=1)

    @field_validator("items")
    @classmethod
    def _increase(cls, items: list[int]) -> list[int]:
        if any(after <= before for before, after in pairwise([0, *items])):
            raise ValueError("numbers above 0 that increase were expected")
        return items


class Probe(Config):
    """What a new vision model must read off single places of pictures before an arm is trained with it.

    It is trained on questions about each picture of the training problems, with ``train`` as changes to the recipe's;
    and asked ``asked`` questions about pictures of ``test_problems``, at most ``asked_of_each`` about one. ``enough``
    is the share that it must answer correctly (:mod:`srt.experiment.picture_probe`). ``shared``: it is trained once,
    with the first seed, and arms of all seeds start from there; else with every seed.
    """

    asked_of_each: int = Field(default=4, ge=1)
    asked: int = Field(default=400, ge=1)
    enough: float = Field(default=0.95, ge=0, le=1)
    shared: bool = False
    train: dict[str, Any] = Field(default_factory=dict)


SOLVED = "solved"
TraceSource = Annotated[
    Annotated[Literal["solved"], Tag("(solved)")]
    | Annotated[Path, Tag("(folder)")]
    | Annotated[TaughtTraces, Tag("(taught)")],
    Discriminator(
        lambda v: "(taught)" if isinstance(v, TaughtTraces | dict) else "(solved)" if v == SOLVED else "(folder)"
    ),
]
"""``solved`` by an exact world, a folder that ``srt teach`` has written (or a file of traces), or to be taught."""


def _kind_of_model(value: Any) -> str:
    if isinstance(value, ContinuedModel) or (isinstance(value, dict) and "continues" in value):
        return "(continued)"
    return "(random)" if isinstance(value, InitModel | dict) else "(folder)"


Model = Annotated[
    Annotated[InitModel, Tag("(random)")]
    | Annotated[ContinuedModel, Tag("(continued)")]
    | Annotated[Path, Tag("(folder)")],
    Discriminator(_kind_of_model),
]
_TraceSources = Annotated[
    list[TraceSource],
    Field(min_length=1),
    BeforeValidator(lambda value: value if isinstance(value, list) else [value]),
]

TEST = "test"
"""The name of the test on ``test_problems``."""
_FILES_OF_DATA = frozenset({TEST, "train", "solved", "unsolved", "left_out", "probe"})
"""A test's problems are kept under its name, beside these files."""

_TRACES_BY_INPUT: dict[Input, str] = {"steps": "srt", "prose": "cot", "terse prose": "cot-terse", "any": "srt"}


class Experiment(Config):
    """The recipe of an experiment, which trains on ``train_problems`` or on those of ``stages``, one after the other.

    ``train`` is a training recipe without model path, data, output and seed.

    ``train`` may say which training recipe it ``extends``, relative to the experiment's file or by the name of one that
    comes with the toolkit; what the experiment sets itself is left out of that.

    Tests are ``test_problems``, asked as they are, and ``benchmarks``; each has its own report.

    ``traces`` says where the traces of an arm come from. An arm that is not named has those of ``srt`` or of ``cot``,
    whichever it is made from; without them its problems are ``solved`` by an exact world. Of several sources, the first
    that has a trace of a problem gives it. Traces of files and of teachers are checked, and ``keep`` says which are
    taken (:mod:`srt.pipeline.kept_traces`). ``describe`` is a config of ``srt teach`` whose describer puts pictures
    into words, for a model that reads none.

    ``held_out`` problems are trained on by no arm: their sequences are the ``eval_data`` of each.

    ``probe`` has a new vision model learn to read single places of pictures first: what it learns there is what all
    arms start from.

    ``curve`` gives learning curves in place of one comparison (:mod:`srt.experiment.learning_curve`): ``train`` then
    has no ``steps``, and a constant learning rate, with which a run up to a point is the start of every longer one.

    ``launch`` is an accelerate file for training, ``eval_launch`` one whose processes share each evaluation.
    ``parallel`` runs are trained at a time: on a CPU, two small models with a thread each learn faster than one
    after the other with two. ``tiny`` is what ``--tiny`` changes (:mod:`srt.experiment.rehearsal.tiny_experiment`).
    """

    name: str = Field(min_length=1)
    output: Path
    arms: list[str] = Field(min_length=1)
    seeds: list[Annotated[int, Field(strict=True, ge=0)]] = Field(default=[0], min_length=1)
    train_problems: Annotated[list[Source], Field(min_length=1)] | None = None
    stages: list[TrainingStage] | None = None
    test_problems: list[Source] = Field(default_factory=list)
    benchmarks: list[BenchmarkTest] = Field(default_factory=list)
    describe: Path | None = None
    traces: dict[str, _TraceSources] = Field(default_factory=dict)
    keep: Keep = "auto"
    held_out: int | None = Field(default=None, ge=1)
    prompt: PromptStyle = "full"
    plan: str = NEEDED
    """Which steps the exact teacher writes: a plan that the world of the problems offers."""
    text: str = CLAIMS
    """How the steps are written: a text style that the world of the problems offers."""
    model: Model
    probe: Probe | None = None
    train: dict[str, Any]
    curve: Curve | None = None
    launch: Path | None = None
    parallel: int = Field(default=1, ge=1)
    evaluate: dict[str, Any] = Field(default_factory=dict)
    eval_launch: Path | None = None
    tiny: dict[str, Any] = Field(default_factory=dict)

    def traces_of(self, arm: str) -> tuple[str, list[Any]]:
        """The sources of the arm's traces, and the arm that they are named for (``solved``: none is)."""
        origin = _TRACES_BY_INPUT[arm_named(arm).input]
        anything = list(self.traces) if arm_named(arm).input == "any" else []
        found = next((name for name in (arm, origin, *anything) if name in self.traces), SOLVED)
        return found, self.traces.get(found, [SOLVED])

    @property
    def trained_arms(self) -> list[str]:
        """The arms that have a training run: a banned operation is banned while ``srt`` generates, if it is there."""
        arms = [arm_named(arm) for arm in self.arms]
        return [
            name
            for name, arm in zip(self.arms, arms, strict=True)
            if arm.build and not (arm.ban and "srt" in self.arms)
        ]

    def trained_as(self, arm: str) -> str | None:
        """The arm whose training run gives the model of ``arm``; ``None`` for the weights that all start from."""
        if arm_named(arm).build is None:
            return None
        return arm if arm in self.trained_arms else "srt"

    def seeds_of(self, arm: str) -> list[int]:
        """The seeds that ``arm`` is evaluated with.

        A model that is not trained is the same for every seed where it is given, or comes from a shared probe.
        """
        one = isinstance(self.model, Path) or (self.probe is not None and self.probe.shared)
        return self.seeds[:1] if one and not arm_named(arm).build else self.seeds

    @field_validator("arms", "seeds")
    @classmethod
    def _once(cls, values: list[Any]) -> list[Any]:
        _refuse_twice(values)
        return values

    @field_validator("arms")
    @classmethod
    def _known(cls, arms: list[str]) -> list[str]:
        for arm in arms:
            try:
                arm_named(arm)
            except UserError as error:
                raise ValueError(str(error)) from None
        return arms

    @field_validator("plan", "text")
    @classmethod
    def _offered(cls, name: str, info: ValidationInfo) -> str:
        kinds: dict[str | None, Kind] = {"plan": "plan", "text": "text style"}
        try:
            check_offered(kinds[info.field_name], name)
        except UserError as error:
            raise ValueError(str(error)) from None
        return name

    @field_validator("test_problems")
    @classmethod
    def _nothing_to_exclude(cls, sources: list[Any]) -> list[Any]:
        if any("exclude_test" in source.model_fields_set for source in sources):
            raise ValueError("exclude_test: is a key of training problems")
        return sources

    @field_validator("benchmarks")
    @classmethod
    def _own_names(cls, tests: list[BenchmarkTest]) -> list[BenchmarkTest]:
        _refuse_twice((test.name for test in tests), "; give each a name")
        if taken := sorted(_FILES_OF_DATA.intersection(test.name for test in tests)):
            raise ValueError(f"name: {taken[0]} is taken; give another")
        return tests

    @field_validator("train")
    @classmethod
    def _leaves_us_the_rest(cls, train: dict[str, Any]) -> dict[str, Any]:
        blocks = {name: train.get(name) for name in ("model", "generations")}
        for name, block in blocks.items():
            if block is not None and not isinstance(block, dict):
                raise ValueError(f"{name}: a mapping of keys was expected")
        keys = {*train, *(f"{name}.{key}" for name, block in blocks.items() for key in block or ())}
        if ours := [key for key in _SET_BY_EXPERIMENT if key in keys]:
            raise ValueError(f"{', '.join(ours)}: must be left out, because the experiment sets it")
        return train

    @model_validator(mode="after")
    def _fits_together(self) -> Experiment:
        faults = self._faults_of_stages()
        if not self.test_problems and not self.benchmarks:
            faults.append("test_problems, benchmarks: at least one test is needed")
        used = {self.traces_of(arm)[0] for arm in self.trained_arms}
        if idle := [name for name in self.traces if name not in used]:
            faults.append(f"traces: {', '.join(idle)}: no arm of this experiment is made from them")
        for name, sources in self.traces.items():
            if name not in ("srt", "cot") and any(isinstance(source, TaughtTraces) for source in sources):
                faults.append(f"traces.{name}: srt teach writes traces of srt and of cot")
        for key in ("eval_steps", "generations", "early_stopping"):
            if self.train.get(key) and self.held_out is None:
                faults.append(f"train: {key}: needs held_out, the number of problems that are kept from training")
        if self.held_out is not None and not self.train.get("eval_steps"):
            faults.append(
                "held_out: needs train.eval_steps, the number of steps after which these problems are looked at"
            )
        wanted = self.model.tokenizer_arms if isinstance(self.model, InitModel) else []
        if unknown := [arm for arm in wanted if arm not in self.trained_arms]:
            faults.append(f"model: tokenizer_arms: {', '.join(unknown)}: not among the arms that are trained")
        untrained = [arm for arm in self.arms if self.trained_as(arm) is None]
        if isinstance(self.model, ContinuedModel) and untrained:
            faults.append(f"model: continues: {', '.join(untrained)}: no other experiment has trained this arm")
        if self.probe is not None and (not isinstance(self.model, InitModel) or not self.test_problems):
            faults.append("probe: needs a new model (model: {arch: ...}) and test_problems, whose pictures are read")
        if self.curve is not None:
            faults += self._faults_of_curve(self.curve)
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def _faults_of_stages(self) -> list[str]:
        if (self.train_problems is None) == (self.stages is None):
            return ["train_problems, stages: give one of them"]
        if self.stages is None:
            return []
        if not self.stages:
            return ["stages: the list is empty; give each stage its name, train_problems and items"]
        faults = [f"train: {key}: the items of the stages decide this" for key in _LENGTH if self.train.get(key)]
        names = Counter(stage.name for stage in self.stages)
        faults += [f"stages: {name} is listed more than once" for name, count in names.items() if count > 1]
        total = sum(stage.items for stage in self.stages)
        if self.curve is not None and self.curve.items[-1] != total:
            faults.append(f"stages: have {total} items together, but curve.items ends at {self.curve.items[-1]}")
        return faults

    def _faults_of_curve(self, curve: Curve) -> list[str]:
        given = [] if self.stages else [key for key in _LENGTH if key in self.train]
        faults = [f"train: {key}: the last of curve.items decides this" for key in given]
        batch_size = self.train.get("batch_size")
        if not isinstance(batch_size, int) or batch_size < 1:
            return [*faults, "train: batch_size: a whole number above 0 was expected"]
        if odd := [items for items in curve.items if items % batch_size]:
            faults.append(f"curve: items: {odd[0]} is no multiple of train.batch_size, {batch_size}")
        if len(curve.items) > 1 and self.train.get("scheduler") != "constant":
            faults.append("train: scheduler: constant was expected: with another, a point depends on those after it")
        faults += self._faults_of_decay(curve, batch_size)
        return faults

    def _faults_of_decay(self, curve: Curve, batch_size: int) -> list[str]:
        """Only the last point may be measured after the learning rate has begun to fall."""
        decay, last = self.train.get("decay"), curve.items[-1]
        # What is no number of steps and no share, the training recipe refuses.
        if not isinstance(decay, int | float) or not 0 < decay < last / batch_size or len(curve.items) < 2:
            return []
        begins = last - (decay * batch_size if decay >= 1 else decay * last)
        if curve.items[-2] <= begins:
            return []
        return [f"train: decay: begins after {begins:,.0f} items, before the point of {curve.items[-2]:,}"]


def _refuse_twice(values: Iterable[Any], advice: str = "") -> None:
    if twice := [str(value) for value, count in Counter(values).items() if count > 1]:
        raise ValueError(f"{', '.join(twice)} is listed more than once{advice}")


_LENGTH = ("steps", "epochs")  # of a training run
_SET_BY_EXPERIMENT = (
    "data", "stages", "output", "seed", "other_arms", "eval_data", "model.path", "generations.problems",
)  # fmt: skip


def load_experiment(path: Path, changes: Iterable[str] = ()) -> Experiment:
    """Read an experiment's YAML file; every fault in it is named at once in one :class:`UserError`.

    ``changes`` win over the file: ``key=value`` each, as on the command line. ``train: {extends: FILE}`` builds on a
    training recipe, but for the keys that the experiment sets itself.
    """
    path = find_bundled(path, "recipes")
    values = read_yaml(path, changes)
    train = values.get("train")
    if isinstance(train, dict) and isinstance(train.get("extends"), str):
        own = {key: value for key, value in train.items() if key != "extends"}
        base = read_yaml(extended_file(path, train["extends"]))
        length = _LENGTH if "curve" in values or "stages" in values else ()
        for key in (*_SET_BY_EXPERIMENT, *length, "model.hub_id"):
            *block, name = key.split(".")
            place = base.get(block[0]) if block else base
            if isinstance(place, dict):
                place.pop(name, None)
        values["train"] = merged(base, own)
    return parse_config(Experiment, values, str(path))
