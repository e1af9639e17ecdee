"""Adapters: what they change, those of vision models, and those of another base."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForImageTextToText, Qwen2ForCausalLM

from eval.backends.protocol import GenerationSettings, Request
from eval.backends.transformers_backend import TransformersBackend
from srt.images.resize_limits import limit_pictures
from srt.io.errors import UserError
from srt.io.file_versions import folder_hash
from srt.io.records import Image, Message
from train.models.init_model import init_model
from train.run.merge_adapter import merge

SETTINGS = GenerationSettings(max_new_tokens=16)
_VISION = {
    "qwen2_5_vl": (
        r"model\.(?:visual\.blocks\.\d+\.(?:attn\.qkv|mlp\.up_proj)|language_model\.layers\.\d+\.self_attn\.[qv]_proj)",
        ["model.visual.merger"],
    ),
    "internvl": (
        r"model\.(?:vision_tower\.encoder\.layer\.\d+\.mlp\.fc1|language_model\.layers\.\d+\.self_attn\.[qv]_proj)",
        ["model.multi_modal_projector"],
    ),
}


def make_adapter(base: Path, folder: Path, **changes: object) -> Path:
    network = Qwen2ForCausalLM.from_pretrained(base)
    torch.manual_seed(1)
    config = LoraConfig(**({"r": 4, "target_modules": ["q_proj", "v_proj"], "init_lora_weights": False} | changes))
    get_peft_model(network, config).save_pretrained(folder)
    return folder


def test_an_adapter_of_a_vision_model_writes_what_the_merged_model_writes(
    vision_model: Path, pictures: tuple[Path, list[Image]], tmp_path: Path
) -> None:
    """LoRA on the language model and the vision tower, the projector trained whole."""
    targets, whole = _VISION[vision_model.name]
    torch.manual_seed(1)
    adapted = get_peft_model(
        AutoModelForImageTextToText.from_pretrained(vision_model),
        LoraConfig(r=4, target_modules=targets, modules_to_save=whole, init_lora_weights=False),
    )
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "modules_to_save" in name:
                parameter.mul_(1.5)
    adapted.save_pretrained(tmp_path / "adapter")
    base = TransformersBackend(vision_model, device="cpu")
    folder, images = pictures
    requests = [
        Request(base.render([Message(role="user", content=f"({n})")], n % 3), tuple(images[n : n + n % 3]), folder)
        for n in range(8)
    ]
    lora = TransformersBackend(vision_model, tmp_path / "adapter", device="cpu")
    texts = [row.text for row in lora.generate(requests, SETTINGS)]
    assert texts != [row.text for row in base.generate(requests, SETTINGS)]
    assert texts == [lora.generate([request], SETTINGS)[0].text for request in requests]
    merge(tmp_path / "adapter", tmp_path / "merged", vision_model)
    merged = TransformersBackend(tmp_path / "merged", device="cpu")
    assert texts == [row.text for row in merged.generate(requests, SETTINGS)]
    half = TransformersBackend(vision_model, tmp_path / "adapter", device="cpu", dtype="bfloat16")
    assert all(row.finish_reason != "error" for row in half.generate(requests, SETTINGS))
    assert {parameter.dtype for parameter in half._model.parameters()} == {torch.bfloat16}


def test_what_the_training_run_left_beside_the_adapter_is_used(
    vision_model: Path, pictures: tuple[Path, list[Image]], tmp_path: Path
) -> None:
    """Its processor, with the limits of pictures that it was trained with."""
    from train.models.model_files import load_processor

    torch.manual_seed(1)
    network = AutoModelForImageTextToText.from_pretrained(vision_model)
    adapted = get_peft_model(network, LoraConfig(r=2, target_modules=["q_proj"], init_lora_weights=False))
    adapted.save_pretrained(tmp_path / "adapter")
    folder, images = pictures
    base = TransformersBackend(vision_model, tmp_path / "adapter", device="cpu")
    request = Request(base.render([Message(role="user", content="x")], 2), tuple(images[:2]), folder)
    before, fingerprint = base.generate([request], SETTINGS)[0].image_tokens, base.fingerprint
    processor = load_processor(str(vision_model))
    limit_pictures(processor, None, 4000)
    processor.save_pretrained(tmp_path / "adapter")
    limited = TransformersBackend(vision_model, tmp_path / "adapter", device="cpu")
    assert limited.generate([request], SETTINGS)[0].image_tokens < before
    assert limited.fingerprint != fingerprint


@pytest.mark.parametrize(("name", "key"), [("manifest.json", "fingerprint"), ("stamp.json", "decides")])
def test_the_manifest_of_an_adapter_has_the_hash_of_its_base(name: str, key: str, model: Path, tmp_path: Path) -> None:
    adapter = make_adapter(model, tmp_path / "adapter")
    hashes = {"model (contents)": folder_hash(model)}
    (adapter / name).write_text(json.dumps({key: hashes, "attempts": []}))
    moved = tmp_path / "another-name"
    shutil.copytree(model, moved)
    assert (
        TransformersBackend(moved, adapter, device="cpu").description["adapter_fits"] == "by the hash in its manifest"
    )
    weights = load_file(moved / "model.safetensors")
    weights["model.norm.weight"] += 1e-3
    save_file(weights, moved / "model.safetensors", {"format": "pt"})
    with pytest.raises(UserError, match=rf"another-name: .*adapter.*{name}"):
        TransformersBackend(moved, adapter, device="cpu")
    (adapter / name).write_text(json.dumps({key: {}}))
    with pytest.raises(UserError, match=rf"{name}: .*'model \(contents\)'"):
        TransformersBackend(model, adapter, device="cpu")


def test_an_adapter_without_a_manifest_is_checked_by_name_and_shapes(model: Path, tmp_path: Path) -> None:
    adapter = make_adapter(model, tmp_path / "adapter")
    assert "shapes" in TransformersBackend(model, adapter, device="cpu").description["adapter_fits"]
    named = json.loads((adapter / "adapter_config.json").read_text())
    cached = tmp_path / "models--Someone--Some-Base" / "snapshots" / "0123"
    shutil.copytree(model, cached)
    named["base_model_name_or_path"] = "Someone/Some-Base"
    (adapter / "adapter_config.json").write_text(json.dumps(named))
    TransformersBackend(cached, adapter, device="cpu")
    with pytest.raises(UserError, match=r"tiny: .*Someone/Some-Base") as caught:
        TransformersBackend(model, adapter, device="cpu")
    assert "\n" not in str(caught.value)


def test_an_adapter_that_does_not_fit_is_refused_before_anything_is_loaded(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "bigger" / "tiny"
    init_model("qwen2", ["a b c"], other, hidden=48, layers=3, heads=2, vocab=400)
    adapter = make_adapter(other, tmp_path / "adapter")
    with pytest.raises(UserError, match=r"adapter: .* 12 of 12 tensors.*lora_A"):
        TransformersBackend(model, adapter, device="cpu")
    deeper = make_adapter(model, tmp_path / "deeper", modules_to_save=["lm_head"])
    TransformersBackend(model, deeper, device="cpu")
    weights = load_file(deeper / "adapter_model.safetensors")
    moved = {name.replace("layers.1", "layers.7"): tensor for name, tensor in weights.items()}
    moved["base_model.model.lm_head.weight"] = moved["base_model.model.lm_head.weight"][:, 1:].contiguous()
    save_file(moved, deeper / "adapter_model.safetensors")
    with pytest.raises(UserError, match=r"5 of 9 tensors"):
        TransformersBackend(model, deeper, device="cpu")
    (deeper / "adapter_model.safetensors").write_bytes(b"junk")
    with pytest.raises(UserError, match=r"adapter_model.safetensors"):
        TransformersBackend(model, deeper, device="cpu")


def test_dora_fits_too(model: Path, tmp_path: Path) -> None:
    adapter = make_adapter(model, tmp_path / "adapter", use_dora=True)
    base, dora = TransformersBackend(model, device="cpu"), TransformersBackend(model, adapter, device="cpu")
    request = Request("abc")
    assert base.generate([request], SETTINGS)[0].text != dora.generate([request], SETTINGS)[0].text
