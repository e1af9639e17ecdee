"""A small model of a real architecture, with random weights and a tokenizer of its own.

For machines that reach no model hub, for tests, and for experiments whose base must know nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from srt.errors import UserError
from srt.jsonl import read_records
from srt.records import Sequence
from train.init_tokenizer import ChatTemplate, Pieces, train_tokenizer

__all__ = ["Arch", "ChatTemplate", "Pieces", "init_model", "sequence_texts"]

Arch = Literal["qwen2", "llama", "qwen2_5_vl", "internvl"]

# A model that reads pictures has the template that shows them.
_VISION_TEMPLATE: dict[Arch, ChatTemplate] = {"qwen2_5_vl": "qwen2.5-vl", "internvl": "internvl"}


def init_model(
    arch: Arch,
    texts: Iterable[str],
    output: str | Path,
    *,
    hidden: int = 128,
    layers: int = 4,
    heads: int = 4,
    vocab: int = 1024,
    seed: int = 0,
    chat_template: ChatTemplate | None = None,
    max_positions: int = 4096,
    pieces: Pieces = "words",
    initializer_range: float = 0.02,
) -> int:
    """Write a model and its tokenizer into the folder ``output`` and return its number of parameters.

    Args:
        arch: the class of the model: :class:`Qwen2ForCausalLM`, :class:`LlamaForCausalLM`; with a vision tower and a
            processor of pictures (:mod:`train.init_vision`) :class:`Qwen2_5_VLForConditionalGeneration` or
            :class:`InternVLForConditionalGeneration`.
        texts: what the byte-level BPE tokenizer is trained on.
        hidden: width, a multiple of ``2 * heads``; the feed-forward layers are four times as wide.
        vocab: the most tokens that the vocabulary may have, the 256 bytes and the special tokens included.
        seed: of the weights; the same arguments give the same files.
        chat_template: ``minimal``, the default of text models, is ``<|user|>text<|assistant|>``; the others are those
            of the model families. A vision model has that of its own family.
        pieces: what may become one token: ``words``, or ``phrases`` between names (with a capital), steps and seats.
        initializer_range: standard deviation of the random weights. At a width of 128 the usual 0.02 costs hundreds of
            steps before anything is learned; 0.08 does not.

    Raises:
        UserError: no text, an ``output`` that is a file, a width that the heads do not divide, a vocabulary too small
            for the bytes, a chat template of another kind of model, or ``phrases`` with an architecture of Qwen's,
            whose tokenizer class splits words in its own way.
    """
    if pieces == "phrases" and arch != "llama":
        raise UserError(
            f"pieces: 'phrases' needs the architecture llama; {arch} always splits as Qwen's tokenizer does"
        )
    if hidden < 1 or heads < 1 or hidden % (2 * heads):
        raise UserError(f"hidden: {hidden} must be a multiple of twice the number of heads ({heads})")
    if layers < 1:
        raise UserError(f"layers: {layers} must be at least 1")
    template = _chat_template(arch, chat_template)
    _check_folder(Path(output))
    tokenizer = train_tokenizer(pieces if arch == "llama" else "qwen", texts, vocab, template, max_positions)
    shape = {
        "vocab_size": len(tokenizer),
        "hidden_size": hidden,
        "intermediate_size": 4 * hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": heads,
        "max_position_embeddings": max_positions,
        "tie_word_embeddings": True,
        "initializer_range": initializer_range,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model, processor = _model(arch, shape, tokenizer)
    Path(output).mkdir(parents=True, exist_ok=True)
    model.save_pretrained(output)
    processor.save_pretrained(output)
    return int(model.num_parameters())


def sequence_texts(paths: Iterable[str | Path]) -> Iterator[str]:
    """The texts of files of :class:`~srt.records.Sequence`, or of all ``*.jsonl`` in a folder, prompts included.

    Raises:
        UserError: no such file, a folder without one, or a line that is no sequence.
    """
    for path in map(Path, paths):
        files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
        if not files:
            raise UserError(f"{path}: no .jsonl file in this folder")
        for file in files:
            for sequence in read_records(file, Sequence):
                yield from (message.content for message in [*sequence.prompt, *sequence.completion])


def _model(arch: Arch, shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, Any]:
    """The model, and what turns text (and pictures) into its input."""
    if arch == "qwen2":
        return Qwen2ForCausalLM(Qwen2Config(**shape)), tokenizer
    if arch == "llama":
        # Qwen2 always has these biases; with rotary positions they are what lets a head look at a place, not a content.
        return LlamaForCausalLM(LlamaConfig(**shape, attention_bias=True)), tokenizer
    from train import init_vision  # needs torchvision, which text models do without

    return (init_vision.qwen2_5_vl if arch == "qwen2_5_vl" else init_vision.internvl)(shape, tokenizer)


def _chat_template(arch: Arch, asked: ChatTemplate | None) -> ChatTemplate:
    own = _VISION_TEMPLATE.get(arch)
    if asked is None:
        return own or "minimal"
    if own is not None and asked != own:
        raise UserError(f"chat_template: {arch} has its own, {own}, not {asked}")
    if own is None and asked in _VISION_TEMPLATE.values():
        raise UserError(f"chat_template: {asked} shows pictures, and {arch} reads text alone")
    return asked


def _check_folder(output: Path) -> None:
    there = next((path for path in (output, *output.parents) if path.exists()), output)
    if there.exists() and not there.is_dir():
        raise UserError(f"{output}: a folder was expected, {'this' if there == output else there} is a file")
