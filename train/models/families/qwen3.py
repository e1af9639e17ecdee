"""Qwen3."""

from __future__ import annotations

from typing import Any

from transformers import AutoModelForCausalLM, PreTrainedModel, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from train.models.chat_templates import QWEN3 as TEMPLATE
from train.models.families.model_family import ModelFamily, decoder


def small_qwen3(shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, Any]:
    """A Qwen3 of ``shape``."""
    head_dim = shape["hidden_size"] // shape["num_attention_heads"]
    return Qwen3ForCausalLM(Qwen3Config(**shape, head_dim=head_dim)), tokenizer


QWEN3 = ModelFamily(
    model_type="qwen3",
    auto_class=AutoModelForCausalLM,
    parts={"language": decoder("model")},
    blocks=("Qwen3DecoderLayer",),
    chat_template=TEMPLATE,
    small_model=small_qwen3,
    tokenizer_splits_as_qwen=True,
)
