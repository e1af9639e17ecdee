"""The training script; it also writes the gradients of the first step, whole and before they are clipped.

accelerate launch --config_file configs/FILE.yaml record_gradients.py GRADIENTS.safetensors --config RECIPE.yaml
"""

from __future__ import annotations

import os
import sys
from typing import Any

import torch
from safetensors.torch import save_file
from torch.distributed.tensor import DTensor

from train.loop.trl_trainer import TraceTrainer
from train.train_srt import main


def record_to(path: str) -> None:
    """Have the trainer write the gradients of its first step to `path`, by the name of their parameter."""
    if os.environ.get("ACCELERATE_USE_DEEPSPEED") == "true":
        return record_of_deepspeed(path)
    clip = TraceTrainer._clip_grad_norm

    def record_and_clip(self: TraceTrainer, model: torch.nn.Module) -> Any:
        if self.state.global_step == 0:
            gradients = {name: whole(one.grad) for name, one in self.model.named_parameters() if one.grad is not None}
            if self.is_world_process_zero():
                save_file(gradients, path)
        return clip(self, model)

    TraceTrainer._clip_grad_norm = record_and_clip
    return None


def record_of_deepspeed(path: str) -> None:
    """The same under DeepSpeed, which clips in its own step and keeps gradients in shares."""
    from deepspeed import DeepSpeedEngine
    from deepspeed.utils import safe_get_full_grad

    step = DeepSpeedEngine.step

    def record_and_step(self: DeepSpeedEngine, *args: Any, **kwargs: Any) -> Any:
        if self.is_gradient_accumulation_boundary() and self.global_steps == 0:
            gradients = {
                name: safe_get_full_grad(one).clone()
                for name, one in self.module.named_parameters()
                if one.requires_grad
            }
            if self.global_rank == 0:
                save_file(gradients, path)
        return step(self, *args, **kwargs)

    DeepSpeedEngine.step = record_and_step


def whole(gradient: torch.Tensor) -> torch.Tensor:
    full = gradient.full_tensor() if isinstance(gradient, DTensor) else gradient
    return full.detach().clone()


if __name__ == "__main__":
    record_to(sys.argv[1])
    sys.exit(main(sys.argv[2:]))
