"""InternVL3 and InternVL3.5 in the form that transformers reads natively (folders named ``...-hf``)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from transformers import (
    AutoModelForImageTextToText,
    InternVLConfig,
    InternVLForConditionalGeneration,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from train.models.chat_templates import INTERNVL as TEMPLATE
from train.models.families.model_family import ModelFamily, Part, decoder

_LAYERS = 2
_PATCH = 14  # pixels a side
_MERGE = 2  # patches a side that become one token
_TILE = 56  # pixels a side of a tile, which is 4 x 4 patches, or 4 tokens
_MOST_TILES = 6  # of a picture, and one more that shows the whole


def small_internvl(
    shape: dict[str, Any], tokenizer: PreTrainedTokenizerFast, language_model: str = "qwen2"
) -> tuple[PreTrainedModel, Any]:
    """An InternVL whose ``language_model`` is a Qwen2 or Qwen3 of ``shape``, and its processor.

    The vision tower is as wide as the language model and has two layers. The output head is not tied to the embeddings,
    as in the published models of 8 billion parameters.
    """
    # These need torchvision, which text models do without.
    from transformers import InternVLProcessor
    from transformers.models.got_ocr2.image_processing_got_ocr2 import GotOcr2ImageProcessor
    from transformers.models.internvl.video_processing_internvl import InternVLVideoProcessor

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
        text_config={
            **shape,
            "model_type": language_model,
            "head_dim": shape["hidden_size"] // shape["num_attention_heads"],
            "tie_word_embeddings": False,
        },
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


INTERNVL = ModelFamily(
    model_type="internvl",
    auto_class=AutoModelForImageTextToText,
    parts={
        "vision": Part(
            modules=("model.vision_tower",),
            layers=("model.vision_tower.encoder.layer",),
            targets=(
                *(f"attention.{name}" for name in ("q_proj", "k_proj", "v_proj", "projection_layer")),
                "mlp.fc1",
                "mlp.fc2",
            ),
        ),
        "projector": Part(modules=("model.multi_modal_projector",), layers=(), targets=("linear_1", "linear_2")),
        "language": decoder("model.language_model"),
    },
    blocks=("Qwen2DecoderLayer", "InternVLVisionLayer"),
    chat_template=TEMPLATE,
    small_model=small_internvl,
    tokenizer_splits_as_qwen=True,
    language_model_type="qwen2",
)

INTERNVL3_5 = replace(
    INTERNVL,
    name="internvl3_5",
    blocks=("Qwen3DecoderLayer", "InternVLVisionLayer"),
    small_model=partial(small_internvl, language_model="qwen3"),
    language_model_type="qwen3",
)
