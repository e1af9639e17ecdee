"""How much memory a run takes on each GPU, by part, before it takes any.

Weights, gradients and optimizer are counted from the model without its weights (:func:`train.load_model.empty_model`),
and shared out as Rajbhandari et al. say ("ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", 2020,
section 3 and figure 1): DDP copies all, ZeRO-2 shares gradients and optimizer, ZeRO-3 and FSDP2 the weights too.
Activations are :mod:`train.activations`'. All figures are bytes; a GB is 10**9 of them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from transformers import PreTrainedModel

from train.activations import Held, Load, language_activations, vision_activations
from train.architectures import Architecture
from train.load_model import empty_model, load_architecture
from train.recipe import Recipe

Method = Literal["one", "ddp", "fsdp2", "zero2", "zero3"]

CONTEXT = 1_000_000_000
"""CUDA's context, the libraries' workspaces and what the allocator cannot use, on each GPU. Assumed, not measured."""

BETWEEN_GPUS = 500_000_000
"""NCCL's buffers where there are several GPUs. Assumed, not measured."""

# Values of the fused head (trl/kernels/chunked_logprob.py and trl/trainer/utils.py): a tile is so many tokens by words.
_TILE_TOKENS, _TILE_WORDS = 4096, 32768
# DeepSpeed's defaults (deepspeed/runtime/zero/config.py), in elements.
_REDUCE_BUCKET, _MOST_GATHERED = 500_000_000, 1_000_000_000


class Cluster(NamedTuple):
    """What a run is spread over: ``method`` over ``processes``, each with a GPU of its own.

    ``offload_optimizer`` and ``offload_weights`` keep these in the memory of the machine (DeepSpeed).
    """

    processes: int = 1
    method: Method = "one"
    offload_optimizer: bool = False
    offload_weights: bool = False

    @property
    def shares_weights(self) -> bool:
        """Whether each GPU holds a part of the weights only."""
        return self.method in ("fsdp2", "zero3")


class Counts(NamedTuple):
    """Parameters of a model by how they are held, and the largest things that are gathered or unpacked at a time."""

    trained: int
    frozen: int
    quantized: int
    layer: int  # of the largest layer that is gathered at once
    ends: int  # of embeddings and head, which are gathered besides
    matrix: int  # of the largest quantized matrix
    head: tuple[int, int]  # words, width
    head_trained: bool

    @property
    def all(self) -> int:
        """Every parameter."""
        return self.trained + self.frozen + self.quantized


class Memory(NamedTuple):
    """Bytes on each GPU by part. ``peak`` is less than their sum where two parts are never there at once."""

    weights: int
    gradients: int
    optimizer: int
    activations: int
    logits: int
    communication: int
    overhead: int
    peak: int
    on_host: int

    def gigabytes(self) -> dict[str, float]:
        """The same in GB, three places."""
        return {name: round(size / 1e9, 3) for name, size in self._asdict().items()}


class MemoryModel:
    """Estimates for one recipe, under as many clusters and loads as are asked for; the model is looked at once."""

    def __init__(self, recipe: Recipe) -> None:
        """Raises :class:`~srt.errors.UserError` where the model folder is at fault."""
        self.recipe = recipe
        self._architecture = load_architecture(recipe.model.path)
        self.counts = count(empty_model(recipe), self._architecture, recipe)

    def estimate(self, load: Load, cluster: Cluster, accumulation: int) -> Memory:
        """The memory of the heaviest micro-batch ``load``; ``accumulation`` micro-batches make a step."""
        held = _states(self.counts, self.recipe, cluster)
        in_half = self.recipe.model.dtype == "bfloat16" and cluster.method in ("fsdp2", "zero2", "zero3")
        model = empty_model(self.recipe)
        language = language_activations(model, self._architecture, self.recipe, load, in_half=in_half)
        vision = vision_activations(model, self._architecture, self.recipe, load)
        forward, backward = (a + b for a, b in zip(language, vision, strict=True))
        inputs = _inputs(model, load)
        if self.counts.matrix:  # a 4-bit matrix is unpacked whenever it is used
            backward += _width(self.recipe) * self.counts.matrix
        logits = _logits(self.counts, self.recipe, load, in_half)
        activations = max(forward, backward) + inputs
        largest = Held(forward + logits, backward)
        if accumulation > 1:  # gradients of the micro-batch before are there
            moving = held.gradients + max(largest)
        else:  # they grow while activations are let go
            moving = max(*largest, held.gradients + max(backward - forward, 0))
        still = held.weights + held.optimizer + held.communication + held.overhead + inputs
        return held._replace(activations=activations, logits=logits, peak=still + moving)

    def kept_by_language(self, load: Load) -> int:
        """Bytes that the language model's forward pass keeps for the backward pass, on one device."""
        model = empty_model(self.recipe)
        return language_activations(model, self._architecture, self.recipe, load, in_half=False).after_forward


def count(model: PreTrainedModel, architecture: Architecture, recipe: Recipe) -> Counts:
    """The parameters of ``model``, which is :func:`train.load_model.empty_model`'s."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    quantized = _quantized(base, architecture) if recipe.model.quantize else {}
    trained = frozen = 0
    for parameter in model.parameters():
        if parameter.requires_grad:
            trained += parameter.numel()
        elif id(parameter) not in quantized:
            frozen += parameter.numel()
    layers = [module for module in base.modules() if type(module).__name__ in architecture.blocks]
    sizes = [sum(parameter.numel() for parameter in layer.parameters()) for layer in layers]
    head, embeddings = base.get_output_embeddings().weight, base.get_input_embeddings().weight
    return Counts(
        trained=trained,
        frozen=frozen,
        quantized=sum(quantized.values()),
        layer=max(sizes),
        ends=sum({id(weight): weight.numel() for weight in (head, embeddings)}.values()),
        matrix=max(quantized.values(), default=0),
        head=(head.size(0), head.size(1)),
        head_trained=head.requires_grad,
    )


def quantized_bytes(parameters: int) -> float:
    """Bytes of so many parameters in NF4 with double quantization (Dettmers et al., "QLoRA", 2023, section 3).

    Four bits each, a byte for each block of 64, and four bytes for each 256 blocks.
    """
    return parameters * (0.5 + 1 / 64 + 4 / (64 * 256))


def _states(counts: Counts, recipe: Recipe, cluster: Cluster) -> Memory:
    """Weights, gradients, optimizer and what lies between GPUs; the other parts are 0 yet."""
    n, method, width = cluster.processes, cluster.method, _width(recipe)
    by_deepspeed = method in ("zero2", "zero3")
    weights = counts.trained * (width if by_deepspeed else 4) + counts.frozen * width
    weights += round(quantized_bytes(counts.quantized))
    gradients = counts.trained * (width if by_deepspeed else 4)
    # AdamW's two moments in float32; DeepSpeed keeps float32 copies of the weights beside them.
    optimizer = counts.trained * (12 if by_deepspeed else 8)
    if cluster.shares_weights:
        weights = -(-weights // n)
    if cluster.shares_weights or method == "zero2":
        gradients, optimizer = -(-gradients // n), -(-optimizer // n)
    on_host = (optimizer if cluster.offload_optimizer else 0) + (weights if cluster.offload_weights else 0)
    return Memory(
        weights=0 if cluster.offload_weights else weights,
        gradients=gradients,
        optimizer=0 if cluster.offload_optimizer else optimizer,
        activations=0,
        logits=0,
        communication=_between(counts, method, width),
        overhead=CONTEXT + (BETWEEN_GPUS if n > 1 else 0),
        peak=0,
        on_host=on_host * n,
    )


def _between(counts: Counts, method: Method, width: int) -> int:
    """Buffers of communication and weights that are gathered for a while."""
    if method == "one":
        return 0
    if method == "ddp":
        return 4 * counts.trained  # its buckets are a second copy of the gradients
    if method == "fsdp2":
        # The layer that runs, the one that is fetched meanwhile, embeddings and head, and gradients of a layer.
        return width * (2 * counts.layer + counts.ends + min(counts.layer, counts.trained))
    if method == "zero2":
        return width * _REDUCE_BUCKET
    return width * (_REDUCE_BUCKET + min(_MOST_GATHERED, counts.all) + counts.layer)


def _logits(counts: Counts, recipe: Recipe, load: Load, in_half: bool) -> int:
    """What the fused head holds at most: one tile of logits, never all of them.

    Hidden states of the trained tokens (kept), a tile and the part of the weights under it; in the backward pass
    float32 gradients of these hidden states, of all hidden states, and of the head's weights where it is trained.
    """
    words, hidden = counts.head
    stream = 2 if in_half or (recipe.model.dtype == "bfloat16" and not counts.head_trained) else 4
    width = _width(recipe)
    tile = width * (min(load.trained, _TILE_TOKENS) * min(_TILE_WORDS, words) + min(_TILE_WORDS, words) * hidden)
    backward = hidden * (load.trained * (4 + stream) + load.tokens * stream)
    if counts.head_trained:
        backward += 4 * words * hidden
    return load.trained * hidden * stream + tile + backward


def _inputs(model: PreTrainedModel, load: Load) -> int:
    """The micro-batch itself: ids, labels, roles, positions and pixels (float32)."""
    vision = getattr(model.config, "vision_config", None)
    pixels = 0
    if vision is not None and load.patches:
        side = vision.patch_size if isinstance(vision.patch_size, int) else vision.patch_size[0]
        channels = int(getattr(vision, "in_channels", 0) or vision.num_channels)
        pixels = 4 * load.patches * side * side * channels * int(getattr(vision, "temporal_patch_size", 1))
    return 5 * 8 * load.tokens + pixels


def _quantized(base: torch.nn.Module, architecture: Architecture) -> dict[int, int]:
    """The parameters that are held in 4 bits, by identity, with their sizes: matrices of the language's layers."""
    held: dict[int, int] = {}
    layers = architecture.parts["language"].layers
    for name, module in base.named_modules():
        if isinstance(module, torch.nn.Linear) and name.startswith(layers) and ".lora_" not in name:
            held[id(module.weight)] = module.weight.numel()
    return held


def _width(recipe: Recipe) -> int:
    return 2 if recipe.model.dtype == "bfloat16" else 4
