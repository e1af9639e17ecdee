"""The recipe of one evaluation: the keys of ``srt eval --config FILE.yaml``.

Most are also flags of the command, and a flag wins over the file; ``dtype``, ``attention``, ``timeout_s`` and
``retries`` can only be set in the file. Paths are relative to the folder in which the command runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from eval.backends.backend_registry import BACKENDS
from eval.backends.protocol import Attention, Dtype, GenerationSettings, Grammar, ServerType
from eval.run.wandb_settings import WANDB_KEYS, WandbSettings, make_wandb_settings
from srt.answers.equality import PolicyName
from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.io.records import Lang
from srt.io.yaml_config import Config, parse_config, read_yaml, with_new_names
from srt.language.prompts import PromptStyle
from srt.language.trace import Operation

GENERATION = tuple(GenerationSettings.model_fields)
"""The keys that are settings of the generation; those that are left out come from the preset of the model's family."""


class EvalRecipe(Config):
    """One evaluation.

    ``model`` is a folder, or the name under which the server knows it. What is asked is ``problems`` (a file of
    problems), or ``data`` (the user's copy of the ``benchmark``, which is read into ``output/problems.jsonl``; ``lang``
    is for a benchmark that has both languages); ``options`` are the benchmark's. ``prompts`` is a folder whose files
    replace our prompts of the same names (:mod:`eval.benchmarks.prompt_files`). ``policy`` is that of scoring.

    ``predictions`` are those of another system (:mod:`eval.run.given_predictions`), named by ``model`` and ``arm``, or
    else as the file is.

    ``backend`` is one of :data:`~eval.backends.backend_registry.BACKENDS`; each says which of the last keys it reads.
    ``engine: ray`` is the back end vllm with ``replicas`` on the Ray cluster at ``address``.
    ``base_url``, ``api_key_env``, ``in_flight``, ``timeout_s`` and ``retries`` are fields of
    :class:`~srt.llm.config.EndpointConfig`; ``pictures`` says whether the server's model reads them, ``opens_thought``
    whether its chat template ends with ``<think>``.

    ``report_to: wandb`` sends scores and examples to Weights & Biases; the last four keys are those of
    :class:`~eval.run.wandb_settings.WandbSettings`.
    """

    model: str = Field(min_length=1)
    output: Path
    adapter: Path | None = None
    backend: str = "transformers"
    arm: str = "model"

    problems: Path | None = None
    benchmark: str = "plain"
    data: Path | None = None
    lang: Lang | None = None
    options: dict[str, str] = Field(default_factory=dict)
    prompt: PromptStyle = "full"
    prompts: Path | None = None
    repeats: int = Field(default=1, ge=1)
    policy: PolicyName = "strict"
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
    engine: Literal["ray"] | None = None
    address: str | None = None
    replicas: int | None = Field(default=None, ge=1)
    base_url: str | list[str] | None = None
    api_key_env: str | None = None
    in_flight: int | None = Field(default=None, ge=1, le=4096)
    timeout_s: float | None = Field(default=None, gt=0)
    retries: int | None = Field(default=None, ge=0, le=20)
    predictions: Path | None = None
    pictures: bool | None = None
    server_type: ServerType | None = None
    opens_thought: bool = False

    report_to: str | None = None
    wandb_mode: str | None = None
    project: str | None = None
    group: str | None = None
    run_name: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _name_after_file(cls, data: Any) -> Any:
        given = data.get("predictions") if isinstance(data, dict) else None
        if isinstance(given, str | Path) or (isinstance(data, dict) and data.get("backend") == "file"):
            model = data.get("model") or Path(given or "file").stem
            return {"arm": model, **data, "model": model}
        return data

    @model_validator(mode="before")
    @classmethod
    def _vllm_on_ray(cls, data: Any) -> Any:
        on_ray = isinstance(data, dict) and data.get("engine") is not None
        return {"backend": "vllm", **data} if on_ray else data

    @model_validator(mode="after")
    def _fits_together(self) -> EvalRecipe:
        faults = []
        if (self.problems is None) == (self.data is None):
            faults.append("problems, data: give one of them, a file of problems or your copy of the benchmark")
        try:
            self.wandb()
        except UserError as error:
            faults.append(str(error))
        if self.backend not in BACKENDS:
            raise ValueError(
                "; ".join(
                    [
                        *faults,
                        f"backend: {self.backend!r} is not one of {', '.join(BACKENDS)}{did_you_mean(self.backend, BACKENDS)}",
                    ]
                )
            )
        entry = BACKENDS[self.backend]
        if self.engine is None:
            faults += [f"{key}: goes with engine: ray" for key in ("address", "replicas") if self._given(key)]
        if entry.make is None:
            faults += self._faults_of_a_file()
        elif not entry.local and self.base_url is None:
            faults.append("base_url: missing, the server's address, as in http://127.0.0.1:8000/v1, or a list of them")
        if entry.make is not None and not entry.local and self.adapter is not None:
            faults.append("adapter: a server loads its adapters itself; give the adapter's name there as model")
        for name, other in BACKENDS.items():
            faults += [
                f"{key}: only the back end {name} reads this; this run uses {self.backend}"
                for key in other.keys
                if key not in entry.keys and self._given(key)
            ]
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def wandb(self) -> WandbSettings | None:
        """Where in W&B to report to; ``None`` if this was not asked for."""
        return make_wandb_settings(self.report_to, {key: getattr(self, key) for key in WANDB_KEYS})

    def _faults_of_a_file(self) -> Iterator[str]:
        if self.predictions is None:
            yield "predictions: missing, the file with the columns id and prediction"
        for key in (*GENERATION, "adapter", "prompts", "repeats"):
            if self._given(key):
                yield f"{key}: the back end {self.backend} generates nothing; leave it out"

    def _given(self, name: str) -> bool:
        return bool(getattr(self, name) != type(self).model_fields[name].default)

    def generation(self) -> dict[str, Any]:
        """The settings of the generation that are given; the others are the preset's."""
        return {name: value for name in GENERATION if (value := getattr(self, name, None)) is not None}

    def chosen(self, *names: str) -> dict[str, Any]:
        """The keys ``names`` as keyword arguments, without those that were left at their defaults."""
        return {name: getattr(self, name) for name in names if self._given(name)}


RENAMED = {"kind_of_server": "server_type"}
"""Keys by the names that they had before; these are still read."""


def make_eval_recipe(given: Mapping[str, Any], config: Path | None = None) -> EvalRecipe:
    """The recipe of the file ``config``, if there is one, with what is ``given`` (and not ``None``) over it.

    Raises:
        ConfigFaults: unknown keys, values that a key cannot have, and keys that exclude each other.
        UserError: the file cannot be read.
    """
    values = {} if config is None else read_yaml(config, bundled="recipes/eval", renamed=RENAMED)
    place = "evaluate" if config is None else str(config)
    set_here = {key: value for key, value in given.items() if value is not None}
    return parse_config(EvalRecipe, values | with_new_names(set_here, RENAMED, place), place)
