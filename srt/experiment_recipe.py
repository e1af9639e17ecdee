"""The recipe of ``srt experiment``: one YAML file, read and checked as a whole.

Keys that do not exist are refused, with the nearest one that does; all faults are told at once.
"""

from __future__ import annotations

import difflib
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, field_validator

from srt.build import TextStyle
from srt.errors import UserError
from srt.extending import merged, read_extending
from srt.language.arms import check_arm
from srt.prompts import PromptStyle


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SampledSource(_Closed):
    """``n`` problems of an exact world; ``spec`` as ``srt generate --spec`` reads it.

    ``needs`` and ``exclude_test`` as in :class:`CorpusSource`.
    """

    world: str
    n: int = Field(gt=0)
    spec: dict[str, Any] = Field(default_factory=dict)
    needs: str | None = None
    exclude_test: bool = True


class CorpusSource(_Closed):
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

    @field_validator("test_problems")
    @classmethod
    def _nothing_to_exclude(cls, sources: list[Any]) -> list[Any]:
        if any("exclude_test" in source.model_fields_set for source in sources):
            raise ValueError("exclude_test: is said of a source of training problems")
        return sources

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
    if isinstance(train := data.get("train"), dict) and isinstance(train.get("extends"), str):
        data["train"] = _extended(train, path)
    try:
        return Experiment.model_validate(data)
    except ValidationError as error:
        faults = "; ".join(_told(dict(fault)) for fault in error.errors(include_url=False))
        raise UserError(f"{path}: {faults}") from None


def _extended(train: dict[str, Any], path: Path) -> dict[str, Any]:
    own = {key: value for key, value in train.items() if key != "extends"}
    base = read_extending(path.parent / train["extends"], (path.resolve(),))
    kept = {key: value for key, value in base.items() if key not in _SET_HERE}
    if isinstance(kept.get("model"), dict):
        kept["model"] = {key: value for key, value in kept["model"].items() if key != "path"}
    return merged(kept, own)


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
