"""Liger's kernels for norms, SwiGLU and rotary positions of a language model. The head is TRL's.

Liger changes whole models of classes that it knows, and for a vision model it does so by imports that fail with some
versions of transformers (0.8.5 for Qwen2.5-VL with 5.23). What it would change in a language model is the same for all
families here, so it is done layer by layer. Vision towers keep their own modules.
"""

from __future__ import annotations

import sys

import torch
from transformers import PreTrainedModel
from transformers.utils import is_liger_kernel_available

from train.models.families.model_family import ModelFamily


def liger_fault(family: ModelFamily) -> str | None:
    """Why the kernels cannot be used for this family or on this machine, if they cannot."""
    if not family.liger:
        return f"its kernels are not those of {family.arch}; set it to false"
    if not is_liger_kernel_available():
        return (
            "needs the package liger-kernel, which is not installed (pip install 'srt-traces[liger]'); set it to false"
        )
    if not torch.cuda.is_available():
        return "needs a GPU, and there is none; set it to false"
    return None


def use_liger_kernels(model: PreTrainedModel, family: ModelFamily) -> None:
    """Have the language model of ``model`` compute with the kernels from now on.

    Rotary positions are a function of a module of transformers, and change for every model of the class.
    """
    from liger_kernel.transformers import LigerSwiGLUMLP, liger_rotary_pos_emb
    from liger_kernel.transformers.monkey_patch import _patch_rms_norm_module, _patch_swiglu_module

    # Private functions, as of liger-kernel 0.8: the public ones patch whole models of the classes that Liger knows.
    decoder = family.backbone(model, "language")
    sys.modules[type(decoder).__module__].apply_rotary_pos_emb = liger_rotary_pos_emb  # type: ignore[attr-defined]
    _patch_rms_norm_module(decoder.norm)
    for layer in decoder.layers:
        _patch_rms_norm_module(layer.input_layernorm)
        _patch_rms_norm_module(layer.post_attention_layernorm)
        _patch_swiglu_module(layer.mlp, LigerSwiGLUMLP)
