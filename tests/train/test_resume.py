"""A run that was broken off and resumed ends as one that was not, whatever is trained of what."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file

import train.loop.trl_trainer as trl_trainer
from srt.io.errors import UserError
from train.loop.preemption import EXIT_STATUS
from train.recipe import Recipe
from train.run.run_manifest import read_manifest
from train.train_srt import main, train

SHAPE: dict[str, Any] = {"steps": 6, "save_steps": 2, "logging": {"steps": 3}, "scheduler": "linear"}


class Broken(Exception):
    pass


def break_off_at(checkpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run ends before ``checkpoint`` is whole."""
    mark = trl_trainer.mark_complete

    def mark_or_break(path: Path, seconds: float) -> None:
        if path.name == checkpoint:
            raise Broken
        mark(path, seconds)

    monkeypatch.setattr(trl_trainer, "mark_complete", mark_or_break)


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
        pytest.param({"pack": 200, "lora": {"r": 4, "dora": True}}, marks=pytest.mark.slow),
    ],
    ids=["lora-dropout", "packed", "packed-dora"],
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


def test_sigterm_saves_and_ends_and_the_run_goes_on(
    recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shape = SHAPE | {"save_steps": None, "logging": {"steps": 1}}
    unbroken = train(recipe(output=str(tmp_path / "whole"), **shape))
    broken = recipe(output=str(tmp_path / "broken"), **shape)
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(broken.model_dump(mode="json")))
    steps: list[int] = []
    step = trl_trainer.TraceTrainer.training_step

    def step_and_signal(self: Any, *args: Any, **kwargs: Any) -> Any:
        steps.append(self.state.global_step)
        if self.state.global_step == 3:
            os.kill(os.getpid(), signal.SIGTERM)
        return step(self, *args, **kwargs)

    before = signal.getsignal(signal.SIGTERM)
    with monkeypatch.context() as patch:
        patch.setattr(trl_trainer.TraceTrainer, "training_step", step_and_signal)
        assert main(["--config", str(tmp_path / "r.yaml")]) == EXIT_STATUS == 143
    assert signal.getsignal(signal.SIGTERM) is before
    assert max(steps) == 3, "the step in which the signal came was the last"
    assert "stopped by SIGTERM after step 4" in capsys.readouterr().out
    with pytest.raises(UserError, match=r"output .* step 4: .*--resume"):
        train(broken)
    assert main(["--config", str(tmp_path / "r.yaml"), "--resume"]) == 0
    resumed = train(broken)
    assert resumed.losses == unbroken.losses
    assert same_weights(str(tmp_path / "whole"), broken.output, "model.safetensors")


@pytest.mark.slow
def test_sigterm_to_the_launcher_of_several_processes(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    shape: dict[str, Any] = {"steps": 60, "logging": {"steps": 1}, "micro_batch": 4}
    unbroken = train(recipe(output=str(tmp_path / "whole"), **shape))
    broken = recipe(output=str(tmp_path / "broken"), **shape)
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(broken.model_dump(mode="json")))
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", "configs/cpu_ddp.yaml"]
    command += ["train/train_srt.py", "--config", str(tmp_path / "r.yaml")]
    options: dict[str, Any] = {
        "cwd": root,
        "env": {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"},
        "text": True,
        "stdout": subprocess.PIPE,
    }
    with subprocess.Popen(command, **options) as launcher:
        assert launcher.stdout is not None
        told = []
        for line in launcher.stdout:
            told.append(line)
            if line.startswith("step 3/"):
                launcher.send_signal(signal.SIGTERM)
        assert launcher.wait(timeout=120) != 0
    assert any(line.startswith("stopped by SIGTERM after step") for line in told), told
    assert not any(line.startswith("step 60/") for line in told)
    done = subprocess.run([*command, "--resume"], **options)
    assert done.returncode == 0
    assert "resuming from" in done.stdout
    losses = yaml.safe_load((tmp_path / "broken" / "train.json").read_text())["losses"]
    assert [loss for _, loss in losses] == pytest.approx([loss for _, loss in unbroken.losses], rel=1e-4)
