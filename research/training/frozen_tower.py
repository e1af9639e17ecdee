"""Training speed with a frozen vision tower: with the Trainer's own checkpointing, and with ours, in one run.

    python -m research.training.frozen_tower [--rounds 5] [--threads 1]

A Qwen2.5-VL with the proportions of the published 7B (an eighth of its widths, a quarter of its depths) takes the same
packed rows of problems with pictures forwards and backwards, in turns: as the Trainer's switch has it, which hooks
every input embedding and so back-propagates the frozen tower, and by :mod:`train.models.checkpointing`. Losses must be
equal. The speed is in tokens per second of processor time, which other work on the machine hardly changes.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers
from trl.trainer.utils import add_fused_lm_head

from benchmarks.gpu.data import make_data
from train.data.batches import plan_batches
from train.data.collate import MEMBERS, Batch, make_collator
from train.data.token_cache import read_examples
from train.loop.fused_head import score_by_fused_head
from train.loop.loss import batch_weight, role_weights, weighted_loss
from train.models.checkpointing import checkpoint_layers
from train.models.load_model import load_model
from train.models.model_files import load_family, load_tokenizer_and_processor
from train.recipe import Recipe
from train.recipe_reader import make_recipe

TEXT: dict[str, Any] = {"hidden_size": 448, "intermediate_size": 2368, "num_hidden_layers": 7, "num_attention_heads": 7}
TEXT |= {"num_key_value_heads": 1, "vocab_size": 8192, "layer_types": ["full_attention"] * 7}
VISION = {"hidden_size": 160, "intermediate_size": 428, "depth": 8, "num_heads": 2, "out_hidden_size": 448}
METHODS: dict[str, dict[str, Any]] = {
    "LoRA": {"lora": {"r": 16, "alpha": 32}},
    "full, projector too": {"trainable": {"projector": "full"}},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        data = make_data("qwen2.5-vl-7b", Path(folder), 2, tiny=False)
        _make_weights(data.folder)
        for name, keys in METHODS.items():
            recipe = _recipe(data.folder, data.sequences, keys)
            speeds = measure(recipe, options.rounds)
            before, after = speeds.values()
            print(f"{name}: " + ", ".join(f"{way} {speed:,.0f} tokens per CPU second" for way, speed in speeds.items()))
            print(f"{name}: ratio {after / before:.2f}", flush=True)


def measure(recipe: Recipe, rounds: int) -> dict[str, float]:
    """Tokens per CPU second of each way; the median over ``rounds`` after one for warming up."""
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    plan = plan_batches(recipe, examples, processes=1)
    model = load_model(recipe).train()
    collate = make_collator(recipe, examples, model.config, 0, processor)
    batches = [collate([{MEMBERS: micro_batch}]) for micro_batch in plan.micro_batches]
    tokens = sum(batch["input_ids"].numel() for batch in batches)
    base = model.get_base_model() if recipe.lora else model
    add_fused_lm_head(base, outputs=("log_probs", "entropy", "is_top1"))

    def trainers_switch() -> None:
        base.activation_checkpointing_enable({"use_reentrant": False})

    def ours() -> None:
        checkpoint_layers(model, load_family(recipe.model.path), recipe)

    ways: dict[str, Callable[[], None]] = {"the Trainer's switch": trainers_switch, "ours": ours}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    losses: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, enable in ways.items():
            base.activation_checkpointing_disable()
            base.disable_input_require_grads()  # the hooks of the Trainer's switch stay otherwise
            enable()
            start = time.process_time()
            losses[name] = [_pass(model, batch, recipe) for batch in batches]
            if number:
                seconds[name].append(time.process_time() - start)
    before, after = losses.values()
    if before != after:
        raise SystemExit(f"the losses differ: {before}, {after}")
    return {name: tokens / statistics.median(taken) for name, taken in seconds.items()}


def _pass(model: torch.nn.Module, batch: Batch, recipe: Recipe) -> float:
    weights = role_weights(recipe.loss)
    with torch.autocast("cpu", torch.bfloat16, enabled=recipe.model.dtype == "bfloat16"):
        loss = weighted_loss(score_by_fused_head(model, batch), weights, batch_weight(batch, weights))
    loss.backward()  # type: ignore[no-untyped-call]
    model.zero_grad()
    return float(loss.detach())


def _make_weights(folder: Path) -> None:
    config = transformers.AutoConfig.from_pretrained(folder)
    for shape, part in ((TEXT, config.text_config), (VISION, config.vision_config)):
        for key, value in shape.items():
            setattr(part, key, value)
    config.text_config.rope_parameters = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [8, 12, 12]}
    config.text_config.tie_word_embeddings = config.tie_word_embeddings = True
    config.vision_config.fullatt_block_indexes = [1, 3, 5, 7]
    for weights in folder.glob("*.safetensors"):
        weights.unlink()
    transformers.AutoModelForImageTextToText.from_config(config).save_pretrained(folder)


def _recipe(model: Path, sequences: Path, keys: dict[str, Any]) -> Recipe:
    return make_recipe(
        {
            "model": {"path": str(model)},
            "data": str(sequences),
            "output": str(model.parent / "run"),
            "steps": 1,
            "batch_size": 2,
            "learning_rate": 1e-3,
            "max_length": 4096,
            "pack": 4096,
            "gradient_checkpointing": True,
            **keys,
        }
    )


if __name__ == "__main__":
    main()
