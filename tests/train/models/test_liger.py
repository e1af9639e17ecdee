"""Liger's kernels give the losses and gradients of the model's own modules, under Triton's interpreter on a CPU.

The interpreter must be chosen before Triton is imported, so the comparison runs in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from train.models.load_model import model_faults
from train.recipe import Recipe

COMPARISON = Path(__file__).with_name("compare_liger.py")


@pytest.mark.parametrize("family", ["qwen2", "llama", "qwen2_5_vl", "internvl"])
def test_same_losses_and_gradients(family: str, models: dict[str, Path], vision_models: dict[str, Path]) -> None:
    pytest.importorskip("liger_kernel")
    path = {"qwen2": models["qwen2.5"], "llama": models["minimal"], **vision_models}[family]
    environment = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(COMPARISON), str(path)], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_needs_its_package_and_a_gpu(recipe: Callable[..., Recipe], models: dict[str, Path]) -> None:
    faults = model_faults(recipe(model={"path": str(models["minimal"]), "liger": True}))
    assert len(faults) == 1
    assert faults[0].startswith("model.liger: needs ")
