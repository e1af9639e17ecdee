"""Attention within each sequence of a packed row, registered with transformers.

A packed row (:mod:`train.packing`) comes with ``segment_bounds``, where its sequences begin and end: int32 of shape
[sequences + 1], from 0 to the length of the row; and with ``longest_segment``, an int. transformers hands both down to
the functions here, so none of them builds a mask or guesses from position ids. transformers' own functions pass over
the two names, and tell sequences apart by their position ids.

Every function takes query [1, heads, total, dim], key and value [1, key heads, total, dim], and gives [1, total, heads,
dim] and no weights, as all attention functions of transformers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface
from transformers.integrations.flex_attention import flex_attention_forward
from transformers.masking_utils import AttentionMaskInterface, flex_attention_mask

# What transformers knows them by. Qwen2.5-VL's vision tower hands out its borders only to a name with "flash" in it.
SEGMENTS, VARLEN, FLASH, FLEX, VISION_VARLEN = "segments", "varlen", "packed_flash_2", "packed_flex", "flash_by_varlen"

# (query, key, value, bounds, longest, scale, causal) -> output; states and output are [total, heads, dim].
Kernel = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, int, float | None, bool], torch.Tensor]


def attend_by_segments(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    scaling: float | None = None,
    segment_bounds: torch.Tensor | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Sequence by sequence, with SDPA's causal kernel: the time is quadratic in a sequence and not in the row."""
    if segment_bounds is None:
        raise _no_bounds()
    lengths = segment_bounds.diff().tolist()
    if (groups := query.size(1) // key.size(1)) > 1:
        # On a processor the fast kernel knows no grouped heads.
        key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    parts = zip(*(torch.split(states, lengths, dim=2) for states in (query, key, value)), strict=True)
    outputs = [scaled_dot_product_attention(q, k, v, is_causal=True, scale=scaling) for q, k, v in parts]
    return torch.cat(outputs, dim=2).transpose(1, 2), None


def attend_with(kernel: Kernel) -> Callable[..., tuple[torch.Tensor, None]]:
    """The attention function of a language model that hands a packed row to ``kernel``."""

    def attend(
        module: torch.nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attention_mask: torch.Tensor | None,
        *,
        scaling: float | None = None,
        segment_bounds: torch.Tensor | None = None,
        longest_segment: int | None = None,
        **_: Any,
    ) -> tuple[torch.Tensor, None]:
        if segment_bounds is None or longest_segment is None:
            raise _no_bounds()
        query, key, value = _for_kernel(query, key, value)
        return kernel(query, key, value, segment_bounds, longest_segment, scaling, True).unsqueeze(0), None

    return attend


def attend_pictures_with(kernel: Kernel) -> Callable[..., tuple[torch.Tensor, None]]:
    """The attention function of Qwen2.5-VL's vision tower: all pictures in one row, or all their windows."""

    def attend(
        module: torch.nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attention_mask: torch.Tensor | None,
        *,
        cu_seq_lens_q: torch.Tensor,
        max_length_q: int,
        scaling: float | None = None,
        **_: Any,
    ) -> tuple[torch.Tensor, None]:
        bounds = cu_seq_lens_q.to(torch.int32)
        query, key, value = _for_kernel(query, key, value)
        return kernel(query, key, value, bounds, int(max_length_q), scaling, False).unsqueeze(0), None

    return attend


def varlen_kernel(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    bounds: torch.Tensor,
    longest: int,
    scale: float | None,
    causal: bool,
) -> torch.Tensor:
    """torch's own ``varlen_attn``, which has no implementation for a processor."""
    from torch.nn.attention.varlen import varlen_attn

    window = (-1, 0) if causal else (-1, -1)
    grouped = query.size(1) != key.size(1)
    output = varlen_attn(
        query, key, value, bounds, bounds, longest, longest, scale=scale, window_size=window, enable_gqa=grouped
    )
    assert isinstance(output, torch.Tensor)  # it is a pair only where more is asked for
    return output


def flash_kernel(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    bounds: torch.Tensor,
    longest: int,
    scale: float | None,
    causal: bool,
) -> torch.Tensor:
    """That of the package flash-attn, version 2."""
    from flash_attn import flash_attn_varlen_func  # type: ignore[import-not-found, unused-ignore]

    output: torch.Tensor = flash_attn_varlen_func(
        query, key, value, bounds, bounds, longest, longest, softmax_scale=scale, causal=causal
    )
    return output


def _for_kernel(*states: torch.Tensor) -> list[torch.Tensor]:
    """[1, heads, total, dim] to [total, heads, dim], in 16 bits.

    Under autocast the rotary embedding leaves query and key in float32, and no kernel takes that.
    """
    device = states[0].device.type
    dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else states[-1].dtype
    return [tensor.squeeze(0).transpose(0, 1).to(dtype) for tensor in states]


def _no_bounds() -> RuntimeError:
    return RuntimeError("this model attends within packed rows, and was given a batch without segment_bounds")


AttentionInterface.register(SEGMENTS, attend_by_segments)
AttentionInterface.register(VARLEN, attend_with(varlen_kernel))
AttentionInterface.register(FLASH, attend_with(flash_kernel))
AttentionInterface.register(VISION_VARLEN, attend_pictures_with(varlen_kernel))
# transformers' own, whose mask of blocks comes from position ids: by another name, for Qwen2.5-VL refuses that one
# though nothing in it stands against it.
AttentionInterface.register(FLEX, flex_attention_forward)
AttentionMaskInterface.register(FLEX, flex_attention_mask)
