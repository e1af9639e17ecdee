"""Liger's kernels for norms, SwiGLU and rotary positions, in place of the modules of a model. The head is TRL's."""

from __future__ import annotations

import torch
from transformers import PreTrainedModel
from transformers.integrations.liger import apply_liger_kernel
from transformers.utils import is_liger_kernel_available

from train.models.families.model_family import ModelFamily

KERNELS = {"rope": True, "rms_norm": True, "swiglu": True, "cross_entropy": False, "fused_linear_cross_entropy": False}


def liger_fault(family: ModelFamily) -> str | None:
    """Why the kernels cannot be used for a model of ``family`` on this machine, if they cannot."""
    if family.reads_pictures:  # Liger 0.8.5 cannot be applied to Qwen2.5-VL with transformers 5.23
        return f"is for text models, and this is {family.model_type}; set it to false"
    if not is_liger_kernel_available():
        return (
            "needs the package liger-kernel, which is not installed (pip install 'srt-traces[liger]'); set it to false"
        )
    if not torch.cuda.is_available():
        return "needs a GPU, and there is none; set it to false"
    return None


def use_liger_kernels(model: PreTrainedModel) -> None:
    """Have ``model`` compute with the kernels from now on, and every model of its class the rotary positions."""
    apply_liger_kernel(model, KERNELS)
