"""Weights that are not those of config.json are a fault before they are loaded; names of every family pass."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from train.models.families.family_registry import MODEL_FAMILIES
from train.models.init_model import init_model, sequence_texts
from train.models.load_model import model_faults
from train.models.model_files import load_family, load_weights, tensor_faults
from train.recipe import Recipe

Tensors = dict[str, torch.Tensor]
LAYERS = {"gemma4_text": 3, "qwen3_5_text": 4, "qwen3_5": 4}


def changed(folder: Path, place: Path, change: Callable[[Tensors], Any]) -> str:
    """A copy of the model ``folder`` with other tensors."""
    shutil.copytree(folder, place)
    tensors = load_file(place / "model.safetensors")
    change(tensors)
    save_file(tensors, place / "model.safetensors", metadata={"format": "pt"})
    return str(place)


def faults(path: str) -> list[str]:
    return tensor_faults(path, load_family(path))


@pytest.mark.parametrize("arch", MODEL_FAMILIES)
def test_every_family_passes_and_a_damaged_one_does_not(arch: str, data: Path, tmp_path: Path) -> None:
    sound = tmp_path / "sound"
    shape = {"hidden": 32, "layers": LAYERS.get(arch, 2), "heads": 2, "vocab": 400}
    init_model(arch, sequence_texts([data]), sound, **shape)  # type: ignore[arg-type]
    assert faults(str(sound)) == []
    (layers,) = MODEL_FAMILIES[arch].parts["language"].layers
    names = load_file(sound / "model.safetensors")
    first, second = (sorted(name for name in names if f"layers.{n}." in name and "visual" not in name) for n in (0, 1))

    def damage(tensors: Tensors) -> None:
        for name in second:
            tensors[name.replace("layers.1.", "layers.9.")] = tensors[name].clone()
        del tensors[second[0]]
        tensors[first[0]] = torch.zeros(3, 5)

    missing, beyond, shape_line = faults(changed(sound, tmp_path / "damaged", damage))
    end = first[0].rpartition("layers.0.")[2]
    assert "model.path: " in missing
    assert ": 1 weights of the model" in missing
    assert f"{layers}.1.{end}" in missing
    assert f": {len(second)} weights" in beyond
    assert f"{layers}.9." in beyond
    assert ": 1 weights" in shape_line
    assert f"{layers}.0.{end}: [3, 5], not [" in shape_line


@pytest.mark.parametrize(
    ("arch", "tie"),
    [("qwen2_5_vl", "as published"), ("minimal", "backbone"), ("minimal", "tied"), ("minimal", "buffers")],
)
def test_other_names_that_transformers_reads(
    arch: str, tie: str, models: dict[str, Path], vision_models: dict[str, Path], tmp_path: Path
) -> None:
    def rename(tensors: Tensors) -> None:
        for name in list(tensors):
            if tie == "as published":
                # Of files from before the language model had a module of its own.
                tensors[name.replace("model.language_model.", "model.").replace("model.visual.", "visual.")] = (
                    tensors.pop(name)
                )
            elif tie == "backbone" and name.startswith("model."):
                tensors[name.removeprefix("model.")] = tensors.pop(name)
        if tie == "tied":
            tensors.pop("lm_head.weight", None)
        if tie == "buffers":
            tensors["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.zeros(8)

    path = changed({**models, **vision_models}[arch], tmp_path / "model", rename)
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    config["tie_word_embeddings"] = config.get("tie_word_embeddings") or tie == "tied"
    (tmp_path / "model" / "config.json").write_text(json.dumps(config))
    assert faults(path) == []
    load_weights(path, load_family(path), torch.float32)


@pytest.mark.parametrize("further", [{}, {"lora": {"r": 4}}, {"model": {"quantize": "nf4"}, "lora": {"r": 4}}])
def test_training_refuses_what_is_not_in_config(
    further: dict[str, Any], recipe: Callable[..., Recipe], models: dict[str, Path], tmp_path: Path
) -> None:
    model = {**further.get("model", {}), "path": str(models["minimal"])}
    assert model_faults(recipe(**{**further, "model": model})) == []

    def shrink(tensors: Tensors) -> None:
        tensors["model.layers.1.mlp.up_proj.weight"] = torch.zeros(7, 32)

    model["path"] = changed(models["minimal"], tmp_path / "model", shrink)
    (fault,) = model_faults(recipe(**{**further, "model": model}))
    assert "model.layers.1.mlp.up_proj.weight: [7, 32]" in fault


def test_fewer_layers_than_the_files_have(models: dict[str, Path], tmp_path: Path) -> None:
    path = changed(models["minimal"], tmp_path / "model", lambda tensors: None)
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    (tmp_path / "model" / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 1}))
    (fault,) = faults(path)
    assert "of layers that config.json does not count, such as model.layers.1." in fault
