"""What training writes has the rights that the umask leaves, weights too."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import train.run.finish
import train.train_srt
from train.models.init_model import init_model
from train.recipe import Recipe
from train.run.merge_adapter import merge


@pytest.fixture(params=[0o022, 0o027], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_new_model_checkpoints_adapter_and_merged_model(
    umask: int, recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train.run.finish, "remove_checkpoints", lambda *_, **__: None)
    base = tmp_path / "base"
    init_model("llama", ["Ana is right of Bo"], base, hidden=16, layers=1, heads=1, vocab=300)
    for name, lora in (("adapter", {"r": 2}), ("whole", None)):
        model = {"path": str(base), "attn": "eager"}
        train.train_srt.train(recipe(model=model, lora=lora, steps=1, save_steps=1, output=str(tmp_path / name)))
    merge(tmp_path / "adapter", tmp_path / "merged")
    weights = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.safetensors")]
    assert len(weights) == 6, weights
    for path in tmp_path.rglob("*"):
        expected = (0o777 if path.is_dir() else 0o666) & ~umask
        assert path.stat().st_mode & 0o777 == expected, path.relative_to(tmp_path)
