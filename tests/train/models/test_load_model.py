"""What is loaded, in which type it is held, and that each part of a model is trained or frozen as the recipe says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from peft.tuners.tuners_utils import BaseTunerLayer
from safetensors.torch import load_file, save_file
from transformers import Qwen2_5_VLConfig
from trl import SFTConfig, SFTTrainer

from srt.io.errors import UserError
from train.models.checkpointing import checkpoint_backbone
from train.models.families.family_registry import find_family
from train.models.load_model import load_model, model_faults, model_without_weights
from train.models.model_files import load_family, load_processor, load_tokenizer
from train.preflight.activations import LiveBytes
from train.recipe import PartName, Recipe

PARTS: tuple[PartName, ...] = ("vision", "projector", "language")


def noisy_batch(folder: Path) -> dict[str, torch.Tensor]:
    """Two conversations with pictures of noise, and their own tokens as labels."""
    processor: Any = load_processor(str(folder))
    rng = torch.Generator().manual_seed(1)
    pictures = [torch.randint(256, (3, *size), generator=rng, dtype=torch.uint8) for size in ((56, 84), (84, 56))]
    talks = [
        [{"role": "user", "content": [{"type": "image", "image": picture}, {"type": "text", "text": "Who is Ana?"}]}]
        for picture in pictures
    ]
    batch = dict(
        processor.apply_chat_template(
            talks, tokenize=True, return_dict=True, return_tensors="pt", processor_kwargs={"padding": True}
        )
    )
    return {**batch, "labels": batch["input_ids"]}


def part_of(name: str, arch: str) -> PartName:
    plain = name.removeprefix("base_model.model.")
    return find_family(arch).part_of(plain)


def trained_parts(model: torch.nn.Module, arch: str) -> dict[PartName, set[str]]:
    """The parameters that are trained, by part: `lora` or `full`."""
    found: dict[PartName, set[str]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            found.setdefault(part_of(name, arch), set()).add("lora" if ".lora_" in name else "full")
    return found


@pytest.mark.parametrize("arch", ["qwen2_5_vl", "internvl"])
@pytest.mark.parametrize(
    ("vision", "projector", "language"),
    [
        ("frozen", "frozen", "lora"),
        ("lora", "full", "lora"),
        ("full", "lora", "lora"),
        ("lora", "frozen", "frozen"),
        ("frozen", "lora", "frozen"),
        ("full", "full", "frozen"),
        ("frozen", "full", "full"),
        ("full", "frozen", "full"),
    ],
)
def test_each_part_is_trained_or_frozen_as_said(
    arch: str,
    vision: str,
    projector: str,
    language: str,
    vision_recipe: Callable[..., Recipe],
    vision_models: dict[str, Path],
) -> None:
    parts = {"vision": vision, "projector": projector, "language": language}
    lora = {"r": 4} if "lora" in parts.values() else None
    torch.manual_seed(7)
    model: Any = load_model(vision_recipe(model={"path": str(vision_models[arch])}, trainable=parts, lora=lora))
    assert trained_parts(model, arch) == {part: {policy} for part, policy in parts.items() if policy != "frozen"}
    plain = model_without_weights(vision_recipe(model={"path": str(vision_models[arch])}))
    kept = sum(parameter.numel() for name, parameter in model.named_parameters() if ".lora_" not in name)
    assert kept == plain.num_parameters(), "a part that is trained in full is held once"

    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.5)
    model.train()
    for _ in range(2):  # LoRA's first half has no gradient in the first step, while the second is zero
        optimizer.zero_grad()
        model(**noisy_batch(vision_models[arch])).loss.backward()
        optimizer.step()
    for name, parameter in model.named_parameters():
        same = torch.equal(parameter, before[name])
        if not parameter.requires_grad:
            assert same, f"{name} is frozen and changed"
        # Attention is blind to the bias of its keys, and row sums of a softmax to a gain before it; the rest must move.
        elif "k_proj.bias" not in name and "qkv.bias" not in name:
            assert not same, f"{name} is trained and did not change"


@pytest.mark.parametrize("arch", ["qwen2_5_vl", "internvl", "qwen2", "llama"])
def test_every_parameter_is_of_one_part_and_layers_are_named(
    arch: str, recipe: Callable[..., Recipe], models: dict[str, Path], vision_models: dict[str, Path]
) -> None:
    path = vision_models.get(arch) or models["minimal" if arch == "llama" else "qwen2.5"]
    architecture = load_family(str(path))
    assert architecture.model_type == arch
    model: Any = model_without_weights(recipe(model={"path": str(path)}))
    assert {parameter.device.type for parameter in model.parameters()} == {"meta"}
    assert {architecture.part_of(name) for name, _ in model.named_parameters()} == set(architecture.parts)
    assert set(architecture.blocks) == set(model._no_split_modules)
    with pytest.raises(ValueError, match=r"in no part"):
        architecture.part_of("head.weight")


@pytest.mark.parametrize("arch", ["qwen2_5_vl", "internvl"])
def test_lora_reaches_every_matrix_of_its_part_and_no_other(
    arch: str, vision_recipe: Callable[..., Recipe], vision_models: dict[str, Path]
) -> None:
    """The trap: the towers share names with the language model, and `all-linear` or bare names reach both."""
    for part in PARTS:
        parts = {"vision": "frozen", "projector": "frozen", "language": "frozen", part: "lora"}
        model = model_without_weights(vision_recipe(model={"path": str(vision_models[arch])}, trainable=parts, lora={}))
        reached = {name.partition(".lora_A")[0] for name, _ in model.named_parameters() if ".lora_A" in name}
        linear = {
            name.removesuffix(".base_layer")
            for name, module in model.named_modules()
            if isinstance(module, torch.nn.Linear) and ".lora_" not in name and not name.endswith("lm_head")
        }
        assert reached == {name for name in linear if part_of(name, arch) == part}
    names = ("q_proj", "gate_proj")
    model = model_without_weights(vision_recipe(model={"path": str(vision_models[arch])}, lora={"targets": names}))
    reached = {name.partition(".lora_A")[0] for name, _ in model.named_parameters() if ".lora_A" in name}
    assert len(reached) == 4
    assert all("language_model.layers" in name and name.endswith(names) for name in reached)


def test_parameters_of_a_model_of_true_shape_are_counted_without_its_weights(
    vision_recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    """Qwen2.5-VL-7B from its configuration: 8.29 billion parameters; LoRA adds r (inputs + outputs) for each matrix."""
    width, inner, keys, layers, r = 3584, 18944, 512, 28, 16
    text = {"hidden_size": width, "intermediate_size": inner, "num_hidden_layers": layers, "vocab_size": 152064}
    vision = {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16, "out_hidden_size": width}
    Qwen2_5_VLConfig(
        text_config={**text, "num_attention_heads": 28, "num_key_value_heads": 4},
        vision_config=vision,
        tie_word_embeddings=False,
    ).save_pretrained(tmp_path)
    model = model_without_weights(vision_recipe(model={"path": str(tmp_path), "dtype": "bfloat16"}, lora={"r": r}))
    trained = sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    assert trained == layers * r * (2 * (width + width) + 2 * (width + keys) + 3 * (width + inner))
    assert sum(parameter.numel() for parameter in model.parameters()) == 8_292_166_656 + trained


def test_types_in_which_parameters_are_held(
    vision_recipe: Callable[..., Recipe], vision_models: dict[str, Path]
) -> None:
    """In bfloat16, what is frozen is held in bfloat16 and what is trained in float32; the head is never quantized."""
    path = str(vision_models["qwen2_5_vl"])
    parts = {"vision": "full", "projector": "lora"}
    for quantize in (None, "nf4"):
        for dtype in (torch.bfloat16, torch.float32):
            spec = {"path": path, "dtype": str(dtype)[6:], "quantize": quantize}
            model: Any = load_model(vision_recipe(model=spec, trainable=parts, lora={"r": 2, "dora": True}))
            for name, parameter in model.named_parameters():
                assert parameter.dtype == (torch.float32 if parameter.requires_grad else dtype), name
            kinds = {
                name.removesuffix(".base_layer"): module
                for name, module in model.named_modules()
                if type(module).__name__ == "Linear4bit"
            }
            if quantize is None:
                assert not kinds
                continue
            assert len(kinds) == 2 * 7
            assert all("language_model.layers" in name for name in kinds)
            for module in kinds.values():
                # The default of bitsandbytes is float32, whatever the rest is in.
                assert module.compute_dtype == dtype
                # FSDP2 shards floating types only, and one type in a group.
                assert module.weight.quant_storage == dtype
                assert module.weight.quant_type == "nf4"
                assert module.weight.compress_statistics, "double quantization"
    full: Any = load_model(vision_recipe(model={"path": path, "dtype": "bfloat16"}))
    kinds_by_part = {(part_of(n, "qwen2_5_vl"), p.dtype) for n, p in full.named_parameters()}
    assert kinds_by_part == {
        ("vision", torch.bfloat16),
        ("projector", torch.bfloat16),
        ("language", torch.float32),
    }


@pytest.mark.parametrize("quantize", [None, "nf4"])
def test_under_zero_3_all_is_of_one_type(
    quantize: str | None, vision_recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trap: PEFT holds adapters of a bfloat16 model in float32, and ZeRO-3 gathers both into one buffer."""
    monkeypatch.setattr("train.models.load_model.is_deepspeed_zero3_enabled", lambda: True)
    spec = {"path": vision_recipe().model.path, "dtype": "bfloat16", "quantize": quantize}
    for lora in ({"r": 2, "dora": True}, None):
        if lora or not quantize:
            model = load_model(vision_recipe(model=spec, lora=lora, trainable={"projector": "full"}))
            assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}


def test_trained_weights_of_a_quantized_model_stay_in_float32_in_the_trainer(
    vision_recipe: Callable[..., Recipe], vision_models: dict[str, Path], tmp_path: Path
) -> None:
    """The trap: TRL casts all that is trained to bfloat16 where a model is quantized."""
    path = str(vision_models["qwen2_5_vl"])
    chosen = vision_recipe(model={"path": path, "quantize": "nf4"}, trainable={"projector": "full"}, lora={"r": 2})
    model: Any = load_model(chosen)
    before = {name: p.detach().clone() for name, p in model.named_parameters() if p.requires_grad}
    trainer = SFTTrainer(
        model=model,
        args=SFTConfig(
            output_dir=str(tmp_path), use_cpu=True, bf16=False, dataset_kwargs={"skip_prepare_dataset": True}
        ),
        train_dataset=Dataset.from_dict({"input_ids": [[5, 6, 7]], "labels": [[5, 6, 7]]}),
        processing_class=load_tokenizer(path),
    )
    after = {name: p for name, p in trainer.model.named_parameters() if p.requires_grad}
    assert after.keys() == before.keys()
    for name, parameter in after.items():
        assert parameter.dtype == torch.float32, name
        assert torch.equal(parameter, before[name]), name


@pytest.mark.parametrize(
    ("quantize", "every", "reentrant"), [(None, 1, False), ("nf4", 1, False), (None, 2, False), (None, 1, True)]
)
def test_gradients_flow_through_checkpointed_layers_over_frozen_embeddings(
    quantize: str | None, every: int, reentrant: bool, recipe: Callable[..., Recipe], models: dict[str, Path]
) -> None:
    spec = {"path": str(models["minimal"]), "attn": "eager", "quantize": quantize}
    grads = []
    for checkpointing in (0, every):
        chosen = recipe(model=spec, lora={"r": 2}, gradient_checkpointing=checkpointing)
        model: Any = load_model(chosen)
        backbone = load_family(chosen.model.path).backbone(model, "language")
        if checkpointing and reentrant:  # as with adapters under ZeRO-3
            checkpoint_backbone(backbone, every, reentrant=True)
        flags = [layer.gradient_checkpointing for layer in backbone.layers]
        assert flags == [bool(checkpointing) and at % every == 0 for at in range(len(flags))]
        model.train()
        ids = torch.arange(24).reshape(2, 12)
        model(input_ids=ids, labels=ids, use_cache=False).loss.backward()
        grads.append({name: p.grad for name, p in model.named_parameters() if p.requires_grad})
    assert all(grad is not None for grad in grads[1].values())
    assert any(grad.abs().max() > 0 for name, grad in grads[1].items() if "layers.0" in name)
    for name, grad in grads[0].items():
        torch.testing.assert_close(grad, grads[1][name])


@pytest.mark.parametrize("quantize", [None, "nf4"])
def test_adapters_do_not_widen_their_inputs_for_nothing(
    quantize: str | None, vision_recipe: Callable[..., Recipe], vision_models: dict[str, Path]
) -> None:
    """Under autocast losses and gradients are the same to the bit without PEFT's casts, and less is stored."""
    path = vision_models["qwen2_5_vl"]
    spec = {"path": str(path), "dtype": "bfloat16", "quantize": quantize}
    chosen = vision_recipe(model=spec, lora={"r": 4}, trainable={"vision": "lora", "projector": "lora"})
    batch, losses, grads, stored = noisy_batch(path), [], [], []
    for casts in (False, True):
        model: Any = load_model(chosen).train()
        layers = [module for module in model.modules() if isinstance(module, BaseTunerLayer)]
        assert layers
        assert not any(layer.cast_input_dtype_enabled for layer in layers)
        for layer in layers:
            layer.cast_input_dtype_enabled = casts
        torch.manual_seed(0)
        for name, parameter in model.named_parameters():
            if "lora_B" in name:  # they begin at zero
                torch.nn.init.normal_(parameter, std=0.02)
        with LiveBytes() as live, torch.autocast("cpu", torch.bfloat16):
            loss = model(**batch, use_cache=False).loss
            stored.append(live.now)
        loss.backward()
        losses.append(loss.detach())
        grads.append({name: p.grad for name, p in model.named_parameters() if p.requires_grad})
    assert torch.equal(*losses)
    for name, grad in grads[0].items():
        assert torch.equal(grad, grads[1][name]), name
    if quantize is None:  # bitsandbytes' layers do not cast under autocast
        assert stored[0] < 0.95 * stored[1]


def test_dora_takes_its_norms_in_float32(vision_recipe: Callable[..., Recipe]) -> None:
    model = load_model(vision_recipe(lora={"r": 4, "dora": True}))
    assert all(m.cast_input_dtype_enabled for m in model.modules() if isinstance(m, BaseTunerLayer))


def test_tied_embeddings_stay_tied(recipe: Callable[..., Recipe]) -> None:
    """The trap: an adapter on a head that shares the embeddings. LoRA leaves both alone, and full trains one."""
    adapted: Any = load_model(recipe(lora={"r": 2}))
    assert adapted.get_input_embeddings().weight is adapted.get_output_embeddings().weight
    assert not adapted.get_input_embeddings().weight.requires_grad
    full: Any = load_model(recipe())
    assert full.get_input_embeddings().weight is full.get_output_embeddings().weight
    assert full.get_input_embeddings().weight.requires_grad


def test_all_faults_of_model_and_recipe_at_once(
    vision_recipe: Callable[..., Recipe], vision_models: dict[str, Path], models: dict[str, Path]
) -> None:
    for heads in (["lm_head"], ["model.embed_tokens"]):
        with pytest.raises(UserError, match=r"lora\.targets: "):
            load_model(vision_recipe(lora={"targets": [*heads, "q_proj"]}))
    faults = model_faults(vision_recipe(trainable={"vision": "lora", "language": "full"}, lora={}))
    assert len(faults) == 1, faults
    assert faults[0].startswith("trainable: language full with lora on vision")
    faults = model_faults(vision_recipe(lora={"targets": ["lm_head", "qkv", "all-linear"]}))
    assert len(faults) == 2, faults
    assert "no module of" in faults[1]
    assert "named qkv, all-linear;" in faults[1], "qkv is of the vision tower, and targets are of the language model"
    text = {"model": {"path": str(models["minimal"])}}
    faults = model_faults(vision_recipe(**text, lora={}, trainable={"vision": "lora", "language": "frozen"}))
    assert len(faults) == 2, faults
    assert "nothing is trained" in faults[0]
    assert "no part of" in faults[1]
    assert model_faults(vision_recipe(lora={"targets": ["q_proj"]})) == []


def changed_copy(source: Path, folder: Path, **config: Any) -> Path:
    shutil.copytree(source, folder)
    values = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(values | config))
    return folder


def test_faults_of_the_model_folder(recipe: Callable[..., Recipe], models: dict[str, Path], tmp_path: Path) -> None:
    source = models["qwen2.5"]

    def message(folder: Path) -> str:
        with pytest.raises(UserError) as error:
            load_model(recipe(model={"path": str(folder)}))
        assert "\n" not in str(error.value)
        assert str(folder) in str(error.value)
        return str(error.value)

    remote = changed_copy(source, tmp_path / "remote", auto_map={"AutoModelForCausalLM": "evil.Evil"})
    (remote / "evil.py").write_text("raise SystemExit('code of a model folder was run')")
    assert "(auto_map), which is never done" in message(remote)
    unknown = changed_copy(source, tmp_path / "gpt2", model_type="gpt2")
    assert "unknown architecture 'gpt2': qwen2, llama, qwen2_5_vl, internvl" in message(unknown)
    assert "cannot be used" in message(changed_copy(source, tmp_path / "none", model_type="no-such-type"))

    pickled = changed_copy(source, tmp_path / "pickled")
    (pickled / "model.safetensors").unlink()
    assert "no model.safetensors" in message(pickled)
    (pickled / "pytorch_model.bin").write_bytes(b"cos\nsystem\n")
    assert "pickled (pytorch_model.bin), which can run code" in message(pickled)
    broken = changed_copy(source, tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"no such thing")
    assert "model.safetensors: incomplete, or not safetensors" in message(broken)
    cut = changed_copy(source, tmp_path / "cut")
    (cut / "model.safetensors").write_bytes((source / "model.safetensors").read_bytes()[:-8])
    assert "model.safetensors: incomplete" in message(cut)
    lacking = changed_copy(source, tmp_path / "lacking")
    weights = load_file(source / "model.safetensors")
    del weights["model.norm.weight"]
    save_file(weights, lacking / "model.safetensors", metadata={"format": "pt"})
    assert "1 weights of the model" in message(lacking)
    assert "config.json cannot be used" in message(changed_copy(source, tmp_path / "wrong", hidden_size="wide"))
    (broken / "config.json").write_text("3")
    assert "a mapping was expected" in message(broken)
    (broken / "config.json").write_text("{")
    assert "config.json is not JSON" in message(broken)
    (broken / "config.json").unlink()
    assert "config.json cannot be read" in message(broken)


def test_a_checkpoint_in_several_files(recipe: Callable[..., Recipe], models: dict[str, Path], tmp_path: Path) -> None:
    folder = changed_copy(models["qwen2.5"], tmp_path / "sharded")
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(weights)
    shards = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for file, members in shards.items():
        save_file({name: weights[name] for name in members}, folder / file, metadata={"format": "pt"})
    where = {name: file for file, members in shards.items() for name in members}
    index = {"metadata": {"total_size": 1}, "weight_map": where}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    model = load_model(recipe(model={"path": str(folder)}))
    loaded = dict(model.named_parameters())
    assert all(torch.equal(loaded[name], weights[name]) for name in names if name in loaded)
    (folder / "model-00002-of-00002.safetensors").unlink()
    assert model_faults(recipe(model={"path": str(folder)})) == [
        f"model.path: {folder}: 1 of 2 weight files are missing, such as model-00002-of-00002.safetensors"
    ]
