"""The error of the memory estimate against what is really held on a CPU.

    python -m research.training.memory_estimate [layers | steps]

``layers``: the activations of a model of 0.1B. For full fine-tuning and DoRA, with and without checkpointing, in
float32 and bfloat16, for one row and for padded rows: what `train.preflight.activations` traces on tensors without
contents, extrapolated from three layers to eight, against the same layers run with weights and numbers. A GPU has other
kernels: there, `srt preflight` compares with its allocator.

``steps``: whole optimizer steps of the trainer with accumulation and with pictures, for small models: what the estimate
says of gradients, activations, head and inputs together, against the peak of the tensors that a step makes. Every input
is copied when it is moved to its device, as on a GPU. The fused head makes more copies of a tile here, where it has no
Triton kernel; the vocabulary is small, so that these count little.
"""

from __future__ import annotations

import io
import sys
import tempfile
import warnings
from contextlib import nullcontext, redirect_stdout
from itertools import product
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import Qwen2Config, Qwen2ForCausalLM, TrainerCallback

from benchmarks.gpu.data import make_data
from train.data.batches import plan_batches
from train.data.token_cache import read_examples
from train.loop.training_arguments import make_arguments
from train.loop.trl_trainer import make_trainer
from train.models.init_model import init_model, sequence_texts
from train.models.load_model import load_model, model_without_weights
from train.models.model_files import load_family, load_tokenizer_and_processor
from train.preflight.activations import (
    ActivationBytes,
    LiveBytes,
    MicroBatchShape,
    language_activations,
)
from train.preflight.memory_estimate import Cluster, MemoryEstimator, heaviest_micro_batch
from train.recipe import Recipe
from train.recipe_reader import make_recipe

SHAPES = [(1, 512, "sdpa"), (2, 256, "sdpa"), (2, 256, "eager")]  # rows, length, attention
KINDS: list[dict[str, Any]] = [
    {},
    {"gradient_checkpointing": True},
    {"lora": {"r": 16}},
    {"lora": {"r": 16, "dora": True}, "gradient_checkpointing": True},
]


def main() -> None:
    warnings.simplefilter("ignore")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    chosen = sys.argv[1:] or ["layers", "steps"]
    if "layers" in chosen:
        compare_layers()
    if "steps" in chosen:
        with tempfile.TemporaryDirectory() as folder:
            compare_steps(Path(folder))


def compare_layers() -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = Qwen2Config(
            hidden_size=1024,
            intermediate_size=2816,
            num_hidden_layers=8,
            num_attention_heads=16,
            num_key_value_heads=4,
            vocab_size=8000,
            tie_word_embeddings=False,
        )
        Qwen2ForCausalLM(config).save_pretrained(folder)
        print(f"{'setting':<64} {'after forward':>26} {'in backward':>26}")
        for dtype, kind, (rows, length, attention) in product(("float32", "bfloat16"), KINDS, SHAPES):
            values = {"data": "-", "output": "-", "steps": 1, "batch_size": 8, "learning_rate": 1, "max_length": 512}
            recipe = make_recipe({**values, "model": {"path": folder, "dtype": dtype, "attn": attention}, **kind})
            shape = MicroBatchShape(rows, length, length)
            model = model_without_weights(recipe)
            estimated = language_activations(model, load_family(folder), recipe, shape, in_half=False)
            measured = real_pass(recipe, shape)
            columns = [
                f"{e / 1e6:8.1f} {m / 1e6:8.1f} {e / m - 1:+7.1%}" for e, m in zip(estimated, measured, strict=True)
            ]
            name = " ".join([dtype, attention, f"{rows}x{length}", *kind, *(["dora"] if "dora" in str(kind) else [])])
            print(f"{name:<64} {columns[0]:>26} {columns[1]:>26}", flush=True)


def real_pass(recipe: Recipe, shape: MicroBatchShape) -> ActivationBytes:
    """The activations when the layers run with weights and numbers; the second of two rows is half padding."""
    model = load_model(recipe).train()
    backbone = load_family(recipe.model.path).backbone(model, "language")
    stream = torch.randn(shape.rows, shape.length, 1024, dtype=backbone.embed_tokens.weight.dtype).requires_grad_()
    mask = torch.ones(shape.rows, shape.length, dtype=torch.long)
    mask[1:, shape.length // 2 :] = 0
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.register_post_accumulate_grad_hook(lambda parameter: setattr(parameter, "grad", None))
    autocast = torch.autocast("cpu", torch.bfloat16) if recipe.model.dtype == "bfloat16" else nullcontext()
    with LiveBytes() as live:
        with autocast:
            out = backbone(inputs_embeds=stream, attention_mask=mask if shape.rows > 1 else None, use_cache=False)[0]
        stored = live.peak = live.now
        out.backward(torch.ones_like(out))
    return ActivationBytes(stored, live.peak)


STEPS: list[dict[str, Any]] = [{"lora": {"r": 16}}, {}, {"lora": {"r": 16}, "gradient_checkpointing": True}]


def compare_steps(folder: Path) -> None:
    print(f"{'step':<64} {'estimated, MB':>14} {'measured, MB':>14}")
    for content in ("text", "pictures"):
        data = make_data("qwen2.5-vl-7b" if content == "pictures" else "qwen2.5-7b", folder / content, 24, tiny=True)
        sequences, model = data.sequences, folder / f"{content}-model"
        arch = "qwen2_5_vl" if content == "pictures" else "qwen2"
        init_model(arch, sequence_texts([sequences]), model, hidden=256, layers=6, heads=4, vocab=400)
        for keys, accumulation in product(STEPS, (1, 4)):
            recipe = make_recipe(
                {
                    "model": {"path": str(model), "dtype": "bfloat16"},
                    "data": str(sequences),
                    "output": str(folder / "run"),
                    "steps": 2,
                    "batch_size": 4 * accumulation,
                    "micro_batch": 4,
                    "learning_rate": 1e-4,
                    "max_length": 8192,
                    "logging": {"steps": 9},
                    **keys,
                }
            )
            estimated, measured = step_peak(recipe)
            name = " ".join([content, f"{accumulation} x 4", *(keys or ["full"])])
            error = f"{estimated / measured - 1:+7.1%}"
            print(f"{name:<64} {estimated / 1e6:14.1f} {measured / 1e6:14.1f} {error}", flush=True)


def step_peak(recipe: Recipe) -> tuple[int, int]:
    """Bytes beside weights and optimizer at the peak of an optimizer step: as estimated, and as measured."""
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    plan = plan_batches(recipe, examples, processes=1)
    _, shape = heaviest_micro_batch(plan, examples, recipe)
    estimate = MemoryEstimator(recipe).estimate(shape, Cluster(), plan.accumulation)
    trainer = make_trainer(
        recipe, make_arguments(recipe, plan), load_model(recipe), tokenizer, examples, plan, processor
    )
    probe = _StepProbe()
    trainer.add_callback(probe)
    move = trainer._prepare_input
    trainer._prepare_input = lambda data: data.clone() if isinstance(data, torch.Tensor) else move(data)
    with redirect_stdout(io.StringIO()):
        trainer.train()
    return estimate.peak - estimate.weights - estimate.optimizer - estimate.overhead, max(probe.peaks)


class _StepProbe(TrainerCallback):
    """The peak of the bytes that are made between the begin of a step and the optimizer, for each step."""

    def __init__(self) -> None:
        self.peaks: list[int] = []

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._live = LiveBytes()
        self._live.__enter__()

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._live.__exit__(None, None, None)
        self.peaks.append(self._live.peak)


if __name__ == "__main__":
    main()
