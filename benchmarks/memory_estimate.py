"""The error of the estimated activations against a real pass on a CPU, for a model of 0.1B.

    python benchmarks/memory_estimate.py

For full fine-tuning and DoRA, with and without checkpointing, in float32 and bfloat16, for one row and for padded rows:
what `train.preflight.activations` traces on tensors without contents, extrapolated from three layers to eight, against
the same layers run with weights and numbers. A GPU has other kernels: there, `srt preflight` compares with its
allocator.
"""

from __future__ import annotations

import tempfile
import warnings
from contextlib import nullcontext
from itertools import product
from typing import Any

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from train.models.load_model import load_model, model_without_weights
from train.models.model_files import load_family
from train.preflight.activations import (
    ActivationBytes,
    LiveBytes,
    MicroBatchShape,
    language_activations,
)
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


if __name__ == "__main__":
    main()
