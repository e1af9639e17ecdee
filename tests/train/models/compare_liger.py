"""Compare a model with itself under Liger's kernels: `TRITON_INTERPRET=1 python compare_liger.py MODEL_FOLDER`."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import liger_kernel.ops.rms_norm
import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter

from train.models.liger import use_liger_kernels
from train.models.model_files import load_family, load_weights

convert = interpreter._implicit_cvt


def convert_floats_too(value: Any) -> Any:
    """Triton gives a kernel its float arguments as float32; its interpreter leaves them as Python's."""
    if isinstance(value, float):
        return tl.tensor(interpreter.TensorHandle(np.array([value], dtype=np.float32), tl.float32), tl.float32)
    return convert(value)


interpreter._implicit_cvt = convert_floats_too
# The function of CUDA's library, which the interpreter does not have.
liger_kernel.ops.rms_norm.rsqrt = lambda value: tl.math.rsqrt(value)


def main() -> None:
    folder = sys.argv[1]
    family = load_family(folder)
    torch.manual_seed(0)
    own: Any = load_weights(folder, family, torch.float32).train()
    batch = _made_batch(own)
    for parameter in own.parameters():  # norms of ones would hide their weights
        torch.nn.init.normal_(parameter, mean=0.02, std=0.2)
    liger = copy.deepcopy(own)
    expected = _pass(own, batch)
    use_liger_kernels(liger, family)
    changed = [module for module in liger.modules() if "Liger" in str(getattr(module.forward, "__qualname__", ""))]
    assert changed, "no module was changed"
    for name, value in _pass(liger, batch).items():
        difference = (value - expected[name]).norm() / expected[name].norm().clamp(min=1e-6)
        assert difference < 1e-4, f"{name}: {difference}"
    print(f"{Path(folder).name}: {len(changed)} modules, {len(expected)} tensors")


def _made_batch(model: Any) -> dict[str, torch.Tensor]:
    """Two rows of 24 tokens; of a model that reads pictures, each begins with one, and has its positions."""
    batch = {"input_ids": torch.randint(5, 90, (2, 24))}
    if model.config.model_type == "qwen2_5_vl":
        grid = torch.tensor([[1, 8, 4], [1, 4, 8]])  # patches in time, height and width; four become a token
        patch = 3 * model.config.vision_config.temporal_patch_size * model.config.vision_config.patch_size**2
        batch["input_ids"][:, 1:9] = model.config.image_token_id
        batch |= {"pixel_values": torch.randn(64, patch), "image_grid_thw": grid}
        batch["mm_token_type_ids"] = (batch["input_ids"] == model.config.image_token_id).int()
    if model.config.model_type == "internvl":
        vision = model.config.vision_config
        batch["input_ids"][:, 1:5] = model.config.image_token_id
        batch["pixel_values"] = torch.randn(2, 3, *vision.image_size)
    return batch


def _pass(model: Any, batch: dict[str, Any]) -> dict[str, torch.Tensor]:
    loss = model(**batch, labels=batch["input_ids"], use_cache=False).loss
    loss.backward()
    gradients = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    return {"loss": loss.detach(), **gradients}


if __name__ == "__main__":
    main()
