"""A model folder, with an optional adapter folder: what is loaded from them, and a hash of all files that matter.

Only safetensors weights are read, nothing is fetched, and no code from a folder runs. Tokenizer and processor are those
that the training run left beside its adapter, else those of the model: a run that trained with limits of pictures is
evaluated with them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
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

from eval.backends.adapters import ADAPTER_FILES, adapter_folder, check_base, check_shapes, trained_kwargs
from eval.backends.model_inputs import PicturePrompts, TextPrompts
from eval.backends.presets import family_of
from eval.backends.protocol import Generation, GenerationSettings
from eval.backends.token_counts import count_reasoning, text_of, think_state, until_end
from srt.io.bundled_files import no_model_folder
from srt.io.errors import UserError
from srt.io.file_versions import remembered_sha256
from srt.io.records import Message
from srt.language.model_vocabulary import refuse_ids_without_row
from srt.language.prompts import render_prompt
from srt.language.template_kwargs import TemplateKwargs
from srt.untrusted.trial import check_tokenizer

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

    ``base_verified``: the adapter's manifest has the hash of this model (also true without an adapter).

    Raises:
        UserError: a folder or a file that is needed in it is missing, or the adapter is of another base.
    """

    def __init__(self, folder: Path, adapter: Path | None) -> None:
        self.folder = _model_folder(folder)
        self.adapter = None if adapter is None else adapter_folder(adapter)
        self.base_verified = True
        if self.adapter is not None:
            self.base_verified = check_base(self.adapter, self.folder)
            # Shapes without weights are enough to see whether the adapter fits.
            with torch.device("meta"):
                skeleton = self._auto_class.from_config(self.config, trust_remote_code=False)
            check_shapes(self.adapter, self.folder, skeleton)

    def digest(self, *also: str) -> str:
        """SHA-256 (hex) over ``also`` and the contents of the files that decide what the model writes."""
        digest = hashlib.sha256(f"{' '.join(also)}\n".encode())
        folders: list[tuple[Path, tuple[str, ...]]] = [(self.folder, _MODEL_FILES)]
        if self.adapter is not None:
            folders.append((self.adapter, (*ADAPTER_FILES, *_PROMPT_FILES)))
        for folder, patterns in folders:
            files = {file for pattern in patterns for file in folder.glob(pattern) if file.is_file()}
            for file in sorted(files):
                digest.update(f"{file.name} {remembered_sha256(file)}\n".encode())
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
    def rows(self) -> int | None:
        """How many ids the embedding has a row for; ``None`` where the configuration does not say."""
        return getattr(self.config.get_text_config(), "vocab_size", None)

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
        folder = self.tokenizer_folder
        check_tokenizer(folder)
        try:
            return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        except Exception as error:  # transformers checks little of a folder before it uses it
            raise UserError(f"{folder}: its tokenizer cannot be read: {one_line(error)}") from None

    @property
    def tokenizer_folder(self) -> Path:
        """The folder that the tokenizer is read from."""
        return self._beside("tokenizer_config.json")

    @cached_property
    def processor(self) -> Any:
        """Tokenizer and image processor of a model that reads pictures."""
        folder = self._beside("preprocessor_config.json", "processor_config.json")
        check_tokenizer(folder)
        try:
            found = AutoProcessor.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        except Exception as error:
            raise UserError(f"{folder}: its processor of pictures cannot be read: {one_line(error)}") from None
        if not isinstance(found, ProcessorMixin):
            raise UserError(
                f"{folder}: its config.json has a vision tower, and there is no processor of pictures in it"
            )
        return found

    @cached_property
    def ends(self) -> frozenset[int]:
        """Ids that end a sequence: the tokenizer's, the configuration's, and those of the generation defaults."""
        configs = (self.config, self.config.get_text_config())
        sources = [self.tokenizer.eos_token_id, *(getattr(config, "eos_token_id", None) for config in configs)]
        if (self.folder / "generation_config.json").is_file():
            sources.append(GenerationConfig.from_pretrained(self.folder, local_files_only=True).eos_token_id)
        each = (source if isinstance(source, list) else [source] for source in sources if source is not None)
        if found := frozenset(token for tokens in each for token in tokens):
            return found
        raise UserError(f"{self.folder}: neither tokenizer nor config names an end-of-sequence token")

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
                from peft import PeftModel  # a second to import

                # LoRA sits inside the base model's own layers: its generate() is the adapted one. Merging would round.
                # All in the type of the base, which autocast has computed the adapter in while it was trained; PEFT
                # would hold it in float32.
                adapted = PeftModel.from_pretrained(
                    model, str(self.adapter), local_files_only=True, autocast_adapter_dtype=False
                )
                model = adapted.get_base_model()
        except (*_UNREADABLE, RuntimeError, SafetensorError) as error:
            raise UserError(f"{self.adapter or self.folder}: cannot be loaded: {one_line(error)}") from None
        model.to(device).eval()
        # generate() fills what we leave unset from here: a checkpoint's own sampling defaults must not leak in.
        model.generation_config = GenerationConfig()
        return model

    @property
    def _auto_class(self) -> Any:
        return AutoModelForImageTextToText if self.reads_pictures else AutoModelForCausalLM

    def _beside(self, *names: str) -> Path:
        """The folder that holds one of the files ``names``: the adapter's, else the model's."""
        there = self.adapter is not None and any((self.adapter / name).is_file() for name in names)
        return self.adapter if self.adapter is not None and there else self.folder


class FolderBackend:
    """What the back ends of a model folder, with an adapter folder if there is one, have in common.

    ``kwargs`` are the variables of the chat template; by default those that the model or adapter was trained with.

    Raises:
        UserError: as :class:`ModelFolder` does.
    """

    def __init__(self, model: str | Path, adapter: str | Path | None, kwargs: TemplateKwargs | None = None) -> None:
        self._files = ModelFolder(Path(model), None if adapter is None else Path(adapter))
        self._kwargs = trained_kwargs(self._files.adapter or self._files.folder) if kwargs is None else kwargs
        self._prompts_made: dict[tuple[int | None, int | None], TextPrompts | PicturePrompts] = {}

    @property
    def tokenizer(self) -> Any:
        """The tokenizer of the model."""
        return self._files.tokenizer

    @property
    def reads_pictures(self) -> bool:
        """Whether the model has a vision tower."""
        return self._files.reads_pictures

    def render(self, messages: Sequence[Message], pictures: int) -> str:
        """The prompt as the model's own chat template writes it.

        Raises:
            VocabularyFault: a text contains a control token, or an id has no row in the model's embedding.
        """
        text = render_prompt(self.tokenizer, list(messages), pictures, self._kwargs)
        rows = self._files.rows
        if rows is not None and len(self.tokenizer) > rows:
            refuse_ids_without_row(
                self.tokenizer, self.tokenizer.encode(text, add_special_tokens=False), rows, "prompt"
            )
        return text

    def _described(self) -> dict[str, str]:
        """The folders, for the run's manifest."""
        files = self._files
        adapter = {} if files.adapter is None else {"adapter": str(files.adapter)}
        kwargs = {"chat_template_kwargs": json.dumps(dict(self._kwargs))} if self._kwargs else {}
        return {"model": str(files.folder), "family": family_of(files.folder), **adapter, **kwargs}

    def _prompts(self, settings: GenerationSettings) -> TextPrompts | PicturePrompts:
        """What makes ids and features of a request, within the limits of pictures of ``settings``."""
        limits = (settings.min_pixels, settings.max_pixels)
        if limits not in self._prompts_made:
            self._prompts_made[limits] = (
                PicturePrompts(self._files.processor, settings) if self.reads_pictures else TextPrompts(self.tokenizer)
            )
        return self._prompts_made[limits]

    def _check_room(self, lengths: Iterable[int], settings: GenerationSettings, room: int | None) -> None:
        """Raise where a prompt, whose lengths in tokens these are, and its answer do not fit into ``room`` tokens."""
        longest = max(lengths, default=0)
        if longest and room is not None and longest + settings.max_new_tokens > room:
            raise UserError(
                f"{self._files.folder}: the longest prompt has {longest} tokens; with max_new_tokens "
                f"{settings.max_new_tokens} that is beyond the {room} positions that there are"
            )

    def _generation(self, row: Sequence[int], prompt: str, input_tokens: int, image_tokens: int) -> Generation:
        """What the ids ``row`` say that were generated for ``prompt``; what follows their end is padding."""
        ids, ended = until_end(row, self._files.ends)
        text = text_of(self.tokenizer, ids)
        thinking = think_state(prompt, text)
        return Generation(
            text=text,
            input_tokens=input_tokens,
            image_tokens=image_tokens,
            output_tokens=len(ids) + ended,
            reasoning_tokens=None if thinking == "open" else count_reasoning(self.tokenizer, ids, text),
            thinking=thinking,
            finish_reason="stop" if ended else "length",
            seconds=0.0,
        )


def one_line(error: BaseException) -> str:
    """The first line of what ``error`` says."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _model_folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise no_model_folder(folder)
    if not (folder / "config.json").is_file() and (folder / ADAPTER_FILES[0]).is_file():
        raise UserError(
            f"{folder}: this is an adapter, not a model; give it with --adapter, and the model that it was trained on "
            "with --model"
        )
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder}: not a model folder: there is no config.json in it")
    if not any(folder.glob("*.safetensors")):
        raise UserError(f"{folder}: no weights in safetensors form (*.safetensors) in it; other forms are not read")
    # Only the headers are read, so that a broken download is reported by file name before anything is written.
    for file in sorted(folder.glob("model*.safetensors")):
        try:
            with safe_open(file, framework="np"):
                pass
        except (OSError, SafetensorError) as error:
            raise UserError(f"{file}: incomplete, or not safetensors: {one_line(error)}; copy it again") from None
    return folder
