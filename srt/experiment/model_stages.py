"""The stages of an experiment that need ``train`` and ``eval``, which this package must not import."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from srt.experiment.experiment_blocks import BenchmarkTest, InitModel
from srt.experiment.experiment_recipe import Experiment
from srt.io.records import Lang, Record
from srt.language.prompts import PromptStyle

Say = Callable[[str], None]
"""Called with one line, for the user."""


@dataclass(frozen=True)
class TrainedModel:
    """The folder of a model that is evaluated, and that of its adapter if it was trained with ``lora``."""

    model: Path
    adapter: Path | None = None


@dataclass(frozen=True)
class Evaluation:
    """One evaluation: a model in an arm, on the ``problems`` of a test.

    ``benchmark`` says how they are asked and graded; without it they are asked as they are. ``settings`` are the
    recipe's ``evaluate``. The processes of the accelerate file ``launch`` share it.
    """

    trained: TrainedModel
    problems: Path
    arm: str
    prompt: PromptStyle
    out: Path
    benchmark: BenchmarkTest | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    launch: Path | None = None


@dataclass(frozen=True)
class RunFigures:
    """What a learning curve keeps of an evaluation.

    ``proved`` is the share of predictions with a proved trace of an exact world, ``computed`` that of free traces that
    are computed. ``right`` has a character for each problem, in their order: ``1`` if it was answered correctly, else
    ``0``. ``proved_each`` and ``certified_each`` have the same: whether the trace is proved, and whether the text, in
    whatever form, has a certificate; the latter is empty where no problem has one.
    ``first_wrong`` counts what failed first in wrong traces, as ``INFER contradiction``
    (:mod:`eval.errors.error_findings`); prose is not looked into.
    """

    right: str
    output_tokens: float
    proved: float
    computed: float
    first_wrong: dict[str, int]
    proved_each: str = ""
    certified_each: str = ""


class TrainedTokens(NamedTuple):
    """Tokens that a training run has seen up to some step, and those of them that have a label."""

    tokens: int
    with_label: int


class LearningCost(Record):
    """What ``arm`` has taken beyond the model that it started from, as means over its ``runs`` (training seeds).

    ``sampled`` tokens were read and sampled, and ``trained`` ones trained on. The texts of GRPO are sampled while it
    trains and count in both; their seconds are in ``training_seconds`` alone.
    """

    arm: str
    runs: int = 1
    sampled: float = 0
    trained: float = 0
    sampling_seconds: float = 0
    training_seconds: float = 0

    @property
    def tokens(self) -> float:
        """All of them."""
        return self.sampled + self.trained


class ModelStages(Protocol):
    """What ``srt experiment`` has ``train`` and ``eval`` do."""

    def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
        """Raise a :class:`UserError` for settings that ``train`` or ``eval`` would refuse; write nothing.

        ``recipe`` is the training recipe of the first arm, as ``train`` will be given it.
        """

    def check_launch(self, launch: Path) -> None:
        """Raise a :class:`UserError` for an accelerate file that is not there, or wants more GPUs than there are."""

    def reads_pictures(self, model: Path | InitModel) -> bool:
        """Whether the model is a vision model."""

    def import_problems(self, corpus: str, path: Path, out: Path, lang: Lang | None) -> None:
        """Read a published corpus, or the user's copy of a benchmark, into the file of problems ``out``."""

    def check_test(self, experiment: Experiment, problems: Path, benchmark: BenchmarkTest | None) -> None:
        """Raise a :class:`UserError` if the problems cannot be asked of the experiment's model, or not be scored."""

    def init_model(self, spec: InitModel, texts: Iterator[str], seed: int, out: Path) -> None:
        """Make the initial weights and the tokenizer in ``out``."""

    def preflight(self, recipe: Path, launch: Path | None) -> list[str]:
        """The faults of a training recipe file with its data, model and launch file; nothing is trained."""

    def train(self, recipe: Path, launch: Path | None, say: Say, until: int | None = None) -> None:
        """Run ``train/train_srt.py`` on a recipe file, to its end or to the step ``until``.

        It resumes, and returns at once where this is done.
        """

    def tokens_until(self, recipe: Path, steps: Sequence[int]) -> list[TrainedTokens]:
        """What the run of a recipe file has seen after each of ``steps``."""

    def evaluate(self, evaluation: Evaluation) -> None:
        """Predict and score; resumes, and returns at once where it is done."""

    def harvest(self, run: Path, out: Path, most: int) -> None:
        """The proved traces of an evaluation, at most ``most`` a problem."""

    def pairs(self, run: Path, out: Path, most: int) -> None:
        """Pairs of the proved and refuted samples of an evaluation, at most ``most`` a problem."""

    def figures(self, run: Path) -> RunFigures:
        """The figures of an evaluation that is done."""

    def compare(
        self,
        runs: list[Path],
        out: Path,
        title: str,
        reporting: Mapping[str, Any],
        warning: str | None,
        learning: Sequence[LearningCost],
    ) -> str:
        """Write the comparison, as ``report.html`` and more, and give the sentence that answers.

        ``learning`` is what the arms that go on from ``srt`` took.

        ``warning`` stands before it, and above everything on the page.

        ``reporting`` is the experiment's ``evaluate`` with the comparison's group and name in W&B, or empty if
        nothing is reported there.
        """
