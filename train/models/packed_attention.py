"""Attention within each sequence of a packed row, registered with transformers.

A packed row (:mod:`train.data.packing`) has the keyword arguments by which transformers' flash attention separates
sequences: ``cu_seq_lens_q`` and ``cu_seq_lens_k``, where its sequences begin and end (int32 of shape [sequences + 1],
from 0 to the length of the row), and ``max_length_q`` and ``max_length_k`` (int), the longest one. The functions here
take them too, so none of them builds a mask or guesses from position ids. transformers' other functions ignore them and
separate sequences by their position ids.

Every function takes query [1, heads, total, dim], key and value [1, key heads, total, dim], and returns the output
[1, total, heads, dim] and no attention weights, like all attention functions of transformers.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface
from transformers.integrations.flex_attention import flex_attention_forward
from transformers.masking_utils import AttentionMaskInterface, flex_attention_mask

# Names in transformers. Qwen2.5-VL's vision tower passes its bounds only to a name that contains "flash".
SEGMENTS, VARLEN, FLEX, VISION_VARLEN = "segments", "varlen", "packed_flex", "flash_by_varlen"

ROW_BOUNDS = ("cu_seq_lens_q", "cu_seq_lens_k", "max_length_q", "max_length_k", "seq_idx")
"""The keyword arguments of a packed row; the last one is for linear attention."""


class PackedStates(NamedTuple):
    """What a kernel takes: states of shape [total, heads, dim], and ``bounds`` (int32) of the sequences in them."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    bounds: torch.Tensor
    longest: int
    scale: float | None
    causal: bool


Kernel = Callable[[PackedStates], torch.Tensor]
"""Attention within the sequences of a row; returns the output, [total, heads, dim]."""


def attend_with(kernel: Kernel) -> Callable[..., tuple[torch.Tensor, None]]:
    """An attention function that calls ``kernel``."""

    def attend(
        module: torch.nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attention_mask: torch.Tensor | None,
        *,
        scaling: float | None = None,
        is_causal: bool = True,
        cu_seq_lens_q: torch.Tensor | None = None,
        max_length_q: int | None = None,
        **given: Any,
    ) -> tuple[torch.Tensor, None]:
        if cu_seq_lens_q is None or max_length_q is None:
            raise RuntimeError("this model attends within packed rows, and was given a batch without cu_seq_lens_q")
        # Under autocast the rotary embedding leaves query and key in float32, which no kernel takes.
        device = query.device.type
        dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else value.dtype
        query, key, value = (states.squeeze(0).transpose(0, 1).to(dtype) for states in (query, key, value))
        bounds = cu_seq_lens_q.to(torch.int32)
        packed = PackedStates(query, key, value, bounds, int(max_length_q), scaling, is_causal)
        return kernel(packed).unsqueeze(0), None

    return attend


def segments_kernel(packed: PackedStates) -> torch.Tensor:
    """Sequence by sequence, with SDPA: the time is quadratic in the sequences, not in the row. For a CPU."""
    # The fast kernel of a CPU does not support grouped heads.
    query, key, value, bounds, _, scale, causal = _with_equal_heads(packed)
    lengths, outputs = bounds.diff().tolist(), []
    for segment in zip(*(torch.split(states, lengths) for states in (query, key, value)), strict=True):
        q, k, v = (states.transpose(0, 1).unsqueeze(0) for states in segment)
        outputs.append(scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale).squeeze(0).transpose(0, 1))
    return torch.cat(outputs)


def varlen_kernel(packed: PackedStates) -> torch.Tensor:
    """torch's own ``varlen_attn``, which has no implementation for a CPU."""
    from torch.nn.attention.varlen import varlen_attn

    options: dict[str, Any] = {}
    if packed.query.size(1) != packed.key.size(1):
        if "enable_gqa" in signature(varlen_attn).parameters:
            options["enable_gqa"] = True
        else:  # torch 2.11
            packed = _with_equal_heads(packed)
    query, key, value, bounds, longest, scale, causal = packed
    # varlen_attn has no flag for causal attention: a window of everything before a token and nothing after it is that.
    window = (-1, 0) if causal else (-1, -1)
    rows = (bounds, bounds, longest, longest)
    output = varlen_attn(query, key, value, *rows, scale=scale, window_size=window, **options)
    assert isinstance(output, torch.Tensor)  # it is a pair only if the log-sum-exp is asked for
    return output


def _with_equal_heads(packed: PackedStates) -> PackedStates:
    """``packed`` with each key and value head repeated for the queries that share it."""
    groups = packed.query.size(1) // packed.key.size(1)
    if groups == 1:
        return packed
    key, value = (states.repeat_interleave(groups, dim=1) for states in (packed.key, packed.value))
    return packed._replace(key=key, value=value)


def keep_row_bounds_from(vision_tower: torch.nn.Module) -> None:
    """Have ``vision_tower`` not see the bounds of a packed row.

    transformers passes every keyword argument of a vision model on to its tower, where these would be taken for the
    bounds of pictures.
    """

    def without_bounds(module: torch.nn.Module, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        return args, {name: value for name, value in kwargs.items() if name not in ROW_BOUNDS}

    vision_tower.register_forward_pre_hook(without_bounds, with_kwargs=True)


AttentionInterface.register(SEGMENTS, attend_with(segments_kernel))
AttentionInterface.register(VARLEN, attend_with(varlen_kernel))
# All pictures of Qwen2.5-VL's vision tower in one row, or all their windows.
AttentionInterface.register(VISION_VARLEN, attend_with(varlen_kernel))
# transformers' own, whose block mask comes from position ids. It needs another name because Qwen2.5-VL refuses the
# original one, although it works.
AttentionInterface.register(FLEX, flex_attention_forward)
AttentionMaskInterface.register(FLEX, flex_attention_mask)
