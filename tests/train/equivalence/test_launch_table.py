"""Accelerate files as people have them, on two processes: what the recipe says is what runs, or the file is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from launches import ROOT, environment, weights

from train.recipe import Recipe
from train.run.run_manifest import read_manifest
from train.train_srt import train

TWO = {"num_processes": 2, "use_cpu": True, "num_machines": 1, "machine_rank": 0, "main_process_port": 0}
FSDP = {
    **TWO,
    "distributed_type": "FSDP",
    "fsdp_config": {"fsdp_version": 2, "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"},
}
SOUND = {
    "train_micro_batch_size_per_gpu": "auto",
    "gradient_clipping": "auto",
    "gradient_accumulation_steps": "auto",
    "bf16": {"enabled": "auto"},
    "zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": True},
}


def zero(stage: int, **keys: Any) -> dict[str, Any]:
    """Accelerate's file for DeepSpeed, with the keys that accelerate's own questions write."""
    offload = {"offload_optimizer_device": "none", "offload_param_device": "none"}
    return {**TWO, "distributed_type": "DEEPSPEED", "deepspeed_config": {"zero_stage": stage, **offload, **keys}}


def fsdp(**keys: Any) -> dict[str, Any]:
    return {**FSDP, "fsdp_config": {**FSDP["fsdp_config"], **keys}}


RUNS: dict[str, dict[str, Any]] = {
    "default, bf16": {**TWO, "num_processes": 1, "distributed_type": "NO", "mixed_precision": "bf16"},
    "default, fp16": {**TWO, "num_processes": 1, "distributed_type": "NO", "mixed_precision": "fp16"},
    "DDP, bf16": {**TWO, "distributed_type": "MULTI_GPU", "mixed_precision": "bf16"},
    "FSDP2": fsdp(),
    "FSDP2, bf16": {**fsdp(), "mixed_precision": "bf16"},
    "FSDP2, sharded state dict": fsdp(fsdp_state_dict_type="SHARDED_STATE_DICT"),
    "ZeRO-2": zero(2),
    "ZeRO-2, bf16": {**zero(2), "mixed_precision": "bf16"},
    "ZeRO-2, accumulation 4": zero(2, gradient_accumulation_steps=4),
    "ZeRO-2, clipping 0.01": zero(2, gradient_clipping=0.01),
    "ZeRO-3": zero(3, zero3_init_flag=True, zero3_save_16bit_model=True),
    "ZeRO-3, saving left out": zero(3, zero3_init_flag=True),
    "ZeRO-3, saving false": zero(3, zero3_init_flag=True, zero3_save_16bit_model=False),
    "ZeRO-3, init flag left out": zero(3),
    "ZeRO-3, bf16": {**zero(3, zero3_init_flag=True), "mixed_precision": "bf16"},
    "ZeRO-3, accumulation 4, clipping 0.01": zero(3, gradient_accumulation_steps=4, gradient_clipping=0.01),
    "ZeRO-3, a file of its own": zero(3, deepspeed_config_file=SOUND),
}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "FSDP, no version": (fsdp(fsdp_version=None), "fsdp_version"),
    "FSDP1": (fsdp(fsdp_version=1), "fsdp_version"),
    "ZeRO-1": (zero(1), "zero_stage"),
    "own file: clipping": (zero(3, deepspeed_config_file={**SOUND, "gradient_clipping": 0.5}), "gradient_clipping"),
    "own file: no clipping": (
        zero(3, deepspeed_config_file={key: value for key, value in SOUND.items() if key != "gradient_clipping"}),
        "gradient_clipping",
    ),
    "own file: accumulation": (
        zero(3, deepspeed_config_file={**SOUND, "gradient_accumulation_steps": 3}),
        "gradient_accumulation_steps",
    ),
    "own file: bf16": (zero(3, deepspeed_config_file={**SOUND, "bf16": {"enabled": True}}), "bf16.enabled"),
    "own file: nothing gathered": (
        zero(3, deepspeed_config_file={**SOUND, "zero_optimization": {"stage": 3}}),
        "stage3_gather_16bit_weights_on_model_save",
    ),
    "own file: an optimizer": (
        zero(3, deepspeed_config_file={**SOUND, "optimizer": {"type": "AdamW", "params": {"lr": 1}}}),
        "optimizer",
    ),
}


@pytest.fixture
def launched(recipe: Callable[..., Recipe], tmp_path: Path) -> Callable[[dict[str, Any]], Any]:
    """Runs the command for a float32 recipe under an accelerate file."""

    def run(file: dict[str, Any]) -> tuple[Recipe, subprocess.CompletedProcess[str]]:
        file = {"compute_environment": "LOCAL_MACHINE", **file}
        deepspeed = dict(file.get("deepspeed_config", {}))
        if isinstance(own := deepspeed.get("deepspeed_config_file"), dict):
            (tmp_path / "own.json").write_text(json.dumps(own))
            # Beside such a file, accelerate refuses its own keys, mixed_precision too.
            file["deepspeed_config"] = {"deepspeed_config_file": str(tmp_path / "own.json"), "zero3_init_flag": True}
        (tmp_path / "accelerate.yaml").write_text(yaml.safe_dump(file))
        made = recipe(steps=3, micro_batch=2, output=str(tmp_path / "launched"))
        (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(made.model_dump(mode="json")))
        launcher = [sys.executable, "-m", "accelerate.commands.launch", "--config_file"]
        command = [*launcher, str(tmp_path / "accelerate.yaml"), "train/train_srt.py"]
        command += ["--config", str(tmp_path / "recipe.yaml")]
        return made, subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=900)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_what_the_recipe_says_is_what_runs(
    name: str, launched: Callable[..., Any], recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    made, done = launched(RUNS[name])
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    alone = train(recipe(steps=3, micro_batch=2, output=str(tmp_path / "alone")))
    summary = json.loads(Path(made.output, "train.json").read_text())
    assert [loss for _, loss in summary["losses"]] == pytest.approx([loss for _, loss in alone.losses], rel=1e-4)
    said, at_once = (read_manifest(tmp_path / folder).attempts[0].in_force for folder in ("launched", "alone"))
    where = ("sharding", "processes", "micro-batches a step")
    assert {key: value for key, value in said.items() if key not in where} == {
        key: value for key, value in at_once.items() if key not in where
    }
    assert said["processes"] == RUNS[name]["num_processes"]
    saved, start = weights(Path(made.output)), weights(Path(made.model.path))
    # Under ZeRO a tied head is written once more.
    assert {name: saved[name].shape for name in start} == {name: tensor.shape for name, tensor in start.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_what_contradicts_the_recipe_is_refused(name: str, launched: Callable[..., Any]) -> None:
    file, key = REFUSED[name]
    made, done = launched(file)
    assert done.returncode != 0
    told = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error:")]
    assert len(told) == 1
    assert key in told[0]
    assert not Path(made.output).exists()
