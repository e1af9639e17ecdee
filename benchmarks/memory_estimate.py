"""The error of the estimated activations against a real pass on a processor, for a model of 0.1B.

    python benchmarks/memory_estimate.py

For full fine-tuning and DoRA, with and without checkpointing, in float32 and bfloat16, for one row and for padded rows:
what `train.activations` follows on tensors without contents, extended from three layers to eight, against the same
layers run with weights and numbers. A GPU has other kernels: `srt preflight` compares with its allocator where there is
one.
"""

from __future__ import annotations

import tempfile
import warnings
from contextlib import nullcontext
from itertools import product
from typing import Any

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from train.activations import Held, LiveBytes, Load, language_activations, language_backbone
from train.load_model import empty_model, load_architecture, load_model
from train.recipe import Recipe, make_recipe

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
            load = Load(rows, length, length)
            architecture = load_architecture(folder)
            estimated = language_activations(empty_model(recipe), architecture, recipe, load, in_half=False)
            measured = real_pass(recipe, load)
            told = [
                f"{e / 1e6:8.1f} {m / 1e6:8.1f} {e / m - 1:+7.1%}" for e, m in zip(estimated, measured, strict=True)
            ]
            name = " ".join([dtype, attention, f"{rows}x{length}", *kind, *(["dora"] if "dora" in str(kind) else [])])
            print(f"{name:<64} {told[0]:>26} {told[1]:>26}", flush=True)


def real_pass(recipe: Recipe, load: Load) -> Held:
    """What is held when the layers run with numbers; the second of two rows is half padding."""
    model = load_model(recipe).train()
    if recipe.gradient_checkpointing:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    backbone = language_backbone(model, load_architecture(recipe.model.path))
    stream = torch.randn(load.rows, load.length, 1024, dtype=backbone.embed_tokens.weight.dtype).requires_grad_()
    mask = torch.ones(load.rows, load.length, dtype=torch.long)
    mask[1:, load.length // 2 :] = 0
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.register_post_accumulate_grad_hook(lambda parameter: setattr(parameter, "grad", None))
    autocast = torch.autocast("cpu", torch.bfloat16) if recipe.model.dtype == "bfloat16" else nullcontext()
    with LiveBytes() as live:
        with autocast:
            out = backbone(inputs_embeds=stream, attention_mask=mask if load.rows > 1 else None, use_cache=False)[0]
        kept = live.most = live.now
        out.backward(torch.ones_like(out))
    return Held(kept, live.most)


if __name__ == "__main__":
    main()
