from __future__ import annotations

from collections.abc import Callable

import pytest
from transformers import LlamaConfig, PreTrainedConfig, Qwen2_5_VLConfig, Qwen2Config

import train.models.attention as attention
from srt.io.errors import UserError
from train.models.attention import AttentionChoice, Device, choose_attention, set_attention
from train.models.load_model import load_model
from train.models.packed_attention import FLEX, SEGMENTS, VARLEN, VISION_VARLEN
from train.recipe import Recipe

CPU, H100, T4 = Device(False), Device(True, (9, 0)), Device(True, (7, 5))
MakeRecipe = Callable[..., Recipe]


@pytest.fixture
def flash(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(attention, "is_flash_attn_2_available", lambda: request.param)


def choice(
    recipe: MakeRecipe,
    config: PreTrainedConfig,
    device: Device,
    dtype: str = "bfloat16",
    attn: str = "auto",
    **keys: int,
) -> AttentionChoice:
    made = recipe(model={"path": "model", "dtype": dtype, "attn": attn}, **keys)
    return choose_attention(made, config, device)


@pytest.mark.parametrize(
    ("flash", "device", "dtype", "packed", "expected"),
    [
        (False, CPU, "float32", False, "sdpa"),
        (False, CPU, "float32", True, SEGMENTS),
        (False, CPU, "bfloat16", True, SEGMENTS),
        (False, H100, "bfloat16", False, "sdpa"),
        (False, H100, "bfloat16", True, VARLEN),
        (True, H100, "bfloat16", False, "flash_attention_2"),
        (True, H100, "bfloat16", True, "flash_attention_2"),
        (True, H100, "float32", True, FLEX),
        (True, T4, "bfloat16", True, FLEX),
        (True, T4, "bfloat16", False, "sdpa"),
    ],
    indirect=["flash"],
)
def test_auto_takes_the_best_there_is(
    flash: None, recipe: MakeRecipe, device: Device, dtype: str, packed: bool, expected: str
) -> None:
    keys = {"pack": 4096} if packed else {}
    assert choice(recipe, LlamaConfig(), device, dtype, **keys).language == expected


@pytest.mark.parametrize(
    ("flash", "device", "config", "expected"),
    [
        (False, CPU, Qwen2_5_VLConfig(), "sdpa"),
        (False, H100, Qwen2_5_VLConfig(), VISION_VARLEN),
        (False, H100, LlamaConfig(), "sdpa"),
        (True, H100, Qwen2_5_VLConfig(), "flash_attention_2"),
    ],
    indirect=["flash"],
)
def test_the_vision_tower_does_not_call_sdpa_for_each_window_on_a_gpu(
    flash: None, recipe: MakeRecipe, device: Device, config: PreTrainedConfig, expected: str
) -> None:
    assert choice(recipe, config, device).vision == expected


@pytest.mark.parametrize("flash", [False], indirect=True)
@pytest.mark.parametrize(
    ("attn", "device", "dtype", "packed", "fault"),
    [
        ("varlen", H100, "bfloat16", False, "model.attn: varlen .*pack"),
        ("segments", CPU, "float32", False, "model.attn: segments .*pack"),
        ("varlen", CPU, "bfloat16", True, "model.attn: varlen .*GPU"),
        ("flex_attention", CPU, "float32", True, "model.attn: flex_attention .*GPU"),
        ("flash_attention_2", CPU, "bfloat16", False, "model.attn: flash_attention_2 .*GPU"),
        ("flash_attention_2", H100, "bfloat16", True, "model.attn: flash_attention_2 .*flash-attn"),
        ("flash_attention_3", CPU, "bfloat16", True, "model.attn: flash_attention_3 .*GPU"),
        ("flash_attention_3", H100, "bfloat16", True, "model.attn: flash_attention_3 .*flash-attn-3"),
        ("varlen", H100, "float32", True, "model.attn: varlen .*bfloat16"),
        ("varlen", T4, "bfloat16", True, "model.attn: varlen .*8.0"),
    ],
)
def test_what_cannot_be_is_said(
    flash: None, recipe: MakeRecipe, attn: str, device: Device, dtype: str, packed: bool, fault: str
) -> None:
    with pytest.raises(UserError, match=fault):
        choice(recipe, LlamaConfig(), device, dtype, attn, **({"pack": 4096} if packed else {}))


def test_flash_attention_3(recipe: MakeRecipe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "is_flash_attn_3_available", lambda: True)
    for keys in ({}, {"pack": 4096}):
        chosen = choice(recipe, Qwen2_5_VLConfig(), H100, attn="flash_attention_3", **keys)
        assert chosen == ("flash_attention_3", "flash_attention_3")
    for device, dtype in ((Device(True, (8, 0)), "bfloat16"), (H100, "float32")):
        with pytest.raises(UserError, match=r"model\.attn: flash_attention_3 .*(Hopper|bfloat16)"):
            choice(recipe, LlamaConfig(), device, dtype, "flash_attention_3")


def test_a_named_choice_is_kept(recipe: MakeRecipe) -> None:
    assert choice(recipe, LlamaConfig(), CPU, attn="eager", pack=4096).language == "eager"
    assert choice(recipe, LlamaConfig(), H100, attn="sdpa", pack=4096).language == "sdpa"
    assert choice(recipe, LlamaConfig(), H100, attn="flex_attention").language == "flex_attention"


def test_models_that_cannot_be_packed(recipe: MakeRecipe) -> None:
    windows = Qwen2Config(use_sliding_window=True, sliding_window=64, max_window_layers=2, num_hidden_layers=4)
    # By transformers' own mask, which knows windows and bounds of sequences; ours know bounds alone.
    assert choice(recipe, windows, CPU, pack=4096).language == "sdpa"
    chunks = Qwen2Config(layer_types=["chunked_attention"] * 2, num_hidden_layers=2)
    with pytest.raises(UserError, match=r"pack: .*chunked_attention"):
        choice(recipe, chunks, CPU, pack=4096)
    assert choice(recipe, windows, CPU).language == "sdpa"
    with pytest.raises(UserError, match=r"pack: .*attention_dropout"):
        choice(recipe, LlamaConfig(attention_dropout=0.1), CPU, pack=4096)


def test_a_loaded_model_attends_as_chosen(recipe: MakeRecipe, vision_recipe: MakeRecipe) -> None:
    assert load_model(recipe()).config._attn_implementation == "eager"
    model = load_model(vision_recipe(pack=400, model={"path": vision_recipe().model.path}))
    assert model.model.language_model.layers[0].self_attn.config._attn_implementation == SEGMENTS
    assert model.model.visual.blocks[0].attn.config._attn_implementation == "sdpa"
    set_attention(model, AttentionChoice(VARLEN, VISION_VARLEN))
    assert model.model.language_model.layers[0].self_attn.config._attn_implementation == VARLEN
    assert model.model.visual.blocks[0].attn.config._attn_implementation == VISION_VARLEN
