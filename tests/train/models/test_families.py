"""The families of today: each small model has its parts, packs without a leak or is padded instead, and is counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import Gemma4Config, Gemma4ForConditionalGeneration

from srt.io.errors import UserError
from train.data.collate import MEMBERS, make_collator
from train.data.token_cache import read_examples
from train.models.attention import AttentionChoice, Device, choose_attention, set_attention
from train.models.families import packing_needs
from train.models.families.family_registry import MODEL_FAMILIES, find_family
from train.models.families.packing_needs import BY_ATTENTION
from train.models.flops import attention_widths, count_flops
from train.models.init_model import init_model, sequence_texts
from train.models.load_model import load_model, model_faults, model_without_weights
from train.models.model_files import load_family, load_tokenizer_and_processor, load_weights, read_config
from train.models.pads_instead import padded_instead
from train.preflight.activations import MicroBatchShape, language_activations
from train.recipe import Recipe

LAYERS = {"qwen3": 2, "qwen3_vl": 2, "internvl3_5": 2, "gemma4_text": 3, "qwen3_5_text": 4, "qwen3_5": 4}
LINEAR = ("qwen3_5_text", "qwen3_5")

Make = Callable[..., Recipe]


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Callable[[str], str]:
    """Makes the folder of a tiny model of a family, once."""
    folder = tmp_path_factory.mktemp("families")

    def make(arch: str) -> str:
        if not (folder / arch).exists():
            shape = {"hidden": 32, "layers": LAYERS[arch], "heads": 2, "vocab": 400, "initializer_range": 0.1}
            init_model(arch, sequence_texts([data]), folder / arch, **shape)
        return str(folder / arch)

    return make


@pytest.fixture(params=LAYERS)
def family_recipe(request: pytest.FixtureRequest, small: Callable[[str], str], recipe: Make, vision_data: Path) -> Make:
    """Makes a recipe of one family after another."""

    def make(**changes: Any) -> Recipe:
        pictures = {"data": str(vision_data), "max_length": 400} if find_family(request.param).reads_pictures else {}
        return recipe(**({"model": {"path": small(request.param)}} | pictures | changes))

    return make


def collated(made: Recipe, config: Any, count: int = 6) -> dict[str, Any]:
    """One micro-batch of the first sequences, which have none to three pictures if the model reads them."""
    tokenizer, processor = load_tokenizer_and_processor(made.model.path)
    examples = read_examples(made, tokenizer, processor)[:count]
    return make_collator(made, examples, config, 0, processor)([{MEMBERS: list(range(count))}])


def logits(model: Any, batch: dict[str, Any]) -> torch.Tensor:
    inputs = {name: value for name, value in batch.items() if name not in ("labels", "roles")}
    with torch.no_grad():
        found = model(**inputs, use_cache=False).logits
    return found[batch["attention_mask"].bool()] if "attention_mask" in batch else found[0]


def test_every_family_that_is_known_is_tested() -> None:
    assert set(MODEL_FAMILIES) == {"qwen2", "llama", "qwen2_5_vl", "internvl", *LAYERS}
    assert {arch for arch, family in MODEL_FAMILIES.items() if family.packing is not BY_ATTENTION} == set(LINEAR)


def test_its_parts_its_layers_and_its_adapters(family_recipe: Make) -> None:
    lora = {"lora": {"r": 2}, "trainable": dict.fromkeys(("vision", "projector", "language"), "lora")}
    made = family_recipe(**lora)
    family = load_family(made.model.path)
    assert not model_faults(made)
    model = load_model(made)
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    base = model.get_base_model()
    classes = {type(module).__name__ for module in base.modules()}
    assert set(family.blocks) <= classes
    assert base._no_split_modules == list(family.blocks)
    for part in family.parts:
        assert any(f"{family.parts[part].modules[0]}." in name for name in trained), part
        # Each target that is spelt out is there.
        for target in family.parts[part].targets:
            assert any(f".{target}.lora_A" in name for name in trained), target
    adapted = re.compile(family.lora_pattern(list(family.parts)))
    others = {
        name.rpartition(".")[2]
        for name, module in base.named_modules()
        if isinstance(module, torch.nn.Linear) and not adapted.fullmatch(name) and "lora" not in name
    }
    # Gates of one number a head, projections of embeddings of a layer, and the head.
    names = {"lm_head", "base_layer", "in_proj_a", "in_proj_b", "per_layer_model_projection"}
    assert others <= names | {"per_layer_input_gate", "per_layer_projection"}


def test_packed_and_padded_rows_have_the_same_logits(family_recipe: Make) -> None:
    packed, line = padded_instead(family_recipe(pack=4096), processes=1)
    family = load_family(packed.model.path)
    if family.arch in LINEAR:
        assert line is not None
        assert "flash-linear-attention and causal-conv1d" in line
        assert (packed.pack, packed.micro_batch) == (None, 8)
        return
    assert line is None
    model = load_model(packed)
    row = collated(packed, model.config)
    ours = logits(model, row)
    set_attention(model, AttentionChoice("eager", "sdpa"))
    theirs = logits(model, collated(family_recipe(), model.config))
    assert (ours - theirs).abs().max() <= 1e-5 * theirs.abs().max()
    # As if the second sequence went on from the first.
    row["position_ids"] = torch.arange(row["input_ids"].size(1)).expand(row["position_ids"].shape)
    set_attention(model, AttentionChoice("sdpa", "sdpa"))
    assert (logits(model, row) - theirs).abs().max() > 1e-3 * theirs.abs().max()


@pytest.mark.parametrize("arch", LINEAR)
def test_linear_attention_is_packed_with_its_kernels_alone(
    arch: str, small: Callable[[str], str], recipe: Make, vision_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures = {"data": str(vision_data), "max_length": 400} if arch == "qwen3_5" else {}
    asked = recipe(**({"model": {"path": small(arch)}, "pack": 512} | pictures))
    config = read_config(asked.model.path)
    with pytest.raises(UserError, match=r"pack: .*flash-linear-attention and causal-conv1d and a GPU"):
        choose_attention(asked, config)
    padded, _ = padded_instead(asked, processes=2)
    assert (padded.micro_batch, padded.pack) == (1 if pictures else 2, None)
    # With kernels and a GPU the row says where each sequence begins, in both ways that they read.
    there: Callable[[], bool] = lambda: True  # noqa: E731
    for name in ("is_flash_linear_attention_available", "is_causal_conv1d_available"):
        monkeypatch.setattr(packing_needs, name, there)
    monkeypatch.setattr(torch.cuda, "is_available", there)
    assert padded_instead(asked, processes=2) == (asked, None)
    monkeypatch.undo()
    row = collated(asked, config)
    bounds, numbers = row["cu_seq_lens_q"], row["seq_idx"][0]
    assert (numbers.dtype, int(numbers[0]), int(numbers[-1])) == (torch.int32, 0, len(bounds) - 2)
    assert (numbers.diff().nonzero()[:, 0] + 1).tolist() == bounds[1:-1].tolist()
    # Without them transformers refuses the row: it never leaks.
    model = load_model(asked.model_copy(update={"pack": None}))
    with pytest.raises(ValueError, match="packed"):
        logits(model, row)


def test_heads_that_no_flash_kernel_takes_are_left_to_sdpa(small: Callable[[str], str], recipe: Make) -> None:
    """Gemma 4 has heads of 512 values, and windows, which our functions for packed rows do not know."""
    gpu = Device(True, (9, 0))
    config = read_config(small("gemma4_text"))
    model = {"path": small("gemma4_text"), "dtype": "bfloat16"}
    assert choose_attention(recipe(model=model, pack=512), config, gpu).language == "sdpa"
    with pytest.raises(UserError, match=r"model\.attn: varlen .*windows"):
        choose_attention(recipe(model={**model, "attn": "varlen"}, pack=512), config, gpu)
    config.per_layer_config[2].head_dim = 512
    assert choose_attention(recipe(model=model), config, gpu).language == "sdpa"


def test_flops_and_memory_are_counted(family_recipe: Make) -> None:
    made = family_recipe(gradient_checkpointing=2)
    family, model = load_family(made.model.path), model_without_weights(made)
    text = model.config.get_text_config()
    full = [kind for kind in getattr(text, "layer_types", None) or [] if kind == "full_attention"]
    assert len(attention_widths(text)) == (len(full) or text.num_hidden_layers)
    head = model.get_output_embeddings()
    within = sum(
        module.in_features * module.out_features
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and module is not head and family.part_of(name) == "language"
    )
    counted = count_flops(model)
    assert counted.token == 6 * within
    assert counted.pair == 6 * sum(attention_widths(text))
    shape = MicroBatchShape(rows=2, length=64, trained=32)
    found = language_activations(model, family, made, shape, in_half=False)
    assert 0 < found.after_forward < found.in_backward


def test_the_text_model_of_a_gemma_4_is_taken_out_as_the_docs_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = {"vocab_size": 64, "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 3, "head_dim": 8}
    text |= {"num_attention_heads": 2, "num_key_value_heads": 1, "global_head_dim": 16, "num_kv_shared_layers": 0}
    text |= {"hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 64, "sliding_window": 8}
    text |= {"layer_types": ["sliding_attention"] * 2 + ["full_attention"], "final_logit_softcapping": 30.0}
    vision = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    vision |= {"num_key_value_heads": 2, "head_dim": 8, "patch_size": 4, "position_embedding_size": 16}
    torch.manual_seed(0)
    whole = Gemma4ForConditionalGeneration(Gemma4Config(text_config=text, vision_config=vision, audio_config=None))
    whole.save_pretrained(tmp_path / "models/gemma-4-E2B-it")
    page = (Path(__file__).parents[3] / "docs/training.md").read_text("utf-8")
    snippet = next(code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "Gemma4ForCausalLM" in code)
    monkeypatch.chdir(tmp_path)
    exec("\n".join(line for line in snippet.splitlines() if not line.startswith("AutoTokenizer")), {})  # noqa: S102
    path = str(tmp_path / "models/gemma-4-E2B-it-text")
    taken = load_weights(path, load_family(path), torch.float32)
    ids = torch.arange(1, 20)[None]
    with torch.no_grad():
        # The pad token of a whole model stands for pictures; there is none here.
        assert torch.equal(taken(ids).logits, whole.eval()(ids).logits)
