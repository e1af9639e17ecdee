"""The text model of Gemma 4: most layers attend within a window, and each layer has embeddings of its own."""

from __future__ import annotations

from typing import Any

from transformers import (
    AutoModelForCausalLM,
    Gemma4ForCausalLM,
    Gemma4TextConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from train.models.chat_templates import GEMMA4 as TEMPLATE
from train.models.families.model_family import ModelFamily, decoder

_WINDOW = 32  # tokens


def small_gemma4_text(shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, Any]:
    """A text model of ``shape``. Its last layer attends to everything, and the others within a window of 32 tokens."""
    layers, head_dim = shape["num_hidden_layers"], shape["hidden_size"] // shape["num_attention_heads"]
    config = Gemma4TextConfig(
        **shape,
        head_dim=head_dim,
        global_head_dim=2 * head_dim,
        layer_types=["sliding_attention"] * (layers - 1) + ["full_attention"],
        sliding_window=_WINDOW,
        hidden_size_per_layer_input=head_dim,
        vocab_size_per_layer_input=shape["vocab_size"],
    )
    return Gemma4ForCausalLM(config), tokenizer


GEMMA4_TEXT = ModelFamily(
    model_type="gemma4_text",
    auto_class=AutoModelForCausalLM,
    parts={"language": decoder("model")},
    blocks=("Gemma4TextDecoderLayer",),
    chat_template=TEMPLATE,
    small_model=small_gemma4_text,
    liger=False,
)
