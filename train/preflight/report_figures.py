"""The figures of a preflight: data, batches, memory and trial step, as tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from transformers import ProcessorMixin

from train.data.batches import BatchPlan, part_lines
from train.data.examples import TRAINED_ROLES
from train.data.token_table import TokenizedExamples
from train.preflight.activations import MicroBatchShape
from train.preflight.memory_estimate import MemoryEstimate
from train.preflight.trial_step import TrialStep
from train.recipe import Recipe


def data_figures(examples: TokenizedExamples, processor: ProcessorMixin | None) -> dict[str, Any]:
    """Lengths, trained tokens by role, and pictures."""
    lengths = np.sort(examples.lengths)
    tokens, trained = int(lengths.sum()), int(examples.trained_tokens.sum())
    by_role = examples.tokens_by_role()
    figures: dict[str, Any] = {
        "sequences": len(examples),
        "tokens": tokens,
        "tokens a sequence": f"{lengths[0]} to {lengths[-1]}, median {lengths[len(lengths) // 2]}",
        "trained tokens": f"{trained} ({trained / tokens:.1%})",
        **{f"tokens of {role.name}": int(by_role[role]) for role in TRAINED_ROLES},
    }
    areas, counts = [], []
    for picture in examples.pictures():
        areas.append(picture["width"] * picture["height"])
        counts.append(picture["tokens"])
    if counts:
        figures["pictures"] = f"{len(counts)}, {sum(counts)} tokens ({sum(counts) / tokens:.1%})"
        figures["pictures resized"] = _resized(areas, counts, processor)
    return figures


def _resized(areas: list[int], counts: list[int], processor: Any) -> str:
    """How many pictures lie outside the processor's limits of area, and by how much their sides change at most.

    ``areas`` are in pixels; ``counts`` are the tokens of the same pictures.
    """
    size = dict(processor.image_processor.size)
    if "longest_edge" not in size:
        return f"each is cut into tiles of one size ({min(counts)} to {max(counts)} tokens)"
    least, most = size["shortest_edge"], size["longest_edge"]
    reduced, enlarged = [area for area in areas if area > most], [area for area in areas if area < least]
    parts = []
    if reduced:
        parts.append(f"{len(reduced)} reduced, sides to {math.sqrt(most / max(reduced)):.0%} at least")
    if enlarged:
        parts.append(f"{len(enlarged)} enlarged, sides to {math.sqrt(least / min(enlarged)):.0%} at most")
    return "; ".join(parts) or "none, except to whole patches"


def batch_figures(recipe: Recipe, examples: TokenizedExamples, plan: BatchPlan) -> dict[str, Any]:
    """Steps, batches and padding."""
    micro = plan.micro_batches
    tokens = int(micro.sums(examples.lengths).sum())
    if recipe.pack is not None:
        share = {"rows of pack filled": f"{tokens / (recipe.pack * len(micro)):.1%} (no padding)"}
    else:
        computed = int((micro.largest(examples.longest) * np.diff(micro.bounds)).sum()) * examples.rows_each
        share = {"padding": f"{1 - tokens / computed:.1%} of the computed tokens"}
    return {
        "steps": plan.steps,
        **({} if recipe.stages or recipe.mix else {"epochs": round(plan.steps * recipe.batch_size / len(examples), 2)}),
        **{f"{'mix' if recipe.mix else 'stage'} {at}": line for at, line in enumerate(part_lines(recipe, examples), 1)},
        "processes": plan.processes,
        "micro-batches a step, on each": plan.accumulation,
        "tokens a step": tokens // plan.steps,
        "tokens in total": tokens,
        **share,
    }


def memory_figures(memory: MemoryEstimate, shape: MicroBatchShape) -> dict[str, Any]:
    """The heaviest micro-batch, and the estimate by part."""
    return {
        "heaviest micro-batch": f"{shape.rows} x {shape.length} tokens, {shape.trained} trained, {shape.patches} "
        "picture patches",
        **{name.replace("_", " "): format_bytes(size) for name, size in memory._asdict().items() if size},
    }


def trial_figures(trial: TrialStep) -> dict[str, Any]:
    """The measured step, beside the estimate."""
    figures: dict[str, Any] = {
        "device": trial.device,
        "loss": round(trial.loss, 4),
        "seconds, first step, with warm-up": round(trial.seconds, 2),
        "tokens computed": trial.tokens,
    }
    for name, size in trial.measured.items():
        estimated = trial.estimated[name]
        error = estimated / size - 1 if size else 0.0
        figures[f"{name}: measured, estimated, error"] = (
            f"{format_bytes(size)}, {format_bytes(estimated)}, {error:+.1%}"
        )
    return figures


def format_bytes(size: float) -> str:
    """``size`` in GB, MB or kB."""
    unit, each = next(((unit, each) for unit, each in (("GB", 1e9), ("MB", 1e6)) if size >= each), ("kB", 1e3))
    return f"{size / each:.3g} {unit}"
