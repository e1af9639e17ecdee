"""The recipe: one YAML file, one training run.

A recipe may build on another (``extends: base.yaml``, relative to the file that says so); what it sets itself wins, key
by key. Keys that do not exist are refused, with the nearest one that does, and all faults are told at once. Paths are
relative to the folder in which the command runs.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from srt.errors import UserError
from srt.extending import merged, read_extending
from train.recipe_faults import RecipeFaults, contradictions, mended

Attention = Literal["auto", "eager", "sdpa", "flash_attention_2", "flex_attention", "varlen", "segments"]
PartPolicy = Literal["frozen", "lora", "full"]


_Path = Annotated[str, Field(min_length=1, pattern=r"^[^\x00-\x1f]*$")]  # no path of a file or folder is empty


class _Closed(BaseModel):
    """Refuses keys it does not know, and numbers that are none."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ModelSpec(_Closed):
    """The weights to start from: ``path`` is a folder with a model and its tokenizer, safetensors only.

    ``dtype`` is what the arithmetic is done in. With ``bfloat16``, weights that are trained stay in float32 and are
    cast for each operation (small updates would be rounded away otherwise); weights that are frozen are held in
    bfloat16.

    ``attn`` is how the language model attends; ``auto`` takes the best that there is for the device and for packing
    (:mod:`train.attention`). ``quantize: nf4`` holds frozen weights in 4 bits (QLoRA).
    """

    path: _Path
    dtype: Literal["float32", "bfloat16"] = "float32"
    attn: Attention = "auto"
    quantize: Literal["nf4"] | None = None


class Tune(_Closed):
    """What is trained of each part of a model.

    ``language`` is by default ``lora`` where there is a ``lora`` block, and ``full`` where there is none. A text model
    has a ``language`` part only, and the other two are not looked at.
    """

    vision: PartPolicy = "frozen"
    projector: PartPolicy = "frozen"
    language: PartPolicy | None = None


class Lora(_Closed):
    """A low-rank adapter on each part that ``tune`` says ``lora`` of.

    ``targets`` are the last names of the modules of the *language model* that it changes; by default those of the
    architecture (:mod:`train.architectures`, which knows those of the other parts too). ``dora`` learns a magnitude
    besides (Liu et al., "DoRA", 2024).
    """

    r: int = Field(default=16, ge=1)
    alpha: float = Field(default=32, gt=0)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    targets: tuple[str, ...] | None = Field(default=None, min_length=1)
    dora: bool = False


class Pictures(_Closed):
    """Limits of a picture's area in pixels, beyond which it is resized; by default those of the model's processor."""

    min_pixels: int | None = Field(default=None, ge=1)
    max_pixels: int | None = Field(default=None, ge=1)


class LossWeights(_Closed):
    """What a token counts in the loss, by what it belongs to; ``between`` is every trained token outside a span.

    The loss is sum(w * nll) / sum(w) over the whole batch: the weights shift attention and keep the scale, and weights
    that are all equal give the usual mean.
    """

    correlate: float = Field(default=1.0, ge=0)
    constrain: float = Field(default=1.0, ge=0)
    infer: float = Field(default=1.0, ge=0)
    answer: float = Field(default=1.0, ge=0)
    between: float = Field(default=1.0, ge=0)


class Logging(_Closed):
    """A line on the console every ``steps`` steps; ``wandb`` sends the same figures to Weights & Biases too."""

    steps: int = Field(default=10, ge=1)
    wandb: Literal["off", "offline", "online"] = "off"

    @field_validator("wandb", mode="before")
    @classmethod
    def _yaml_reads_off_as_false(cls, value: Any) -> Any:
        return "off" if value is False else value


class Recipe(_Closed):
    """One training run. Give ``steps`` (optimizer steps) or ``epochs`` (times through the data), not both.

    Args:
        data: a file of :class:`~srt.records.Sequence`, one a line.
        batch_size: sequences for one optimizer step, over all processes.
        micro_batch: sequences that one process computes at a time, padded to the longest; by default all of its share
            of the batch.
        pack: instead, concatenate the sequences of a batch into rows of at most so many tokens, without padding; no
            token attends to another sequence. A step sees the same sequences as without.
        warmup: the share of the steps in which the learning rate rises from 0.
        adam_beta2: how slowly AdamW forgets the size of past gradients; 0.95 to 0.98 suits short runs from nothing.
        max_length: the most tokens a sequence may have, prompt included. A longer one is an error: nothing is cut.
        save_steps: a checkpoint every so many steps; none by default. The last two are kept until the run is done.
        workers: processes that open pictures ahead of the training loop, for each training process.
        think: put the steps between ``<think>`` and ``</think>``, for models that open the block themselves.
        threads: processor threads of each process; by default what PyTorch takes.
        hub: the name of a model repository to upload the result to; none by default, and nothing leaves the machine.
    """

    model: ModelSpec
    data: _Path
    output: _Path
    seed: int = Field(default=0, ge=0, lt=2**32)  # NumPy takes no larger one
    steps: int | None = Field(default=None, ge=1)
    epochs: float | None = Field(default=None, gt=0)
    batch_size: int = Field(ge=1)
    micro_batch: int | None = Field(default=None, ge=1)
    learning_rate: float = Field(gt=0)
    scheduler: Literal["constant", "linear", "cosine"] = "cosine"
    warmup: float = Field(default=0.05, ge=0, lt=1)
    weight_decay: float = Field(default=0.0, ge=0)
    adam_beta2: float = Field(default=0.999, gt=0, lt=1)
    max_length: int = Field(ge=2)
    pack: int | None = Field(default=None, ge=2)
    lora: Lora | None = None
    tune: Tune = Tune()
    pictures: Pictures = Pictures()
    loss: LossWeights = LossWeights()
    workers: int = Field(default=0, ge=0)
    gradient_checkpointing: bool = False
    logging: Logging = Logging()
    save_steps: int | None = Field(default=None, ge=1)
    think: bool = False
    threads: int | None = Field(default=None, ge=1)
    hub: str | None = None

    @model_validator(mode="after")
    def _no_contradiction(self, info: ValidationInfo) -> Recipe:
        if info.context == _LENIENT:
            return self
        if faults := list(contradictions(self, set())):
            raise PydanticCustomError(_CONTRADICTIONS, "{all}", {"all": "; ".join(faults), "each": faults})
        return self

    def micro_batch_for(self, processes: int) -> int:
        """Sequences that each of ``processes`` computes at a time.

        Raises:
            UserError: ``batch_size`` is no multiple of ``micro_batch`` times ``processes``.
        """
        micro = self.micro_batch or max(self.batch_size // processes, 1)
        if self.batch_size % (micro * processes):
            raise UserError(
                f"batch_size: {self.batch_size} is no multiple of micro_batch x processes = {micro} x {processes}"
            )
        return micro


def load_recipe(path: str | Path, changes: Iterable[str] = ()) -> Recipe:
    """Read the recipe in the YAML file ``path``, with all that it extends.

    ``changes`` win over the file: ``key=value`` each, as on the command line (``model.path=m``, ``lora=null``), the
    value in YAML.

    Raises:
        RecipeFaults: faults in keys and values, all of them at once.
        UserError: no such file, not YAML, or a circle of ``extends``.
    """
    return make_recipe(_values(path, changes), str(path))


def make_recipe(values: Mapping[str, Any], place: str = "recipe") -> Recipe:
    """The recipe that ``values`` spell out; ``place`` opens the message of the :class:`RecipeFaults`."""
    read = _examined(values)
    if read.faults:
        raise RecipeFaults(place, read.faults)
    return read.recipe


class Examined(NamedTuple):
    """A recipe as far as it can be read: ``faults``, a line each, and the keys that are ``unknown`` for them.

    In ``recipe`` an unknown key has its default, or a value that means nothing if it has none.
    """

    recipe: Recipe
    faults: list[str]
    unknown: set[str]

    def knows(self, *keys: str) -> bool:
        """Whether each of ``keys`` (``model.path``) has the value that the recipe gives it."""
        return not any(key == lost or key.startswith(f"{lost}.") for key in keys for lost in self.unknown)


def examine_recipe(path: str | Path, changes: Iterable[str] = ()) -> Examined:
    """As :func:`load_recipe`, but faults in keys and values are given back beside what can be read."""
    return _examined(_values(path, changes))


def _values(path: str | Path, changes: Iterable[str]) -> dict[str, Any]:
    values = read_extending(Path(path))
    for change in changes:
        values = merged(values, _changed(change))
    return values


def _examined(values: Mapping[str, Any]) -> Examined:
    try:
        return Examined(Recipe.model_validate(values), [], set())
    except ValidationError as error:
        found: list[dict[str, Any]] = [dict(fault) for fault in error.errors(include_url=False)]
    faults = [line for fault in found for line in _lines(fault)]
    # A fault inside a list makes the whole list unreadable. A contradiction has no place: every key can be read.
    paths = [_until_a_list(fault["loc"]) for fault in found if fault["loc"]]
    unknown = {".".join(path) for path in paths}
    # A key that does not exist is most likely the one that it resembles, and that one's value is then not known.
    unknown |= {".".join((*path[:-1], near)) for path in paths if (near := _nearest(path)) is not None}
    recipe = Recipe.model_validate(mended(values, paths, _REQUIRED), context=_LENIENT)
    if paths:
        faults += contradictions(recipe, unknown)
    return Examined(recipe, faults, unknown)


_CONTRADICTIONS = "contradictions"
_REQUIRED = {
    "model.path": "unknown",
    "data": "unknown",
    "output": "unknown",
    "batch_size": 1,
    "learning_rate": 1.0,
    "max_length": 2,
}  # every key without a default, with a value that contradicts nothing
_LENIENT = {"lenient": True}


def _changed(change: str) -> dict[str, Any]:
    key, equals, text = change.partition("=")
    if not equals or not all(key.split(".")):
        raise UserError(f"--set {change}: KEY=VALUE was expected, as in --set data=data/cot/sequences.jsonl")
    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise UserError(f"--set {change}: the value is not YAML; quote it") from None
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)


def _until_a_list(place: tuple[str | int, ...]) -> tuple[str, ...]:
    return tuple(str(part) for part in takewhile(lambda part: isinstance(part, str), place))


def _lines(fault: dict[str, Any]) -> list[str]:
    """What pydantic found at one place, a line for each fault."""
    if fault["type"] == _CONTRADICTIONS:
        return list(fault["ctx"]["each"])
    path = tuple(str(part) for part in fault["loc"])
    name = ".".join(path)
    if fault["type"] == "extra_forbidden":
        near = _nearest(path)
        known = ", ".join(sorted(_keys_at(path[:-1])))
        return [f"{name}: no such key, " + (f"did you mean {near}?" if near else f"known are {known}")]
    if fault["type"] == "missing":
        return [f"{name}: missing"]
    message = fault["msg"].removeprefix("Value error, ")
    message = message[0].lower() + message[1:]
    return [f"{name}: {message}, not {fault['input']!r}" if name else message]


_NESTED: dict[str, type[BaseModel]] = {
    "model": ModelSpec,
    "lora": Lora,
    "tune": Tune,
    "pictures": Pictures,
    "loss": LossWeights,
    "logging": Logging,
}


def _nearest(path: tuple[str, ...]) -> str | None:
    """The key that the last of ``path`` resembles, if it is none itself."""
    known = sorted(_keys_at(path[:-1]))
    near = difflib.get_close_matches(path[-1], known, n=1) if path and path[-1] not in known else []
    return near[0] if near else None


def _keys_at(path: tuple[str, ...]) -> list[str]:
    model = _NESTED.get(path[0]) if path else Recipe
    return list(model.model_fields) if model is not None else []
