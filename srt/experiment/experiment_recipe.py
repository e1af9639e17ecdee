"""The recipe of ``srt experiment``: its keys, and which arms it trains and evaluates.

That its keys do not contradict each other is checked by :mod:`srt.experiment.experiment_rules`; the file is read by
:mod:`srt.experiment.experiment_reader`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator

from srt.experiment.experiment_blocks import SOLVED, BenchmarkTest, Curve, Learn, Model, Probe, TraceSources
from srt.experiment.problem_sources import Source, TrainingStage
from srt.io.errors import UserError
from srt.io.yaml_config import Config
from srt.language.arm import Input
from srt.language.arms import arm_named
from srt.language.prompts import PromptStyle
from srt.pipeline.kept_traces import Keep
from srt.worlds.world import CLAIMS, NEEDED
from srt.worlds.world_registry import PlanName, TextStyleName

MORE = "srt+more"
"""The arm that goes on with the sequences of ``srt``."""
TEST = "test"
"""The name of the test on ``test_problems``."""
_FILES_OF_DATA = frozenset({TEST, "train", "solved", "unsolved", "left_out", "probe"})
"""A test's problems are kept under its name, beside these files."""

_TRACES_BY_INPUT: dict[Input, str] = {
    **{"steps": "srt", "free steps": "srt", "any": "srt"},
    **{"prose": "cot", "free prose": "cot", "terse prose": "cot-terse"},
}

SET_BY_EXPERIMENT = (
    "data", "stages", "output", "seed", "other_arms", "eval_data", "model.path", "generations.problems",
)  # fmt: skip
"""The keys of a training recipe that ``train`` must leave out."""


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

    ``curve`` gives learning curves instead of one comparison (:mod:`srt.experiment.learning_curve`): ``train`` then
    has no ``steps``, and a constant learning rate, with which a run up to a point is the start of every longer one.

    ``learn`` is for arms that go on from ``srt`` (:mod:`srt.experiment.learned_arms`).

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
    traces: dict[str, TraceSources] = Field(default_factory=dict)
    keep: Keep = "auto"
    held_out: int | None = Field(default=None, ge=1)
    prompt: PromptStyle = "full"
    plan: PlanName = NEEDED
    """Which steps the exact teacher writes: a plan that the world of the problems offers."""
    text: TextStyleName = CLAIMS
    """How the steps are written: a text style that the world of the problems offers."""
    model: Model
    probe: Probe | None = None
    train: dict[str, Any]
    curve: Curve | None = None
    learn: Learn | None = None
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
        """The arms that have a training run: one that only generates otherwise has that of ``srt``, if it is there."""
        arms = [arm_named(arm) for arm in self.arms]
        return [
            name
            for name, arm in zip(self.arms, arms, strict=True)
            if arm.build and not arm.learns and not (arm.generates_otherwise and "srt" in self.arms)
        ]

    @property
    def learned_arms(self) -> list[str]:
        """The arms that go on from the trained model of ``srt``."""
        return [name for name in self.arms if arm_named(name).learns]

    @property
    def matched_arm(self) -> str:
        """The arm that ``srt+more`` takes as many tokens as."""
        return next(arm for arm in self.learned_arms if arm != MORE)

    def trained_as(self, arm: str) -> str | None:
        """The arm whose training run gives the model of ``arm``; ``None`` for the weights that all start from."""
        if arm_named(arm).build is None:
            return None
        return arm if arm in (*self.trained_arms, *self.learned_arms) else "srt"

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
        if ours := [key for key in SET_BY_EXPERIMENT if key in keys]:
            raise ValueError(f"{', '.join(ours)}: must be left out, because the experiment sets it")
        return train


def _refuse_twice(values: Iterable[Any], advice: str = "") -> None:
    if twice := [str(value) for value, count in Counter(values).items() if count > 1]:
        raise ValueError(f"{', '.join(twice)} is listed more than once{advice}")
