"""Generation with transformers: a text or vision-language model from a folder, with an optional PEFT adapter.

Rows are padded on the left and batched by length. A batch of N gives the same as N single runs: padding is masked,
positions count from each row's first real token, and sampling and constraints of a row depend on that row alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import torch
from transformers import ContinuousBatchingConfig, GenerationConfig, LogitsProcessorList
from transformers.generation.continuous_batching.cb_logits_processors import ContinuousBatchingLogitsProcessorList

from eval.backends.constraints import (
    Constrained,
    Constraint,
    ContinuousRowSampler,
    RowSampler,
    ThinkBudget,
    WordBan,
    draw_tokens,
    token_bytes,
)
from eval.backends.model_folder import FolderBackend
from eval.backends.model_inputs import PicturePrompts, Prompt, pad_left
from eval.backends.protocol import Attention, Dtype, Generation, GenerationSettings, Request
from eval.backends.token_counts import text_of, until_end
from eval.decoding.decode_settings import Decode
from eval.decoding.guide import Guide
from eval.decoding.guided_rows import Asked, Writing, Written, write_guided
from eval.decoding.model_rows import model_rows
from eval.decoding.refused_lines import refused_lines
from eval.decoding.ways import WAYS
from srt.io.errors import UserError
from srt.language.template_kwargs import TemplateKwargs
from srt.language.text import MARKERS
from srt.language.trace import Operation

Device = Literal["auto", "cpu", "cuda", "mps"]

BATCH_TOKENS = 131_072
"""Default of ``batch_tokens``: 17 GB of keys and values of a Llama of 8 billion parameters in bfloat16."""

# Of continuous batching.
_CONTINUOUS_ROWS = 512  # between two writes to disk: what a killed run has to generate again at most
_PAGE = 256  # tokens
_PREFILL = 2048  # tokens in one forward pass


class TransformersBackend(FolderBackend):
    """A model folder, and an adapter folder if there is one, as a :class:`~eval.backends.protocol.Backend`.

    ``batch_size`` is the most rows of a batch, and ``batch_tokens`` the most places in it: rows times the longest
    prompt with ``max_new_tokens``; a row that has more is a batch of its own. ``dtype`` auto: float32 on a CPU,
    else what the checkpoint holds. ``attention`` auto: eager on a CPU (on small models SDPA with a mask is
    several times slower there), else SDPA. ``threads`` sets torch's threads for the whole process. ``continuous``
    generates by transformers' continuous batching, in which a row that ends makes room for the next: for text models
    without constraints, for it knows no constraint of a row's own. Weights are loaded when the first batch is
    generated.

    Raises:
        UserError: a folder or a file that is needed in it is missing, the adapter is of another base, ``continuous``
            for a model that reads pictures.
    """

    name = "transformers"

    def __init__(
        self,
        model: str | Path,
        adapter: str | Path | None = None,
        *,
        batch_size: int = 64,
        batch_tokens: int = BATCH_TOKENS,
        device: Device = "auto",
        dtype: Dtype = "auto",
        attention: Attention = "auto",
        threads: int | None = None,
        continuous: bool = False,
        chat_template_kwargs: TemplateKwargs | None = None,
    ) -> None:
        super().__init__(model, adapter, chat_template_kwargs)
        if batch_size < 1:
            raise UserError(f"batch size {batch_size}: at least 1 was expected")
        if batch_tokens < 1:
            raise UserError(f"batch tokens {batch_tokens}: at least 1 was expected")
        if continuous and self._files.reads_pictures:
            raise UserError(f"{model}: continuous batching is for text models; this one reads pictures")
        self._batch_size, self._batch_tokens, self._continuous = batch_size, batch_tokens, continuous
        self._bans_made: dict[Operation, list[WordBan]] = {}
        self._device = _resolve_device(device)
        on_processor = self._device == "cpu"
        self._dtype = "float32" if dtype == "auto" and on_processor else dtype
        self._attention = ("eager" if on_processor else "sdpa") if attention == "auto" else attention
        if threads is not None:
            torch.set_num_threads(threads)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the files that decide the output, read once, and over number format and attention."""
        return self._files.digest(self._dtype, self._attention, *["continuous"] * self._continuous)

    @cached_property
    def description(self) -> dict[str, str]:
        """Folders, device, number format, batches, limits of pictures, and the versions of what generates."""
        padded = f"padded, at most {self._batch_size} rows and {self._batch_tokens} tokens"
        described = {
            **self._described(),
            "device": self._device,
            "dtype": self._dtype,
            "attention": self._attention,
            "batching": "continuous" if self._continuous else padded,
            "torch": torch.__version__,
            "transformers": version("transformers"),
        }
        if self._files.adapter is not None:
            base = "by the hash in its manifest" if self._files.base_verified else "by name and shapes only"
            described |= {"adapter_fits": base, "peft": version("peft")}
        if self.reads_pictures:
            own = PicturePrompts(self._files.processor, GenerationSettings())
            described["picture_limits"] = f"{own.limits} (of its processor, where the settings give none)"
        return described

    def plan(self, requests: Sequence[Request], settings: GenerationSettings) -> list[list[int]]:
        """Batches of prompts of like length, longest first, so that a lack of memory shows at once."""
        beyond = {
            "a ban": settings.ban is not None,
            "a think_budget": settings.think_budget is not None,
            "a grammar": settings.grammar is not None,
            "a guide (decode)": settings.decode is not None,
        }
        if self._continuous and (used := next((name for name, is_set in beyond.items() if is_set), None)):
            raise UserError(
                f"continuous batching: generation without constraints was expected, not {used}; leave one out"
            )
        prompts = self._prompts(settings)
        lengths = [prompts.length(request) for request in requests]
        self._check_room(lengths, settings, self._files.positions)
        # By length, so that little is padding; the index decides between equals, so that the plan is always the same.
        order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
        if settings.decode is not None:  # each text by itself: where one ends, the next one begins
            if self._attention == "flash_attention_2":
                raise UserError("decode: attention flash_attention_2 knows no rows at different places; use sdpa")
            return [[index] for index in order]
        batches: list[list[int]] = []
        rows = 0
        for index in order:
            if not batches or len(batches[-1]) == rows:
                batches.append([])
                fitting = self._batch_tokens // (lengths[index] + settings.max_new_tokens)
                rows = _CONTINUOUS_ROWS if self._continuous else max(1, min(self._batch_size, fitting))
            batches[-1].append(index)
        return batches

    def generate_batches(
        self, batches: Sequence[Sequence[Request]], settings: GenerationSettings
    ) -> Iterator[tuple[int, list[Generation]]]:
        """One batch after the other, in the order of the plan; guided texts as they are finished."""
        if settings.decode is not None:
            return self._generate_guided([request for (request,) in batches], settings, settings.decode)
        return ((number, self.generate(batch, settings)) for number, batch in enumerate(batches))

    def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
        """Generate for one batch; a request whose pictures cannot be shown is an ``error``, and the others go on.

        ``seconds`` of each row is the batch's time divided by its rows.
        """
        self._model  # noqa: B018  loading it is no part of the batch's time
        started = time.perf_counter()
        prompts = self._prompts(settings)
        rows: list[Generation | None] = []
        made: list[tuple[Request, Prompt]] = []
        for request in batch:
            try:
                made.append((request, prompts.make(request)))
                rows.append(None)
            except UserError as error:
                rows.append(Generation("", 0, 0, "error", 0.0, error=str(error)))
        generated = iter(self._generate(made, settings) if made else [])
        whole = [next(generated) if row is None else row for row in rows]
        seconds = (time.perf_counter() - started) / len(batch)
        return [replace(row, seconds=seconds) for row in whole]

    def _generate(self, made: list[tuple[Request, Prompt]], settings: GenerationSettings) -> list[Generation]:
        config = GenerationConfig(
            max_new_tokens=settings.max_new_tokens,
            do_sample=False,
            num_beams=1,
            eos_token_id=sorted(self._files.ends),
            pad_token_id=self._files.pad,
        )
        constraints: list[list[Constraint]] = [[] for _ in made]
        if self._continuous:
            ids, seeds = [prompt.ids for _, prompt in made], [request.seed for request, _ in made]
            outputs = self._generate_continuously(ids, config, settings, seeds)
        else:
            inputs = pad_left([prompt for _, prompt in made], self._files.pad)
            width = inputs["input_ids"].shape[1]
            constraints = [self._constraints(request, settings) for request, _ in made]
            processors = LogitsProcessorList()
            if any(constraints):
                processors.append(Constrained(constraints, width, self._files.ends))
            if settings.temperature > 0:
                processors.append(RowSampler(settings, [request.seed for request, _ in made]))
            with torch.inference_mode():
                output = self._model.generate(
                    **self._on_device(inputs),
                    generation_config=config,
                    logits_processor=processors,
                )
            outputs = output[:, width:].tolist()
        generations = []
        for row, (request, prompt), of_row in zip(outputs, made, constraints, strict=True):
            one = self._generation(row, request.prompt, len(prompt.ids), prompt.image_tokens)
            cut = one.thinking == "closed" and any(getattr(each, "cut", False) for each in of_row)
            generations.append(replace(one, thinking="cut") if cut else one)
        return generations

    def _generate_guided(
        self, requests: Sequence[Request], settings: GenerationSettings, decode: Decode
    ) -> Iterator[tuple[int, list[Generation]]]:
        """Each request as a batch of its own, ``batch_size`` of them at once."""
        way = WAYS[decode.way]
        prompts = self._prompts(settings)
        failed: list[tuple[int, Generation]] = []
        made: dict[int, Prompt] = {}

        def asked() -> Iterator[Asked]:
            for number, request in enumerate(requests):
                assert request.problem is not None  # which `predict` gives to all where there is a guide
                try:
                    made[number] = prompt = prompts.make(request)
                except UserError as error:
                    failed.append((number, Generation("", 0, 0, "error", 0.0, error=str(error))))
                    continue
                inputs = self._on_device(pad_left([prompt], self._files.pad))
                constraints = partial(self._constraints, request, settings)
                yield Asked(number, request.problem, inputs, request.seed, constraints)

        longest = max((prompts.length(request) for request in requests), default=0)
        fitting = self._batch_tokens // (longest + settings.max_new_tokens)
        at_once = max(1, min(self._batch_size, fitting, len(requests)))
        writing = Writing(
            begin=partial(way.text, getattr(decode, decode.way), settings.max_new_tokens, self._files.ends),
            ends=self._files.ends,
            temperature=settings.temperature,
            draw=lambda scores, uniforms, temperature: draw_tokens(scores, uniforms, temperature, settings.top_p),
            decode=partial(text_of, self.tokenizer),
            sentences=way.sentences,
        )
        guide = way.guide()
        rows = model_rows(self._model, at_once, self._files.pad)
        for written in write_guided(rows, at_once, asked(), writing, guide):
            number = written.asked.number
            yield number, [self._guided_generation(written, requests[number].prompt, made.pop(number), guide)]
        yield from ((number, [generation]) for number, generation in failed)

    def _guided_generation(self, written: Written, prompt: str, made: Prompt, guide: Guide) -> Generation:
        text = written.text
        kept = self._generation(text.ids, prompt, len(made.ids), made.image_tokens)
        # What was taken back stood before the answer that is there.
        taken_back = text.drawn - kept.output_tokens
        return replace(
            kept,
            output_tokens=text.drawn,
            reasoning_tokens=None if kept.reasoning_tokens is None else kept.reasoning_tokens + taken_back,
            seconds=written.seconds,
            guided=guide.marks[not text.whole],
            kept_tokens=kept.output_tokens,
            tries=text.redrawn,
            lines_back=text.taken_back,
            refused=refused_lines(text, self._text_before_end),
        )

    def _text_before_end(self, ids: Sequence[int]) -> str:
        return text_of(self.tokenizer, until_end(ids, self._files.ends)[0])

    def _on_device(self, inputs: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return {
            name: value.to(self._device, self._model.dtype if value.is_floating_point() else None)
            for name, value in inputs.items()
        }

    def _generate_continuously(
        self, prompts: list[list[int]], config: GenerationConfig, settings: GenerationSettings, seeds: list[int]
    ) -> list[list[int]]:
        longest = max(map(len, prompts)) + settings.max_new_tokens
        sampling = settings.temperature > 0
        cache = ContinuousBatchingConfig(
            page_size=_PAGE,
            # Left to itself it takes nine tenths of a GPU's free memory, or six tenths of a machine's.
            num_blocks=max(self._batch_tokens // _PAGE, longest // _PAGE + 2),
            max_batch_tokens=_PREFILL,
            max_requests_per_batch=len(prompts),
            auto_switch_to_flash=False,
            use_cuda_graph=False if sampling else None,  # a draw looks at the numbers, which no graph can record
        )
        manager = self._model.init_continuous_batching(config, continuous_batching_config=cache)
        if sampling:
            # `generate_batch` would make it from `config`, which knows no seed of a row.
            sampler = LogitsProcessorList([ContinuousRowSampler(settings, seeds)])
            manager.logit_processor = ContinuousBatchingLogitsProcessorList(sampler)
            manager.logit_processor.tensors_required = 1
        results: dict[str, Any] = {}
        manager.start()
        try:
            for row, prompt in enumerate(prompts):
                manager.add_request(prompt, request_id=str(row), **({"row": row} if sampling else {}))
            while len(results) < len(prompts):
                if (result := manager.get_result(timeout=1)) is not None:
                    results[result.request_id] = result
                elif not manager.is_running():
                    break
        finally:
            manager.stop(block=True, hard_stop=len(results) < len(prompts))
            manager.destroy()
        failed = [result.error for result in results.values() if result.error is not None]
        if failed or len(results) < len(prompts):
            said = " ".join(str(failed[0]).split()) if failed else "generation ended early"
            raise UserError(f"{self._files.folder}: continuous batching failed ({said}); evaluate without it")
        return [list(results[str(row)].generated_tokens) for row in range(len(prompts))]

    def _constraints(self, request: Request, settings: GenerationSettings) -> list[Constraint]:
        """The constraints of the row of ``request``."""
        if settings.grammar is not None:
            from eval.backends.trace_grammar import make_trace_grammar  # which keeps the banned word out itself

            return [make_trace_grammar(self.tokenizer, settings, request.prompt, self._files.ends)]
        constraints: list[Constraint] = []
        if settings.ban is not None:
            if settings.ban not in self._bans_made:
                pieces = token_bytes(self.tokenizer)
                self._bans_made[settings.ban] = [WordBan(markers[settings.ban], pieces) for markers in MARKERS.values()]
            constraints += self._bans_made[settings.ban]  # of the word in each language
        if settings.think_budget is not None:
            constraints.append(ThinkBudget(self.tokenizer, settings.think_budget, request.prompt))
        return constraints

    @property
    def model(self) -> Any:
        """The model, loaded."""
        return self._model

    @cached_property
    def _model(self) -> Any:
        return self._files.load(self._dtype, self._attention, self._device)


def _resolve_device(device: Device) -> str:
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device == "auto":
        return next(name for name, found in there.items() if found)
    if not there[device]:
        raise UserError(f"device {device}: this machine has none; use auto or cpu")
    return device
