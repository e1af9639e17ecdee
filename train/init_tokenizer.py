"""A byte-level BPE tokenizer of its own for a new model: trained on texts, with the chat template of a model family."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast
from transformers.models.qwen2.tokenization_qwen2 import PRETOKENIZE_REGEX

from srt.errors import UserError

ChatTemplate = Literal["minimal", "qwen2.5", "r1-distill", "llama3", "qwen2.5-vl", "internvl"]
Pieces = Literal["words", "phrases"]
Splitting = Literal["words", "phrases", "qwen"]


class _Special(NamedTuple):
    """The tokens that a chat template writes. ``marks`` are added tokens that stay visible in decoded text.

    ``named`` are those that a processor asks the tokenizer for by name.
    """

    eos: str
    bos: str | None
    roles: tuple[str, ...]
    marks: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()


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
    "llama3": _Special("<|eot_id|>", "<|begin_of_text|>", ("<|start_header_id|>", "<|end_header_id|>")),
    "qwen2.5-vl": _Special(
        "<|im_end|>",
        None,
        ("<|im_start|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
    ),
    "internvl": _Special(
        "<|im_end|>",
        None,
        ("<|im_start|>",),
        named=(
            ("start_image_token", "<img>"),
            ("end_image_token", "</img>"),
            ("context_image_token", "<IMG_CONTEXT>"),
            ("video_token", "<video>"),
        ),
    ),
}
_MINIMAL_TEMPLATE = (
    "{%- for message in messages -%}"
    "{{- '<|' + message['role'] + '|>' + message['content'] -}}"
    "{%- if message['role'] == 'assistant' -%}{{- '<|end|>' -}}{%- endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- endif -%}"
)
# TRL ships none. As the models published for transformers have it: each picture on a line of its own, no system turn.
_INTERNVL_TEMPLATE = (
    "{%- for message in messages -%}"
    "{{- '<|im_start|>' + message['role'] + '\n' -}}"
    "{%- if message['content'] is string -%}{{- message['content'] -}}"
    "{%- else -%}"
    "{%- for part in message['content'] -%}"
    "{%- if part['type'] == 'image' -%}{{- '<IMG_CONTEXT>\n' -}}"
    "{%- elif part['type'] == 'text' -%}{{- part['text'] -}}{%- endif -%}"
    "{%- endfor -%}"
    "{%- endif -%}"
    "{{- '<|im_end|>\n' -}}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}"
)
_OURS: dict[ChatTemplate, str] = {"minimal": _MINIMAL_TEMPLATE, "internvl": _INTERNVL_TEMPLATE}
_SHIPPED_WITH_TRL: dict[ChatTemplate, str] = {
    "qwen2.5": "qwen2_5.jinja",
    "r1-distill": "deepseek_r1_distill.jinja",
    "llama3": "llama3.jinja",
    "qwen2.5-vl": "qwen2_5_vl.jinja",
}

# One word, one token: a clue number `(2)`, a step number `#4`, a seat `S1`, a name. A Chinese character stands alone
# (a run of them has no word borders), numbers never join punctuation, and a space belongs to what follows it.
_WORDS = r" ?\([0-9]+\)| ?#[0-9]+| ?\p{Han}| ?[\p{L}&&[^\p{Han}]]+[0-9]*| ?[0-9]+| ?[^\s\p{L}0-9]|\s+(?!\S)|\s"
# What varies from item to item stands alone: a name, a name at its seat, a step number; whatever stands between two of
# them may become one token (" is left of "). Sequences get about a third shorter, which on a processor is time, and who
# sits where is one look back, not two.
_PHRASES = r"(?:\p{Lu}\p{Ll}+|\?)@[A-Z0-9]+|\p{Lu}\p{Ll}+|#[0-9]+"
# AutoTokenizer gives a model of Qwen's types the splitting and the NFC form of Qwen's own tokenizer, whatever its
# tokenizer.json says, so that is what its vocabulary must be trained on. It glues a bracket to the name that follows.
_SPLIT: dict[Splitting, str] = {"words": _WORDS, "phrases": _PHRASES, "qwen": PRETOKENIZE_REGEX}


def train_tokenizer(
    splitting: Splitting, texts: Iterable[str], vocab: int, chat_template: ChatTemplate, max_positions: int
) -> PreTrainedTokenizerFast:
    """A tokenizer whose vocabulary was learned from ``texts`` and has at most ``vocab`` tokens, all special ones in it.

    Raises:
        UserError: no text, or a vocabulary too small for the bytes and the special tokens.
    """
    special = _SPECIAL[chat_template]
    named = [token for _, token in special.named]
    controls = [token for token in (_PAD, special.eos, special.bos, *special.roles, *named) if token]
    smallest = 256 + len(controls) + len(special.marks)
    if vocab < smallest:
        raise UserError(f"vocab: {vocab} is too small; bytes and special tokens take {smallest}")
    tokenizer = Tokenizer(models.BPE())
    if splitting == "qwen":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_SPLIT[splitting]), behavior="isolated"),
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
        model_specific_special_tokens=dict(special.named),
        model_max_length=max_positions,
        clean_up_tokenization_spaces=False,
    )
    wrapped.chat_template = _template(chat_template)
    return wrapped


def _template(name: ChatTemplate) -> str:
    if name in _OURS:
        return _OURS[name]
    return (importlib.resources.files("trl") / "chat_templates" / _SHIPPED_WITH_TRL[name]).read_text("utf-8")
