"""Tokens per second of a 7B under LoRA on one GPU by arithmetic: nothing here is measured.

    python -m benchmarks.gpu.speed_by_arithmetic

The time of a token is that of its matrix products, by :mod:`train.models.flops`, at a share of the peak of the device,
and then that of the operations between them, which wait for memory: the bytes that PyTorch reads and writes, one
operation at a time, at a share of the bandwidth. Launches, optimizer, loading and communication take no time,
attention runs as fast as a matrix product, and nothing overlaps. The shares are assumptions; ratios of rows depend on
them little.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Qwen2Config

from benchmarks.gpu.shapes import shape_of
from train.models.families.qwen2 import QWEN2
from train.models.flops import count_flops, peak_flops

LENGTH, PREDICTED = 349, 0.6  # tokens of a sequence of the seating world, and the share that has a label
PRODUCTS, BANDWIDTH = 0.60, 0.85  # reached shares
DEVICES = {"H100": 3.35e12, "A100": 2.04e12}  # bytes a second, of 80 GB with SXM
ANCHOR = 14_110  # tokens/s on one H100, Qwen2.5-7B, LoRA: see README.md

# Bytes for each element, forwards and backwards, of transformers' code in bfloat16 (norms in float32), and of Liger's.
NORM, LIGER_NORM = (36, 64), (4, 6)
SWIGLU, LIGER_SWIGLU = (10, 18), (6, 10)
ROTARY, LIGER_ROTARY = (20, 26), (4, 4)
RESIDUAL = (6, 6)
ADAPTER_IN, ADAPTER_OUT = (2, 10), (12, 8)  # of an adapted matrix: its inputs and its outputs
CASTS = (12, 12)  # of its inputs, to float32 and back


class Setting(NamedTuple):
    """What differs between the rows."""

    name: str
    checkpointing: bool = False
    casts: bool = False
    liger: bool = False


SETTINGS = [
    Setting("every layer checkpointed, inputs of adapters cast (PEFT's default)", checkpointing=True, casts=True),
    Setting("no checkpointing, inputs of adapters cast", casts=True),
    Setting("every layer checkpointed", checkpointing=True),
    Setting("the recipe: no checkpointing, no casts"),
    Setting("the recipe with Liger", liger=True),
]


def main() -> None:
    model = made()
    counted = count_flops(model)
    operations = float(counted.of(LENGTH, PREDICTED * LENGTH, 0)) / LENGTH
    again = 2.0 * sum(module.weight.numel() for name, module in linear(model) if ".layers." in name)
    print(f"{operations / 1e9:.1f} GFLOP a token, {again / 1e9:.1f} more with every layer checkpointed")
    for device, bandwidth in DEVICES.items():
        for setting in SETTINGS:
            forwards, backwards = traffic(model.config, setting)
            products = (operations + again * setting.checkpointing) / (PRODUCTS * (peak_flops(device) or 0))
            between = (forwards * (1 + setting.checkpointing) + backwards) / (BANDWIDTH * bandwidth)
            speed = 1 / (products + between)
            used = speed * operations / (peak_flops(device) or 0)
            beside = f", {speed / ANCHOR:.2f} of the anchor" if device == "H100" else ""
            print(
                f"{device}: {setting.name}: {speed:,.0f} tokens/s ({products * 1e6:.0f} us + {between * 1e6:.0f} us, "
                f"MFU {used:.0%}{beside})"
            )


def made() -> Any:
    """The model without weights, adapted as the recipes do."""
    shape = shape_of("qwen2.5-7b", tiny=False)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(Qwen2Config(**shape))
        adapted = LoraConfig(r=16, target_modules=QWEN2.lora_pattern(["language"]))
        return get_peft_model(model, adapted)


def linear(model: Any) -> list[tuple[str, torch.nn.Linear]]:
    return [(name, module) for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)]


def traffic(config: Any, setting: Setting) -> tuple[float, float]:
    """Bytes that a token moves between matrix products, forwards and backwards."""
    width, inner = config.hidden_size, config.intermediate_size
    values = width // config.num_attention_heads * config.num_key_value_heads
    norm, swiglu, rotary = (LIGER_NORM, LIGER_SWIGLU, LIGER_ROTARY) if setting.liger else (NORM, SWIGLU, ROTARY)
    # The matrices: q, k, v, o; gate, up, down.
    inputs = 6 * width + inner
    outputs = 3 * width + 2 * values + 2 * inner
    forwards, backwards = (
        config.num_hidden_layers
        * (
            2 * width * (norm[way] + RESIDUAL[way])
            + inner * swiglu[way]
            + (width + values) * rotary[way]
            + inputs * (ADAPTER_IN[way] + CASTS[way] * setting.casts)
            + outputs * ADAPTER_OUT[way]
        )
        for way in (0, 1)
    )
    return forwards, backwards


if __name__ == "__main__":
    main()
