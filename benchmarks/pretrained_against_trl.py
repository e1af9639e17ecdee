"""LoRA on real weights: our trainer beside TRL's own, on the sequences of the pretrained demo, in one run on a CPU.

    OMP_NUM_THREADS=1 python -m benchmarks.pretrained_against_trl MODEL SEQUENCES [ROUNDS]

MODEL is models/SmolLM2-135M-Instruct, SEQUENCES data/srt.sequences.jsonl of ``make demo-pretrained``. Every row takes
the same sequences, eight steps of four, in float32 on one thread with the same adapter, optimizer and rate; time is
processor time of the training loop alone. A row shows its median tokens a second (without padding) over the rounds,
which alternate between the rows, its ratio to TRL's best row, and the first and last loss: they tell whether the rows
learn the same.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

from benchmarks.loop_time import TakenTokens, loop_seconds
from train.recipe_reader import make_recipe
from train.train_srt import train

STEPS, BATCH, LONGEST, RATE = 8, 4, 1024, 1e-3
OURS: dict[str, dict[str, Any]] = {
    "ours, padded, sdpa": {"model": {"attn": "sdpa"}},
    "ours, packed": {"pack": LONGEST},
}
TRL: dict[str, dict[str, Any]] = {
    "TRL, padded, sdpa": {},
    "TRL, padded, sdpa, sorted by length": {"train_sampling_strategy": "group_by_length"},
}


class Measured(NamedTuple):
    """Tokens a second of processor time, and the losses of the first and the last step."""

    rate: float
    first: float
    last: float


def main(model: str, sequences: str, rounds: int) -> None:
    """Print the table."""
    torch.set_num_threads(1)
    found: dict[str, list[Measured]] = {name: [] for name in (*OURS, *TRL)}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        lines = Path(sequences).read_text("utf-8").splitlines()[: STEPS * BATCH]
        (root / "sequences.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        for number in range(rounds):
            for name, setting in OURS.items():
                found[name].append(_ours(model, root, f"{name} {number}", setting))
            for name, setting in TRL.items():
                found[name].append(_trl(model, root, [json.loads(line) for line in lines], setting))
    rates = {name: statistics.median(one.rate for one in several) for name, several in found.items()}
    best = max(rates[name] for name in TRL)
    print("| | tokens a second | ratio to TRL's best | loss, first and last step |\n|---|---|---|---|")
    for name, rate in rates.items():
        one = found[name][0]
        print(f"| {name} | {rate:.1f} | {rate / best:.2f} | {one.first:.3f}, {one.last:.3f} |")


def _ours(model: str, root: Path, name: str, setting: dict[str, Any]) -> Measured:
    recipe = {
        "data": str(root / "sequences.jsonl"),
        "output": str(root / name),
        "steps": STEPS,
        "batch_size": BATCH,
        "learning_rate": RATE,
        "scheduler": "constant",
        "warmup": 0,
        "max_length": LONGEST,
        "lora": {"r": 16, "alpha": 32},
        "threads": 1,
        "logging": {"steps": 1},
        **setting,
        "model": {**setting.get("model", {}), "path": model},
    }
    with loop_seconds() as seconds:
        done = train(make_recipe(recipe, name))
    return Measured(done.tokens / seconds[0], done.losses[0][1], done.losses[-1][1])


def _trl(model: str, root: Path, rows: list[dict[str, Any]], setting: dict[str, Any]) -> Measured:
    arguments = SFTConfig(
        output_dir=str(root / "trl"),
        max_steps=STEPS,
        per_device_train_batch_size=BATCH,
        learning_rate=RATE,
        lr_scheduler_type="constant",
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        max_length=LONGEST,
        **setting,
    )
    loaded = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32, attn_implementation="sdpa")
    trainer = SFTTrainer(
        model=loaded,
        args=arguments,
        train_dataset=Dataset.from_dict({name: [row[name] for row in rows] for name in ("prompt", "completion")}),
        processing_class=AutoTokenizer.from_pretrained(model, local_files_only=True),
        peft_config=LoraConfig(r=16, lora_alpha=32, target_modules="all-linear"),
    )
    tokens = TakenTokens()
    trainer.data_collator = tokens.collate_with(trainer.data_collator)
    start = time.process_time()
    trainer.train()
    seconds = time.process_time() - start
    losses = [row["loss"] for row in trainer.state.log_history if "loss" in row]
    return Measured(tokens.taken / seconds, losses[0], losses[-1])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 2)
