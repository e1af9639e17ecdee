from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM

from srt.io.errors import UserError
from train.loop.trl_trainer import TraceTrainer
from train.models.families.family_registry import find_family
from train.recipe import Recipe
from train.run.run_manifest import read_manifest
from train.run.saved_weights import cast_weights, check_weights, record_dtype
from train.train_srt import train


def test_weights_are_cast_and_stay_tied() -> None:
    head, other = torch.full((3, 2), 1 / 3), torch.full((2,), 1 / 7)
    state = {"embeddings": head, "head": head.view(3, 2), "norm": other, "ids": torch.tensor([1, 2])}
    cast_weights(state, torch.bfloat16)
    assert {name: tensor.dtype for name, tensor in state.items()} == {
        "embeddings": torch.bfloat16,
        "head": torch.bfloat16,
        "norm": torch.bfloat16,
        "ids": torch.int64,
    }
    assert state["head"].data_ptr() == state["embeddings"].data_ptr()
    assert state["norm"].data_ptr() != state["head"].data_ptr()
    assert torch.equal(state["head"], head.bfloat16())
    assert head.dtype == torch.float32


def test_every_config_inside_states_the_dtype() -> None:
    config = AutoConfig.for_model(find_family("qwen2_5_vl").model_type, dtype="float32")
    record_dtype(config, torch.bfloat16)
    saved = config.to_dict()
    assert [saved["dtype"], saved["text_config"]["dtype"], saved["vision_config"]["dtype"]] == ["bfloat16"] * 3


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_trained_model_has_the_dtype_of_its_base(dtype: str, recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    """Whatever the arithmetic is done in; other launchers: `equivalence/`."""
    base = tmp_path / "base"
    copytree(recipe().model.path, base)
    AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16).save_pretrained(base)
    chosen = recipe(model={"path": str(base), "dtype": dtype}, steps=2)
    train(chosen)
    model = AutoModelForCausalLM.from_pretrained(chosen.output, dtype="auto")
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight


def test_weights_that_are_not_complete_are_no_result(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(3, 2), "b": torch.zeros(4)}, tmp_path / "model.safetensors")
    check_weights(tmp_path, 10)
    with pytest.raises(UserError, match=r"10 values of 11"):
        check_weights(tmp_path, 11)
    with pytest.raises(UserError, match=r"0 values of 1"):
        check_weights(tmp_path / "nothing", 1)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_no_result(value: float, tmp_path: Path) -> None:
    bad = torch.zeros(3, 2, dtype=torch.bfloat16)
    bad[1, 1] = value
    save_file({"good": torch.zeros(4), "bad": bad}, tmp_path / "model.safetensors")
    with pytest.raises(UserError, match=r"model.safetensors: bad: "):
        check_weights(tmp_path, 10)
    assert not list(tmp_path.iterdir()), "nothing stays that could be taken for a model"


def test_a_last_step_that_breaks_the_weights_ends_in_an_error(recipe: Callable[..., Recipe]) -> None:
    chosen = recipe(steps=1, learning_rate=1e300, warmup=0)
    with pytest.raises(UserError, match="infinite or not a number"):
        train(chosen)
    assert not (Path(chosen.output) / "train.json").exists()


def test_without_all_weights_there_is_no_summary(
    recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under ZeRO-3, where a library may save shards of its own form and say nothing."""
    monkeypatch.setattr(TraceTrainer, "save_final", lambda self, output: None)
    chosen = recipe(steps=2, save_steps=1)
    with pytest.raises(UserError, match="not complete"):
        train(chosen)
    left = {path.name for path in Path(chosen.output).iterdir()}
    assert "train.json" not in left
    assert "checkpoint-2" in left


def test_the_recipe_decides_the_precision(recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody's accelerate file says ``mixed_precision: bf16``."""
    losses = []
    for number, precision in enumerate(("no", "bf16")):
        monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", precision)
        chosen = recipe(steps=3, output=f"{recipe().output}-{number}")
        losses.append(train(chosen).losses)
        assert read_manifest(Path(chosen.output)).attempts[0].in_force["precision"] == "float32"
    assert losses[0] == losses[1]
