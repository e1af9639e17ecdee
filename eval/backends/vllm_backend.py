"""Generation with vLLM on this machine's GPUs, its queue kept full from the whole set; answers are written as they end.

Requests are batches of one, so nothing that is on disk is generated again. vLLM is not deterministic across batch
sizes, not even at temperature 0: which requests share a step decides how sums round. A run that is resumed, or
repeated, may therefore differ in single answers; the run's manifest says so. Written against vLLM 0.33 (``LLM``,
``LLMEngine.add_request`` and ``step``, ``LoRARequest``).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from safetensors import safe_open

from eval.backends.model_folder import FolderBackend
from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.backends.trace_grammar import trace_regex
from srt.images.normalise import shown_picture
from srt.io.errors import UserError
from srt.language.prompts import THINK_OPENS

RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""The allowed values of ``max_lora_rank``."""
QUEUE = 1024
"""Requests queued at once: more than a GPU processes together, but not all, since their pictures are in memory."""
TOWER = ("visual", "vision_tower", "vision_model", "multi_modal_projector", "mlp1", "merger")
"""Parts of the names of weights in a vision tower, or in what connects it to the language model."""


class VllmBackend(FolderBackend):
    """A model folder, and an adapter folder if there is one, as a :class:`~eval.backends.protocol.Backend`.

    ``tensor_parallel`` GPUs hold the model together; ``gpu_memory`` is the share of each that vLLM takes.
    ``vision_adapter`` has it load an adapter of the vision tower (``enable_tower_connector_lora``, which few models
    can); without it vLLM would leave that part of an adapter out and say nothing.

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
    ) -> None:
        super().__init__(model, adapter)
        self._tensor_parallel, self._gpu_memory, self._vision_adapter = tensor_parallel, gpu_memory, vision_adapter
        self._rank = 0
        if self._files.adapter is not None:
            self._rank = check_adapter_for_vllm(self._files.adapter, vision_adapter)
        try:
            import vllm
        except ImportError:
            raise UserError(
                "the back end vllm needs the package vllm, which is not installed: pip install vllm"
            ) from None
        self._vllm: Any = vllm
        self._engine: Any = None

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the files that decide the output, and over what vLLM does with them."""
        return self._files.digest("vllm", *["tower"] * self._vision_adapter)

    @cached_property
    def description(self) -> dict[str, str]:
        """Folders, version, and that it is not deterministic."""
        return {
            **self._described(),
            "vllm": str(self._vllm.__version__),
            "tensor_parallel": str(self._tensor_parallel),
            "deterministic": "no: sums depend on which requests share a step, at temperature 0 too",
        }

    def plan(self, requests: Sequence[Request], settings: GenerationSettings) -> list[list[int]]:
        """Each request alone: vLLM batches them itself.

        Raises:
            UserError: a setting that vLLM cannot keep, or a prompt that does not fit the model (its pictures, which
                only vLLM counts, apart).
        """
        if settings.think_budget is not None:
            raise UserError("think_budget: vLLM cannot close a think block here; give --think-budget 0")
        if settings.ban is not None and settings.grammar is None:
            raise UserError("ban: vLLM bans tokens, not words; use the back end transformers, or add --grammar trace")
        self._check_room((len(self._ids(request)) for request in requests), settings)
        return [[index] for index in range(len(requests))]

    def generate_batches(
        self, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> Iterator[tuple[int, list[Generation]]]:
        """Keep the queue full and yield each answer as it ends; ``seconds`` is the time since the one before."""
        if not batches:
            return
        engine = self._make_engine(max(len(request.images) for (request,) in batches))
        lora = None
        if self._files.adapter is not None:
            from vllm.lora.request import LoRARequest

            lora = LoRARequest("adapter", 1, str(self._files.adapter))
        waiting, queued, last = iter(enumerate(batches)), 0, time.perf_counter()
        while True:
            for number, (request,) in islice(waiting, QUEUE - queued):
                try:
                    prompt = self._prompt(request, settings)
                except UserError as error:  # a picture that cannot be shown; the others go on
                    yield number, [Generation("", 0, 0, "error", 0.0, error=str(error))]
                    continue
                engine.add_request(str(number), prompt, self._params(request, settings), lora_request=lora)
                queued += 1
            if not queued:
                return
            for output in engine.step():
                if output.finished:
                    now, queued = time.perf_counter(), queued - 1
                    number = int(output.request_id)
                    yield number, [self._ended(output, batches[number][0].prompt, now - last)]
                    last = now

    def _make_engine(self, pictures: int) -> Any:
        if self._engine is None:
            loras = {"enable_lora": True, "max_loras": 1, "max_lora_rank": self._rank} if self._rank else {}
            if self._vision_adapter:
                loras["enable_tower_connector_lora"] = True
            self._engine = self._vllm.LLM(
                model=str(self._files.folder),
                tensor_parallel_size=self._tensor_parallel,
                gpu_memory_utilization=self._gpu_memory,
                trust_remote_code=False,
                load_format="safetensors",
                generation_config="vllm",  # a checkpoint's own sampling defaults must not leak in
                **({"limit_mm_per_prompt": {"image": pictures}} if self.reads_pictures else {}),
                **loras,
            ).llm_engine
        return self._engine

    def _ids(self, request: Request) -> list[int]:
        # The template has written its special tokens: the tokenizer adds none.
        return list(self.tokenizer.encode(request.prompt, add_special_tokens=False))

    def _prompt(self, request: Request, settings: GenerationSettings) -> dict[str, Any]:
        prompt: dict[str, Any] = {"prompt_token_ids": self._ids(request)}
        if request.images:
            prompt["multi_modal_data"] = {"image": [shown_picture(request.root, image) for image in request.images]}
            if limits := settings.model_dump(include={"min_pixels", "max_pixels"}, exclude_none=True):
                prompt["mm_processor_kwargs"] = limits
        return prompt

    def _params(self, request: Request, settings: GenerationSettings) -> Any:
        held = {}
        if settings.grammar is not None:
            from vllm.sampling_params import StructuredOutputsParams

            think = request.prompt.rstrip().endswith(THINK_OPENS)
            held["structured_outputs"] = StructuredOutputsParams(regex=trace_regex(ban=settings.ban, think=think))
        return self._vllm.SamplingParams(
            max_tokens=settings.max_new_tokens,
            temperature=settings.temperature,
            top_p=settings.top_p,
            seed=request.seed if settings.temperature > 0 else None,
            stop_token_ids=sorted(self._files.ends),
            detokenize=False,
            **held,
        )

    def _ended(self, output: Any, prompt: str, seconds: float) -> Generation:
        made, given = output.outputs[0], list(output.prompt_token_ids or ())
        image_tokens = given.count(getattr(self._files.config, "image_token_id", None))
        known = made.finish_reason in ("stop", "length")
        return replace(
            self._generation(list(made.token_ids), prompt, len(given), image_tokens),
            finish_reason=made.finish_reason if known else "error",
            seconds=seconds,
            error=None if known else f"vLLM ended it with {made.finish_reason!r}",
        )


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
