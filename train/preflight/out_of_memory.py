"""When memory runs out during training: print what was asked for and what would fit, instead of a traceback."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import torch

from srt.io.errors import UserError
from train.data.batches import plan_batches
from train.data.token_cache import read_examples
from train.models.model_files import load_tokenizer_and_processor
from train.preflight.fallback_plans import fallback_plans, plan_lines
from train.preflight.memory_estimate import MemoryEstimator, heaviest_micro_batch, this_gpu_bytes
from train.recipe import Recipe
from train.run.launch import current_launch


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a device ran out of memory; not every part of PyTorch raises the exception for it."""
    words = ("out of memory", "can't allocate memory", "not enough memory")
    return isinstance(error, torch.OutOfMemoryError) or any(word in str(error).lower() for word in words)


def out_of_memory_lines(error: BaseException, recipe: Recipe) -> list[str]:
    """What was asked for, the estimate by part, and fallback plans with their estimates: lines for standard error."""
    first = f"error: out of memory: {' '.join(str(error).split())[:300]}"
    cluster = current_launch().cluster
    try:
        # Planned again, as training did.
        examples = read_examples(recipe, *load_tokenizer_and_processor(recipe.model.path))
        plan = plan_batches(recipe, examples, cluster.processes)
        _, shape = heaviest_micro_batch(plan, examples, recipe)
        memory = MemoryEstimator(recipe).estimate(shape, cluster, plan.accumulation)
        plans = plan_lines(fallback_plans(recipe, shape, cluster, plan.accumulation), this_gpu_bytes())
    except UserError as fault:  # a file has disappeared since the start of the run
        return [first, f"no estimate can be made: {fault}"]
    sizes = {name: size for name, size in memory._asdict().items() if name not in ("peak", "on_host")}
    parts = [f"{name} {size / 1e9:.1f}" for name, size in sizes.items() if size >= 5e7]
    return [
        first,
        f"the heaviest micro-batch has {shape.rows} x {shape.length} tokens; estimated on each GPU: "
        f"{memory.peak / 1e9:.1f} GB ({', '.join(parts)})",
        "what would fit, estimated on each GPU:",
        *(f"  {plan_line}" for plan_line in plans),
    ]


def first_to_report() -> bool:
    """Whether this process is the first of its launch on this machine to call this: it reports for all of them."""
    if os.environ.get("WORLD_SIZE", "1") == "1":
        return True
    # All processes have the launcher as parent; its start time tells it from an earlier process with the same id.
    launcher = f"{os.getppid()}-{psutil.Process(os.getppid()).create_time():.2f}"
    mark = Path(tempfile.gettempdir()) / f"srt-reported-{launcher}-{os.environ.get('MASTER_PORT', '')}"
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    return True
