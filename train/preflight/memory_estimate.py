"""Estimate the memory of a run on each GPU, by part, before it is started.

Weights, gradients and optimizer are counted on the model without weights
(:func:`train.models.load_model.model_without_weights`), and sharded as in Rajbhandari et al. ("ZeRO: Memory
Optimizations Toward Training Trillion Parameter Models", 2020, section 3 and figure 1): DDP copies everything, ZeRO-2
shards gradients and optimizer, ZeRO-3 and FSDP2 the weights too. Activations come from
:mod:`train.preflight.activations`. All figures are bytes; a GB is 10**9 bytes.
"""

from __future__ import annotations

import math
from typing import NamedTuple, assert_never

import numpy as np
import torch
from transformers import PreTrainedModel

from train.data.batches import BatchPlan
from train.data.token_table import TokenizedExamples
from train.loop.optimizers import state_bytes
from train.models.families.model_family import ModelFamily
from train.models.flops import patches_per_token
from train.models.load_model import model_without_weights
from train.models.model_files import load_family, read_config
from train.preflight.activations import (
    ActivationBytes,
    MicroBatchShape,
    language_activations,
    vision_activations,
)
from train.recipe import Recipe
from train.run.launch import Cluster, Method

CUDA_CONTEXT = 1_000_000_000
"""CUDA's context, the libraries' workspaces and what the allocator cannot use, on each GPU. Assumed, not measured."""

NCCL_BUFFERS = 500_000_000
"""NCCL's buffers if there are several GPUs. Assumed, not measured."""

# Constants of the fused head (trl/kernels/chunked_logprob.py and trl/trainer/utils.py): the size of a tile.
_TILE_TOKENS, _TILE_WORDS = 4096, 32768
# DeepSpeed's defaults (deepspeed/runtime/zero/config.py), in elements.
_REDUCE_BUCKET, _MOST_GATHERED = 500_000_000, 1_000_000_000


def this_gpu_bytes() -> float | None:
    """The memory of the first GPU of this machine, if it has one."""
    return float(torch.cuda.get_device_properties(0).total_memory) if torch.cuda.is_available() else None


class ParameterCounts(NamedTuple):
    """Parameters of a model by how they are stored, and the largest groups that are gathered or unpacked at a time."""

    trained: int
    optimizer: int  # bytes that the optimizer keeps for them
    frozen: int
    quantized: int
    layer: int  # in the largest layer, which is gathered at once
    ends: int  # in embeddings and head, which are gathered too
    matrix: int  # in the largest quantized matrix
    head: tuple[int, int]  # vocabulary, width
    head_trained: bool

    @property
    def all(self) -> int:
        """All parameters."""
        return self.trained + self.frozen + self.quantized


class MemoryEstimate(NamedTuple):
    """Bytes on each GPU by part. ``peak`` is less than their sum, as some parts never exist at the same time."""

    weights: int
    gradients: int
    optimizer: int
    activations: int = 0
    logits: int = 0
    communication: int = 0
    overhead: int = 0
    peak: int = 0
    on_host: int = 0


class MemoryEstimator:
    """Estimates for one recipe, on any cluster and for any micro-batch."""

    def __init__(self, recipe: Recipe) -> None:
        """Raises :class:`~srt.io.errors.UserError` if the model folder has a fault."""
        self.recipe = recipe
        self._family = load_family(recipe.model.path)
        self.counts = _count(model_without_weights(recipe), self._family, recipe)

    def estimate(self, shape: MicroBatchShape, cluster: Cluster, accumulation: int) -> MemoryEstimate:
        """The memory if ``shape`` is the heaviest micro-batch, and ``accumulation`` micro-batches make a step."""
        held = _states(self.counts, self.recipe, cluster)
        # FSDP2 gathers a layer in bfloat16, and DeepSpeed stores it so: no operation has to cast it.
        in_half = self.recipe.model.dtype == "bfloat16" and cluster.method in ("fsdp2", "zero2", "zero3")
        model = model_without_weights(self.recipe)
        language = language_activations(model, self._family, self.recipe, shape, in_half=in_half)
        vision = vision_activations(model, self._family, self.recipe, shape.patches)
        forward, backward = (a + b for a, b in zip(language, vision, strict=True))
        pixels = 0  # values of the pictures
        if shape.patches and (config := getattr(model.config, "vision_config", None)) is not None:
            side = config.patch_size if isinstance(config.patch_size, int) else config.patch_size[0]
            channels = int(getattr(config, "in_channels", 0) or config.num_channels)
            pixels = shape.patches * side * side * channels * int(getattr(config, "temporal_patch_size", 1))
        # Ids, labels, roles, positions, pixels of one micro-batch: the next is moved when this one is done.
        inputs = 5 * 8 * shape.tokens + _width(self.recipe) * pixels
        if self.counts.matrix:  # a 4-bit matrix is unpacked whenever it is used
            backward += _width(self.recipe) * self.counts.matrix
        logits = _logits(self.counts, self.recipe, shape, in_half)
        activations = max(forward, backward) + inputs
        largest = ActivationBytes(forward + logits, backward)
        if accumulation > 1:  # the gradients of the previous micro-batch exist
            moving = held.gradients + max(largest)
        else:  # gradients grow while activations are freed
            moving = max(*largest, held.gradients + max(backward - forward, 0))
        still = held.weights + held.optimizer + held.communication + held.overhead + inputs
        return held._replace(activations=activations, logits=logits, peak=still + moving)

    def language_bytes_after_forward(self, shape: MicroBatchShape) -> int:
        """Bytes that the language model's forward pass stores for the backward pass, on one device."""
        model = model_without_weights(self.recipe)
        return language_activations(model, self._family, self.recipe, shape, in_half=False).after_forward


def _count(model: PreTrainedModel, family: ModelFamily, recipe: Recipe) -> ParameterCounts:
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    quantized = {}  # sizes of the matrices in the language model's layers that are stored in 4 bits, by identity
    if recipe.model.quantize:
        for name, module in base.named_modules():
            inside = name.startswith(family.parts["language"].layers) and ".lora_" not in name
            if inside and isinstance(module, torch.nn.Linear):
                quantized[id(module.weight)] = module.weight.numel()
    trained = frozen = 0
    for parameter in model.parameters():
        if parameter.requires_grad:
            trained += parameter.numel()
        elif id(parameter) not in quantized:
            frozen += parameter.numel()
    # By the names of their classes, as FSDP2 wraps them: the largest of these is what is gathered at a time.
    layers = [module for module in base.modules() if type(module).__name__ in family.blocks]
    sizes = [sum(parameter.numel() for parameter in layer.parameters()) for layer in layers]
    head, embeddings = base.get_output_embeddings().weight, base.get_input_embeddings().weight
    return ParameterCounts(
        trained=trained,
        optimizer=state_bytes(model, recipe),
        frozen=frozen,
        quantized=sum(quantized.values()),
        layer=max(sizes),
        ends=sum({id(weight): weight.numel() for weight in (head, embeddings)}.values()),
        matrix=max(quantized.values(), default=0),
        head=(head.size(0), head.size(1)),
        head_trained=head.requires_grad,
    )


def heaviest_micro_batch(
    plan: BatchPlan, examples: TokenizedExamples, recipe: Recipe
) -> tuple[list[int], MicroBatchShape]:
    """The micro-batch of ``plan`` with the most computed tokens, and among these the most pictures; and its shape."""
    micro = plan.micro_batches
    rows = np.diff(micro.bounds) * examples.rows_each if recipe.pack is None else np.ones(len(micro), dtype=np.int64)
    lengths = micro.largest(examples.longest) if recipe.pack is None else micro.sums(examples.lengths)
    in_pictures = micro.sums(examples.picture_tokens)
    at = int(np.lexsort((in_pictures, rows * lengths))[-1])
    patches = patches_per_token(read_config(recipe.model.path)) * int(in_pictures[at])
    trained = int(examples.trained_tokens[micro[at]].sum())
    return micro[at], MicroBatchShape(int(rows[at]), int(lengths[at]), trained, patches)


def quantized_bytes(parameters: int) -> float:
    """Bytes of ``parameters`` in NF4 with double quantization (Dettmers et al., "QLoRA", 2023, section 3).

    Four bits each, one byte for each block of 64, and four bytes for each 256 blocks.
    """
    return parameters * (0.5 + 1 / 64 + 4 / (64 * 256))


def _states(counts: ParameterCounts, recipe: Recipe, cluster: Cluster) -> MemoryEstimate:
    """Weights, gradients, optimizer and communication; the other parts are still 0."""
    n, method, width = cluster.processes, cluster.method, _width(recipe)
    by_deepspeed = method in ("zero2", "zero3")
    weights = counts.trained * (width if by_deepspeed else 4) + counts.frozen * width
    weights += round(quantized_bytes(counts.quantized))
    if recipe.objective.dpo is not None and recipe.lora is None:
        weights += (counts.trained + counts.frozen) * width  # the reference
    gradients = counts.trained * 4
    # DeepSpeed keeps float32 copies of the weights beside the moments.
    optimizer = counts.optimizer + (4 * counts.trained if by_deepspeed else 0)
    if cluster.shards_weights:
        weights = -(-weights // n)
    if cluster.shards_weights or method == "zero2":
        gradients, optimizer = -(-gradients // n), -(-optimizer // n)
    on_host = (optimizer if cluster.offload_optimizer else 0) + (weights if cluster.offload_weights else 0)
    return MemoryEstimate(
        weights=0 if cluster.offload_weights else weights,
        gradients=gradients,
        optimizer=0 if cluster.offload_optimizer else optimizer,
        communication=_communication(counts, method, width),
        overhead=CUDA_CONTEXT + (NCCL_BUFFERS if n > 1 else 0),
        on_host=on_host * n,
    )


def _communication(counts: ParameterCounts, method: Method, width: int) -> int:
    """Communication buffers, and weights that are gathered temporarily."""
    match method:
        case "one":
            return 0
        case "ddp":
            return 4 * counts.trained  # its buckets are a second copy of the gradients
        case "fsdp2":
            # The layer that runs, the one that is being fetched, embeddings and head; the gradient of a layer, its copy
            # in float32 for the reduction, and the gradient of the head, which may be reduced last.
            gradients = (width + 4) * min(counts.layer, counts.trained)
            gradients += width * math.prod(counts.head) if counts.head_trained else 0
            return width * (2 * counts.layer + counts.ends) + gradients
        case "zero2":
            return 4 * _REDUCE_BUCKET
        case "zero3":
            return 4 * _REDUCE_BUCKET + width * (min(_MOST_GATHERED, counts.all) + counts.layer)
        case unknown:
            assert_never(unknown)


def _logits(counts: ParameterCounts, recipe: Recipe, shape: MicroBatchShape, in_half: bool) -> int:
    """The peak of the fused head: one tile of logits, never all of them.

    It consists of the hidden states of the trained tokens, a tile and a cast of the weights for it; in the backward
    pass, float32 gradients of these hidden states, of all hidden states, and of the head's weights if it is trained.
    """
    vocabulary, hidden = counts.head
    stream = 2 if in_half or (recipe.model.dtype == "bfloat16" and not counts.head_trained) else 4
    width = _width(recipe)
    tile = width * min(shape.trained, _TILE_TOKENS) * _TILE_WORDS  # as wide for a smaller vocabulary
    if counts.head_trained and width < 4 and not in_half:  # its weights are cast
        tile += width * hidden * min(_TILE_WORDS, vocabulary)
    backward = hidden * (shape.trained * (4 + stream) + shape.tokens * stream)
    if counts.head_trained:
        backward += 4 * vocabulary * hidden
    return shape.trained * hidden * stream + tile + backward


def _width(recipe: Recipe) -> int:
    return 2 if recipe.model.dtype == "bfloat16" else 4
