"""The recipe of one evaluation: the keys of ``srt eval --config FILE.yaml``.

Keys with a :class:`~srt.io.yaml_config.Flag` are also options of the command, and an option wins over the file. Paths
are relative to the folder in which the command runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from eval.backends.backend_registry import BACKENDS
from eval.backends.protocol import Attention, Dtype, GenerationSettings, Grammar, ServerType
from eval.decoding.decode_settings import Decode
from eval.predictions.tables import COLUMNS
from eval.run.wandb_settings import WandbSettings
from srt.answers.equality import PolicyName
from srt.io.did_you_mean import did_you_mean
from srt.io.records import FinishReason, Lang
from srt.io.yaml_config import Flag, parse_config, read_yaml, with_new_names
from srt.language.prompts import PromptStyle
from srt.language.template_kwargs import CheckedKwargs
from srt.language.trace import Operation

GENERATION = tuple(GenerationSettings.model_fields)
"""The keys that are settings of the generation; those that are left out come from the preset of the model's family."""


class EvalRecipe(WandbSettings):
    """One evaluation.

    ``model`` is a folder, or the name under which the server knows it. What is asked is ``problems`` (a file of
    problems), or ``data`` (the user's copy of the ``benchmark``, which is read into ``output/problems.jsonl``; ``lang``
    is for a benchmark that has both languages); ``options`` are the benchmark's. ``prompts`` is a folder whose files
    replace our prompts of the same names (:mod:`eval.benchmarks.definition.prompt_files`). ``shots`` worked
    examples, drawn by ``seed`` from the sequences in ``shots_from``, stand before every question
    (:mod:`eval.run.shots`). ``policy`` is that of scoring.

    ``predictions`` are those of another system (:mod:`eval.run.given_predictions`), in one file or several, named by
    ``model`` and ``arm``, or else as the file is. ``columns`` says what a table calls our columns
    (:data:`eval.predictions.tables.COLUMNS`).

    ``backend`` is one of :data:`~eval.backends.backend_registry.BACKENDS`; each says which of the last keys it reads.
    ``engine: ray`` is the back end vllm with ``replicas`` on the Ray cluster at ``address``; ``max_num_seqs``,
    ``max_model_len`` and ``enforce_eager`` are options of vLLM's engine, as ``dtype`` is too.
    ``base_url``, ``api_key_env``, ``in_flight``, ``timeout_s``, ``retries``, ``max_side`` and ``finish_reasons`` are
    fields of :class:`~srt.llm.config.EndpointConfig`; ``pictures`` says whether the server's model reads them,
    ``opens_thought`` whether its chat template ends with ``<think>``. ``chat_template_kwargs`` are variables of the
    chat template, by default those that a model folder was trained with.

    ``report_to: wandb`` sends scores and examples to Weights & Biases; its keys are those of
    :class:`~eval.run.wandb_settings.WandbSettings`.
    """

    model: Annotated[str, Flag("Model", "Folder of the model, or its name on the server.")] = Field(min_length=1)
    adapter: Annotated[Path | None, Flag("Model", "Folder of a LoRA adapter.")] = None
    backend: Annotated[str, Flag("Model", "transformers (default), vllm, server or file.")] = "transformers"
    arm: Annotated[str, Flag("Model", "Name of the run in comparisons (default: the model's).")] = "model"

    output: Annotated[Path, Flag("Run", "Folder of the run; an interrupted run continues there.", ("-o", "--out"))]
    problems: Annotated[Path | None, Flag("Questions", "A file of problems (JSONL).")] = None
    benchmark: Annotated[str, Flag("Questions", "The benchmark of the problems; see srt benchmarks.")] = "plain"
    data: Annotated[Path | None, Flag("Questions", "Your copy of the benchmark, instead of --problems.")] = None
    lang: Annotated[Lang | None, Flag("Questions", "zh or en, if --data has both.")] = None
    options: Annotated[
        dict[str, str], Flag("Questions", "An option of the benchmark; may be repeated.", ("--option",))
    ] = Field(default_factory=dict)
    prompt: Annotated[PromptStyle, Flag("Questions", "full (default) or bare; must match the sequences.")] = "full"
    prompts: Annotated[
        Path | None,
        Flag("Questions", "Folder of prompts that replace ours, e.g. en/question.md, zh/hst_text.md."),
    ] = None
    shots: Annotated[int | None, Flag("Questions", "Worked examples before each question, drawn by --seed.")] = Field(
        default=None, ge=1
    )
    shots_from: Annotated[
        Path | None, Flag("Questions", "The examples: sequences of training problems (srt build).")
    ] = None
    repeats: Annotated[int, Flag("Questions", "Samples per question.")] = Field(default=1, ge=1)

    max_new_tokens: Annotated[int | None, Flag("Generation", "Token budget of a generation.")] = Field(
        default=None, ge=1
    )
    temperature: Annotated[float | None, Flag("Generation", "Sampling temperature; 0 is greedy.")] = Field(
        default=None, ge=0.0
    )
    top_p: Annotated[float | None, Flag("Generation", "Nucleus sampling threshold.")] = Field(
        default=None, gt=0.0, le=1.0
    )
    think_budget: Annotated[
        int | None, Flag("Generation", "Close a think block after this many tokens; 0 never closes it.")
    ] = Field(default=None, ge=0)
    min_pixels: Annotated[int | None, Flag("Generation", "Enlarge smaller pictures to this area.")] = Field(
        default=None, ge=1
    )
    max_pixels: Annotated[int | None, Flag("Generation", "Shrink larger pictures to this area.")] = Field(
        default=None, ge=1
    )
    ban: Annotated[Operation | None, Flag("Generation", "Forbid this operation's word while generating.")] = None
    grammar: Annotated[Grammar | None, Flag("Generation", "trace: constrain the output to the form of a trace.")] = None
    decode: Annotated[
        Decode | None,
        Flag("Generation", "proved, unrefuted: line by line; best, majority: of --repeats samples (docs/decoding.md)."),
    ] = None
    seed: Annotated[int | None, Flag("Generation", "Sampling seed.")] = None

    batch_size: Annotated[int | None, Flag("Back end transformers", "Rows per batch.")] = Field(default=None, ge=1)
    batch_tokens: Annotated[
        int | None,
        Flag("Back end transformers", "Maximum tokens per batch, including prompt and budget (131072)."),
    ] = Field(default=None, ge=1)
    chat_template_kwargs: CheckedKwargs | None = None
    dtype: Dtype | None = None
    attention: Attention | None = None
    threads: Annotated[int | None, Flag("Back end transformers", "CPU threads of torch.")] = Field(default=None, ge=1)
    continuous: Annotated[bool, Flag("Back end transformers", "Continuous batching (text only, no constraints).")] = (
        False
    )

    tensor_parallel: Annotated[int | None, Flag("Back end vllm", "GPUs per model.")] = Field(default=None, ge=1)
    gpu_memory: Annotated[float | None, Flag("Back end vllm", "Share of the GPU's memory to use.")] = Field(
        default=None, gt=0.0, le=1.0
    )
    vision_adapter: Annotated[bool, Flag("Back end vllm", "Also load an adapter of the vision tower.")] = False
    engine: Annotated[
        Literal["ray"] | None,
        Flag("Back end vllm", "vLLM replicas on a Ray cluster (docs/scale.md); not yet run on a GPU."),
    ] = None
    address: Annotated[
        str | None, Flag("Back end vllm", "ray: the cluster (default: RAY_ADDRESS, or this machine alone).")
    ] = None
    replicas: Annotated[
        int | None, Flag("Back end vllm", "ray: copies of the model (default: as many as the GPUs allow).")
    ] = Field(default=None, ge=1)
    max_num_seqs: int | None = Field(default=None, ge=1)
    max_model_len: int | None = Field(default=None, ge=1)
    enforce_eager: bool = False

    base_url: Annotated[
        str | list[str] | None,
        Flag(
            "Back end server",
            "Its address, e.g. http://127.0.0.1:8000/v1; repeat it for several replicas.",
        ),
    ] = None
    api_key_env: Annotated[str | None, Flag("Back end server", "Environment variable that holds the API key.")] = None
    in_flight: Annotated[int | None, Flag("Back end server", "Concurrent requests at each address.")] = Field(
        default=None, ge=1, le=4096
    )
    timeout_s: float | None = Field(default=None, gt=0)
    retries: int | None = Field(default=None, ge=0, le=20)
    max_side: Annotated[
        int | None, Flag("Back end server", "Scale larger pictures down to so many pixels on their longer side.")
    ] = Field(default=None, ge=32)
    pictures: Annotated[
        bool | None, Flag("Back end server", "The model reads pictures.", ("--pictures/--no-pictures",))
    ] = None
    server_type: Annotated[
        ServerType | None,
        Flag(
            "Back end server",
            "vllm, sglang or llama.cpp, if the server does not say it; decides how a grammar is sent.",
            ("--server-type", "--kind-of-server"),
        ),
    ] = None
    finish_reasons: dict[str, FinishReason] = Field(default={})
    opens_thought: Annotated[bool, Flag("Back end server", "The chat template ends with <think>, as R1's does.")] = (
        False
    )

    predictions: Annotated[
        Path | list[Path] | None,
        Flag("Back end file", "Another system's predictions: a table, or a file of another tool; may be repeated."),
    ] = None
    columns: Annotated[
        dict[str, str],
        Flag("Back end file", "Which columns of a table are which fields: id=pid,prediction=output."),
    ] = Field(default={})

    policy: Annotated[
        PolicyName, Flag("Scores", "How numbers and units are compared with gold: strict (default) or lenient.")
    ] = "strict"
    reference_tokenizer: Annotated[
        Path | None, Flag("Scores", "Folder of a tokenizer used to count the tokens of all models.")
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _name_after_file(cls, data: Any) -> Any:
        given = data.get("predictions") if isinstance(data, dict) else None
        if given or (isinstance(data, dict) and data.get("backend") == "file"):
            first = given[0] if isinstance(given, list) else given
            model = data.get("model") or Path(str(first or "file")).stem
            return {"arm": model, **data, "model": model}
        return data

    @model_validator(mode="before")
    @classmethod
    def _vllm_on_ray(cls, data: Any) -> Any:
        on_ray = isinstance(data, dict) and data.get("engine") is not None
        return {"backend": "vllm", **data} if on_ray else data

    @model_validator(mode="before")
    @classmethod
    def _samples_of_a_choice(cls, data: Any) -> Any:
        """``repeats`` of which one is chosen are the samples of one prediction."""
        if isinstance(data, dict) and data.get("decode") in ("best", "majority"):
            if "repeats" not in data:
                raise ValueError(f"decode: {data['decode']} of how many samples? Give repeats, as in --repeats 4")
            others = {key: value for key, value in data.items() if key != "repeats"}
            return others | {"decode": {data["decode"]: {"samples": data["repeats"]}}}
        return data

    @model_validator(mode="after")
    def _fits_together(self) -> EvalRecipe:
        faults = []
        if (self.problems is None) == (self.data is None):
            faults.append("problems, data: give one of them, a file of problems or your copy of the benchmark")
        if (self.shots is None) != (self.shots_from is None):
            faults.append(
                "shots, shots_from: give both, how many worked examples and the file of sequences they are from"
            )
        if self.backend not in BACKENDS:
            known = f"{', '.join(BACKENDS)}{did_you_mean(self.backend, BACKENDS)}"
            raise ValueError("; ".join([*faults, f"backend: {self.backend!r} is not one of {known}"]))
        entry = BACKENDS[self.backend]
        if self.engine is None:
            faults += [f"{key}: goes with engine: ray" for key in ("address", "replicas") if self._given(key)]
        if self.decode is not None and self.backend not in ("transformers", "server"):
            faults.append(f"decode: the back ends transformers and server guide a text; this run uses {self.backend}")
        if entry.make is None:
            faults += self._faults_of_a_file()
        elif not entry.local and self.base_url is None:
            faults.append("base_url: missing, the server's address, as in http://127.0.0.1:8000/v1, or a list of them")
        if entry.make is not None and not entry.local and self.adapter is not None:
            faults.append("adapter: a server loads its adapters itself; give the adapter's name there as model")
        for key in dict.fromkeys(key for other in BACKENDS.values() for key in other.keys):
            if key not in entry.keys and self._given(key):
                readers = [name for name, other in BACKENDS.items() if key in other.keys]
                which = f"back end {readers[0]} reads" if len(readers) == 1 else f"back ends {', '.join(readers)} read"
                faults.append(f"{key}: only the {which} this; this run uses {self.backend}")
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def _faults_of_a_file(self) -> Iterator[str]:
        if self.predictions is None:
            yield "predictions: missing, the file with the columns id and prediction"
        for key in (*GENERATION, "adapter", "prompts", "shots", "repeats"):
            if self._given(key):
                yield f"{key}: the back end {self.backend} generates nothing; leave it out"
        for key in self.columns:
            if key not in COLUMNS:
                yield f"columns: {key!r} is not one of {', '.join(COLUMNS)}{did_you_mean(key, COLUMNS)}"

    def _given(self, name: str) -> bool:
        return bool(getattr(self, name) != type(self).model_fields[name].default)

    @property
    def files(self) -> list[Path]:
        """The files of ``predictions``."""
        given = self.predictions
        return given if isinstance(given, list) else [] if given is None else [given]

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
