"""The operations of a step against what PyTorch counts in one, and against the round figures that people quote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoModelForCausalLM, Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration, Qwen2Config

from train.models.flops import FlopCount, count_flops, peak_flops
from train.models.load_model import load_model
from train.recipe import Recipe

QWEN2_5_7B = Qwen2Config(
    hidden_size=3584,
    intermediate_size=18944,
    num_hidden_layers=28,
    num_attention_heads=28,
    num_key_value_heads=4,
    vocab_size=152064,
    tie_word_embeddings=False,
)


@pytest.mark.parametrize("lora", [None, {"r": 4, "targets": ["q_proj", "down_proj"]}])
def test_it_is_what_pytorch_counts(lora: dict[str, Any] | None, recipe: Callable[..., Recipe]) -> None:
    model: Any = load_model(recipe(lora=lora))
    if lora:
        model.enable_input_require_grads()  # else the first layer is spared the gradient of its input
    length = 48
    ids = torch.arange(length)[None]
    with FlopCounterMode(display=False) as counter:
        model(input_ids=ids, use_cache=False).logits.sum().backward()
    count = count_flops(model)
    # Eager attention computes all pairs, half of which no causal model needs, and this head sees all places.
    whole = count._replace(pair=2 * count.pair)
    assert whole.of(length, length, 0) == pytest.approx(counter.get_total_flops(), rel=1e-3)


def test_full_is_six_and_lora_four_operations_a_parameter() -> None:
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(QWEN2_5_7B)
    count = count_flops(model)
    matrices = model.num_parameters() - model.get_input_embeddings().weight.numel()
    assert count.token + count.predicted == pytest.approx(6 * matrices, rel=1e-3)
    model.requires_grad_(False)
    model.model.layers[0].mlp.up_proj.weight.requires_grad = True
    frozen = count_flops(model)
    assert frozen.token + frozen.predicted == pytest.approx(4 * matrices, rel=5e-3)
    # PaLM's 12 x layers x width x length for a token, of which causal attention needs half.
    assert count.pair * 4096 == pytest.approx(12 * 28 * 3584 * 4096 / 2)


def test_a_frozen_tower_is_gone_through_once() -> None:
    config = Qwen2_5_VLConfig(
        text_config={"hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64},
        vision_config={"hidden_size": 64, "depth": 2, "num_heads": 2, "intermediate_size": 64, "out_hidden_size": 64},
    )
    with torch.device("meta"):
        model: Any = Qwen2_5_VLForConditionalGeneration(config)
    trained = count_flops(model).picture_token
    assert trained > 0
    model.model.visual.requires_grad_(False)
    assert count_flops(model).picture_token == pytest.approx(trained / 3)
    language = count_flops(model)
    model.model.visual.merger.requires_grad_(True)
    projector = count_flops(model)
    assert trained / 3 < projector.picture_token < trained
    assert projector.token == language.token


def test_quantised_weights_count_as_what_they_stand_for(recipe: Callable[..., Recipe]) -> None:
    path = recipe().model.path
    plain = count_flops(load_model(recipe(lora={"r": 4})))
    packed = count_flops(load_model(recipe(lora={"r": 4}, model={"path": path, "quantize": "nf4"})))
    assert packed == plain


def test_of() -> None:
    assert FlopCount(token=100, predicted=10, pair=1, picture_token=1000).of(7, 3, 2) == 700 + 30 + 49 + 2000


@pytest.mark.parametrize(
    ("name", "teraflops"),
    [
        ("NVIDIA H100 80GB HBM3", 989),
        ("NVIDIA H100 PCIe", 756),
        ("NVIDIA H200", 989),
        ("NVIDIA A100-SXM4-80GB", 312),
        ("NVIDIA L40S", 362),
        ("NVIDIA GeForce RTX 4090", 165.2),
        ("Tesla T4", None),
    ],
)
def test_peaks(name: str, teraflops: float | None) -> None:
    assert peak_flops(name) == (None if teraflops is None else teraflops * 1e12)
