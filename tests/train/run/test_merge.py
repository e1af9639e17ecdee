"""A merged model is base and adapter up to rounding, or there is none."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraModel, PeftModel
from peft.tuners.lora.layer import Linear
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor, AutoTokenizer

from srt.cli import main
from srt.io.errors import UserError
from train.models.load_model import load_model
from train.recipe import Recipe
from train.run import merge_adapter as merging
from train.run.merge_adapter import merge
from train.run.run_manifest import (
    MANIFEST,
    OLD_MANIFEST,
    TrainingManifest,
    fingerprint,
    this_attempt,
    write_manifest,
)


def make_adapter(recipe: Recipe, folder: Path, with_manifest: bool = True) -> Path:
    """An adapter as a run would leave it, with weights that are far from those at its start."""
    model: Any = load_model(recipe)
    torch.manual_seed(3)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter += 0.1 * torch.randn_like(parameter)
    model.save_pretrained(folder)
    if with_manifest:
        write_manifest(folder, TrainingManifest(fingerprint=fingerprint(recipe, 1), attempts=[]))
    return folder


@pytest.mark.parametrize("quantize", [None, "nf4"])
@pytest.mark.parametrize("dora", [False, True])
def test_merged_text_model(dora: bool, quantize: str | None, recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    base = recipe().model.path
    chosen = recipe(model={"path": base, "quantize": quantize}, lora={"r": 4, "dora": dora})
    adapter = make_adapter(chosen, tmp_path / "adapter")
    done = merge(adapter, tmp_path / "merged")
    assert done.base == base
    assert done.base_verified
    assert done.trained_over_4_bit == (quantize is not None)
    assert done.dtype == "float32"
    assert 0 <= done.difference <= 1e-4 * done.largest_logit
    assert json.loads((tmp_path / "merged" / "merge.json").read_text()) == done.model_dump()

    # What is on disk, against PEFT over the base that is not quantized, on tokens of this test's own.
    ids = torch.arange(40).reshape(2, 20)
    plain = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "merged")
    with torch.no_grad():
        without = plain(ids).logits
        expected = PeftModel.from_pretrained(plain, adapter)(ids).logits
        torch.testing.assert_close(merged(ids).logits, expected, rtol=1e-4, atol=1e-4)
    assert (expected - without).abs().max() > 0.05, "the adapter of this test does something"
    assert AutoTokenizer.from_pretrained(tmp_path / "merged").chat_template
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


@pytest.mark.parametrize("arch", ["qwen2_5_vl", "internvl"])
def test_merged_vision_model_with_a_part_trained_in_full(
    arch: str, vision_recipe: Callable[..., Recipe], vision_models: dict[str, Path], tmp_path: Path
) -> None:
    base = vision_models[arch]
    parts = {"vision": "full", "projector": "lora"}
    adapter = make_adapter(
        vision_recipe(model={"path": str(base)}, trainable=parts, lora={"r": 4}), tmp_path / "adapter"
    )
    done = merge(adapter, tmp_path / "new" / "merged")
    assert done.difference <= 1e-4 * done.largest_logit
    processor = AutoProcessor.from_pretrained(tmp_path / "new" / "merged")
    assert type(processor).__name__ in ("Qwen2_5_VLProcessor", "InternVLProcessor")
    plain = AutoModelForImageTextToText.from_pretrained(base)
    merged = AutoModelForImageTextToText.from_pretrained(tmp_path / "new" / "merged")
    changed = {
        name.split(".")[1 if name.startswith("model.") else 0]
        for (name, one), other in zip(plain.named_parameters(), merged.parameters(), strict=True)
        if not torch.equal(one, other)
    }
    assert (
        changed
        == {
            "qwen2_5_vl": {"visual", "language_model"},
            "internvl": {"vision_tower", "multi_modal_projector", "language_model"},
        }[arch]
    )


def test_base_in_bfloat16_stays_in_bfloat16(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    base = recipe().model.path
    AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16).save_pretrained(tmp_path / "base")
    AutoTokenizer.from_pretrained(base).save_pretrained(tmp_path / "base")
    spec = {"path": str(tmp_path / "base"), "dtype": "bfloat16"}
    adapter = make_adapter(recipe(model=spec, lora={"r": 4}), tmp_path / "adapter")
    done = merge(adapter, tmp_path / "merged")
    assert done.dtype == "bfloat16"
    assert {t.dtype for t in load_file(tmp_path / "merged" / "model.safetensors").values()} == {torch.bfloat16}
    assert done.difference <= 1e-4 * done.largest_logit < done.difference_rounded
    assert 0 < done.divergence < 0.01 * done.adapter_divergence
    assert done.greedy_changed <= done.tokens == 32, "random prompts: the run of this test has no command"
    assert f"at {done.greedy_changed} of 32 places" in done.rounding

    exact = merge(adapter, tmp_path / "exact", dtype="float32")
    assert (exact.dtype, exact.greedy_changed) == ("float32", 0)
    assert exact.difference_rounded == exact.difference <= 1e-4 * exact.largest_logit
    assert {t.dtype for t in load_file(tmp_path / "exact" / "model.safetensors").values()} == {torch.float32}
    assert json.loads((tmp_path / "exact" / "config.json").read_text())["dtype"] == "float32"


WRONG: dict[str, Callable[[int, torch.Tensor], torch.Tensor]] = {
    "a missed module": lambda number, delta: delta * (number != 9),
    "a wrong scale": lambda number, delta: delta * 2,
    "transposed matrices": lambda number, delta: delta.T if delta.shape[0] == delta.shape[1] else delta,
}
"""What becomes of the change of the weights of each module; they are numbered."""


@pytest.mark.parametrize("fault", WRONG)
@pytest.mark.parametrize("gate", ["before rounding", "after rounding"])
def test_a_wrong_merge_is_caught_on_either_side_of_rounding(
    gate: str, fault: str, recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = make_adapter(recipe(lora={"r": 4}), tmp_path / "adapter")
    right, numbers = Linear.get_delta_weight, count()
    monkeypatch.setattr(Linear, "get_delta_weight", lambda *given: WRONG[fault](next(numbers), right(*given)))
    if gate == "after rounding":
        monkeypatch.setattr(merging, "_TOLERANCE", math.inf)
    with pytest.raises(UserError, match="in a logit" if gate == "before rounding" else r"KL divergence .* allowed"):
        merge(adapter, tmp_path / "merged", dtype="bfloat16")
    assert [file.name for file in tmp_path.iterdir()] == ["adapter"]


@pytest.mark.parametrize("pictures", [False, True])
def test_it_is_compared_on_the_runs_own_data(
    pictures: bool, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the command of its last start leads to the same recipe and data; else on random prompts."""
    data: Path = request.getfixturevalue("vision_data" if pictures else "data")
    shutil.copytree(data.parent, tmp_path / "data")
    own = tmp_path / "data" / data.name
    chosen = request.getfixturevalue("vision_recipe" if pictures else "recipe")(lora={"r": 4}, data=str(own))
    file = tmp_path / "recipe.yaml"
    file.write_text(json.dumps(chosen.model_dump(mode="json", exclude_unset=True)))
    monkeypatch.setattr(sys, "argv", ["train_srt.py", "--config", str(file), "--set", "seed=0"])
    adapter = make_adapter(chosen, tmp_path / "adapter", with_manifest=False)
    write_manifest(adapter, TrainingManifest(fingerprint=fingerprint(chosen, 1), attempts=[this_attempt()]))
    done = merge(adapter, tmp_path / "merged")
    assert done.compared_on == "16 sequences of the run's data"
    assert done.tokens > 16 * 10
    own.write_bytes(b"".join(own.read_bytes().splitlines(keepends=True)[1:]))
    assert merge(adapter, tmp_path / "changed").compared_on == "random prompts"


def test_a_merge_that_is_not_the_same_leaves_nothing(
    recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = make_adapter(recipe(lora={"r": 4}), tmp_path / "adapter")
    merged_well = LoraModel.merge_and_unload

    def merge_and_unload(self: Any, **how: Any) -> Any:
        model = merged_well(self, **how)
        model.get_parameter("model.layers.1.mlp.up_proj.weight").data[0] += 1
        return model

    with monkeypatch.context() as patch:
        patch.setattr(LoraModel, "merge_and_unload", merge_and_unload)
        with pytest.raises(UserError, match=r"/adapter: .* 0\.0001 "):
            merge(adapter, tmp_path / "merged")

    def copy_and_spoil(base: Path, adapter: Path, folder: Path) -> None:
        weights = AutoModelForCausalLM.from_pretrained(base)
        weights.save_pretrained(folder)

    with monkeypatch.context() as patch:
        patch.setattr(merging, "_copy_tokenizer", copy_and_spoil)
        with pytest.raises(UserError, match=r"/merged: .* 0\.0001 "):
            merge(adapter, tmp_path / "merged")
    assert [file.name for file in tmp_path.iterdir()] == ["adapter"]


def test_faults(
    recipe: Callable[..., Recipe], models: dict[str, Path], vision_models: dict[str, Path], tmp_path: Path
) -> None:
    adapter = make_adapter(recipe(lora={"r": 4}), tmp_path / "adapter")
    no_manifest = make_adapter(recipe(lora={"r": 4}), tmp_path / "no_manifest", with_manifest=False)
    output = tmp_path / "out"

    def message(*given: Any) -> str:
        with pytest.raises(UserError) as error:
            merge(*given)
        assert "\n" not in str(error.value)
        assert not output.exists()
        return str(error.value)

    assert "not the model that" in message(adapter, output, models["llama3"])
    (adapter / MANIFEST).rename(adapter / OLD_MANIFEST)
    assert OLD_MANIFEST in message(adapter, output, models["llama3"])
    assert "does not fit" in message(no_manifest, output, vision_models["qwen2_5_vl"])
    deeper = tmp_path / "deeper"
    shutil.copytree(no_manifest, deeper)
    weights = load_file(deeper / "adapter_model.safetensors")
    weights |= {name.replace("layers.1", "layers.2"): tensor.clone() for name, tensor in weights.items()}
    save_file(weights, deeper / "adapter_model.safetensors")
    assert "14 tensors have no counterpart" in message(deeper, output)
    save_file(dict(list(weights.items())[1:14]), deeper / "adapter_model.safetensors")
    assert "tensors have no counterpart" in message(deeper, output)
    assert "no such folder" in message(tmp_path / "none", output)
    assert "no such folder; give the base" in message(adapter, output, tmp_path / "none")
    assert "not an adapter" in message(models["minimal"], output)
    assert "no adapter_config.json" in message(tmp_path, output)
    assert "must be a new or empty folder" in message(adapter, models["minimal"])
    pickled = tmp_path / "pickled"
    shutil.copytree(no_manifest, pickled)
    (pickled / "adapter_model.safetensors").rename(pickled / "adapter_model.bin")
    assert "no adapter_model.safetensors" in message(pickled, output)
    shutil.copytree(adapter, tmp_path / "broken")
    (tmp_path / "broken" / "adapter_model.safetensors").write_bytes(b"none")
    assert "does not fit" in message(tmp_path / "broken", output)


def test_command(
    recipe: Callable[..., Recipe],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    adapter = make_adapter(recipe(lora={"r": 4}), tmp_path / "adapter", with_manifest=False)
    (tmp_path / "merged").mkdir()
    command = ["srt", "merge", str(adapter), "-o", str(tmp_path / "merged"), "--json"]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0
    said = capsys.readouterr()
    summary = json.loads(said.out)
    assert summary["merged"] == str(tmp_path / "merged")
    assert 0 <= summary["difference"] < 1e-4
    assert "could not be checked" in said.err
    assert (tmp_path / "merged" / "model.safetensors").exists()
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 2, "the output is not empty now"
