"""A run that was broken off and resumed ends as one that was not, whatever is trained of what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

import train.loop.run_trainer as run_trainer
from train.recipe import Recipe
from train.run.run_manifest import read_manifest
from train.train_srt import train

SHAPE: dict[str, Any] = {"steps": 6, "save_steps": 2, "logging": {"steps": 3}, "scheduler": "linear"}


class Broken(Exception):
    pass


def break_off_at(checkpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run ends before ``checkpoint`` is whole."""
    mark = run_trainer.mark_complete

    def mark_or_break(path: Path, seconds: float) -> None:
        if path.name == checkpoint:
            raise Broken
        mark(path, seconds)

    monkeypatch.setattr(run_trainer, "mark_complete", mark_or_break)


def same_weights(one: str, other: str, name: str) -> bool:
    a, b = load_file(f"{one}/{name}"), load_file(f"{other}/{name}")
    return a.keys() == b.keys() and all(torch.equal(a[key], b[key]) for key in a)


def check(make: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    whole, broken = (make(output=str(tmp_path / name), **SHAPE, **changes) for name in ("whole", "broken"))
    unbroken = train(whole)
    with monkeypatch.context() as patch:
        break_off_at("checkpoint-4", patch)
        with pytest.raises(Broken):
            train(broken)
    resumed = train(broken, resume=True)
    assert [attempt.from_step for attempt in read_manifest(tmp_path / "broken").attempts] == [0, 2]
    assert resumed.losses == unbroken.losses
    assert resumed.tokens == unbroken.tokens
    name = "adapter_model.safetensors" if "lora" in changes else "model.safetensors"
    assert same_weights(whole.output, broken.output, name)


@pytest.mark.parametrize(
    "changes",
    [
        {"lora": {"r": 4, "dropout": 0.3}, "micro_batch": 4},
        {"pack": 200},
        {"pack": 200, "optimizer": "muon", "muon_learning_rate": 0.02},
        pytest.param({"pack": 200, "lora": {"r": 4, "dora": True}}, marks=pytest.mark.slow),
    ],
    ids=["lora-dropout", "packed", "packed-muon", "packed-dora"],
)
def test_text(
    changes: dict[str, Any], recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(recipe, tmp_path, monkeypatch, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"pack": 800, "trainable": {"vision": "full", "projector": "full"}},
        pytest.param(
            {"micro_batch": 4, "lora": {"r": 4, "dropout": 0.3}, "trainable": {"vision": "lora", "projector": "full"}},
            marks=pytest.mark.slow,
        ),
    ],
    ids=["packed-full", "lora-full-projector"],
)
def test_pictures(
    changes: dict[str, Any], vision_recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A whole vision model is saved under other names than those of its modules.
    check(vision_recipe, tmp_path, monkeypatch, **changes)
