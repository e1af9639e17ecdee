"""The final weights have the dtype of the base model, whatever dtype they were trained in.

Weights that are trained are held in float32. Saved like that, a 7B model would take 30 GB instead of 15, and ``srt
eval`` would generate with it in float32 but with its base in bfloat16.
"""

from __future__ import annotations

from collections import defaultdict

import torch
from transformers import PreTrainedConfig


def cast_weights(state: dict[str, torch.Tensor], dtype: torch.dtype) -> None:
    """Cast the floating-point tensors of a state dict in place. Tied weights still share memory afterwards."""
    tied = defaultdict(list)
    for name, tensor in state.items():
        if tensor.is_floating_point():
            tied[tensor.data_ptr(), tensor.shape].append(name)
    for names in tied.values():
        cast = state[names[0]].to(dtype)
        for name in names:
            state[name] = cast


def record_dtype(config: PreTrainedConfig, dtype: torch.dtype) -> None:
    """Set the dtype that ``config`` and the configs inside it (of text and vision) state."""
    config.dtype = dtype
    for name in config.sub_configs:
        record_dtype(getattr(config, name), dtype)
