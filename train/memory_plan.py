"""What would fit: when memory runs out, or is foreseen to, the ways out with their figures."""

from __future__ import annotations

from typing import NamedTuple

from train.activations import Load
from train.memory import Cluster, Memory, MemoryModel
from train.recipe import Lora, Recipe


class WayOut(NamedTuple):
    """One change, or several together: what to set, and the memory on each GPU that is then estimated."""

    what: str
    keys: str
    memory: Memory


def ways_out(recipe: Recipe, load: Load, cluster: Cluster, accumulation: int) -> list[WayOut]:
    """The changes that need less memory than ``recipe`` does, in the order in which one would try them.

    Each stands alone; the last is all of those that keep what is trained. ``load`` is the heaviest micro-batch.
    """
    ways: list[WayOut] = []
    now = _memory(recipe, load, cluster, accumulation)
    small, keys, smaller_recipe = _smaller(recipe, load)
    if keys:
        ways.append(
            WayOut("a smaller micro-batch", keys, _memory(smaller_recipe, small, cluster, max(accumulation, 2)))
        )
    thrifty = recipe.model_copy(update={"gradient_checkpointing": True})
    if not recipe.gradient_checkpointing:
        what = "activations computed twice (about a third more time)"
        ways.append(WayOut(what, "gradient_checkpointing: true", _memory(thrifty, load, cluster, accumulation)))
    shared, launch = _shared(cluster)
    if launch:
        ways.append(WayOut("weights shared out over the GPUs", launch, _memory(recipe, load, shared, accumulation)))
    gentle = smaller_recipe.model_copy(update={"gradient_checkpointing": True})
    together = [keys, "" if recipe.gradient_checkpointing else "gradient_checkpointing: true", launch]
    if sum(map(bool, together)) > 1:
        told = ", ".join(filter(None, together))
        ways.append(WayOut("these together", told, _memory(gentle, small, shared, max(accumulation, 2))))
    if recipe.model.quantize is None:
        quantized = gentle.model_copy(
            update={
                "model": recipe.model.model_copy(update={"quantize": "nf4"}),
                "lora": recipe.lora or Lora(),
                "tune": recipe.tune.model_copy(update={"language": "lora"}),
            }
        )
        told = "model.quantize: nf4" + ("" if recipe.lora else ", lora: {r: 16, alpha: 32}")
        more = ", ".join(filter(None, together[:2]))
        told += f", {more}" if more else ""
        ways.append(WayOut("QLoRA: 4-bit weights and an adapter", told, _memory(quantized, small, cluster, 2)))
    return [way for way in ways if way.memory.peak < now.peak]


def told(ways: list[WayOut], there: float | None) -> list[str]:
    """A line for each of ``ways``; ``there`` is the memory of a GPU in bytes, if it is known."""
    if not ways:
        return ["no change of the recipe needs less memory: take a larger GPU, or a smaller model"]
    lines = []
    for way in ways:
        fits = "" if there is None else ("  fits" if way.memory.peak <= there else "  does not fit")
        lines.append(f"{way.memory.peak / 1e9:7.1f} GB{fits:<14} {way.what}: {way.keys}")
    return lines


def _memory(recipe: Recipe, load: Load, cluster: Cluster, accumulation: int) -> Memory:
    return MemoryModel(recipe).estimate(load, cluster, accumulation)


def _smaller(recipe: Recipe, load: Load) -> tuple[Load, str, Recipe]:
    """The smallest micro-batch there can be, and the keys that make it; no keys where it is as small as can be."""
    if recipe.pack is not None:
        if recipe.max_length >= load.length:
            return load, "", recipe
        share = recipe.max_length / load.length
        small = Load(1, recipe.max_length, round(load.trained * share), round(load.patches * share))
        return small, f"pack: {recipe.max_length}", recipe.model_copy(update={"pack": recipe.max_length})
    if load.rows == 1:
        return load, "", recipe
    small = Load(1, load.length, -(-load.trained // load.rows), -(-load.patches // load.rows))
    return small, "micro_batch: 1", recipe.model_copy(update={"micro_batch": 1})


def _shared(cluster: Cluster) -> tuple[Cluster, str]:
    """The same processes, with the weights shared out; nothing to say where they are, or where there is one."""
    if cluster.processes == 1 or cluster.shares_weights:
        return cluster, ""
    return Cluster(cluster.processes, "zero3"), "--accelerate configs/zero3_8gpu.yaml (or fsdp2_8gpu.yaml)"
