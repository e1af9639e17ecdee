"""Packed rows against padded batches: the same logits and gradients, and no word from one sequence to another."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.attention import varlen
from torch.nn.functional import scaled_dot_product_attention
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    Qwen2Config,
    Qwen2ForCausalLM,
    modeling_flash_attention_utils,
)

from train.data.collate import MEMBERS, Collator, PackedCollator, PaddedCollator, make_collator
from train.data.examples import IGNORED, Example
from train.data.token_cache import read_examples
from train.models.attention import AttentionChoice, set_attention
from train.models.load_model import load_model
from train.models.model_files import load_processor
from train.models.packed_attention import SEGMENTS, VARLEN, VISION_VARLEN, PackedStates, segments_kernel
from train.recipe import Recipe

FLASH = ("flash_attention_2", "flash_attention_3")
LENGTHS = [9, 30, 5, 17, 17, 2]
ROW = [{MEMBERS: list(range(len(LENGTHS)))}]


class Setting:
    """A model, and its sequences padded and packed."""

    def __init__(self, model: PreTrainedModel, padded: Collator, packed: Collator) -> None:
        self.model, self.padded, self.packed = model, padded, packed


def examples_of(vocabulary: int) -> list[Example]:
    rng = np.random.default_rng(0)
    examples = []
    for number, length in enumerate(LENGTHS):
        ids = rng.integers(5, vocabulary, size=length)
        labels = np.where(np.arange(length) < max(length // 3, 1), IGNORED, ids)
        examples.append(Example(f"p{number}", ids, labels, (labels != IGNORED).astype(np.int8)))
    return examples


@pytest.fixture(params=["llama", "qwen2", "qwen2_5_vl", "internvl"])
def setting(request: pytest.FixtureRequest) -> Setting:
    torch.manual_seed(0)
    if request.param in ("llama", "qwen2"):
        # Four heads share two pairs of keys and values.
        shape = {"vocab_size": 99, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
        shape |= {"num_attention_heads": 4, "num_key_value_heads": 2, "bos_token_id": 1, "eos_token_id": 2}
        llama = request.param == "llama"
        model = LlamaForCausalLM(LlamaConfig(**shape)) if llama else Qwen2ForCausalLM(Qwen2Config(**shape))
        examples = examples_of(99)
        return Setting(model, PaddedCollator(examples, 0), PackedCollator(examples))
    path = request.getfixturevalue("vision_models")[request.param]
    recipe: Recipe = request.getfixturevalue("vision_recipe")(
        model={"path": str(path)}, trainable=dict.fromkeys(("vision", "projector", "language"), "full")
    )
    processor = load_processor(str(path))
    # With none to three pictures of different sizes.
    examples = read_examples(recipe, processor.tokenizer, processor)[: len(LENGTHS)]
    assert {len(example.pictures) for example in examples} == {0, 1, 2, 3}
    model = load_model(recipe)
    pad = processor.tokenizer.pad_token_id
    packed = make_collator(recipe.model_copy(update={"pack": 4096}), examples, model.config, pad, processor)
    return Setting(model, make_collator(recipe, examples, model.config, pad, processor), packed)


def run(model: PreTrainedModel, batch: dict[str, Any], attention: str, vision: str = "sdpa") -> torch.Tensor:
    """Logits, [places, vocabulary], padding left out."""
    set_attention(model, AttentionChoice(attention, vision))
    inputs = {name: value for name, value in batch.items() if name not in ("labels", "roles")}
    logits = model(**inputs, use_cache=False).logits
    return logits[batch["attention_mask"].bool()] if "attention_mask" in batch else logits[0]


def gradients(
    model: PreTrainedModel, batch: dict[str, Any], attention: str, vision: str = "sdpa"
) -> list[torch.Tensor]:
    model.zero_grad()
    there = batch["attention_mask"].bool() if "attention_mask" in batch else torch.ones_like(batch["labels"]).bool()
    # Next to each other in a flat row are neighbours of one sequence, or a last token and a first, which has no label.
    labels = batch["labels"][there][1:]
    logits = run(model, batch, attention, vision)[:-1]
    torch.nn.functional.cross_entropy(logits, labels, ignore_index=IGNORED, reduction="sum").backward()
    return [parameter.grad for parameter in model.parameters() if parameter.grad is not None]


def assert_same(ours: torch.Tensor, theirs: torch.Tensor, relative: float = 1e-5) -> None:
    """Within ``relative`` of the largest value. Float32 gave 1e-6 for logits and gradients."""
    assert (ours - theirs).abs().max() <= relative * theirs.abs().max().clamp(min=1e-6)


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Stand-ins for the kernels of a GPU, which check what they are given and do the sums. Returns their calls."""
    calls: list[dict[str, Any]] = []

    def attend(
        q: Any, k: Any, v: Any, bounds: Any, other: Any, longest: Any, long: Any, scale: Any, causal: bool
    ) -> Any:
        assert bounds is other
        assert bounds.dtype == torch.int32
        assert bounds.dim() == 1
        assert type(longest) is int
        assert longest == long == int(bounds.diff().max())
        assert int(bounds[0]) == 0
        assert int(bounds[-1]) == len(q) == len(k) == len(v)
        assert q.dim() == 3
        assert q.shape[1] % k.shape[1] == 0
        assert k.shape == v.shape
        assert q.dtype == k.dtype == v.dtype
        calls.append({"dtype": q.dtype, "causal": causal, "heads": (q.shape[1], k.shape[1])})
        outputs = []
        for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            parts = [states[start:end].transpose(0, 1) for states in (q, k, v)]
            whole = scaled_dot_product_attention(*parts, is_causal=causal, scale=scale, enable_gqa=True)
            outputs.append(whole.transpose(0, 1))
        return torch.cat(outputs)

    def varlen_attn(q: Any, k: Any, v: Any, *rest: Any, scale: Any, window_size: Any, enable_gqa: bool = False) -> Any:
        assert window_size in ((-1, 0), (-1, -1))
        assert enable_gqa == (q.shape[1] != k.shape[1])
        return attend(q, k, v, *rest, scale, window_size == (-1, 0))

    def flash_attn_varlen_func(
        q: Any,
        k: Any,
        v: Any,
        cu_seqlens_q: Any,
        cu_seqlens_k: Any,
        max_seqlen_q: Any,
        max_seqlen_k: Any,
        softmax_scale: Any = None,
        causal: bool = False,
    ) -> Any:
        assert torch.equal(cu_seqlens_q, cu_seqlens_k)
        longest = int(max_seqlen_q)
        assert longest == int(max_seqlen_k)
        return attend(q, k, v, cu_seqlens_q, cu_seqlens_q, longest, longest, softmax_scale, causal)

    def flash_attn_func(q: Any, k: Any, v: Any, softmax_scale: Any = None, causal: bool = False) -> Any:
        assert q.dim() == 4
        calls.append({"dtype": q.dtype, "causal": causal, "heads": (q.shape[2], k.shape[2])})
        parts = [states.transpose(1, 2) for states in (q, k, v)]
        return scaled_dot_product_attention(*parts, is_causal=causal, scale=softmax_scale).transpose(1, 2)

    # What transformers imports of flash-attention 2 and 3.
    functions = {"flash_attn_varlen_func": flash_attn_varlen_func, "flash_attn_func": flash_attn_func}
    functions |= dict.fromkeys(("flash_attn_with_kvcache", "pad_input", "unpad_input"), varlen_attn)
    for name in ("flash_attn", "flash_attn.bert_padding", "flash_attn_interface"):
        module = ModuleType(name)
        module.__dict__.update(functions)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(modeling_flash_attention_utils, "is_flash_attn_2_available", lambda: True)
    monkeypatch.setattr(modeling_flash_attention_utils, "_loaded_implementation", None)
    monkeypatch.setattr(varlen, "varlen_attn", varlen_attn)
    return calls


def test_a_kernel_without_grouped_heads_has_them_repeated(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of torch 2.11."""

    def varlen_attn(q: Any, k: Any, v: Any, bounds: Any, *rest: Any, scale: Any, window_size: Any) -> Any:
        assert q.shape == k.shape == v.shape
        return segments_kernel(PackedStates(q, k, v, bounds, 0, scale, window_size == (-1, 0)))

    monkeypatch.setattr(varlen, "varlen_attn", varlen_attn)
    packed = setting.packed(ROW)
    assert_same(run(setting.model, packed, VARLEN), run(setting.model, packed, SEGMENTS))


def test_logits_and_gradients_are_those_of_the_padded_batch(setting: Setting, kernels: list[dict[str, Any]]) -> None:
    padded, packed = setting.padded(ROW), setting.packed(ROW)
    logits, grads = run(setting.model, padded, "sdpa"), gradients(setting.model, padded, "sdpa")
    for attention in (SEGMENTS, "sdpa", "eager", VARLEN, *FLASH):
        assert_same(run(setting.model, packed, attention), logits)
        ours = gradients(setting.model, packed, attention)
        assert len(ours) == len(grads) == len(list(setting.model.parameters()))
        for one, other in zip(ours, grads, strict=True):
            assert_same(one, other, 1e-4)
    assert kernels
    assert all(call["causal"] for call in kernels)


@pytest.mark.parametrize("flash", FLASH)
def test_flash_attention_for_text_and_pictures(setting: Setting, kernels: list[dict[str, Any]], flash: str) -> None:
    """The bounds of a row reach each layer of the language model, and no layer of the vision tower."""
    packed = setting.packed(ROW)
    logits, grads = run(setting.model, packed, "eager"), gradients(setting.model, packed, "eager")
    assert_same(run(setting.model, packed, flash, flash), logits)
    for one, other in zip(gradients(setting.model, packed, flash, flash), grads, strict=True):
        assert_same(one, other, 1e-4)
    assert {call["causal"] for call in kernels} == ({True, False} if "pixel_values" in packed else {True})


def test_pictures_by_the_kernel_for_rows(vision_pair: Setting, kernels: list[dict[str, Any]]) -> None:
    packed = vision_pair.packed(ROW)
    logits, grads = run(vision_pair.model, packed, SEGMENTS), gradients(vision_pair.model, packed, SEGMENTS)
    assert_same(run(vision_pair.model, packed, VARLEN, VISION_VARLEN), logits)
    for one, other in zip(gradients(vision_pair.model, packed, VARLEN, VISION_VARLEN), grads, strict=True):
        assert_same(one, other, 1e-4)
    assert {call["causal"] for call in kernels} == {True, False}


@pytest.fixture
def vision_pair(vision_recipe: Callable[..., Recipe]) -> Setting:
    recipe = vision_recipe(trainable=dict.fromkeys(("vision", "projector", "language"), "full"))
    processor = load_processor(recipe.model.path)
    examples = read_examples(recipe, processor.tokenizer, processor)
    model = load_model(recipe)
    packed = make_collator(recipe.model_copy(update={"pack": 4096}), examples, model.config, 0, processor)
    return Setting(model, make_collator(recipe, examples, model.config, 0, processor), packed)


@pytest.mark.parametrize("attention", [SEGMENTS, "sdpa", VARLEN])
def test_no_sequence_sees_another(setting: Setting, attention: str, kernels: list[dict[str, Any]]) -> None:
    batch = setting.packed(ROW)
    before = run(setting.model, batch, attention)
    start, end = batch["cu_seq_lens_q"][3:5].tolist()
    # Its last words, which nothing but itself comes after.
    changed = batch | {"input_ids": batch["input_ids"].clone()}
    changed["input_ids"][0, end - 4 : end] = 7
    after = run(setting.model, changed, attention)
    assert (after - before)[start:end].abs().max() > 1e-3
    assert_same(after[:start], before[:start], 1e-6)
    assert_same(after[end:], before[end:], 1e-6)


def test_three_rows_of_positions_let_sequences_see_one_another(vision_pair: Setting) -> None:
    batch = vision_pair.packed(ROW)
    right = run(vision_pair.model, batch, "sdpa")
    assert batch["position_ids"].shape[0] == 4
    wrong = run(vision_pair.model, batch | {"position_ids": batch["position_ids"][1:]}, "sdpa")
    assert (right - wrong).abs().max() > 1e-3


def test_a_cache_lets_sequences_see_one_another_under_a_mask_and_not_by_segments(setting: Setting) -> None:
    """transformers looks at positions for a packed row only where there is no cache, and models make one by default."""
    batch = {name: value for name, value in setting.packed(ROW).items() if name not in ("labels", "roles")}
    differences = {}
    for attention in ("sdpa", SEGMENTS):
        set_attention(setting.model, AttentionChoice(attention, "sdpa"))
        cached, plain = (setting.model(**batch, use_cache=use).logits for use in (True, False))
        differences[attention] = float((cached - plain).abs().max().detach())
    assert differences["sdpa"] > 1e-3
    assert differences[SEGMENTS] < 1e-5


def test_kernels_are_given_16_bits_under_autocast(kernels: list[dict[str, Any]]) -> None:
    """Where the rotary embedding leaves query and key in float32."""
    shape = {"vocab_size": 99, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1}
    model = LlamaForCausalLM(LlamaConfig(**shape, num_attention_heads=4, num_key_value_heads=2))
    batch = PackedCollator(examples_of(99))(ROW)
    with torch.autocast("cpu", torch.bfloat16):
        for attention in (VARLEN, *FLASH):
            run(model, batch, attention)
    assert kernels == [{"dtype": torch.bfloat16, "causal": True, "heads": (4, 2)}] * 3


def test_a_batch_without_borders_is_refused() -> None:
    model = LlamaForCausalLM(LlamaConfig(vocab_size=99, hidden_size=32, num_hidden_layers=1, num_attention_heads=4))
    for attention in (SEGMENTS, VARLEN):
        set_attention(model, AttentionChoice(attention, "sdpa"))
        with pytest.raises(RuntimeError, match="cu_seq_lens_q"):
            model(input_ids=torch.tensor([[5, 6, 7]]))
