"""Small vision-language models of real architectures: random weights, and the processor that opens their pictures.

Each vision tower is as wide as the language model and two layers deep; a patch is 14 pixels a side, and 2 x 2 patches
become one token, as in the real models. A picture takes at most 64 tokens of Qwen2.5-VL, and 4 for each tile of
InternVL.
"""

from __future__ import annotations

from typing import Any

from transformers import (
    InternVLConfig,
    InternVLForConditionalGeneration,
    InternVLProcessor,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    ProcessorMixin,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2_5_VLProcessor,
)
from transformers.models.got_ocr2.image_processing_got_ocr2 import GotOcr2ImageProcessor
from transformers.models.internvl.video_processing_internvl import InternVLVideoProcessor
from transformers.models.qwen2_vl.image_processing_qwen2_vl import Qwen2VLImageProcessor
from transformers.models.qwen2_vl.video_processing_qwen2_vl import Qwen2VLVideoProcessor

_PATCH = 14  # pixels a side
_MERGE = 2  # patches a side of what becomes one token
_LAYERS = 2
_MOST_TOKENS = 64  # of a picture of Qwen2.5-VL
_TILE = 56  # pixels a side of a tile of InternVL, which is 4 x 4 patches, or 4 tokens
_MOST_TILES = 6  # of a picture, and one more that shows the whole


def qwen2_5_vl(shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, ProcessorMixin]:
    """A Qwen2.5-VL whose language model has ``shape`` (keys of a Qwen2 config), and its processor.

    One layer of its vision tower looks at windows of 4 x 4 patches and one at the whole picture: the real one has both.
    """
    half = shape["hidden_size"] // shape["num_attention_heads"] // 2
    side = 3 * half // 8  # of a head's frequencies, two eighths turn with time, three with height, three with width
    positions = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [half - 2 * side, side, side]}
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
        tie_word_embeddings=True,
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
    return Qwen2_5_VLForConditionalGeneration(config), processor


def internvl(shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast) -> tuple[PreTrainedModel, ProcessorMixin]:
    """An InternVL3 whose language model is a Qwen2 of ``shape``, and its processor.

    Its output head is a matrix of its own, as in the published model of 8 billion parameters.
    """
    vision = {
        "hidden_size": shape["hidden_size"],
        "num_hidden_layers": _LAYERS,
        "num_attention_heads": shape["num_attention_heads"],
        "intermediate_size": 2 * shape["hidden_size"],
        "attention_bias": True,
        "image_size": _TILE,
        "patch_size": _PATCH,
        "initializer_range": shape["initializer_range"],
    }
    tokens_of_tile = (_TILE // _PATCH // _MERGE) ** 2
    config = InternVLConfig(
        text_config={**shape, "model_type": "qwen2", "tie_word_embeddings": False},
        vision_config=vision,
        tie_word_embeddings=False,
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=tokens_of_tile,
        downsample_ratio=1 / _MERGE,
    )
    normal = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}  # of ImageNet
    size = {"height": _TILE, "width": _TILE}
    processor = InternVLProcessor(
        image_processor=GotOcr2ImageProcessor(size=size, max_patches=_MOST_TILES, **normal),
        tokenizer=tokenizer,
        video_processor=InternVLVideoProcessor(size=size, **normal),
        image_seq_length=tokens_of_tile,
        chat_template=tokenizer.chat_template,
    )
    return InternVLForConditionalGeneration(config), processor
