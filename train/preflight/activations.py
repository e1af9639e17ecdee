"""The memory of activations in a forward and backward pass, traced on tensors without contents.

A few layers of the model that will be trained, with its adapters, run on PyTorch's fake tensors while the
lifetime of every storage is tracked; the rest is linear in the number of layers, since all are alike. Nothing is
computed and no weight is loaded, so a model of 7B takes a second. (PyTorch's own ``MemTracker`` cannot be used: it
expects every parameter to have a gradient, and most parameters of a model with an adapter have none.)

The closed formula of Korthikanti et al. ("Reducing Activation Recomputation in Large Transformer Models", 2022, section
4) does not include the copies of autocast (each matrix product casts its input separately) and of PEFT. For a plain
layer, adapted to gated feed-forward layers and grouped queries, it gives the same count, which a test checks.
``research/training/memory_estimate.py`` prints the error against real passes of a model of 0.1B on a CPU, over 24
settings.
"""

from __future__ import annotations

import copy
import math
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

from train.models.checkpointing import checkpoint_backbone
from train.models.families.model_family import ModelFamily
from train.recipe import Recipe


class ActivationBytes(NamedTuple):
    """Bytes beside weights and gradients: at the end of the forward pass, and the peak of the backward pass."""

    after_forward: int
    in_backward: int


class MicroBatchShape(NamedTuple):
    """What the memory of a micro-batch depends on.

    Attributes:
        rows: sequences side by side (1 if packed).
        length: tokens in a row, including padding.
        trained: tokens that count in the loss.
        patches: picture patches that the vision tower reads.
    """

    rows: int
    length: int
    trained: int
    patches: int = 0

    @property
    def tokens(self) -> int:
        """Tokens that are computed, including padding."""
        return self.rows * self.length


_COUNTED = "srt_counted"  # the name in transformers of the attention function below


def language_activations(
    model: PreTrainedModel, family: ModelFamily, recipe: Recipe, shape: MicroBatchShape, *, in_half: bool
) -> ActivationBytes:
    """The activations of the language model; ``model``, which has no weights, loses its further layers.

    Attention is counted as in flash attention, torch's ``varlen_attn`` and segments (queries, keys, values, output and
    one number for each head and token); padded rows under SDPA also have a mask, and keys and values for each query
    head; ``eager`` stores the scores. ``in_half``: every weight is in bfloat16 when a layer runs (FSDP2, ZeRO), instead
    of being cast by each operation.
    """
    backbone = family.backbone(model, "language")
    depth = len(backbone.layers)
    attention = recipe.model.attn if recipe.model.attn == "eager" else "sdpa"
    backbone.config._attn_implementation = attention if shape.rows > 1 or attention == "eager" else _COUNTED
    # If every Nth layer is checkpointed, or is of another kind, the memory is linear in groups of so many layers.
    group = math.lcm(max(recipe.gradient_checkpointing, 1), _period(backbone.config))
    points = {}
    # Two points of the line. Layers are removed from the same model, so the deeper one comes first.
    for groups in (3, 2):
        layers = min(depth % group + groups * group, depth)
        backbone.layers = backbone.layers[:layers]
        points[layers] = _trace(backbone, recipe, shape, in_half)
    deepest, second = points[max(points)], points[min(points)]
    more = (depth - max(points)) // group
    return ActivationBytes(*(deep + (deep - less) * more for deep, less in zip(deepest, second, strict=True)))


def vision_activations(model: PreTrainedModel, family: ModelFamily, recipe: Recipe, patches: int) -> ActivationBytes:
    """The activations of a trained vision tower for ``patches``; a frozen one stores none for the backward pass.

    Counts what a block of a vision transformer stores (Korthikanti et al., 2022, without dropout and without scores,
    which flash attention recomputes): two norms with their inputs, queries, keys, values and output, and the inputs and
    products of the feed-forward layer.
    """
    if not family.reads_pictures or family.policies(recipe)["vision"] == "frozen" or not patches:
        return ActivationBytes(0, 0)
    vision = model.config.vision_config
    wide = 4  # bytes: trained weights are in float32, and so is the stream between the blocks
    narrow = 2 if recipe.model.dtype == "bfloat16" else 4
    hidden, inner = vision.hidden_size, vision.intermediate_size
    # Norms store input and normed input; autocast casts the input of each product: one of qkv, two or one of the MLP.
    gated = any(target.endswith("gate_proj") for target in family.parts["vision"].targets)
    block = 4 * wide * hidden + narrow * ((5 + 2) * hidden + (4 * inner if gated else 2 * inner))
    depth = getattr(vision, "depth", None) or vision.num_hidden_layers
    checkpointed = -(-depth // recipe.gradient_checkpointing) if recipe.gradient_checkpointing else 0
    kept = (checkpointed * wide * hidden + (depth - checkpointed) * block) * patches
    return ActivationBytes(kept, kept + (2 if checkpointed else 1) * block * patches)


def _period(config: Any) -> int:
    """After how many layers their kinds begin again; that of Qwen3.5 is 4, and where all are alike it is 1."""
    kinds = getattr(config, "layer_types", None) or ["full_attention"]
    return next(n for n in range(1, len(kinds) + 1) if all(kinds[at] == kinds[at % n] for at in range(len(kinds))))


def _trace(backbone: Any, recipe: Recipe, shape: MicroBatchShape, in_half: bool) -> ActivationBytes:
    """Run forward and backward through a copy of ``backbone``."""
    copied = copy.deepcopy(backbone)  # here, because fake tensors can be neither copied nor cast
    if in_half:
        copied = copied.to(torch.bfloat16)
    with FakeTensorMode(allow_non_fake_inputs=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stand_in = copied.to_empty(device="cpu").train()
        if recipe.gradient_checkpointing:
            checkpoint_backbone(stand_in, recipe.gradient_checkpointing)
        width = backbone.config.hidden_size
        stream = torch.zeros(shape.rows, shape.length, width, dtype=stand_in.embed_tokens.weight.dtype)
        stream.requires_grad_()
        autocast = torch.autocast("cpu", torch.bfloat16) if recipe.model.dtype == "bfloat16" else nullcontext()
        for parameter in stand_in.parameters():
            if parameter.requires_grad:
                # Gradients of weights are a separate part of the estimate.
                parameter.register_post_accumulate_grad_hook(lambda parameter: setattr(parameter, "grad", None))
        with LiveBytes() as live:
            mask = None
            if shape.rows > 1:
                kind = stream.dtype if backbone.config._attn_implementation == "eager" else torch.bool
                mask = torch.ones(shape.rows, 1, shape.length, shape.length, dtype=kind)
            further = {}
            if width := getattr(backbone.config, "hidden_size_per_layer_input", None):  # looked up by the ids
                further["per_layer_inputs"] = stream.new_zeros(
                    shape.rows, shape.length, backbone.config.num_hidden_layers, width
                )
            with autocast:
                out = stand_in(inputs_embeds=stream, attention_mask=mask, use_cache=False, **further).last_hidden_state
            del mask  # a layer may hold it for its backward pass
            after_forward = live.now
            live.peak = live.now
            out.backward(torch.empty_like(out))
    return ActivationBytes(after_forward, live.peak)


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Tracks the storages that are created while it is entered: bytes alive ``now``, and their ``peak``.

    A storage is freed when nothing, including autograd, holds it any more. Works with real and with fake tensors.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.now = 0
        self.peak = 0
        self._known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for tensor in tree_leaves((args, kwargs)):
            if isinstance(tensor, torch.Tensor):
                self._track(tensor.untyped_storage(), existed=True)
        out = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(out):
            if isinstance(tensor, torch.Tensor):
                self._track(tensor.untyped_storage(), existed=False)
        return out

    def _track(self, storage: torch.UntypedStorage, *, existed: bool) -> None:
        # The address of the storage: views of a tensor share it and must not count twice.
        key = storage._cdata
        if key in self._known:
            return
        self._known.add(key)
        size = 0 if existed else storage.nbytes()
        self.now += size
        self.peak = max(self.peak, self.now)
        # A storage that existed before counts nothing, but is known until it is freed: its address may be given to a
        # new one.
        weakref.finalize(storage, self._forget, key, size)

    def _forget(self, key: int, size: int) -> None:
        self._known.discard(key)
        self.now -= size


def _attend(module: Any, query: Any, key: Any, value: Any, mask: Any, **kwargs: Any) -> Any:
    """Attention that stores what flash attention does, without a mask."""
    out = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    return out.transpose(1, 2).contiguous(), None


AttentionInterface.register(_COUNTED, _attend)
AttentionMaskInterface.register(_COUNTED, lambda *args, **kwargs: None)
