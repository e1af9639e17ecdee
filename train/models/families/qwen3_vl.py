"""Qwen3-VL."""

from __future__ import annotations

from typing import Any

from transformers import (
    AutoModelForImageTextToText,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLModel,
)

from train.models.chat_templates import QWEN3_VL as TEMPLATE
from train.models.families.model_family import ModelFamily, Part, decoder
from train.models.families.positions import Mrope

_LAYERS = 2
_PATCH = 16  # pixels a side
_MERGE = 2  # patches a side that become one token
_MOST_TOKENS = 64  # of a picture


def small_qwen3_vl(shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, Any]:
    """A Qwen3-VL whose language model has ``shape``, and its processor.

    The vision tower is as wide as the language model and has two layers, the first of which also feeds the first layer
    of the language model (deepstack). A patch is 16 pixels a side, as in the published model; a picture takes at most
    64 tokens.
    """
    half = shape["hidden_size"] // shape["num_attention_heads"] // 2
    # The frequencies are dealt in turn to time, height and width.
    sections = [half - 2 * (half // 3), half // 3, half // 3]
    positions = {"rope_type": "default", "rope_theta": 100.0, "mrope_section": sections, "mrope_interleaved": True}
    config = Qwen3VLConfig(
        text_config={**shape, "head_dim": 2 * half, "rope_parameters": positions},
        vision_config={**small_tower(shape), "deepstack_visual_indexes": [0]},
        **picture_tokens(tokenizer),
        tie_word_embeddings=shape["tie_word_embeddings"],
    )
    model = Qwen3VLForConditionalGeneration(config)
    even_out_patches(model)
    return model, small_processor(tokenizer)


def small_tower(shape: dict[str, Any]) -> dict[str, Any]:
    """The config of a small vision tower of Qwen3-VL or Qwen3.5, as wide as the language model of ``shape``."""
    return {
        "depth": _LAYERS,
        "hidden_size": shape["hidden_size"],
        "intermediate_size": 2 * shape["hidden_size"],
        "num_heads": shape["num_attention_heads"],
        "patch_size": _PATCH,
        "spatial_merge_size": _MERGE,
        "out_hidden_size": shape["hidden_size"],
        "num_position_embeddings": 64,
        "initializer_range": shape["initializer_range"],
    }


def picture_tokens(tokenizer: PreTrainedTokenizerFast) -> dict[str, int]:
    """The keys of a config that name the tokens of pictures and videos."""
    names = {"image_token_id": "image_pad", "video_token_id": "video_pad"}
    names |= {f"vision_{at}_token_id": f"vision_{at}" for at in ("start", "end")}
    return {key: int(tokenizer.convert_tokens_to_ids(f"<|{name}|>")) for key, name in names.items()}


def even_out_patches(model: Any) -> None:
    """Make patches weigh what words do: one has far more values than the model is wide."""
    patches = model.model.visual.patch_embed.proj.weight
    patches.data.mul_((patches.size(0) / patches[0].numel()) ** 0.5)


def small_processor(tokenizer: PreTrainedTokenizerFast) -> Any:
    """The processor of a small model."""
    # These need torchvision, which text models do without.
    from transformers import Qwen3VLProcessor, Qwen3VLVideoProcessor
    from transformers.models.qwen2_vl.image_processing_qwen2_vl import Qwen2VLImageProcessor

    token_area = (_PATCH * _MERGE) ** 2
    pictures = Qwen2VLImageProcessor(
        patch_size=_PATCH, merge_size=_MERGE, min_pixels=token_area, max_pixels=_MOST_TOKENS * token_area
    )
    return Qwen3VLProcessor(
        image_processor=pictures,
        tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(patch_size=_PATCH, merge_size=_MERGE),
        chat_template=tokenizer.chat_template,
    )


VISION = Part(
    modules=("model.visual",),
    layers=("model.visual.blocks",),
    targets=("attn.qkv", "attn.proj", "mlp.linear_fc1", "mlp.linear_fc2"),
)
"""The vision tower of Qwen3-VL and Qwen3.5."""

QWEN3_VL = ModelFamily(
    model_type="qwen3_vl",
    auto_class=AutoModelForImageTextToText,
    parts={
        "vision": VISION,
        "projector": Part(
            modules=("model.visual.merger", "model.visual.deepstack_merger_list"),
            layers=(),
            targets=("linear_fc1", "linear_fc2"),
        ),
        "language": decoder("model.language_model"),
    },
    blocks=("Qwen3VLTextDecoderLayer", "Qwen3VLVisionBlock"),
    chat_template=TEMPLATE,
    small_model=small_qwen3_vl,
    tokenizer_splits_as_qwen=True,
    positions=Mrope(Qwen3VLModel),
)
