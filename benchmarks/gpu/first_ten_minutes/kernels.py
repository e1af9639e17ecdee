"""Every attention kernel that a run may use, at true shapes, against attention written out in float32.

Outputs and gradients of query, key and value are compared. Language: 28 query heads and 4 key heads of 128, causal, as
in Qwen2.5-7B. Vision: 16 heads of 80, every patch with every patch of its window, as in the tower of Qwen2.5-VL.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
from transformers.modeling_flash_attention_utils import _flash_attention_forward
from transformers.utils import is_flash_attn_2_available, is_flash_attn_3_available

from benchmarks.gpu.first_ten_minutes.checks import Check, Place, judged
from train.models.packed_attention import PackedStates, segments_kernel, varlen_kernel

_MOST = {torch.bfloat16: 2e-2, torch.float32: 1e-5}


class Shape(NamedTuple):
    """The states of one packed row."""

    name: str
    heads: int
    key_heads: int
    dim: int
    lengths: tuple[int, ...]
    causal: bool


_LANGUAGE = Shape("language", 28, 4, 128, (700, 1, 128, 2000, 1267), causal=True)
_VISION = Shape("vision", 16, 16, 80, (64,) * 24 + (32, 16), causal=False)
_LANGUAGE_TINY = Shape("language", 4, 2, 16, (7, 1, 20, 12), causal=True)
_VISION_TINY = Shape("vision", 2, 2, 20, (16, 16, 8), causal=False)


def run(place: Place) -> list[Check]:
    """A check for each kernel and shape."""
    dtype = torch.float32 if place.tiny else torch.bfloat16
    shapes = (_LANGUAGE_TINY, _VISION_TINY) if place.tiny else (_LANGUAGE, _VISION)
    return [
        _checked(name, kernel, shape, place.device, dtype)
        for shape in shapes
        for name, kernel in _kernels(place.device).items()
    ]


def _kernels(device: torch.device) -> dict[str, Callable[[PackedStates], torch.Tensor] | None]:
    """The kernels by name; those that this machine does not have are ``None``."""
    gpu = device.type == "cuda"
    return {
        "segments (SDPA)": segments_kernel,
        "varlen": varlen_kernel if gpu else None,
        "flash-attention 2": partial(_flash, 2) if gpu and is_flash_attn_2_available() else None,
        "flash-attention 3": partial(_flash, 3) if gpu and is_flash_attn_3_available() else None,
    }


def _flash(version: int, packed: PackedStates) -> torch.Tensor:
    """As transformers calls it for a packed row."""
    query, key, value, bounds, longest, scale, causal = packed
    output: torch.Tensor = _flash_attention_forward(
        query[None],
        key[None],
        value[None],
        None,
        query_length=len(query),
        is_causal=causal,
        softmax_scale=scale,
        cu_seq_lens_q=bounds,
        cu_seq_lens_k=bounds,
        max_length_q=longest,
        max_length_k=longest,
        attn_implementation=f"flash_attention_{version}",
    )
    return output[0]


def _checked(
    name: str,
    kernel: Callable[[PackedStates], torch.Tensor] | None,
    shape: Shape,
    device: torch.device,
    dtype: torch.dtype,
) -> Check:
    title = f"{shape.name}: {name}"
    if kernel is None:
        return Check(title, "skipped", "not on this machine")
    states = _states(shape, device, dtype)
    direction = torch.randn(states.query.shape, device=device, generator=torch.Generator(device).manual_seed(1))
    mine = _with_gradients(kernel, states, direction.to(dtype))
    wide = states._replace(**{part: getattr(states, part).detach().float() for part in ("query", "key", "value")})
    wanted = _with_gradients(attention_written_out, wide, direction.to(dtype).float())
    parts = dict(zip(("output", "query", "key", "value"), map(_apart, mine, wanted), strict=True))
    return judged(title, max(parts.values()), _MOST[dtype], "largest relative difference", by_part=parts)


def attention_written_out(packed: PackedStates) -> torch.Tensor:
    """softmax(q k / sqrt(dim)) v of each sequence by itself."""
    groups = packed.query.size(1) // packed.key.size(1)
    outputs = []
    for start, end in zip(packed.bounds[:-1].tolist(), packed.bounds[1:].tolist(), strict=True):
        query = packed.query[start:end].transpose(0, 1)
        key, value = (s[start:end].transpose(0, 1).repeat_interleave(groups, 0) for s in (packed.key, packed.value))
        scores = query @ key.transpose(1, 2) * (packed.scale or query.size(-1) ** -0.5)
        if packed.causal:
            later = torch.ones_like(scores[0], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, -torch.inf)
        outputs.append((scores.softmax(-1) @ value).transpose(0, 1))
    return torch.cat(outputs)


def _states(shape: Shape, device: torch.device, dtype: torch.dtype) -> PackedStates:
    noise, total = torch.Generator(device).manual_seed(0), sum(shape.lengths)
    query, key, value = (
        torch.randn(total, heads, shape.dim, device=device, generator=noise).to(dtype)
        for heads in (shape.heads, shape.key_heads, shape.key_heads)
    )
    bounds = torch.tensor([0, *shape.lengths], device=device).cumsum(0).to(torch.int32)
    return PackedStates(query, key, value, bounds, max(shape.lengths), None, shape.causal)


def _with_gradients(
    kernel: Callable[[PackedStates], torch.Tensor], states: PackedStates, direction: torch.Tensor
) -> list[torch.Tensor]:
    inputs = [part.detach().clone().requires_grad_() for part in (states.query, states.key, states.value)]
    output = kernel(states._replace(query=inputs[0], key=inputs[1], value=inputs[2]))
    return [output.detach(), *torch.autograd.grad(output, inputs, direction)]


def _apart(one: torch.Tensor, other: torch.Tensor) -> float:
    return float((one.float() - other.float()).norm() / other.float().norm())
