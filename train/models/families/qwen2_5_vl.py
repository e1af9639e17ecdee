"""Qwen2.5-VL."""

from __future__ import annotations

from typing import Any

from transformers import (
    AutoModelForImageTextToText,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLModel,
)

from train.models.chat_templates import QWEN2_5_VL as TEMPLATE
from train.models.families.model_family import ModelFamily, Part, decoder
from train.models.families.positions import Mrope

_LAYERS = 2
_PATCH = 14  # pixels a side
_MERGE = 2  # patches a side that become one token
_MOST_TOKENS = 64  # of a picture


def small_qwen2_5_vl(shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, Any]:
    """A Qwen2.5-VL whose language model has ``shape`` (keys of a Qwen2 config), and its processor.

    The vision tower is as wide as the language model. One of its two layers attends within windows of 4 x 4 patches
    and one to the whole picture: the published model has both. A patch is 14 pixels a side, and 2 x 2 patches become
    one token, as in the published model. A picture takes at most 64 tokens.
    """
    # These need torchvision, which text models do without.
    from transformers import Qwen2_5_VLProcessor
    from transformers.models.qwen2_vl.image_processing_qwen2_vl import Qwen2VLImageProcessor
    from transformers.models.qwen2_vl.video_processing_qwen2_vl import Qwen2VLVideoProcessor

    half = shape["hidden_size"] // shape["num_attention_heads"] // 2
    # The published model gives width the lowest frequencies, in which neighbours hardly differ. A short training needs
    # more: here one turns with time (pictures do not move), the next quarter with height, the rest with width. Words
    # turn with all of them. The base is low, so that neighbours differ in width, too.
    sections = [1, half // 4, half - half // 4 - 1]
    positions = {"rope_type": "default", "rope_theta": 100.0, "mrope_section": sections}
    vision = {
        "depth": _LAYERS,
        "hidden_size": shape["hidden_size"],
        "intermediate_size": 2 * shape["hidden_size"],
        "num_heads": shape["num_attention_heads"],
        "patch_size": _PATCH,
        "spatial_merge_size": _MERGE,
        "window_size": 4 * _PATCH,
        "fullatt_block_indexes": [_LAYERS - 1],
        "out_hidden_size": shape["hidden_size"],
        "initializer_range": shape["initializer_range"],
    }
    config = Qwen2_5_VLConfig(
        text_config={**shape, "rope_parameters": positions},
        vision_config=vision,
        tie_word_embeddings=shape["tie_word_embeddings"],
        image_token_id=tokenizer.convert_tokens_to_ids("<|image_pad|>"),
        video_token_id=tokenizer.convert_tokens_to_ids("<|video_pad|>"),
        vision_start_token_id=tokenizer.convert_tokens_to_ids("<|vision_start|>"),
        vision_end_token_id=tokenizer.convert_tokens_to_ids("<|vision_end|>"),
    )
    token_area = (_PATCH * _MERGE) ** 2
    pictures = Qwen2VLImageProcessor(
        patch_size=_PATCH, merge_size=_MERGE, min_pixels=token_area, max_pixels=_MOST_TOKENS * token_area
    )
    processor = Qwen2_5_VLProcessor(
        image_processor=pictures,
        tokenizer=tokenizer,
        video_processor=Qwen2VLVideoProcessor(patch_size=_PATCH, merge_size=_MERGE),
        chat_template=tokenizer.chat_template,
    )
    model = Qwen2_5_VLForConditionalGeneration(config)
    # A patch has far more values than the model is wide. With weights as large as the others, its tone would drown
    # where it lies for hundreds of steps.
    patches = model.model.visual.patch_embed.proj.weight
    patches.data.mul_((shape["hidden_size"] / patches[0].numel()) ** 0.5)
    # Otherwise pictures would be more than ten times as large as words, and attention could not add to them where they
    # lie.
    last = model.model.visual.merger.mlp[-1].weight
    last.data.mul_(last.shape[1] ** -0.5)
    return model, processor


QWEN2_5_VL = ModelFamily(
    model_type="qwen2_5_vl",
    auto_class=AutoModelForImageTextToText,
    parts={
        "vision": Part(
            modules=("model.visual",),
            layers=("model.visual.blocks",),
            targets=("attn.qkv", "attn.proj", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"),
        ),
        "projector": Part(modules=("model.visual.merger",), layers=(), targets=("mlp.0", "mlp.2")),
        "language": decoder("model.language_model"),
    },
    blocks=("Qwen2_5_VLDecoderLayer", "Qwen2_5_VLVisionBlock"),
    chat_template=TEMPLATE,
    small_model=small_qwen2_5_vl,
    tokenizer_splits_as_qwen=True,
    positions=Mrope(Qwen2_5_VLModel),
    windowed_vision=True,
)
