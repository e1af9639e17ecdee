"""Adapters that start from the weights themselves (PiSSA, OLoRA), saved as plain ones.

PEFT takes the first factors out of the base: it trains W - s B0 A0 + s B A. On the untouched base W that is the plain
adapter with the factors [B, -B0] and [A; A0], of twice the rank (Meng et al., "PiSSA", 2024, appendix C). So it is
saved, in checkpoints too: whoever loads it needs to know nothing of how it began. To resume, B and A are cut out again,
to the bit, and B0 and A0 are made again from the base.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

_DIMENSION = {"lora_A": 0, "lora_B": 1}  # that of the rank
State = dict[str, torch.Tensor]


def first_factors(model: torch.nn.Module) -> State:
    """A copy of the factors of every adapter in ``model``, before it is trained."""
    return {
        name: value.detach().to("cpu", copy=True)
        for name, value in model.state_dict().items()
        if _rank_dimension(name) is not None
    }


def with_first_factors(state: State, first: State) -> State:
    """The state dict of the plain adapter: factors of twice the rank, and everything else as in ``state``."""
    plain = dict(state)
    for name, begun in first.items():
        now = state[name]
        begun = begun.to(now.device, now.dtype)
        if (dimension := _rank_dimension(name)) is not None:
            plain[name] = torch.cat([now, -begun if dimension else begun], dim=dimension).contiguous()
    return plain


@contextmanager
def saved_as_plain(model: Any) -> Iterator[None]:
    """While this lasts, the config of the adapter is that of the plain one."""
    config = model.peft_config["default"]
    names = ("r", "lora_alpha", "use_rslora", "init_lora_weights")
    kept = [getattr(config, name) for name in names]
    scale = config.lora_alpha / (config.r**0.5 if config.use_rslora else config.r)
    for name, value in zip(names, (2 * config.r, scale * 2 * config.r, False, True), strict=True):
        setattr(config, name, value)
    try:
        yield
    finally:
        for name, value in zip(names, kept, strict=True):
            setattr(config, name, value)


def load_trained_factors(model: Any, checkpoint: Path) -> None:
    """Give the adapter in ``model`` the weights that it had when ``checkpoint`` was saved."""
    from peft import set_peft_model_state_dict

    rank, state = model.peft_config["default"].r, load_file(checkpoint / "adapter_model.safetensors")
    for name, value in state.items():
        if (dimension := _rank_dimension(name)) is not None:
            state[name] = value.narrow(dimension, 0, rank)
    set_peft_model_state_dict(model, state)


def _rank_dimension(name: str) -> int | None:
    return next((dimension for factor, dimension in _DIMENSION.items() if f".{factor}." in name), None)
