"""Llama 3 and DeepSeek-R1-Distill-Llama."""

from __future__ import annotations

from typing import Any

from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, PreTrainedModel, PreTrainedTokenizerFast

from train.models.chat_templates import MINIMAL
from train.models.families.model_family import ModelFamily, decoder


def small_llama(shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, Any]:
    """A Llama with biases in attention, which Qwen2 always has: with rotary positions they let a head attend by
    position instead of content."""
    return LlamaForCausalLM(LlamaConfig(**shape, attention_bias=True)), tokenizer


LLAMA = ModelFamily(
    model_type="llama",
    auto_class=AutoModelForCausalLM,
    parts={"language": decoder("model")},
    blocks=("LlamaDecoderLayer",),
    chat_template=MINIMAL,
    small_model=small_llama,
)
