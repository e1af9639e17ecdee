"""How fast the trainer is beside TRL's own, on the model and the data of the demo, in one run on a CPU.

    OMP_NUM_THREADS=1 python -m benchmarks.speed_against_trl [ROUNDS]

A step of every row takes 16 sequences, or as many tokens as 16 sequences have on average where TRL packs by itself. All
rows train the same model in float32 on one thread with the same optimizer; time is processor time of the training loop
alone, without tokenizing. Rounds alternate between the rows; a row shows its median tokens a second (without padding)
and its ratio to the best row of TRL.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
import yaml
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

from benchmarks.loop_time import TakenTokens, loop_seconds
from srt.pipeline.build import build_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from train.models.init_model import init_model, sequence_texts
from train.recipe_reader import make_recipe
from train.train_srt import train

DEMO = Path(__file__).parents[1] / "recipes" / "demo.yaml"
STEPS, BATCH, LONGEST, PACKED = 60, 16, 256, 1024
OURS: dict[str, dict[str, Any]] = {
    "ours, padded, eager": {"model": {"attn": "eager"}},
    "ours, padded, sdpa": {"model": {"attn": "sdpa"}},
    "ours, packed": {"pack": PACKED, "model": {"attn": "segments"}},
}
TRL: dict[str, tuple[str, dict[str, Any]]] = {
    "TRL, padded, eager": ("eager", {}),
    "TRL, padded, sdpa": ("sdpa", {}),
    "TRL, padded, sdpa, sorted by length": ("sdpa", {"train_sampling_strategy": "group_by_length"}),
    "TRL, padded, sdpa, sorted, loss from logits": (
        "sdpa",
        {"train_sampling_strategy": "group_by_length", "loss_type": "nll"},
    ),
    "TRL, padding-free, sdpa": ("sdpa", {"padding_free": True, "max_length": None}),
    "TRL, packed (bfd), sdpa": ("sdpa", {"packing": True, "packing_strategy": "bfd", "max_length": PACKED}),
}


def main(rounds: int) -> None:
    """Print the table."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        data = _prepare(root)
        rates: dict[str, list[float]] = {name: [] for name in (*OURS, *TRL)}
        for number in range(rounds):
            for name, setting in OURS.items():
                rates[name].append(_ours(root, data, f"{name} {number}", setting))
            for name, (attention, settings) in TRL.items():
                rates[name].append(_trl(root, data, attention, settings))
    medians = {name: statistics.median(values) for name, values in rates.items()}
    best = max(medians[name] for name in TRL)
    print("| | tokens a second | ratio to TRL's best |\n|---|---|---|")
    for name, rate in medians.items():
        print(f"| {name} | {rate:,.0f} | {rate / best:.2f} |")


def _prepare(root: Path) -> Path:
    """The demo's model under ``root``, and the sequences of its ``srt`` arm."""
    demo = yaml.safe_load(DEMO.read_text(encoding="utf-8"))
    problems, traces = root / "problems.jsonl", root / "traces.jsonl"
    world = demo["train_problems"][0]
    generate_file(world["world"], STEPS * BATCH, "train", problems, world["spec"])
    solve_file(problems, traces, plan=demo["plan"])
    build_file(traces, problems, "srt", root / "data", prompt=demo["prompt"], text=demo["text"])
    init_model(demo["model"]["arch"], sequence_texts([root / "data"]), root / "init", **demo["model"]["options"])
    return root / "data" / "sequences.jsonl"


def _ours(root: Path, data: Path, name: str, setting: dict[str, Any]) -> float:
    recipe = {
        "data": str(data),
        "output": str(root / name),
        "steps": STEPS,
        "batch_size": BATCH,
        "learning_rate": 1e-3,
        "max_length": LONGEST,
        "threads": 1,
        "logging": {"steps": STEPS},
        **setting,
        "model": {**setting["model"], "path": str(root / "init")},
    }
    with loop_seconds() as seconds:
        done = train(make_recipe(recipe, name))
    return done.tokens / seconds[0]


def _trl(root: Path, data: Path, attention: str, settings: dict[str, Any]) -> float:
    rows = [json.loads(line) for line in data.read_text("utf-8").splitlines()]
    dataset = Dataset.from_dict({name: [row[name] for row in rows] for name in ("prompt", "completion")})
    packs = settings.get("packing", False)
    lengths_fit = max(1, round(BATCH * _mean_length(root, rows) / PACKED)) if packs else BATCH
    arguments = SFTConfig(
        output_dir=str(root / "trl"),
        max_steps=STEPS,
        per_device_train_batch_size=lengths_fit,
        learning_rate=1e-3,
        lr_scheduler_type="constant",
        adam_beta2=0.999,
        logging_steps=STEPS,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        **{"max_length": LONGEST, **settings},
    )
    model = AutoModelForCausalLM.from_pretrained(root / "init", dtype=torch.float32, attn_implementation=attention)
    tokenizer = AutoTokenizer.from_pretrained(root / "init", local_files_only=True)
    trainer = SFTTrainer(model=model, args=arguments, train_dataset=dataset, processing_class=tokenizer)
    tokens = TakenTokens()
    trainer.data_collator = tokens.collate_with(trainer.data_collator)
    start = time.process_time()
    trainer.train()
    return tokens.taken / (time.process_time() - start)


def _mean_length(root: Path, rows: list[dict[str, Any]]) -> float:
    tokenizer = AutoTokenizer.from_pretrained(root / "init", local_files_only=True)
    few = rows[:200]
    texts = [tokenizer.apply_chat_template(row["prompt"] + row["completion"], tokenize=True) for row in few]
    return sum(len(text["input_ids"]) for text in texts) / len(texts)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
