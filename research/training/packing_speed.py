"""Training speed with packed rows against padded batches, on a CPU, in one run.

    python -m research.training.packing_speed [SEQUENCES.jsonl ...] [--threads 1] [--json OUT]

A llama of the demo's shape takes the same optimizer steps of 64 sequences in each way, alternating, so that a change
in the speed of the machine affects all of them. A step is that of the project: plan, collator, attention, loss, AdamW.
Without files, the sequences are made here: puzzles of the seating world with their traces, in English and in Chinese.

The bound is (tokens with padding) / (tokens): the gain from packing if time were proportional to tokens. Attention
within a sequence is quadratic, so more than the bound is possible if the padding is long.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from trl.trainer.utils import add_fused_lm_head

from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem, Sequence
from srt.language.trace import Trace
from srt.pipeline.build import build
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_one
from train.data.batches import BatchPlan, plan_batches
from train.data.collate import MEMBERS, Collator, make_collator
from train.data.token_cache import read_examples
from train.data.token_table import TokenizedExamples
from train.loop.fused_head import score_by_fused_head
from train.loop.loss import batch_weight, role_weights, weighted_loss
from train.models.init_model import init_model, sequence_texts
from train.models.load_model import load_model
from train.models.model_files import load_tokenizer
from train.recipe import Recipe
from train.recipe_reader import make_recipe

BATCH = 64
# The keys of the recipe by name. Longest first, several micro-batches have little padding; the bound is for one.
WAYS: dict[str, dict[str, Any]] = {
    "padded, eager": {"attn": "eager"},
    "padded, sdpa": {"attn": "sdpa"},
    "padded, sdpa, 4 micro-batches": {"attn": "sdpa", "micro_batch": BATCH // 4},
    "packed": {"pack": 4096},
}


class Way(NamedTuple):
    """One way to take the steps, ready to run."""

    model: torch.nn.Module
    optimizer: torch.optim.Optimizer
    plan: BatchPlan
    collate: Collator
    weights: torch.Tensor


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sequences", nargs="*", type=Path, help="files of sequences; without any, made here")
    parser.add_argument("--steps", type=int, default=3, help="optimizer steps of each way in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        files = options.sequences or _make_sequences(Path(folder))
        results = [measure(file, Path(folder), options.steps, options.rounds) for file in files]
    if options.json:
        about = {
            "command": " ".join(["python", "research/training/packing_speed.py", *sys.argv[1:]]),
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "processor": platform.processor() or platform.machine(),
            "threads": options.threads,
            "load": os.getloadavg()[0],
        }
        options.json.write_text(json.dumps(about | {"results": results}, indent=1) + "\n", "utf-8")


def measure(file: Path, folder: Path, steps: int, rounds: int) -> dict[str, Any]:
    """Print the table of one file of sequences, and return its figures."""
    model_path = folder / "models" / file.stem
    options: dict[str, Any] = {"hidden": 128, "layers": 3, "heads": 4, "vocab": 2048, "initializer_range": 0.08}
    init_model("llama", sequence_texts([file]), model_path, **options)
    recipes = {name: _recipe(file, model_path, folder, keys, steps) for name, keys in WAYS.items()}
    tokenizer = load_tokenizer(str(model_path))
    examples = read_examples(recipes["packed"], tokenizer)
    ways = {name: _way(recipe, examples, tokenizer.pad_token_id) for name, recipe in recipes.items()}
    lengths = sorted(len(example.input_ids) for example in examples)
    real, padded = _tokens(ways["padded, sdpa"].plan, examples)

    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, way in ways.items():
            taken = _run(way)
            if number:  # the first is for warming up
                seconds[name].append(taken)
    speeds = {name: real / statistics.median(taken) for name, taken in seconds.items()}

    quantiles = [lengths[int(len(lengths) * share)] for share in (0.0, 0.1, 0.5, 0.9)] + [lengths[-1]]
    print(f"{file.name}: tokens a sequence: least, 10%, half, 90%, most: {', '.join(map(str, quantiles))}")
    print(f"bound = tokens with padding / tokens = {padded / real:.2f}")
    for name, speed in speeds.items():
        gain = speeds["packed"] / speed
        print(
            f"  {name:30s} {speed:8,.0f} tokens/s   packed gains {gain:.2f} = {gain * real / padded:.2f} of the bound"
        )
    return {"file": file.name, "lengths": quantiles, "bound": padded / real, "tokens_per_second": speeds}


def _make_sequences(folder: Path) -> list[Path]:
    files = []
    for lang in ("en", "zh"):
        problems_file = folder / f"problems-{lang}.jsonl"
        generate_file("seating", 512, "train", problems_file, {"lang": lang})
        problems = {problem.id: problem for problem in read_records(problems_file, Problem)}
        traces = [made for made in map(solve_one, problems.values()) if isinstance(made, Trace)]
        files.append(folder / f"seating-{lang}.jsonl")
        write_records(files[-1], (one for one in build(traces, problems, "srt") if isinstance(one, Sequence)))
    return files


def _recipe(file: Path, model: Path, folder: Path, keys: dict[str, Any], steps: int) -> Recipe:
    rest = {key: value for key, value in keys.items() if key != "attn"}
    attn = {"attn": keys["attn"]} if "attn" in keys else {}
    base = {"data": str(file), "output": str(folder / "run"), "steps": steps, "learning_rate": 1e-3, "max_length": 4096}
    return make_recipe({**base, "batch_size": BATCH, "model": {"path": str(model), **attn}, **rest})


def _way(recipe: Recipe, examples: TokenizedExamples, pad_id: int) -> Way:
    model = load_model(recipe)
    add_fused_lm_head(model, outputs=("log_probs", "entropy", "is_top1"))
    return Way(
        model=model.train(),
        optimizer=torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate, fused=True),
        plan=plan_batches(recipe, examples, processes=1),
        collate=make_collator(recipe, examples, model.config, pad_id),
        weights=role_weights(recipe.loss),
    )


def _run(way: Way) -> float:
    """Seconds for the optimizer steps."""
    start = time.perf_counter()
    for step in range(way.plan.steps):
        batches = [way.collate([{MEMBERS: micro_batch}]) for micro_batch in way.plan.of_step(step)]
        total = torch.stack([batch_weight(batch, way.weights) for batch in batches]).sum()
        for batch in batches:
            weighted_loss(score_by_fused_head(way.model, batch), way.weights, total).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(way.model.parameters(), 1.0)
        way.optimizer.step()
        way.optimizer.zero_grad()
    return time.perf_counter() - start


def _tokens(plan: BatchPlan, examples: TokenizedExamples) -> tuple[int, int]:
    """Real tokens, and tokens with padding."""
    lengths = [examples.lengths[micro_batch] for micro_batch in plan.micro_batches]
    return int(sum(micro.sum() for micro in lengths)), int(sum(micro.max() * len(micro) for micro in lengths))


if __name__ == "__main__":
    main()
