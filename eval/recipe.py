"""What one evaluation is: the keys of ``srt eval --config FILE.yaml``, which are also the command's flags.

A recipe may build on another (``extends: base.yaml``, relative to the file that says so); what it sets itself wins, and
a flag wins over the file. Paths are relative to the folder in which the command runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from eval.backends.protocol import Attention, Dtype, GenerationSettings, Grammar
from eval.equality import Policy
from srt.endpoint.config import EndpointConfig
from srt.errors import UserError
from srt.extending import read_extending
from srt.language.trace import Operation
from srt.prompts import PromptStyle
from srt.records import Lang, Record

ServerKind = Literal["vllm", "sglang", "llama.cpp"]
"""The servers whose field for a grammar is known; without a grammar any server will do."""
BackendName = Literal["transformers", "vllm", "server"]
GENERATION = tuple(GenerationSettings.model_fields)
"""The keys that are settings of the generation; those that are left out come from the preset of the model's family."""


class EvalRecipe(Record):
    """One evaluation.

    ``model`` is a folder, or the name under which the server knows it. What is asked is ``problems`` (a file of
    problems), or ``data`` (the user's copy of the ``benchmark``, which is read into ``output/problems.jsonl``; ``lang``
    is for a benchmark that has both languages); ``options`` are the benchmark's. ``policy`` is that of scoring.

    ``batch_size``, ``batch_tokens``, ``dtype``, ``attention``, ``threads`` and ``continuous`` are for transformers,
    ``gpu_memory``, ``tensor_parallel`` and ``vision_adapter`` for vLLM; ``base_url``, ``api_key_env``, ``in_flight``,
    ``timeout_s`` and ``retries`` are those of :class:`~srt.endpoint.config.EndpointConfig`, and ``pictures`` says
    whether the server's model reads them.
    """

    model: str = Field(min_length=1)
    output: Path
    adapter: Path | None = None
    backend: BackendName = "transformers"
    arm: str = "model"

    problems: Path | None = None
    benchmark: str = "plain"
    data: Path | None = None
    lang: Lang | None = None
    options: dict[str, str] = Field(default_factory=dict)
    prompt: PromptStyle = "full"
    repeats: int = Field(default=1, ge=1)
    policy: Policy = "strict"
    reference_tokenizer: Path | None = None

    max_new_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0.0)
    top_p: float | None = Field(default=None, gt=0.0, le=1.0)
    think_budget: int | None = Field(default=None, ge=0)
    min_pixels: int | None = Field(default=None, ge=1)
    max_pixels: int | None = Field(default=None, ge=1)
    ban: Operation | None = None
    grammar: Grammar | None = None
    seed: int | None = None

    batch_size: int | None = Field(default=None, ge=1)
    batch_tokens: int | None = Field(default=None, ge=1)
    dtype: Dtype | None = None
    attention: Attention | None = None
    threads: int | None = Field(default=None, ge=1)
    continuous: bool = False
    gpu_memory: float | None = Field(default=None, gt=0.0, le=1.0)
    tensor_parallel: int | None = Field(default=None, ge=1)
    vision_adapter: bool = False
    base_url: str | None = None
    api_key_env: str | None = None
    in_flight: int | None = Field(default=None, ge=1, le=4096)
    timeout_s: float | None = Field(default=None, gt=0)
    retries: int | None = Field(default=None, ge=0, le=20)
    pictures: bool | None = None
    kind_of_server: ServerKind | None = None

    @model_validator(mode="after")
    def _whole(self) -> EvalRecipe:
        if (self.problems is None) == (self.data is None):
            raise ValueError("what is asked: problems (a file), or data (the copy of a benchmark), and not both")
        if self.backend == "server" and self.base_url is None:
            raise ValueError("base_url: the server's address is missing, as in http://127.0.0.1:8000/v1")
        if self.backend == "server" and self.adapter is not None:
            raise ValueError("adapter: a server loads its adapters itself: give the name that it has for one as model")
        alien = [name for name, owner in _OWNERS.items() if owner != self.backend and self._given(name)]
        if alien:
            raise ValueError(f"{alien[0]}: this is for the back end {_OWNERS[alien[0]]}, the run's is {self.backend}")
        return self

    def _given(self, name: str) -> bool:
        return bool(getattr(self, name) != type(self).model_fields[name].default)

    def generation(self) -> dict[str, Any]:
        """The settings of the generation that are given; the others are the preset's."""
        return {name: value for name in GENERATION if (value := getattr(self, name, None)) is not None}

    def chosen(self, *names: str) -> dict[str, Any]:
        """The keys ``names`` as keyword arguments, without those that were left at their defaults."""
        return {name: getattr(self, name) for name in names if self._given(name)}


_OWNERS: dict[str, BackendName] = {
    "batch_size": "transformers",
    "batch_tokens": "transformers",
    "dtype": "transformers",
    "attention": "transformers",
    "threads": "transformers",
    "continuous": "transformers",
    "gpu_memory": "vllm",
    "tensor_parallel": "vllm",
    "vision_adapter": "vllm",
    **dict.fromkeys(("base_url", "api_key_env", "in_flight", "timeout_s", "retries"), "server"),
    **dict.fromkeys(("pictures", "kind_of_server"), "server"),
}


def make_eval_recipe(given: Mapping[str, Any], config: Path | None = None, place: str = "evaluate") -> EvalRecipe:
    """The recipe of the file ``config``, if there is one, with what is ``given`` (and not ``None``) over it.

    ``place`` opens the message of a fault where there is no file.

    Raises:
        UserError: no such file, an unknown key, a value that a key cannot have, or keys that exclude each other.
    """
    values = {} if config is None else read_extending(config)
    values |= {key: value for key, value in given.items() if value is not None}
    where = place if config is None else str(config)
    for key in ("model", "output"):
        if key not in values:
            raise UserError(f"{where}: {key}: this is missing")
    try:
        return EvalRecipe.model_validate(values)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        known = ", ".join(dict.fromkeys((*GENERATION, *EvalRecipe.model_fields)))
        told = f"no such key, known are {known}" if fault["type"] == "extra_forbidden" else fault["msg"]
        name = ".".join(map(str, fault["loc"]))
        raise UserError(": ".join(filter(None, (where, name, told.removeprefix("Value error, "))))) from None


def endpoint_config(recipe: EvalRecipe) -> EndpointConfig:
    """How the recipe's server is reached; a :class:`~srt.errors.UserError` for an address that is none."""
    try:
        return EndpointConfig(**recipe.chosen("base_url", "api_key_env", "in_flight", "timeout_s", "retries"))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise UserError(f"{fault['loc'][0]}: {fault['msg'].removeprefix('Value error, ')}") from None
