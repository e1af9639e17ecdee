"""Changes to a run, with their memory estimates: fallback plans that would make it fit, and one that is faster."""

from __future__ import annotations

from typing import NamedTuple

from train.preflight.activations import MicroBatchShape
from train.preflight.memory_estimate import MemoryEstimate, MemoryEstimator
from train.recipe import Lora, Recipe
from train.run.launch import Cluster

_SPELT = {0: "false", 1: "true", 2: "2", 3: "3", 4: "4"}  # as in a recipe
_FILLED = 0.95  # of a GPU, at most, by an estimate that proposes to use more of it


class FallbackPlan(NamedTuple):
    """One change, or several together: what to set, and the estimated memory on each GPU."""

    what: str
    keys: str
    memory: MemoryEstimate


def fallback_plans(recipe: Recipe, shape: MicroBatchShape, cluster: Cluster, accumulation: int) -> list[FallbackPlan]:
    """The changes that need less memory than ``recipe``, in the order in which one would try them.

    ``shape`` is that of the heaviest micro-batch. Each of the first plans is a single change; then come all of these
    together, and QLoRA, which also changes what is trained.
    """
    plans: list[FallbackPlan] = []

    def add(what: str, keys: str, recipe: Recipe, shape: MicroBatchShape, cluster: Cluster, accumulation: int) -> None:
        memory = MemoryEstimator(recipe).estimate(shape, cluster, accumulation)
        plans.append(FallbackPlan(what, keys, memory))

    smaller_recipe, smaller_shape, smaller_keys = _smaller_micro_batch(recipe, shape)
    # The same batch in smaller parts has several of them a step, so that gradients exist while the next part is
    # computed.
    if smaller_keys:
        add("a smaller micro-batch", smaller_keys, smaller_recipe, smaller_shape, cluster, max(accumulation, 2))
    checkpointing, checkpointing_keys = {"gradient_checkpointing": 1}, ""
    for every, what in (
        (2, "activations of every second layer computed twice (about a sixth more time)"),
        (1, "activations of every layer computed twice (about a third more time)"),
    ):
        if _recomputed(every) > _recomputed(recipe.gradient_checkpointing):
            checkpointing_keys = f"gradient_checkpointing: {_SPELT[every]}"
            changed = recipe.model_copy(update={"gradient_checkpointing": every})
            add(what, checkpointing_keys, changed, shape, cluster, accumulation)
    sharded, launch = cluster, ""
    if cluster.processes > 1 and not cluster.shards_weights:
        sharded = Cluster(cluster.processes, "zero3")
        launch = "--accelerate configs/zero3_8gpu.yaml (or fsdp2_8gpu.yaml)"
        add("weights sharded over the GPUs", launch, recipe, shape, sharded, accumulation)
    smallest = smaller_recipe.model_copy(update=checkpointing)
    together = [keys for keys in (smaller_keys, checkpointing_keys, launch) if keys]
    if len(together) > 1:
        add("these together", ", ".join(together), smallest, smaller_shape, sharded, max(accumulation, 2))
    if recipe.model.quantize is None:
        qlora = smallest.model_copy(
            update={
                "model": recipe.model.model_copy(update={"quantize": "nf4"}),
                "lora": recipe.lora or Lora(),
                "trainable": recipe.trainable.model_copy(update={"language": "lora"}),
            }
        )
        lora = "" if recipe.lora else "lora: {r: 16, alpha: 32}"
        keys = ", ".join(filter(None, ("model.quantize: nf4", lora, smaller_keys, checkpointing_keys)))
        add("QLoRA: 4-bit weights and an adapter", keys, qlora, smaller_shape, cluster, 2)
    present = MemoryEstimator(recipe).estimate(shape, cluster, accumulation)
    return [plan for plan in plans if plan.memory.peak < present.peak]


def less_recomputation(
    recipe: Recipe, shape: MicroBatchShape, cluster: Cluster, accumulation: int, gpu_bytes: float
) -> FallbackPlan | None:
    """The least checkpointing with which a run fits a GPU of ``gpu_bytes``, if it is less than ``recipe`` has."""
    for every in (0, 4, 3, 2):
        if _recomputed(every) >= _recomputed(recipe.gradient_checkpointing):
            break
        changed = recipe.model_copy(update={"gradient_checkpointing": every})
        memory = MemoryEstimator(changed).estimate(shape, cluster, accumulation)
        if memory.peak <= _FILLED * gpu_bytes:
            return FallbackPlan("less is computed twice", f"gradient_checkpointing: {_SPELT[every]}", memory)
    return None


def _recomputed(every: int) -> float:
    """The share of the layers that ``gradient_checkpointing: every`` computes twice."""
    return 1 / every if every else 0.0


def plan_lines(plans: list[FallbackPlan], gpu_bytes: float | None) -> list[str]:
    """A line for each of ``plans``; ``gpu_bytes`` is the memory of a GPU, if it is known."""
    if not plans:
        return ["no change of the recipe needs less memory: use a larger GPU, or a smaller model"]
    lines = []
    for what, keys, memory in plans:
        fits = "" if gpu_bytes is None else ("  fits" if memory.peak <= gpu_bytes else "  does not fit")
        lines.append(f"{memory.peak / 1e9:7.1f} GB{fits:<14} {what}: {keys}")
    return lines


def _smaller_micro_batch(recipe: Recipe, shape: MicroBatchShape) -> tuple[Recipe, MicroBatchShape, str]:
    """The smallest possible micro-batch, and the keys that set it; no keys if it is already that small."""
    if recipe.pack is not None:
        if recipe.max_length >= shape.length:
            return recipe, shape, ""
        share = recipe.max_length / shape.length
        smaller = MicroBatchShape(1, recipe.max_length, round(shape.trained * share), round(shape.patches * share))
        return recipe.model_copy(update={"pack": recipe.max_length}), smaller, f"pack: {recipe.max_length}"
    if shape.rows == 1:
        return recipe, shape, ""
    smaller = MicroBatchShape(1, shape.length, -(-shape.trained // shape.rows), -(-shape.patches // shape.rows))
    return recipe.model_copy(update={"micro_batch": 1}), smaller, "micro_batch: 1"
