"""The published shapes of the models that are measured, and tiny ones of the same classes for a CPU.

The values are those of ``config.json`` in the model repositories ``Qwen/Qwen2.5-7B``, ``Qwen/Qwen2.5-VL-7B-Instruct``
and ``Qwen/Qwen2.5-VL-3B-Instruct``. Special token ids are not among them: they come from the tokenizer that is trained
on the spot.
"""

from __future__ import annotations

from typing import Any, Literal

Model = Literal["qwen2.5-7b", "qwen2.5-vl-7b", "qwen2.5-vl-3b"]

_LANGUAGE_7B: dict[str, Any] = {
    "hidden_size": 3584,
    "intermediate_size": 18944,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "vocab_size": 152064,
    "tie_word_embeddings": False,
}
_LANGUAGE_3B: dict[str, Any] = {
    "hidden_size": 2048,
    "intermediate_size": 11008,
    "num_hidden_layers": 36,
    "num_attention_heads": 16,
    "num_key_value_heads": 2,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
}
_LANGUAGE_TINY: dict[str, Any] = {
    "hidden_size": 48,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1100,
}
_COMMON: dict[str, Any] = {"hidden_act": "silu", "rms_norm_eps": 1e-6, "initializer_range": 0.02, "dtype": "bfloat16"}
_ROPE: dict[str, Any] = {"rope_type": "default", "rope_theta": 1_000_000.0}
_VISION: dict[str, Any] = {
    "depth": 32,
    "hidden_size": 1280,
    "intermediate_size": 3420,
    "num_heads": 16,
    "in_channels": 3,
    "patch_size": 14,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
    "tokens_per_second": 2,
    "window_size": 112,
    "fullatt_block_indexes": [7, 15, 23, 31],
}
_VISION_TINY: dict[str, Any] = {
    **_VISION,
    "depth": 2,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_heads": 2,
    "fullatt_block_indexes": [1],
}


def shape_of(model: Model, tiny: bool) -> dict[str, Any]:
    """The keyword arguments of the config class: ``Qwen2Config``, or ``Qwen2_5_VLConfig`` for a vision model.

    A tiny shape differs in its sizes alone: grouped keys and values, tied embeddings and the window of the vision tower
    stay as in the published model.
    """
    language = {"qwen2.5-7b": _LANGUAGE_7B, "qwen2.5-vl-7b": _LANGUAGE_7B, "qwen2.5-vl-3b": _LANGUAGE_3B}[model]
    if tiny:
        language = language | _LANGUAGE_TINY
    if model == "qwen2.5-7b":
        return {**_COMMON, **language, "max_position_embeddings": 131072, "rope_parameters": _ROPE}
    # Three parts of a head's rotary pairs for time, height and width: 16 + 24 + 24 = 64 pairs of a head of 128.
    pairs = language["hidden_size"] // language["num_attention_heads"] // 2
    sections = [pairs - 2 * (pairs * 3 // 8), pairs * 3 // 8, pairs * 3 // 8]
    tied = language["tie_word_embeddings"]
    text = {name: value for name, value in language.items() if name != "tie_word_embeddings"}
    return {
        "text_config": {
            **_COMMON,
            **text,
            "max_position_embeddings": 128000,
            "rope_parameters": {**_ROPE, "mrope_section": sections},
        },
        "vision_config": {**(_VISION_TINY if tiny else _VISION), "out_hidden_size": language["hidden_size"]},
        "tie_word_embeddings": tied,
        "dtype": "bfloat16",
    }
