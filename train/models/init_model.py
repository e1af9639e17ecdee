"""Make a small model of a real architecture, with random weights and a new tokenizer.

For machines that reach no model hub, for tests, and for experiments whose base must know nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from transformers.utils import CONFIG_NAME

from srt.io.atomic_files import temporary_folder
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Sequence
from srt.io.yaml_config import parse_config
from train.models.chat_templates import find_chat_template
from train.models.families.family_registry import find_family
from train.models.init_tokenizer import QWEN, check_splitting, train_tokenizer
from train.models.model_files import apply_umask
from train.models.new_model import WORDS, NewModel


def init_model(arch: str, texts: Iterable[str], output: str | Path, *, seed: int = 0, **options: Any) -> int:
    """Write a model and its tokenizer into the folder ``output`` and return its number of parameters.

    Args:
        arch: the ``model_type`` of one of the families in :mod:`train.models.families.family_registry`.
        texts: what the byte-level BPE tokenizer is trained on.
        output: a folder, new or not.
        seed: of the weights; the same arguments give the same files.
        options: the keys of :class:`~train.models.new_model.NewModel`.

    Raises:
        UserError: an unknown ``arch``, ``chat_template`` or option, no text, ``output`` is a file, a width that the
            heads do not divide, a vocabulary too small for the bytes, a chat template of another kind of model, what is
            no text in ``separate``, or other ``pieces`` than words, or something ``separate``, with an architecture
            whose tokenizer class splits words in its own way.
    """
    family = find_family(arch)
    new = parse_config(NewModel, options, arch)
    check_splitting(new.pieces)
    if new.pieces != WORDS and family.tokenizer_splits_as_qwen:
        raise UserError(
            f"pieces: {arch} always splits text as Qwen's tokenizer does, not into {new.pieces!r}; use llama"
        )
    if new.separate and family.tokenizer_splits_as_qwen:
        raise UserError(f"separate: {arch} always splits text as Qwen's tokenizer does; use llama")
    if not all(new.separate):
        raise UserError(
            f"separate: {new.separate!r} must be a list of texts, of at least one character each, in quotes"
        )
    if new.hidden < 1 or new.heads < 1 or new.hidden % (2 * new.heads):
        raise UserError(f"hidden: {new.hidden} must be a multiple of twice the number of heads ({new.heads})")
    if new.layers < 1:
        raise UserError(f"layers: {new.layers} must be at least 1")
    own = family.chat_template
    template = own if new.chat_template is None else find_chat_template(new.chat_template)
    if own.shows_pictures and template != own:
        raise UserError(f"chat_template: {arch} has its own, {own.name}, not {new.chat_template}")
    if template.shows_pictures and not own.shows_pictures:
        raise UserError(f"chat_template: {new.chat_template} shows pictures, but {arch} reads only text")
    existing = next(path for path in (Path(output), *Path(output).absolute().parents) if path.exists())
    if not existing.is_dir():
        raise UserError(f"{output}: a folder was expected, but {existing} is a file")
    splitting = QWEN if family.tokenizer_splits_as_qwen else new.pieces
    tokenizer = train_tokenizer(splitting, texts, new.vocab, template, new.max_positions, new.separate)
    shape = {
        "vocab_size": len(tokenizer),
        "hidden_size": new.hidden,
        "intermediate_size": 4 * new.hidden,
        "num_hidden_layers": new.layers,
        "num_attention_heads": new.heads,
        "num_key_value_heads": new.heads,
        "max_position_embeddings": new.max_positions,
        "tie_word_embeddings": not new.untied_head,
        "initializer_range": new.initializer_range,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    # The caller's random state is as before afterwards.
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model, processor = family.small_model(shape, tokenizer)
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    with temporary_folder(output / "model") as folder:
        model.save_pretrained(folder)
        processor.save_pretrained(folder)
        apply_umask(folder)
        # Whole or absent for whoever looks: a folder without its configuration is no model.
        for file in sorted(folder.iterdir(), key=lambda file: file.name == CONFIG_NAME):
            os.replace(file, output / file.name)
    return int(model.num_parameters())


def sequence_texts(paths: Iterable[str | Path]) -> Iterator[str]:
    """The texts, prompts included, of files of :class:`~srt.io.records.Sequence`, or of all ``*.jsonl`` in a folder.

    Raises:
        UserError: no such file, a folder without one, or a line that is not a sequence.
    """
    for path in map(Path, paths):
        files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
        if not files:
            raise UserError(f"{path}: no .jsonl file in this folder")
        for file in files:
            for sequence in read_records(file, Sequence):
                yield from (message.content for message in [*sequence.prompt, *sequence.completion])
