"""Adapters that start from the weights: what is evaluated, from the untouched base, is what was trained."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

import train.loop.trl_trainer as trl_trainer
import train.train_srt as train_srt
from tests.train.test_resume import Broken, break_off_at
from train.recipe import Recipe
from train.run.merge_adapter import merge
from train.run.resume import checkpoint_of
from train.train_srt import train

Make = Callable[..., Recipe]
IDS = torch.arange(40).view(2, 20) + 5


def logits(model: Any) -> torch.Tensor:
    model.eval()
    with torch.no_grad():
        found: torch.Tensor = model(input_ids=IDS).logits
        return found


def with_adapter(base: str, folder: Path) -> torch.Tensor:
    """The logits of the untouched base with the adapter in ``folder``."""
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32, attn_implementation="eager")
    return logits(PeftModel.from_pretrained(model, str(folder)))


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return float((one - other).abs().max()) < 1e-5 * float(one.abs().max())


@pytest.mark.parametrize("init", ["pissa", "olora"])
def test_evaluated_is_trained_also_resumed_and_merged(
    init: str, recipe: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_training = []
    make = trl_trainer.make_trainer

    def make_and_keep(*args: Any, **kwargs: Any) -> Any:
        in_training.append(make(*args, **kwargs))
        return in_training[-1]

    monkeypatch.setattr(train_srt, "make_trainer", make_and_keep)
    shape = {"steps": 6, "save_steps": 2, "lora": {"r": 4, "init": init, "rslora": init == "olora"}}
    whole, broken = (recipe(output=str(tmp_path / name), **shape) for name in ("whole", "broken"))
    train(whole)
    with monkeypatch.context() as patch:
        break_off_at("checkpoint-4", patch)
        with pytest.raises(Broken):
            train(broken)
    # A checkpoint is a plain adapter too.
    base, checkpoint = whole.model.path, checkpoint_of(Path(broken.output), 2)
    assert load_file(checkpoint / "adapter_model.safetensors")  # before it is removed
    halfway = with_adapter(base, checkpoint)
    train(broken, resume=True)
    trained, resumed = (logits(trainer.model) for trainer in (in_training[0], in_training[2]))
    assert torch.equal(trained, resumed)
    for folder in (whole.output, broken.output):
        assert same(trained, with_adapter(base, Path(folder)))
    assert not same(trained, halfway)
    untrained = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32, attn_implementation="eager")
    assert not same(trained, logits(untrained))
    config = json.loads((Path(whole.output) / "adapter_config.json").read_text())
    assert (config["r"], config["init_lora_weights"], config["use_rslora"]) == (8, True, False)
    assert in_training[0].model.peft_config["default"].r == 4
    merge(Path(whole.output), tmp_path / "merged")
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "merged", dtype=torch.float32, attn_implementation="eager")
    assert same(trained, logits(merged))


def test_it_starts_where_the_base_is(recipe: Make, tmp_path: Path) -> None:
    """At a rate of almost 0, what is saved changes nothing; and the factors are those of the weights, not zero."""
    chosen = recipe(steps=1, learning_rate=1e-12, lora={"r": 4, "init": "pissa"})
    train(chosen)
    model = AutoModelForCausalLM.from_pretrained(chosen.model.path, dtype=torch.float32, attn_implementation="eager")
    assert same(logits(model), with_adapter(chosen.model.path, Path(chosen.output)))
    saved = load_file(Path(chosen.output) / "adapter_model.safetensors")
    assert all(float(value.abs().max()) > 0 for value in saved.values())
