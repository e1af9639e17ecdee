"""A run of several processes is watched as a run of one: the same held-out losses, texts and best weights."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file

import train.loop.held_out as held_out_loss
import train.loop.watch as watch
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from tests.train.conftest import HELD_OUT, make_pictures, make_sequence
from tests.train.loop.first_is_best import best_is_the_first
from train.loop.generations import JudgedText
from train.recipe import Recipe
from train.run.resume import TrainSummary
from train.train_srt import train

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("first_is_best.py")
SHAPE: dict[str, Any] = {"early_stopping": {"patience": 9}, "load_best_model_at_end": True, "steps": 4}
SHAPE |= {"eval_steps": 2, "logging": {"steps": 2}, "batch_size": 4, "micro_batch": 2}
LORA = {"r": 4, "alpha": 8}


def launch(config: str, recipe: Recipe, path: Path) -> TrainSummary:
    path.write_text(yaml.safe_dump(recipe.model_dump(mode="json")), encoding="utf-8")
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", f"configs/{config}.yaml"]
    command += [str(SCRIPT), "--config", str(path)]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        "DS_ACCELERATOR": "cpu",
        "SRT_DIE_WITH_PARENT": "1",
        "TORCH_EXTENSIONS_DIR": str(Path(sys.prefix) / "torch_extensions"),
    }
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("generated 5: ") == len(recipe_steps(recipe))
    return TrainSummary.model_validate_json((Path(recipe.output) / "train.json").read_bytes())


def recipe_steps(recipe: Recipe) -> range:
    assert recipe.steps is not None
    assert recipe.eval_steps is not None
    return range(recipe.eval_steps, recipe.steps + 1, recipe.eval_steps)


def texts(recipe: Recipe) -> list[JudgedText]:
    return list(read_records(Path(recipe.output) / "generations.jsonl", JudgedText))


def weights(recipe: Recipe) -> dict[str, torch.Tensor]:
    (file,) = Path(recipe.output).glob("*model.safetensors")
    return load_file(file)


@pytest.mark.slow
@pytest.mark.parametrize("content", ["text", "pictures"])
@pytest.mark.parametrize("lora", [None, LORA], ids=["full", "lora"])
def test_as_one_process(
    content: str,
    lora: dict[str, Any] | None,
    recipe: Callable[..., Recipe],
    vision_recipe: Callable[..., Recipe],
    held_out: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make, pictures = (recipe, False) if content == "text" else (vision_recipe, True)
    for name, numbers in (("data", range(4)), ("held-out", HELD_OUT)):
        sequences = [make_sequence(number) for number in numbers]
        if pictures:
            images = [make_pictures(number, tmp_path) for number in numbers]
            sequences = [one.model_copy(update={"images": its}) for one, its in zip(sequences, images, strict=True)]
        write_records(tmp_path / f"{name}.jsonl", sequences)
    files = {"data": str(tmp_path / "data.jsonl"), "eval_data": str(tmp_path / "held-out.jsonl")}
    generations = {**held_out["generations"], "max_new_tokens": 20}
    shape = {**SHAPE, **files, "generations": generations, "lora": lora}
    one = make(output=str(tmp_path / "one"), **shape)
    for module in (held_out_loss, watch):
        monkeypatch.setattr(module, "best_evaluation", lambda log, threshold=0.0: best_is_the_first(log))
    alone = train(one)
    assert alone.result_step == 2
    for config in ("cpu_ddp", "cpu_fsdp2", "cpu_zero2", "cpu_zero3"):
        several = make(output=str(tmp_path / config), **shape)
        summary = launch(config, several, tmp_path / f"{config}.yaml")
        assert (summary.best_step, summary.result_step) == (alone.best_step, alone.result_step), config
        for row, expected in zip(summary.eval_history, alone.eval_history, strict=True):
            assert row == pytest.approx(expected, rel=1e-4, abs=1e-4), config
        assert texts(several) == texts(one), config
        ours, theirs = weights(several), weights(one)
        for name, tensor in theirs.items():  # sharded models are saved with their tied head beside the embeddings
            assert torch.allclose(tensor, ours[name], rtol=1e-3, atol=1e-4), f"{config}: {name}"
