"""Out of memory in the midst of training: what was asked for, and what would fit, instead of a traceback."""

from __future__ import annotations

import math
import os
import tempfile
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import torch

from srt.errors import UserError
from train.activations import Load
from train.batches import plan_batches
from train.examples import read_examples
from train.launch_file import cluster_here
from train.load_model import load_architecture, load_processor, load_tokenizer
from train.memory import Memory, MemoryModel
from train.memory_plan import told, ways_out
from train.micro_batches import heaviest
from train.recipe import Recipe


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a device had no memory left; not every part of PyTorch raises the exception that is made for it."""
    words = ("out of memory", "can't allocate memory", "not enough memory")
    return isinstance(error, torch.OutOfMemoryError) or any(word in str(error).lower() for word in words)


def out_of_memory_lines(error: BaseException, recipe: Recipe) -> list[str]:
    """What was asked for, the estimate by part, and the ways out with their estimates: lines for standard error."""
    asked = " ".join(str(error).split(". "))[:300]
    there = float(torch.cuda.get_device_properties(0).total_memory) if torch.cuda.is_available() else None
    lines = [f"error: out of memory: {' '.join(asked.split())}"]
    cluster = cluster_here()
    try:
        load, accumulation = _load(recipe, cluster.processes)
        memory = MemoryModel(recipe).estimate(load, cluster, accumulation)
        ways = told(ways_out(recipe, load, cluster, accumulation), there)
    except UserError as fault:  # what was there at the start of the run is gone
        return [*lines, f"no estimate can be made: {fault}"]
    return [
        *lines,
        f"the heaviest micro-batch has {load.rows} x {load.length} tokens; estimated on each GPU: {_parts(memory)}",
        "what would fit, estimated on each GPU:",
        *(f"  {way}" for way in ways),
    ]


def first_to_tell() -> bool:
    """Whether this is the first process of its launch on this machine that asks: one of them speaks for all."""
    if os.environ.get("WORLD_SIZE", "1") == "1":
        return True
    # The launcher is the parent of all; its start time tells it from an earlier process of the same number.
    launcher = f"{os.getppid()}-{psutil.Process(os.getppid()).create_time():.2f}"
    mark = Path(tempfile.gettempdir()) / f"srt-told-{launcher}-{os.environ.get('MASTER_PORT', '')}"
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return False
    return True


def _load(recipe: Recipe, processes: int) -> tuple[Load, int]:
    """The heaviest micro-batch and the micro-batches a step, planned again as training did."""
    processor = load_processor(recipe.model.path) if load_architecture(recipe.model.path).reads_pictures else None
    tokenizer = processor.tokenizer if processor is not None else load_tokenizer(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    steps = recipe.steps or math.ceil((recipe.epochs or 0) * len(examples) / recipe.batch_size)
    plan = plan_batches(recipe, examples, steps, processes)
    return heaviest(plan, examples, recipe, processor)[1], plan.accumulation


def _parts(memory: Memory) -> str:
    named = ("weights", "gradients", "optimizer", "activations", "logits", "communication", "overhead")
    parts = [f"{name} {getattr(memory, name) / 1e9:.1f}" for name in named if getattr(memory, name) >= 5e7]
    return f"{memory.peak / 1e9:.1f} GB ({', '.join(parts)})"
