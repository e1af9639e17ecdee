"""The recipe of ``srt experiment``: one YAML file, read and checked as a whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, field_validator

from srt.io.bundled_files import find_bundled
from srt.io.errors import UserError
from srt.io.yaml_config import Config, merged, parse_config, read_yaml
from srt.language.arms import arm_named
from srt.language.prompts import PromptStyle
from srt.pipeline.build import TextStyle


class SampledSource(Config):
    """``n`` problems of an exact world; ``spec`` as ``srt generate --spec`` reads it.

    ``needs`` and ``exclude_test`` as in :class:`CorpusSource`.
    """

    world: str
    n: int = Field(gt=0)
    spec: dict[str, Any] = Field(default_factory=dict)
    needs: str | None = None
    exclude_test: bool = True


class CorpusSource(Config):
    """A file of a published corpus, its items filtered by ``meta`` (as in ``where: {scene: booth}``).

    ``needs`` names an environment variable with the corpus's folder: where it is not set, the source is left out, and
    the run says so.

    ``exclude_test``, of a source of training problems: nothing with the text or the split key of a test problem is
    trained on. It is set to false where the test asks for new words and not for new puzzles.
    """

    corpus: str
    path: str
    where: dict[str, str] = Field(default_factory=dict)
    needs: str | None = None
    exclude_test: bool = True


class InitModel(Config):
    """A small model of a real architecture with random weights; its tokenizer is trained on the sequences."""

    arch: str
    options: dict[str, Any] = Field(default_factory=dict)


# The form is chosen by its key: otherwise a fault in one form would be reported as faults in every other.
Source = Annotated[
    Annotated[SampledSource, Tag("(sampled)")] | Annotated[CorpusSource, Tag("(corpus)")],
    Discriminator(
        lambda v: "(corpus)" if isinstance(v, CorpusSource) or (isinstance(v, dict) and "corpus" in v) else "(sampled)"
    ),
]
Model = Annotated[
    Annotated[InitModel, Tag("(random)")] | Annotated[Path, Tag("(folder)")],
    Discriminator(lambda v: "(random)" if isinstance(v, InitModel | dict) else "(folder)"),
]


class Experiment(Config):
    """The recipe of an experiment. ``train`` is a training recipe without model path, data, output and seed.

    ``train`` may say which training recipe it ``extends``, relative to the experiment's file; what the experiment sets
    itself is left out of that.

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
            raise ValueError(f"{', '.join(twice)} is listed more than once")
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

    @field_validator("train")
    @classmethod
    def _leaves_us_the_rest(cls, train: dict[str, Any]) -> dict[str, Any]:
        model = train.get("model", {})
        if not isinstance(model, dict):
            raise ValueError("model: a mapping of keys was expected")
        ours = [key for key in _SET_BY_EXPERIMENT if key in train] + ["model.path"] * ("path" in model)
        if ours:
            raise ValueError(f"{', '.join(ours)}: must be left out, because the experiment sets it")
        return train


_SET_BY_EXPERIMENT = ("data", "output", "seed", "other_arms")


def load_experiment(path: Path) -> Experiment:
    """Read an experiment's YAML file; every fault in it is named at once in one :class:`UserError`.

    ``train: {extends: FILE}`` builds on a training recipe, but for the keys that the experiment sets itself.
    """
    path = find_bundled(path, "recipes")
    values = read_yaml(path)
    train = values.get("train")
    if isinstance(train, dict) and isinstance(train.get("extends"), str):
        own = {key: value for key, value in train.items() if key != "extends"}
        base = {k: v for k, v in read_yaml(path.parent / train["extends"]).items() if k not in _SET_BY_EXPERIMENT}
        if isinstance(base.get("model"), dict):
            for key in ("path", "hub_id"):
                base["model"].pop(key, None)
        values["train"] = merged(base, own)
    return parse_config(Experiment, values, str(path))
