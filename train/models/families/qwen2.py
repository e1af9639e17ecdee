"""Qwen2.5 and DeepSeek-R1-Distill-Qwen."""

from __future__ import annotations

from typing import Any

from transformers import AutoModelForCausalLM, PreTrainedModel, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from train.models.chat_templates import MINIMAL
from train.models.families.model_family import ModelFamily, decoder


def small_qwen2(shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, Any]:
    """A Qwen2 of ``shape``."""
    return Qwen2ForCausalLM(Qwen2Config(**shape)), tokenizer


QWEN2 = ModelFamily(
    model_type="qwen2",
    auto_class=AutoModelForCausalLM,
    parts={"language": decoder("model")},
    blocks=("Qwen2DecoderLayer",),
    chat_template=MINIMAL,
    small_model=small_qwen2,
    tokenizer_splits_as_qwen=True,
)
