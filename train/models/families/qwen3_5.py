"""Qwen3.5: three layers of four have linear attention (gated delta rule). The text model alone, and with pictures."""

from __future__ import annotations

from typing import Any

from transformers import (
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen3_5Config,
    Qwen3_5ForCausalLM,
    Qwen3_5ForConditionalGeneration,
    Qwen3_5Model,
    Qwen3_5TextConfig,
)

from train.models.chat_templates import QWEN3_5 as TEMPLATE
from train.models.chat_templates import QWEN3_5_TEXT as TEXT_TEMPLATE
from train.models.families.model_family import ModelFamily, Part, decoder
from train.models.families.packing_needs import WITH_LINEAR_ATTENTION
from train.models.families.positions import Mrope
from train.models.families.qwen3_vl import VISION, even_out_patches, picture_tokens, small_processor, small_tower

_LINEAR = ("linear_attn.in_proj_qkv", "linear_attn.in_proj_z", "linear_attn.out_proj")


def _text(shape: dict[str, Any]) -> dict[str, Any]:
    """The keys of the text config. As published, every fourth layer attends, and so does the last one here."""
    head_dim = shape["hidden_size"] // shape["num_attention_heads"]
    turning = head_dim // 2 // 2 * 2  # half of a head turns with position, where a quarter does in the published model
    layers = shape["num_hidden_layers"]
    return {
        **shape,
        "head_dim": head_dim,
        "layer_types": [
            "full_attention" if n % 4 == 0 or n == layers else "linear_attention" for n in range(1, 1 + layers)
        ],
        "linear_num_key_heads": shape["num_attention_heads"],
        "linear_num_value_heads": shape["num_attention_heads"],
        "linear_key_head_dim": head_dim,
        "linear_value_head_dim": head_dim,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10_000.0,
            "partial_rotary_factor": turning / head_dim,
            "mrope_section": [turning // 2 - 2 * (turning // 6), turning // 6, turning // 6],
            "mrope_interleaved": True,
        },
    }


def small_qwen3_5_text(shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, Any]:
    """The text model of a Qwen3.5 of ``shape``."""
    return Qwen3_5ForCausalLM(Qwen3_5TextConfig(**_text(shape))), tokenizer


def small_qwen3_5(shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, Any]:
    """A Qwen3.5 whose language model has ``shape``, and its processor; its vision tower is a small Qwen3-VL's."""
    config = Qwen3_5Config(
        text_config=_text(shape),
        vision_config=small_tower(shape),
        **picture_tokens(tokenizer),
        tie_word_embeddings=shape["tie_word_embeddings"],
    )
    model = Qwen3_5ForConditionalGeneration(config)
    even_out_patches(model)
    return model, small_processor(tokenizer)


QWEN3_5_TEXT = ModelFamily(
    model_type="qwen3_5_text",
    auto_class=AutoModelForCausalLM,
    parts={"language": decoder("model", _LINEAR)},
    blocks=("Qwen3_5DecoderLayer",),
    chat_template=TEXT_TEMPLATE,
    small_model=small_qwen3_5_text,
    tokenizer_splits_as_qwen=True,
    packing=WITH_LINEAR_ATTENTION,
    liger=False,
)
QWEN3_5 = ModelFamily(
    model_type="qwen3_5",
    auto_class=AutoModelForImageTextToText,
    parts={
        "vision": VISION,
        "projector": Part(modules=("model.visual.merger",), layers=(), targets=("linear_fc1", "linear_fc2")),
        "language": decoder("model.language_model", _LINEAR),
    },
    blocks=("Qwen3_5DecoderLayer", "Qwen3_5VisionBlock"),
    chat_template=TEMPLATE,
    small_model=small_qwen3_5,
    tokenizer_splits_as_qwen=True,
    positions=Mrope(Qwen3_5Model),
    packing=WITH_LINEAR_ATTENTION,
    liger=False,
)
