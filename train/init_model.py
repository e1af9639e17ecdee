"""A small model of a real architecture, with random weights and a tokenizer of its own.

For machines that reach no model hub, for tests, and for experiments whose base must know nothing.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from transformers.models.qwen2.tokenization_qwen2 import PRETOKENIZE_REGEX

from srt.errors import UserError
from srt.jsonl import read_records
from srt.records import Sequence

Arch = Literal["qwen2", "llama"]
ChatTemplate = Literal["minimal", "qwen2.5", "r1-distill"]
Pieces = Literal["words", "phrases"]


class _Special(NamedTuple):
    """The tokens that a chat template writes. ``marks`` are added tokens that stay visible in decoded text."""

    eos: str
    bos: str | None
    roles: tuple[str, ...]
    marks: tuple[str, ...] = ()


# Qwen's tokenizer class adds this token where it is missing, and the model would have no row for it.
_PAD = "<|endoftext|>"
_SPECIAL: dict[ChatTemplate, _Special] = {
    "minimal": _Special("<|end|>", None, ("<|system|>", "<|user|>", "<|assistant|>")),
    "qwen2.5": _Special("<|im_end|>", None, ("<|im_start|>",)),
    "r1-distill": _Special(
        "<｜end▁of▁sentence｜>",
        "<｜begin▁of▁sentence｜>",
        ("<｜User｜>", "<｜Assistant｜>"),
        ("<think>", "</think>"),
    ),
}
_MINIMAL_TEMPLATE = (
    "{%- for message in messages -%}"
    "{{- '<|' + message['role'] + '|>' + message['content'] -}}"
    "{%- if message['role'] == 'assistant' -%}{{- '<|end|>' -}}{%- endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- endif -%}"
)
_SHIPPED_TEMPLATE: dict[ChatTemplate, str] = {"qwen2.5": "qwen2_5.jinja", "r1-distill": "deepseek_r1_distill.jinja"}

# One word, one token: a clue number `(2)`, a step number `#4`, a seat `S1`, a name. A Chinese character stands alone
# (a run of them has no word borders), numbers never join punctuation, and a space belongs to what follows it.
_WORDS = r" ?\([0-9]+\)| ?#[0-9]+| ?\p{Han}| ?[\p{L}&&[^\p{Han}]]+[0-9]*| ?[0-9]+| ?[^\s\p{L}0-9]|\s+(?!\S)|\s"
# AutoTokenizer gives a model of type qwen2 the splitting and the NFC form of Qwen's own tokenizer, whatever its
# tokenizer.json says, so that is what its vocabulary must be trained on. It glues a bracket to the name that follows.
_SPLIT: dict[Arch, str] = {"llama": _WORDS, "qwen2": PRETOKENIZE_REGEX}
# What varies from item to item stands alone: a name, a name at its seat, a step number; whatever stands between two of
# them may become one token (" is left of "). Sequences get about a third shorter, which on a processor is time, and who
# sits where is one look back, not two.
_PHRASES = r"(?:\p{Lu}\p{Ll}+|\?)@[A-Z0-9]+|\p{Lu}\p{Ll}+|#[0-9]+"


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
    chat_template: ChatTemplate = "minimal",
    max_positions: int = 4096,
    pieces: Pieces = "words",
    initializer_range: float = 0.02,
) -> int:
    """Write a model and its tokenizer into the folder ``output`` and return its number of parameters.

    Args:
        arch: the class of the model, :class:`Qwen2ForCausalLM` or :class:`LlamaForCausalLM`.
        texts: what the byte-level BPE tokenizer is trained on.
        hidden: width, a multiple of ``2 * heads``; the feed-forward layers are four times as wide.
        vocab: the most tokens that the vocabulary may have, the 256 bytes and the special tokens included.
        seed: of the weights; the same arguments give the same files.
        chat_template: ``minimal`` is ``<|user|>text<|assistant|>``; the others are those of the model families.
        pieces: what may become one token: ``words``, or ``phrases`` between names (with a capital), steps and seats.
        initializer_range: standard deviation of the random weights. At a width of 128 the usual 0.02 costs hundreds of
            steps before anything is learned; 0.08 does not.

    Raises:
        UserError: no text, an ``output`` that is a file, a width that the heads do not divide, a vocabulary too small
            for the bytes, or ``phrases`` with ``qwen2``, whose tokenizer class splits words in its own way.
    """
    if pieces == "phrases" and arch == "qwen2":
        raise UserError("pieces: 'phrases' needs the architecture llama; qwen2 always splits as Qwen's tokenizer does")
    if hidden < 1 or heads < 1 or hidden % (2 * heads):
        raise UserError(f"hidden: {hidden} must be a multiple of twice the number of heads ({heads})")
    if layers < 1:
        raise UserError(f"layers: {layers} must be at least 1")
    _check_folder(Path(output))
    split = _PHRASES if pieces == "phrases" else _SPLIT[arch]
    tokenizer = _train_tokenizer(arch, split, texts, vocab, chat_template, max_positions)
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
        # Qwen2 always has these biases; with rotary positions they are what lets a head look at a place, not a content.
        **({"attention_bias": True} if arch == "llama" else {}),
    }
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = Qwen2ForCausalLM(Qwen2Config(**shape)) if arch == "qwen2" else LlamaForCausalLM(LlamaConfig(**shape))
    Path(output).mkdir(parents=True, exist_ok=True)
    model.save_pretrained(output)
    tokenizer.save_pretrained(output)
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


def _check_folder(output: Path) -> None:
    there = next((path for path in (output, *output.parents) if path.exists()), output)
    if there.exists() and not there.is_dir():
        raise UserError(f"{output}: a folder was expected, {'this' if there == output else there} is a file")


def _train_tokenizer(
    arch: Arch, split: str, texts: Iterable[str], vocab: int, chat_template: ChatTemplate, max_positions: int
) -> PreTrainedTokenizerFast:
    special = _SPECIAL[chat_template]
    controls = [token for token in (_PAD, special.eos, special.bos, *special.roles) if token]
    smallest = 256 + len(controls) + len(special.marks)
    if vocab < smallest:
        raise UserError(f"vocab: {vocab} is too small; bytes and special tokens take {smallest}")
    tokenizer = Tokenizer(models.BPE())
    if arch == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(split), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab - len(special.marks),
        special_tokens=controls,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    seen = 0

    def counted() -> Iterator[str]:
        nonlocal seen
        for text in texts:
            seen += 1
            yield text

    tokenizer.train_from_iterator(counted(), trainer)
    if not seen:
        raise UserError("no text to train a tokenizer on")
    tokenizer.add_tokens([AddedToken(mark, special=False, normalized=False) for mark in special.marks])
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=special.bos,
        eos_token=special.eos,
        pad_token=_PAD,
        extra_special_tokens=list(special.roles),
        model_max_length=max_positions,
        clean_up_tokenization_spaces=False,
    )
    wrapped.chat_template = _template(chat_template)
    return wrapped


def _template(name: ChatTemplate) -> str:
    if name == "minimal":
        return _MINIMAL_TEMPLATE
    return (importlib.resources.files("trl") / "chat_templates" / _SHIPPED_TEMPLATE[name]).read_text("utf-8")
