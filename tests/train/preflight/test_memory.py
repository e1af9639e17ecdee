"""The estimate against what is really held: to the byte where it counts, within a few hundredths where it follows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from transformers import LlamaConfig

from train.data.batches import BatchPlan, MicroBatches
from train.data.token_cache import read_examples
from train.models.load_model import load_model, model_without_weights
from train.models.model_files import load_family, load_processor, load_tokenizer
from train.preflight.activations import MicroBatchShape, language_activations
from train.preflight.memory_estimate import MemoryEstimator, quantized_bytes
from train.preflight.trial_step import parameter_bytes, run_trial_step
from train.recipe import Recipe
from train.run.launch import Cluster

SHAPE = MicroBatchShape(rows=8, length=64, trained=200)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="full"),
        pytest.param({"lora": {"r": 4}}, id="lora", marks=pytest.mark.slow),
        pytest.param({"lora": {"r": 4}, "pack": 400}, id="packed"),
        pytest.param({"gradient_checkpointing": True}, id="checkpointed", marks=pytest.mark.slow),
        pytest.param({"optimizer": "muon", "muon_learning_rate": 0.02}, id="muon"),
        pytest.param({"optimizer": "adafactor"}, id="adafactor"),
    ],
)
def test_a_real_step_holds_what_is_estimated(changes: dict[str, Any], recipe: Callable[..., Recipe]) -> None:
    chosen = recipe(**changes)
    tokenizer = load_tokenizer(chosen.model.path)
    examples = read_examples(chosen, tokenizer)
    plan = BatchPlan(MicroBatches.of([[0, 1, 2, 3]]), 1, 1)
    lengths = [len(examples[at].input_ids) for at in range(4)]
    shape = MicroBatchShape(1, sum(lengths), 100) if chosen.pack else MicroBatchShape(4, max(lengths), 100)
    trial = run_trial_step(chosen, tokenizer, None, examples, plan, shape)
    for part in ("weights", "gradients", "optimizer"):
        assert trial.measured[part] == trial.estimated[part], part
    # Besides: a mask in two forms, ids, and the states of random generators under checkpointing, all of kilobytes.
    assert trial.measured["activations"] == pytest.approx(trial.estimated["activations"], rel=0.05, abs=30_000)
    if not chosen.gradient_checkpointing:
        assert trial.measured["activations"] > 300_000
    assert not Path(chosen.output).exists()


@pytest.mark.slow
def test_a_vision_model_too(vision_recipe: Callable[..., Recipe]) -> None:
    chosen = vision_recipe(lora={"r": 4}, trainable={"vision": "lora", "projector": "full"})
    processor = load_processor(chosen.model.path)
    examples = read_examples(chosen, processor.tokenizer, processor)
    shape = MicroBatchShape(2, max(len(examples[at].input_ids) for at in (0, 1)), 50, 400)
    trial = run_trial_step(
        chosen, processor.tokenizer, processor, examples, BatchPlan(MicroBatches.of([[0, 1]]), 1, 1), shape
    )
    for part in ("weights", "gradients", "optimizer"):
        assert trial.measured[part] == trial.estimated[part], part


def test_a_closed_formula_counts_the_same(tmp_path: Path, recipe: Callable[..., Recipe]) -> None:
    """Korthikanti et al. (2022), without dropout, with flash attention, gated layers and grouped queries."""
    hidden, queries, keys, inner, heads, tokens = 64, 64, 32, 160, 8, 48

    def kept(layers: int) -> int:
        LlamaConfig(
            hidden_size=hidden,
            intermediate_size=inner,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=4,
            vocab_size=100,
            architectures=["LlamaForCausalLM"],
        ).save_pretrained(tmp_path)
        chosen = recipe(model={"path": str(tmp_path), "attn": "sdpa"})
        family = load_family(str(tmp_path))
        return language_activations(
            model_without_weights(chosen), family, chosen, MicroBatchShape(1, tokens, 1), in_half=False
        ).after_forward

    # The stream, its normed form before and after the weight (twice), queries, keys, values, what attention gives, a
    # number for each head; gate, its activation, up, their product; two numbers of the norms. Float32.
    formula = 4 * tokens * (6 * hidden + 2 * queries + 2 * keys + heads + 4 * inner + 2)
    assert kept(5) - kept(4) == pytest.approx(formula, rel=0.01)


def test_four_bit_weights(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    shape = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(**shape, num_key_value_heads=4, vocab_size=100, architectures=["LlamaForCausalLM"])
    from transformers import LlamaForCausalLM

    LlamaForCausalLM(config).save_pretrained(tmp_path)
    chosen = recipe(model={"path": str(tmp_path), "quantize": "nf4"}, lora={"r": 4})
    estimated = MemoryEstimator(chosen).estimate(SHAPE, Cluster(), 1)
    measured = sum(parameter_bytes(parameter) for parameter in load_model(chosen).parameters())
    assert estimated.weights == pytest.approx(measured, rel=0.01)
    assert quantized_bytes(64 * 256) == 64 * 128 + 256 + 4


def test_what_is_shared_out(recipe: Callable[..., Recipe]) -> None:
    model = MemoryEstimator(recipe())
    one, ddp, fsdp, zero2, zero3, offloaded = (
        model.estimate(SHAPE, cluster, 2)
        for cluster in (
            Cluster(),
            Cluster(8, "ddp"),
            Cluster(8, "fsdp2"),
            Cluster(8, "zero2"),
            Cluster(8, "zero3"),
            Cluster(8, "zero3", True, True),
        )
    )
    assert ddp.weights == one.weights == 4 * model.counts.all
    assert ddp.communication == ddp.gradients == one.gradients
    assert fsdp.weights == zero3.weights == one.weights / 8
    assert zero2.weights == one.weights
    assert zero2.gradients == zero3.gradients == one.gradients / 8
    assert zero2.optimizer == 12 * model.counts.trained / 8
    assert (offloaded.weights, offloaded.optimizer) == (0, 0)
    assert offloaded.on_host == 16 * model.counts.trained
    parts = one.weights + one.gradients + one.optimizer + one.overhead
    assert parts < one.peak <= parts + one.activations + one.logits


@pytest.mark.long
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_what_fsdp2_holds_under_accumulation(dtype: str, recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    """Gradients too are shared out between two micro-batches: whole ones would be twice as large on two processes."""
    chosen = recipe(model={"path": recipe().model.path, "dtype": dtype}, steps=1, micro_batch=2, logging={"steps": 1})
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(chosen.model_dump(mode="json")), encoding="utf-8")
    root, script = Path(__file__).parents[3], Path(__file__).with_name("record_states.py")
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", "configs/cpu_fsdp2.yaml"]
    command += [str(script), str(tmp_path / "bytes.json"), "--config", str(tmp_path / "recipe.yaml")]
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    measured = json.loads((tmp_path / "bytes.json").read_text())
    estimated = MemoryEstimator(chosen).estimate(SHAPE, Cluster(2, "fsdp2"), 2)
    assert measured == {name: pytest.approx(getattr(estimated, name), rel=0.01) for name in measured}
    assert set(measured) == {"weights", "gradients", "optimizer"}


def test_gradients_wait_for_one_another_only_under_accumulation(recipe: Callable[..., Recipe]) -> None:
    model = MemoryEstimator(recipe())
    assert model.estimate(SHAPE, Cluster(), 1).peak < model.estimate(SHAPE, Cluster(), 2).peak


@pytest.mark.long
def test_a_large_model_is_counted_without_its_weights(tmp_path: Path, recipe: Callable[..., Recipe]) -> None:
    shape = {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32}
    config = LlamaConfig(**shape, num_key_value_heads=8, vocab_size=128256, architectures=["LlamaForCausalLM"])
    config.save_pretrained(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["hidden_size"] == 4096
    model = MemoryEstimator(recipe(model={"path": str(tmp_path), "dtype": "bfloat16", "attn": "sdpa"}, lora={"r": 16}))
    assert model.counts.frozen == 8_030_261_248  # Llama-3-8B, as its model card counts
    full = model.estimate(MicroBatchShape(1, 4096, 2000), Cluster(), 4)
    assert full.weights == 2 * model.counts.frozen + 4 * model.counts.trained
    half = model.estimate(MicroBatchShape(1, 2048, 1000), Cluster(), 4)
    assert half.activations == pytest.approx(full.activations / 2, rel=0.02)
    torch.testing.assert_close(full.optimizer, 2 * full.gradients)
