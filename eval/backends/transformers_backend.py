"""Generation with transformers: a causal language model from a folder, with a PEFT adapter where one is given.

Rows are padded on the left and batched by length. A batch of N gives what N single runs give: padding is masked, and
positions count from each row's first real token. Only safetensors weights are read, and no code from the folder runs.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
)
from transformers.convert_slow_tokenizer import bytes_to_unicode
from transformers.utils.logging import disable_progress_bar

from eval.backends.protocol import Generation, GenerationSettings, Request
from srt.errors import UserError
from srt.language.text import MARKERS
from srt.language.trace import Operation
from srt.prompts import render_prompt
from srt.records import Message

Device = Literal["auto", "cpu", "cuda", "mps"]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]
Attention = Literal["auto", "eager", "sdpa", "flash_attention_2"]

# What decides a model's output. Other files of the folder (training logs, checkpoints, read-mes) do not.
_MODEL_FILES = (
    "*.safetensors",
    "*.safetensors.index.json",
    "config.json",
    "generation_config.json",
    "tokenizer*",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.*",
    "merges.txt",
    "chat_template*",
)
_ADAPTER_FILES = ("adapter_config.json", "adapter_model.safetensors")


class TransformersBackend:
    """A model folder, and an adapter folder if there is one, as a :class:`~eval.backends.protocol.Backend`.

    ``dtype`` auto: float32 on a processor, else what the checkpoint holds. ``attention`` auto: eager on a processor
    (on small models SDPA with a mask is several times slower there), else SDPA. ``threads`` sets torch's threads for
    the whole process. Weights are loaded when the first batch is generated.

    Raises:
        UserError: a folder or a file that is needed in it is missing.
    """

    name = "transformers"

    def __init__(
        self,
        model: str | Path,
        adapter: str | Path | None = None,
        *,
        batch_size: int = 64,
        device: Device = "auto",
        dtype: Dtype = "auto",
        attention: Attention = "auto",
        threads: int | None = None,
    ) -> None:
        self._folder = _model_folder(Path(model))
        self._adapter = None if adapter is None else _adapter_folder(Path(adapter))
        if batch_size < 1:
            raise UserError(f"batch size {batch_size}: at least 1 was expected")
        self._batch_size = batch_size
        self._bans_made: dict[Operation, list[tuple[bytes, list[bytes], list[torch.Tensor]]]] = {}
        self._device = _resolve_device(device)
        on_processor = self._device == "cpu"
        self._dtype = "float32" if dtype == "auto" and on_processor else dtype
        self._attention = ("eager" if on_processor else "sdpa") if attention == "auto" else attention
        if threads is not None:
            torch.set_num_threads(threads)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the files that decide the output, read once, and over number format and attention."""
        digest = hashlib.sha256(f"{self._dtype} {self._attention}\n".encode())
        folders: list[tuple[Path, tuple[str, ...]]] = [(self._folder, _MODEL_FILES)]
        if self._adapter is not None:
            folders.append((self._adapter, _ADAPTER_FILES))
        for folder, patterns in folders:
            files = {file for pattern in patterns for file in folder.glob(pattern) if file.is_file()}
            for file in sorted(files):
                with open(file, "rb") as opened:
                    digest.update(f"{file.name} {hashlib.file_digest(opened, 'sha256').hexdigest()}\n".encode())
        return digest.hexdigest()

    @cached_property
    def description(self) -> dict[str, str]:
        """Folders, device, number format, and the versions of what generates."""
        adapter = {} if self._adapter is None else {"adapter": str(self._adapter), "peft": version("peft")}
        return {
            "model": str(self._folder),
            "device": self._device,
            "dtype": self._dtype,
            "attention": self._attention,
            "torch": torch.__version__,
            "transformers": version("transformers"),
            **adapter,
        }

    @cached_property
    def tokenizer(self) -> Any:
        """The tokenizer of the model folder."""
        try:
            return AutoTokenizer.from_pretrained(self._folder, local_files_only=True, trust_remote_code=False)
        except (OSError, ValueError, KeyError) as error:
            raise UserError(f"{self._folder}: its tokenizer cannot be read: {_first_line(error)}") from None

    reads_pictures = False

    def render(self, messages: Sequence[Message], pictures: int) -> str:
        """The prompt as the model's own chat template writes it."""
        return render_prompt(self.tokenizer, list(messages))

    def _ids(self, request: Request) -> list[int]:
        # The template has written its special tokens: the tokenizer adds none.
        return list(self.tokenizer.encode(request.prompt, add_special_tokens=False))

    def plan(self, requests: Sequence[Request], settings: GenerationSettings) -> list[list[int]]:
        """Batches of prompts of like length, longest first, so that a lack of memory shows at once."""
        lengths = [len(self._ids(request)) for request in requests]
        limit = getattr(self._config, "max_position_embeddings", None)
        if lengths and limit is not None and max(lengths) + settings.max_new_tokens > limit:
            raise UserError(
                f"{self._folder}: the longest prompt has {max(lengths)} tokens; with max_new_tokens "
                f"{settings.max_new_tokens} that is beyond the model's {limit} positions"
            )
        order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
        return [order[at : at + self._batch_size] for at in range(0, len(order), self._batch_size)]

    def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
        """Generate for one batch; ``seconds`` of each row is the batch's time divided by its rows."""
        model = self._model
        started = time.perf_counter()
        prompts = [self._ids(request) for request in batch]
        width = max(map(len, prompts))
        ids = torch.full((len(batch), width), self._pad)
        mask = torch.zeros_like(ids)
        for row, prompt in enumerate(prompts):
            ids[row, width - len(prompt) :] = torch.tensor(prompt)
            mask[row, width - len(prompt) :] = 1
        processors = LogitsProcessorList(_WordBan(*ban, width) for ban in self._bans(settings.ban))
        if settings.temperature > 0:
            processors.append(_RowSampler(settings, [request.seed for request in batch]))
        config = GenerationConfig(
            max_new_tokens=settings.max_new_tokens,
            do_sample=False,
            num_beams=1,
            eos_token_id=sorted(self._ends),
            pad_token_id=self._pad,
        )
        with torch.inference_mode():
            output = model.generate(
                input_ids=ids.to(self._device),
                attention_mask=mask.to(self._device),
                generation_config=config,
                logits_processor=processors,
            )
        rows = output[:, width:].tolist()
        seconds = (time.perf_counter() - started) / len(batch)
        inputs = mask.sum(dim=1).tolist()
        return [self._generation(row, int(count), seconds) for row, count in zip(rows, inputs, strict=True)]

    def _generation(self, row: list[int], input_tokens: int, seconds: float) -> Generation:
        end = next((at for at, token in enumerate(row) if token in self._ends), None)
        text = self.tokenizer.decode(
            row if end is None else row[:end], skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        return Generation(
            text=text,
            input_tokens=input_tokens,
            output_tokens=len(row) if end is None else end + 1,
            finish_reason="length" if end is None else "stop",
            seconds=seconds,
        )

    def _bans(self, operation: Operation | None) -> list[tuple[bytes, list[bytes], list[torch.Tensor]]]:
        """What :class:`_WordBan` needs to keep the word of ``operation`` out, in each language."""
        if operation is None:
            return []
        if operation not in self._bans_made:
            words = [markers[operation].encode() for markers in MARKERS.values()]
            self._bans_made[operation] = [(word, self._pieces, _completions(word, self._pieces)) for word in words]
        return self._bans_made[operation]

    @cached_property
    def _pieces(self) -> list[bytes]:
        """The bytes of each token. Byte-level vocabularies write each byte as a character, others write the text."""
        byte_of = {character: byte for byte, character in bytes_to_unicode().items()}
        tokens = self.tokenizer.convert_ids_to_tokens(list(range(len(self.tokenizer))))
        return [
            bytes(byte_of[c] for c in token) if all(c in byte_of for c in token) else token.encode()
            for token in (each or "" for each in tokens)
        ]

    @cached_property
    def _config(self) -> Any:
        try:
            return AutoConfig.from_pretrained(self._folder, local_files_only=True, trust_remote_code=False)
        except (OSError, ValueError, KeyError) as error:
            raise UserError(f"{self._folder}: its config.json cannot be read: {_first_line(error)}") from None

    @cached_property
    def _model(self) -> Any:
        disable_progress_bar()  # of loading weights; it would be torn lines in a log
        try:
            model: Any = AutoModelForCausalLM.from_pretrained(
                self._folder,
                dtype=self._dtype,
                attn_implementation=self._attention,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
            )
            if self._adapter is not None:
                from peft import PeftModel

                # LoRA sits inside the base model's own layers: its generate() is the adapted one. Merging would round.
                model = PeftModel.from_pretrained(model, str(self._adapter)).get_base_model()
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise UserError(f"{self._adapter or self._folder}: cannot be loaded: {_first_line(error)}") from None
        model.to(self._device).eval()
        self._ends  # noqa: B018  the ends are read from the model's own generation defaults before those are dropped
        # generate() fills what we leave unset from here: a checkpoint's own sampling defaults must not leak in.
        model.generation_config = GenerationConfig()
        return model

    @cached_property
    def _ends(self) -> frozenset[int]:
        """Ids that end a sequence: the tokenizer's, the configuration's, and those of the generation defaults."""
        found: set[int] = set()
        sources = [self.tokenizer.eos_token_id, getattr(self._config, "eos_token_id", None)]
        if (self._folder / "generation_config.json").is_file():
            defaults = GenerationConfig.from_pretrained(self._folder, local_files_only=True)
            sources.append(defaults.eos_token_id)
        for source in sources:
            found.update(source if isinstance(source, list) else [] if source is None else [source])
        if not found:
            raise UserError(f"{self._folder}: neither tokenizer nor config names an end-of-sequence token")
        return frozenset(found)

    @property
    def _pad(self) -> int:
        pad = self.tokenizer.pad_token_id
        return min(self._ends) if pad is None else int(pad)


class _WordBan(LogitsProcessor):  # type: ignore[misc]
    """Forbids each token that would complete ``word``, whatever pieces it is spelled in, alone or inside a longer one.

    ``pieces`` are the bytes of each token, ``completions`` is of :func:`_completions`; what is generated begins at the
    column ``start``, so that the prompt may hold the word.
    """

    def __init__(self, word: bytes, pieces: list[bytes], completions: list[torch.Tensor], start: int) -> None:
        self._word, self._pieces, self._completions, self._start = word, pieces, completions, start

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        # A token has at least one byte: older ones than these cannot be part of the word.
        first = max(self._start, input_ids.shape[1] - len(self._word) + 1)
        for row, ids in enumerate(input_ids[:, first:].tolist()):
            text = b"".join(self._pieces[token] for token in ids)
            begun = next(n for n in reversed(range(len(self._word))) if text.endswith(self._word[:n]))
            scores[row, self._completions[begun].to(scores.device)] = float("-inf")
        return scores


def _completions(word: bytes, pieces: list[bytes]) -> list[torch.Tensor]:
    """For each number of bytes of ``word`` that a text ends with: the tokens after which the text holds all of it."""
    return [
        torch.tensor([token for token, piece in enumerate(pieces) if word in word[:begun] + piece], dtype=torch.long)
        for begun in range(len(word))
    ]


class _RowSampler(LogitsProcessor):  # type: ignore[misc]
    """Sampling as an argmax: top-p on the tempered logits, then Gumbel noise from a generator of each row's own.

    argmax(logits / T + Gumbel) is a draw from softmax(logits / T) (the Gumbel-max trick, Gumbel 1954; Maddison et al.,
    "A* Sampling", 2014), and each row's noise depends on its seed alone, not on the batch.
    """

    def __init__(self, settings: GenerationSettings, seeds: Sequence[int]) -> None:
        self._settings = settings
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        scores = scores.float() / self._settings.temperature
        if self._settings.top_p < 1:
            ordered, order = scores.sort(dim=-1, descending=True)
            chances = ordered.softmax(dim=-1)
            outside = chances.cumsum(dim=-1) - chances >= self._settings.top_p
            scores = scores.masked_fill(outside.scatter(-1, order, outside), float("-inf"))
        noise = torch.stack([torch.rand(scores.shape[1], generator=g) for g in self._generators])
        gumbel = -torch.log(-torch.log(noise.clamp(1e-20, 1 - 1e-7)))
        return scores + gumbel.to(scores.device)


def _model_folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise UserError(f"{folder}: no such model folder")
    if not (folder / "config.json").is_file() and (folder / _ADAPTER_FILES[0]).is_file():
        raise UserError(
            f"{folder}: this is an adapter, not a model; give it with --adapter, and the model that it was trained on "
            "with --model"
        )
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder}: not a model folder: there is no config.json in it")
    if not any(folder.glob("*.safetensors")):
        raise UserError(f"{folder}: no weights in safetensors form (*.safetensors) in it; other forms are not read")
    return folder


def _adapter_folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise UserError(f"{folder}: no such adapter folder")
    for name in _ADAPTER_FILES:
        if not (folder / name).is_file():
            raise UserError(f"{folder}: not an adapter folder: there is no {name} in it")
    try:
        kind = json.loads((folder / _ADAPTER_FILES[0]).read_bytes()).get("peft_type")
    except (ValueError, AttributeError):
        raise UserError(f"{folder / _ADAPTER_FILES[0]}: not a JSON object") from None
    if kind != "LORA":
        raise UserError(f"{folder}: an adapter of type {kind}; only LORA is supported")
    return folder


def _resolve_device(device: Device) -> str:
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there[device]:
        raise UserError(f"device {device}: this machine has none; use auto or cpu")
    return device


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
