"""Many sequences: the first start, the second start, memory, and the speed of packed training from the mapped file.

    python -m research.training.many_sequences [--sequences 1000000] [--folder FOLDER]

Each phase is a process of its own. A start is what ``train_srt.py`` does before it loads the model: tokens and batches
(5 epochs of batches of 128, packed), for a llama of the demo's shape. Memory is that of the process after the start and
after it has collated 2,000 micro-batches: ``own`` is what nobody else can use, ``file`` are pages of the mapped file,
which the system takes back when it needs them.

For comparison the same examples are held in a list. Speeds are those of optimizer steps from one and from the other,
alternating, on one thread, by the time of the processor, which other work on the machine disturbs least.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import torch
import transformers
from trl.trainer.utils import add_fused_lm_head

from srt.io.record_writer import write_records
from srt.io.records import Message, Span
from srt.io.records import Sequence as TrainingSequence
from train.data.batches import BatchPlan, plan_batches
from train.data.collate import MEMBERS, make_collator
from train.data.examples import Example
from train.data.token_cache import read_examples
from train.data.token_table import TokenizedExamples
from train.loop.fused_head import score_by_fused_head
from train.loop.loss import batch_weight, role_weights, weighted_loss
from train.models.init_model import init_model
from train.models.load_model import load_model
from train.models.model_files import load_tokenizer, read_config
from train.recipe import Recipe
from train.recipe_reader import make_recipe

NAMES = [
    first + second for first in ("An", "Bo", "Ce", "Di", "El", "Fa") for second in ("a", "ba", "do", "li", "mi", "ra")
]
STEPS, ROUNDS = 3, 9


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sequences", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the data, about 1 kB a sequence, and the tokens are kept")
    parser.add_argument("--phase", choices=("start", "list", "speed"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    transformers.utils.logging.set_verbosity_error()
    if options.phase is not None:
        {"start": start, "list": hold_in_list, "speed": compare_speed}[options.phase](options.folder)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        write_records(folder / "sequences.jsonl", islice(made(), options.sequences))
        texts = (text for one in islice(made(), 500) for text in (one.prompt[0].content, one.completion[0].content))
        shape: dict[str, Any] = {"hidden": 128, "layers": 3, "heads": 4, "vocab": 2048, "initializer_range": 0.08}
        init_model("llama", texts, folder / "model", **shape)
        size = (folder / "sequences.jsonl").stat().st_size
        print(f"{options.sequences:,} sequences, {size / 1e9:.2f} GB of JSON Lines, {os.cpu_count()} cores", flush=True)
        for title, phase in (("first start", "start"), ("second start", "start"), ("list", "list"), ("speed", "speed")):
            print(f"\n{title}", flush=True)
            command = [sys.executable, __file__, "--phase", phase, "--folder", str(folder)]
            environment = {**os.environ, "HF_DATASETS_CACHE": str(folder / "cache")}
            subprocess.run(command, check=True, env=environment, stderr=subprocess.DEVNULL)


def start(folder: Path) -> None:
    """Print the times of a start and the memory after it."""
    recipe = recipe_in(folder)
    tokenizer = load_tokenizer(recipe.model.path)
    print(f"  libraries loaded: {memory()}", flush=True)
    began = time.perf_counter()
    examples = read_examples(recipe, tokenizer)
    read = time.perf_counter()
    print(f"  tokens:  {read - began:7.1f} s, {examples.lengths.mean():.0f} a sequence; {memory()}", flush=True)
    plan = plan_batches(recipe, examples, processes=1)
    print(f"  batches: {time.perf_counter() - read:7.1f} s, {plan.steps:,} steps; {memory()}", flush=True)
    touch(recipe, examples, plan)


def hold_in_list(folder: Path) -> None:
    """Print the memory with all examples in a list."""
    recipe = recipe_in(folder)
    examples = read_examples(recipe, load_tokenizer(recipe.model.path))
    plan = plan_batches(recipe, examples, processes=1)
    held = in_list(examples)
    print(f"  all examples held: {memory()}", flush=True)
    touch(recipe, held, plan)


def touch(recipe: Recipe, examples: Sequence[Example], plan: BatchPlan) -> None:
    """Print the time and the memory of collating micro-batches from all parts of the data."""
    collate = make_collator(recipe, examples, read_config(recipe.model.path), 0)
    began, tokens, some = time.perf_counter(), 0, list(islice(plan.micro_batches, 2000))
    for micro_batch in some:
        tokens += collate([{MEMBERS: micro_batch}])["input_ids"].numel()
    seconds = time.perf_counter() - began
    print(f"  {len(some):,} micro-batches collated at {tokens / seconds / 1e6:.1f} M tokens/s; {memory()}", flush=True)


def compare_speed(folder: Path) -> None:
    """Print the speed of optimizer steps from the mapped file and from a list."""
    torch.set_num_threads(1)
    recipe = recipe_in(folder, batch_size=64, pack=4096, epochs=None, steps=STEPS * (ROUNDS + 1))
    examples = read_examples(recipe, load_tokenizer(recipe.model.path))
    plan = plan_batches(recipe, examples, processes=1)
    model = load_model(recipe).train()
    add_fused_lm_head(model, outputs=("log_probs", "entropy", "is_top1"))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    weights = role_weights(recipe.loss)
    sources = {"mapped file": examples, "list": in_list(examples)}
    collators = {name: make_collator(recipe, source, model.config, 0) for name, source in sources.items()}
    speeds: dict[str, list[float]] = {name: [] for name in sources}
    for number in range(ROUNDS + 1):
        steps = [plan.of_step(number * STEPS + step) for step in range(STEPS)]
        tokens = sum(int(examples.lengths[row].sum()) for step in steps for row in step)
        # The first of each round alternates, so that neither always meets warm caches.
        for name in sorted(collators, reverse=bool(number % 2)):
            began = time.process_time()
            for rows in steps:
                batches = [collators[name]([{MEMBERS: row}]) for row in rows]
                total = torch.stack([batch_weight(batch, weights) for batch in batches]).sum()
                for batch in batches:
                    weighted_loss(score_by_fused_head(model, batch), weights, total).backward()
                optimizer.step()
                optimizer.zero_grad()
            if number:  # the first round is for warming up
                speeds[name].append(tokens / (time.process_time() - began))
    for name, values in speeds.items():
        print(f"  {name:11}: {statistics.median(values):,.0f} tokens/s")
    ratios = [mapped / held for mapped, held in zip(speeds["mapped file"], speeds["list"], strict=True)]
    middle, least, most = statistics.median(ratios), min(ratios), max(ratios)
    print(f"  mapped file / list: median {middle:.3f} of {len(ratios)} ({least:.3f} to {most:.3f})")


def in_list(examples: TokenizedExamples) -> list[Example]:
    return [example._replace(input_ids=example.input_ids.copy(), roles=example.roles.copy()) for example in examples]


def recipe_in(folder: Path, **changes: Any) -> Recipe:
    return make_recipe(
        {
            "model": {"path": str(folder / "model")},
            "data": str(folder / "sequences.jsonl"),
            "output": str(folder / "run"),
            "epochs": 5,
            "batch_size": 128,
            "learning_rate": 1e-3,
            "max_length": 1024,
            "pack": 8192,
            **changes,
        }
    )


def made() -> Iterator[TrainingSequence]:
    """Endless sequences: clues of the form "A sits right of B", and a trace that walks along them."""
    rng = random.Random(0)
    number = 0
    while True:
        names = rng.sample(NAMES, rng.randint(4, 8))
        pairs = list(pairwise(names))
        clues = "\n".join(f"({at}) {b} is right of {a};" for at, (a, b) in enumerate(pairs, 1))
        lines = [f"CORRELATE ({at}): right({a}) = {b}" for at, (a, b) in enumerate(pairs, 1)]
        lines += [f"INFER #{len(pairs)}: ? = {names[-1]}", f"ANSWER: {'ABCD'[number % 4]}"]
        spans, at = [], 0
        for line in lines:
            spans.append(Span(start=at, end=at + len(line), label=line.split()[0].rstrip(":")))  # type: ignore[arg-type]
            at += len(line) + 1
        yield TrainingSequence(
            problem_id=f"made-{number}",
            trace_id=f"made-{number}",
            arm="srt",
            lang="en",
            prompt=[Message(role="user", content=f"{clues}\nWho is at the right end? {' '.join(sorted(names))}")],
            completion=[Message(role="assistant", content="\n".join(lines))],
            spans=spans,
        )
        number += 1


def memory() -> str:
    """Resident memory of this process, by the kernel."""
    status = Path("/proc/self/status").read_text()
    own, file = (int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) for name in ("RssAnon", "RssFile"))  # type: ignore[index]
    return f"resident memory: own {own / 1024:,.0f} MiB, file {file / 1024:,.0f} MiB"


if __name__ == "__main__":
    main()
