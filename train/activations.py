"""What a forward and backward pass holds in memory, followed on tensors without contents.

Two or three layers of the very model that will be trained (adapters and all) run on PyTorch's fake tensors, and the
life of every storage is followed; the rest is a straight line in the number of layers, for all of them are alike.
Nothing is computed and no weight is loaded, so a model of 7B takes a second. (PyTorch's own ``MemTracker`` cannot: it
wants every parameter to have a gradient, and most of an adapter's model has none.)

A closed formula (Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models", 2022, section 4)
knows nothing of autocast's copies (each matrix product casts its input by itself) and of PEFT's; for a plain layer,
adapted to gated feed-forward layers and grouped queries, it gives the same count, which a test holds. The error against
real passes of a model of 0.1B on a processor, over 24 settings, is what ``benchmarks/memory_estimate.py`` prints.
"""

from __future__ import annotations

import copy
import warnings
import weakref
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from transformers import AttentionInterface, PreTrainedModel
from transformers.masking_utils import AttentionMaskInterface

from train.architectures import Architecture
from train.recipe import Recipe


class Held(NamedTuple):
    """Bytes beside weights and gradients: at the end of the forward pass, and at most during the backward pass."""

    after_forward: int
    in_backward: int


class Load(NamedTuple):
    """The heaviest micro-batch of one process.

    Attributes:
        rows: sequences side by side (1 if packed).
        length: tokens in a row, padding included.
        trained: tokens that the loss sees.
        patches: patches of pictures that the vision tower reads.
    """

    rows: int
    length: int
    trained: int
    patches: int = 0

    @property
    def tokens(self) -> int:
        """Tokens that are computed, padding included."""
        return self.rows * self.length


_COUNTED = "srt_counted"  # the name of our attention for counting, as transformers knows it


def language_activations(
    model: PreTrainedModel, architecture: Architecture, recipe: Recipe, load: Load, *, in_half: bool
) -> Held:
    """What the language model holds for ``load``; ``model`` (:func:`train.load_model.empty_model`) is cut short.

    Attention is counted as flash attention, torch's ``varlen_attn`` and the segments of packing hold it (queries, keys,
    values, output and one number a head and token); padded rows under SDPA hold a mask too, and the keys and values of
    each query head; ``eager`` holds the scores. ``in_half``: every weight is in bfloat16 when a layer runs (FSDP2,
    ZeRO), instead of being cast by each operation.
    """
    backbone = language_backbone(model, architecture)
    depth = len(backbone.layers)
    attention = recipe.model.attn if recipe.model.attn == "eager" else "sdpa"
    backbone.config._attn_implementation = attention if load.rows > 1 or attention == "eager" else _COUNTED
    points = {}
    for layers in sorted({min(3, depth), min(2, depth)}, reverse=True):
        backbone.layers = backbone.layers[:layers]
        points[layers] = _follow(backbone, recipe, load, in_half)
    deepest, second = points[max(points)], points[min(points)]
    return Held(*(deep + (deep - less) * (depth - max(points)) for deep, less in zip(deepest, second, strict=True)))


def vision_activations(model: PreTrainedModel, architecture: Architecture, recipe: Recipe, load: Load) -> Held:
    """What a vision tower that is trained holds for ``load.patches``; a frozen one holds nothing for the backward pass.

    By count of what a block of a vision transformer keeps (Korthikanti et al., 2022, without dropout and without
    scores, which flash attention recomputes), in widths of the tower a patch: two norms with their inputs, queries,
    keys, values and output, and the feed-forward layer's inputs and products.
    """
    if not architecture.reads_pictures or architecture.policies(recipe)["vision"] == "frozen" or not load.patches:
        return Held(0, 0)
    vision = model.config.vision_config
    wide = 4  # bytes: what is trained is held in float32, and so is the stream between the blocks
    narrow = 2 if recipe.model.dtype == "bfloat16" else 4
    hidden, inner = vision.hidden_size, vision.intermediate_size
    # Norms keep input and normed input; autocast casts the input of each product: one of qkv, two or one of the MLP.
    gated = hasattr(vision, "fullatt_block_indexes")  # Qwen2.5-VL's MLP has a gate
    block = 4 * wide * hidden + narrow * ((5 + 2) * hidden + (4 * inner if gated else 2 * inner))
    depth = getattr(vision, "depth", None) or vision.num_hidden_layers
    if recipe.gradient_checkpointing:
        kept = depth * wide * hidden * load.patches
        return Held(kept, kept + 2 * block * load.patches)
    return Held(depth * block * load.patches, (depth + 1) * block * load.patches)


def _follow(backbone: Any, recipe: Recipe, load: Load, in_half: bool) -> Held:
    """Forward and backward through ``backbone`` as it is, which is left as it was."""
    copied = copy.deepcopy(backbone)  # outside: fake tensors can be neither copied nor cast so
    if in_half:
        copied = copied.to(torch.bfloat16)
    with FakeTensorMode(allow_non_fake_inputs=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stand_in = copied.to_empty(device="cpu").train()
        if recipe.gradient_checkpointing:
            module: Any
            for module in stand_in.modules():
                if hasattr(module, "gradient_checkpointing"):
                    module.gradient_checkpointing = True
                    module._gradient_checkpointing_func = _recompute
        width = backbone.config.hidden_size
        stream = torch.zeros(load.rows, load.length, width, dtype=stand_in.embed_tokens.weight.dtype)
        stream.requires_grad_()
        autocast = torch.autocast("cpu", torch.bfloat16) if recipe.model.dtype == "bfloat16" else nullcontext()
        for parameter in stand_in.parameters():
            if parameter.requires_grad:
                # Gradients of weights have a line of their own in the estimate.
                parameter.register_post_accumulate_grad_hook(_drop_gradient)
        with LiveBytes() as live:
            mask = _mask(backbone.config._attn_implementation, load, stream.dtype)
            with autocast:
                out = stand_in(inputs_embeds=stream, attention_mask=mask, use_cache=False).last_hidden_state
            del mask  # unless a layer holds it for its backward pass
            after_forward = live.now
            live.most = live.now
            out.backward(torch.empty_like(out))
    return Held(after_forward, live.most)


def language_backbone(model: PreTrainedModel, architecture: Architecture) -> Any:
    """The module whose ``layers`` are those of the language model, below PEFT's wrapper where there is one."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    (layers,) = architecture.parts["language"].layers
    return base.get_submodule(layers.removesuffix(".layers"))


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Follows the storages that are made while it is entered: ``now`` lives, and ``most`` is what ever lived at once.

    A storage is gone when nobody, autograd included, holds it any more. Works on real tensors and on fake ones.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.now = 0
        self.most = 0
        self._known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for tensor in tree_leaves((args, kwargs)):
            if isinstance(tensor, torch.Tensor):
                self._meet(tensor.untyped_storage(), there_before=True)
        out = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(out):
            if isinstance(tensor, torch.Tensor):
                self._meet(tensor.untyped_storage(), there_before=False)
        return out

    def _meet(self, storage: torch.UntypedStorage, *, there_before: bool) -> None:
        key = storage._cdata
        if key in self._known:
            return
        self._known.add(key)
        size = 0 if there_before else storage.nbytes()
        self.now += size
        self.most = max(self.most, self.now)
        weakref.finalize(storage, self._forget, key, size)

    def _forget(self, key: int, size: int) -> None:
        self._known.discard(key)
        self.now -= size


def _mask(attention: str, load: Load, dtype: torch.dtype) -> torch.Tensor | None:
    """The mask of padded rows, as the attention takes it."""
    if load.rows == 1:
        return None
    kind = dtype if attention == "eager" else torch.bool
    return torch.ones(load.rows, 1, load.length, load.length, dtype=kind)


def _attend(module: Any, query: Any, key: Any, value: Any, mask: Any, **kwargs: Any) -> Any:
    """Attention that holds what flash attention does, without a mask."""
    out = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    return out.transpose(1, 2).contiguous(), None


AttentionInterface.register(_COUNTED, _attend)
AttentionMaskInterface.register(_COUNTED, lambda *args, **kwargs: None)


def _drop_gradient(parameter: torch.Tensor) -> None:
    parameter.grad = None


def _recompute(function: Any, *args: Any, **kwargs: Any) -> Any:
    return torch.utils.checkpoint.checkpoint(function, *args, use_reentrant=False, **kwargs)
