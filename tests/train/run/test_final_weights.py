from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from train.models.families.family_registry import find_family
from train.recipe import Recipe
from train.run.saved_weights import cast_weights, record_dtype
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
