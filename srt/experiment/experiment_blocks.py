"""The blocks of an experiment's recipe: a test by a benchmark's rules, where traces and models come from, a curve."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, field_validator, model_validator

from srt.io.records import Lang
from srt.io.yaml_config import Config


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


class Learn(Config):
    """What the arms that go on from ``srt`` sample and learn (:mod:`srt.experiment.learned_arms`).

    In each of ``rounds``, ``samples`` texts to each of the next ``problems`` training problems, at ``temperature``. At
    most ``most`` traces, or pairs, of a problem are learned from. ``train`` are changes to the recipe's ``train``:
    ``steps`` of a round, at least. ``dpo`` are further ones for ``srt+dpo``, such as ``objective``, and ``grpo`` those
    for the arms of GRPO, which learn in one round.
    """

    problems: int = Field(ge=1)
    samples: int = Field(default=4, ge=2)
    temperature: float = Field(default=1.0, gt=0)
    most: int = Field(default=2, ge=1)
    rounds: int = Field(default=1, ge=1)
    train: dict[str, Any]
    dpo: dict[str, Any] = Field(default_factory=dict)
    grpo: dict[str, Any] = Field(default_factory=dict)


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
TraceSources = Annotated[
    list[TraceSource],
    Field(min_length=1),
    BeforeValidator(lambda value: value if isinstance(value, list) else [value]),
]
