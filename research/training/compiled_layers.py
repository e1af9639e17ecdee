"""Decoder layers compiled with ``torch.compile`` against plain ones: seconds until the first step, speed, losses.

    OMP_NUM_THREADS=1 python -m research.training.compiled_layers {llama,qwen2_5_vl} {padded,packed}

A plain and a compiled copy of one small model take the same optimizer steps in turn. The ratio of speeds, in tokens per
second of processor time, is that of the steps after the third, when all graphs have been compiled.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

import torch
from torch._dynamo.utils import counters
from trl.trainer.utils import add_fused_lm_head

from benchmarks.gpu.data import make_data
from train.data.batches import BatchPlan, plan_batches
from train.data.collate import MEMBERS, make_collator
from train.data.token_cache import read_examples
from train.data.token_table import TokenizedExamples
from train.loop.fused_head import score_by_fused_head
from train.loop.loss import batch_weight, role_weights, weighted_loss
from train.models.init_model import init_model, sequence_texts
from train.models.load_model import load_model
from train.models.model_files import load_family, load_tokenizer_and_processor
from train.recipe_reader import make_recipe

SEQUENCES = 96
DATA: dict[str, Literal["qwen2.5-7b", "qwen2.5-vl-7b"]] = {
    "llama": "qwen2.5-7b",
    "qwen2_5_vl": "qwen2.5-vl-7b",
}
BATCHES: dict[str, dict[str, Any]] = {
    "padded": {"micro_batch": 4, "max_length": 4096, "model": {"attn": "sdpa"}},
    "packed": {"pack": 2048, "max_length": 2048, "model": {"attn": "segments"}},
}


class TrainedCopy:
    """A model with its optimizer, and what its steps have cost so far."""

    def __init__(self, recipe: Any, compiled: bool) -> None:
        self.model = load_model(recipe).train()
        add_fused_lm_head(self.model, outputs=("log_probs", "entropy", "is_top1"))
        if compiled:
            for layer in load_family(recipe.model.path).backbone(self.model, "language").layers:
                layer.compile()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3, fused=True)
        self.losses: list[float] = []
        self.wall: list[float] = []
        self.processor: list[float] = []

    def step(self, batches: list[dict[str, Any]], weights: Any) -> None:
        """One optimizer step over ``batches``, as the trainer takes it."""
        wall, processor = time.perf_counter(), time.process_time()
        total = torch.stack([batch_weight(batch, weights) for batch in batches]).sum()
        losses = []
        for batch in batches:
            loss = weighted_loss(score_by_fused_head(self.model, batch), weights, total)
            loss.backward()  # type: ignore[no-untyped-call]
            losses.append(float(loss.detach()))
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.losses.append(sum(losses))
        self.wall.append(time.perf_counter() - wall)
        self.processor.append(time.process_time() - processor)


def main(arch: str, way: str, root: Path) -> None:
    """Train both copies and print a line for each step, then the ratio."""
    data = make_data(DATA[arch], root, SEQUENCES, tiny=True)
    init_model(arch, sequence_texts([data.sequences]), root / "init", hidden=256, layers=4, heads=4, vocab=1000)
    recipe = make_recipe(
        {
            "data": str(data.sequences),
            "output": str(root / "run"),
            "epochs": 1,
            "batch_size": 16,
            "learning_rate": 1e-3,
            **BATCHES[way],
            "model": {"path": str(root / "init"), **BATCHES[way]["model"]},
        }
    )
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    examples: TokenizedExamples = read_examples(recipe, tokenizer, processor)
    plan: BatchPlan = plan_batches(recipe, examples, 1)
    weights = role_weights(recipe.loss)
    copies = {"plain": TrainedCopy(recipe, compiled=False), "compiled": TrainedCopy(recipe, compiled=True)}
    collate = make_collator(recipe, examples, copies["plain"].model.config, 0, processor)
    for number in range(plan.steps):
        rows = plan.of_step(number)
        for name in sorted(copies, reverse=bool(number % 2)):
            copies[name].step([collate([{MEMBERS: row}]) for row in rows], weights)
        tokens = sum(int(examples.lengths[member]) for row in rows for member in row)
        said = ", ".join(f"{name} {one.wall[-1]:.1f} s, loss {one.losses[-1]:.5f}" for name, one in copies.items())
        print(f"step {number}: {tokens} tokens; {said}", flush=True)
    plain, compiled = (copies[name].processor[3:] for name in ("plain", "compiled"))
    ratios = sorted(slow / fast for slow, fast in zip(plain, compiled, strict=True))
    print(f"compiled / plain after three steps: {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    print(f"graphs: {counters['stats'].get('unique_graphs', 0)}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1], sys.argv[2], Path(folder))
