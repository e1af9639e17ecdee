"""A tiny vision recipe through the real command: on this device, and on two, with the losses of one CPU process.

The reference pads and attends with plain matrices; what is checked packs rows and takes the kernel that a run would.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import torch
import yaml

from benchmarks.gpu.data import make_data
from benchmarks.gpu.first_ten_minutes.checks import Check, Place, largest_difference
from train.models.init_model import init_model, sequence_texts

_LOSSES, _NORMS = 2e-3, 2e-2  # bfloat16 has steps of 4e-3
_STEPS = 5


class _Run(NamedTuple):
    losses: list[float]
    norms: list[float]


def run(place: Place) -> list[Check]:
    """On one device, then on two under DDP and FSDP2 if there are two (``tiny``: two CPU processes)."""
    recipe = _recipe(place.folder)
    reference = _train(
        place, "reference", recipe | {"micro_batch": 8, "model": recipe["model"] | {"attn": "eager"}}, None
    )
    packed = recipe | {"pack": 2048}
    checks = [_compared("one device", _train(place, "packed", packed, None, device=True), reference)]
    enough = place.tiny or torch.cuda.device_count() >= 2
    for name, file in (("DDP", "ddp"), ("FSDP2", "fsdp2")):
        if enough:
            launch = f"configs/cpu_{file}.yaml" if place.tiny else f"configs/{file}_8gpu.yaml"
            ended = _train(place, file, packed, launch, device=True)
            checks.append(_compared(f"two devices, {name}", ended, reference))
        else:
            checks.append(Check(f"two devices, {name}", "skipped", "there is one GPU"))
    return checks


def _recipe(folder: Path) -> dict[str, Any]:
    data = make_data("qwen2.5-vl-3b", folder / "data", 16, tiny=True)
    init_model(
        "qwen2_5_vl",
        sequence_texts([data.sequences]),
        folder / "model",
        hidden=64,
        layers=2,
        heads=2,
        vocab=1000,
        initializer_range=0.05,
        max_positions=4096,
    )
    return {
        "model": {"path": str(folder / "model"), "dtype": "bfloat16"},
        "data": str(data.sequences),
        "steps": _STEPS,
        "batch_size": 8,
        "learning_rate": 1e-3,
        "max_length": 2048,
        "trainable": {"vision": "full", "projector": "full"},
        "logging": {"steps": 1},
    }


def _train(place: Place, name: str, recipe: dict[str, Any], launch: str | None, *, device: bool = False) -> _Run | str:
    """The losses and gradient norms of a run, or the last line of what it said when it failed."""
    output = place.folder / name
    path = place.folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(recipe | {"output": str(output)}))
    command = [sys.executable, "-m", "srt", "train", str(path)]
    if launch:
        command += ["--accelerate", launch, "--", "--num_processes", "2"]
    hidden = {} if device and not place.tiny else {"CUDA_VISIBLE_DEVICES": ""}
    if device and not place.tiny and launch is None:
        hidden = {"CUDA_VISIBLE_DEVICES": "0"}
    done = subprocess.run(command, env={**os.environ, **hidden}, capture_output=True, text=True)
    if done.returncode:
        return (done.stdout + done.stderr).strip().splitlines()[-1]
    history = json.loads((output / "train.json").read_text())["history"]
    return _Run([row["loss"] for row in history], [row["grad_norm"] for row in history])


def _compared(name: str, ended: _Run | str, reference: _Run | str) -> Check:
    if isinstance(ended, str) or isinstance(reference, str):
        return Check(name, "fail", str(ended if isinstance(ended, str) else reference))
    losses = largest_difference(ended.losses, reference.losses)
    norms = largest_difference(ended.norms, reference.norms)
    line = (
        f"losses differ by {losses:.1e} (at most {_LOSSES:.0e}), gradient norms by {norms:.1e} (at most {_NORMS:.0e})"
    )
    figures = {"losses": ended.losses, "norms": ended.norms, "reference": reference._asdict()}
    return Check(name, "pass" if losses <= _LOSSES and norms <= _NORMS else "fail", line, figures)
