"""A model folder, with an adapter folder where there is one: what is read from them, and a hash of all that decides.

Only safetensors weights are read, nothing is fetched, and no code from a folder runs. Tokenizer and processor are those
that the training run left beside its adapter, else those of the model: a run that trained with limits of pictures is
evaluated with them.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoProcessor,
    AutoTokenizer,
    GenerationConfig,
    ProcessorMixin,
)
from transformers.utils.logging import disable_progress_bar

from eval.backends.adapters import ADAPTER_FILES, adapter_folder, check_base, check_shapes, file_hash
from srt.errors import UserError

# What decides a model's output. Other files of the folder (training logs, checkpoints, read-mes) do not.
_PROMPT_FILES = (
    "tokenizer*",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.*",
    "merges.txt",
    "chat_template*",
    "*processor_config.json",
)
_MODEL_FILES = ("*.safetensors", "*.safetensors.index.json", "config.json", "generation_config.json", *_PROMPT_FILES)
_UNREADABLE = (OSError, ValueError, KeyError, ImportError)


class ModelFolder:
    """The model in ``folder``, with the adapter in ``adapter``.

    ``base_verified``: whether the adapter's stamp names the model by its contents (true of a model without adapter).

    Raises:
        UserError: a folder or a file that is needed in it is missing, or the adapter is of another base.
    """

    def __init__(self, folder: Path, adapter: Path | None) -> None:
        self.folder = _model_folder(folder)
        self.adapter = None if adapter is None else adapter_folder(adapter)
        self.base_verified = True
        if self.adapter is not None:
            self.base_verified = check_base(self.adapter, self.folder)
            check_shapes(self.adapter, self.folder, self._skeleton())

    def digest(self, *also: str) -> str:
        """SHA-256 (hex) over ``also`` and the contents of the files that decide what the model writes."""
        digest = hashlib.sha256(f"{' '.join(also)}\n".encode())
        folders: list[tuple[Path, tuple[str, ...]]] = [(self.folder, _MODEL_FILES)]
        if self.adapter is not None:
            folders.append((self.adapter, (*ADAPTER_FILES, *_PROMPT_FILES)))
        for folder, patterns in folders:
            files = {file for pattern in patterns for file in folder.glob(pattern) if file.is_file()}
            for file in sorted(files):
                digest.update(f"{file.name} {file_hash(file)}\n".encode())
        return digest.hexdigest()

    @cached_property
    def config(self) -> Any:
        """The model's configuration."""
        try:
            return AutoConfig.from_pretrained(self.folder, local_files_only=True, trust_remote_code=False)
        except _UNREADABLE as error:
            raise UserError(f"{self.folder}: its config.json cannot be read: {one_line(error)}") from None

    @property
    def reads_pictures(self) -> bool:
        """Whether it has a vision tower."""
        return getattr(self.config, "vision_config", None) is not None

    @property
    def positions(self) -> int | None:
        """How many tokens the language model has places for; ``None`` where the configuration does not say."""
        return getattr(self.config.get_text_config(), "max_position_embeddings", None)

    @cached_property
    def tokenizer(self) -> Any:
        """The tokenizer, with the chat template."""
        if self.reads_pictures:
            tokenizer = self.processor.tokenizer
            # Some folders have the template that shows pictures with the processor alone.
            if not tokenizer.chat_template:
                tokenizer.chat_template = self.processor.chat_template
            return tokenizer
        folder = self._beside("tokenizer_config.json")
        try:
            return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        except _UNREADABLE as error:
            raise UserError(f"{folder}: its tokenizer cannot be read: {one_line(error)}") from None

    @cached_property
    def processor(self) -> Any:
        """Tokenizer and image processor of a model that reads pictures."""
        folder = self._beside("preprocessor_config.json", "processor_config.json")
        try:
            found = AutoProcessor.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        except _UNREADABLE as error:
            raise UserError(f"{folder}: its processor of pictures cannot be read: {one_line(error)}") from None
        if not isinstance(found, ProcessorMixin):
            raise UserError(
                f"{folder}: its config.json has a vision tower, and there is no processor of pictures in it"
            )
        return found

    @cached_property
    def ends(self) -> frozenset[int]:
        """Ids that end a sequence: the tokenizer's, the configuration's, and those of the generation defaults."""
        found: set[int] = set()
        configs = (self.config, self.config.get_text_config())
        sources = [self.tokenizer.eos_token_id, *(getattr(config, "eos_token_id", None) for config in configs)]
        if (self.folder / "generation_config.json").is_file():
            sources.append(GenerationConfig.from_pretrained(self.folder, local_files_only=True).eos_token_id)
        for source in sources:
            found.update(source if isinstance(source, list) else [] if source is None else [source])
        if not found:
            raise UserError(f"{self.folder}: neither tokenizer nor config names an end-of-sequence token")
        return frozenset(found)

    @property
    def pad(self) -> int:
        """The id that rows are padded with."""
        pad = self.tokenizer.pad_token_id
        return min(self.ends) if pad is None else int(pad)

    def load(self, dtype: str, attention: str, device: str) -> Any:
        """The model with its adapter, ready to generate."""
        disable_progress_bar()  # of loading weights; it would be torn lines in a log
        try:
            model: Any = self._auto_class.from_pretrained(
                self.folder,
                dtype=dtype,
                attn_implementation=attention,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
            )
            if self.adapter is not None:
                model = _with_adapter(model, self.adapter)
        except (*_UNREADABLE, RuntimeError, SafetensorError) as error:
            raise UserError(f"{self.adapter or self.folder}: cannot be loaded: {one_line(error)}") from None
        model.to(device).eval()
        # generate() fills what we leave unset from here: a checkpoint's own sampling defaults must not leak in.
        model.generation_config = GenerationConfig()
        return model

    @property
    def _auto_class(self) -> Any:
        return AutoModelForImageTextToText if self.reads_pictures else AutoModelForCausalLM

    def _skeleton(self) -> Any:
        with torch.device("meta"):
            return self._auto_class.from_config(self.config, trust_remote_code=False)

    def _beside(self, *names: str) -> Path:
        """The folder that holds one of the files ``names``: the adapter's, else the model's."""
        there = self.adapter is not None and any((self.adapter / name).is_file() for name in names)
        return self.adapter if self.adapter is not None and there else self.folder


def one_line(error: BaseException) -> str:
    """The first line of what ``error`` says."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _with_adapter(model: Any, adapter: Path) -> Any:
    from peft import PeftModel  # a second to import

    # LoRA sits inside the base model's own layers: its generate() is the adapted one. Merging would round. All in the
    # type of the base, which autocast has computed the adapter in while it was trained; PEFT would hold it in float32.
    adapted = PeftModel.from_pretrained(model, str(adapter), local_files_only=True, autocast_adapter_dtype=False)
    return adapted.get_base_model()


def _model_folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise UserError(f"{folder}: no such model folder")
    if not (folder / "config.json").is_file() and (folder / ADAPTER_FILES[0]).is_file():
        raise UserError(
            f"{folder}: this is an adapter, not a model; give it with --adapter, and the model that it was trained on "
            "with --model"
        )
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder}: not a model folder: there is no config.json in it")
    if not any(folder.glob("*.safetensors")):
        raise UserError(f"{folder}: no weights in safetensors form (*.safetensors) in it; other forms are not read")
    return folder
