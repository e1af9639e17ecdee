"""The optimizers of a recipe: the library's own, what each can be with, and the memory that it takes.

bitsandbytes keeps the moments of AdamW in 8 bits, in blocks (Dettmers et al., "8-bit Optimizers via Block-wise
Quantization", 2022). Adafactor keeps means of rows and columns instead of a second moment (Shazeer and Stern, 2018);
as the Trainer sets it up, it has no first moment, and the learning rate is the recipe's.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer
from transformers import PreTrainedModel

from train.loop.muon import MuonWithAdamW, hidden_matrices
from train.recipe import Optimizer as Name
from train.recipe import Recipe

IN_TRANSFORMERS: dict[Name, str] = {
    "adamw": "adamw_torch_fused",
    "adamw_8bit": "adamw_bnb_8bit",
    "paged_adamw": "paged_adamw_32bit",
    "paged_adamw_8bit": "paged_adamw_8bit",
    "adafactor": "adafactor",
    "muon": "adamw_torch_fused",  # for what Muon does not train
}
"""What transformers calls them."""

# bitsandbytes keeps the moments of smaller tensors, and of embeddings, in float32; the others in 8 bits, with a scale
# for each block, and tables of what the codes stand for.
_LEAST_8_BIT, _BLOCK, _CODES = 4096, 256, 256


def make_optimizer(
    recipe: Recipe, model: PreTrainedModel, library: tuple[type[Optimizer], dict[str, Any]]
) -> Optimizer | None:
    """Muon or LoRA+ on what ``model`` trains; ``None`` where the Trainer's own grouping is meant.

    ``library`` is the Trainer's class for the recipe's optimizer, with its settings.
    """
    kind, settings = library
    if recipe.muon_learning_rate is not None:
        return MuonWithAdamW(
            model,
            muon_learning_rate=recipe.muon_learning_rate,
            learning_rate=recipe.learning_rate,
            betas=(recipe.beta1, recipe.beta2),
            eps=recipe.eps,
            weight_decay=recipe.weight_decay,
        )
    if recipe.lora is not None and recipe.lora.plus_ratio is not None:
        from peft.optimizers import create_loraplus_optimizer  # PEFT takes a second to import

        made: Optimizer = create_loraplus_optimizer(
            model,
            kind,
            loraplus_lr_ratio=recipe.lora.plus_ratio,
            loraplus_weight_decay=recipe.weight_decay,
            **settings,
        )
        # PEFT has groups for embeddings and biases, which we do not adapt.
        made.param_groups = [group for group in made.param_groups if group["params"]]
        return made
    return None


def state_bytes(model: PreTrainedModel, recipe: Recipe) -> int:
    """Bytes that the optimizer keeps for the trained weights of ``model`` (paged ones too, wherever they are)."""
    sizes: dict[nn.Parameter, int] = {weight: weight.numel() for weight in model.parameters() if weight.requires_grad}
    if recipe.optimizer == "adafactor":
        return 4 * sum(map(_adafactor_values, sizes))
    trained = sum(sizes.values())
    if recipe.optimizer == "muon":
        return 4 * (2 * trained - sum(matrix.numel() for matrix in hidden_matrices(model)))
    if not recipe.optimizer.endswith("8bit"):
        return 8 * trained
    embeddings = {module.weight for module in model.modules() if isinstance(module, nn.Embedding)}
    small = [size for weight, size in sizes.items() if size >= _LEAST_8_BIT and weight not in embeddings]
    codes = 8 * _CODES if small else 0
    return 8 * (trained - sum(small)) + 2 * sum(small) + 8 * sum(-(-size // _BLOCK) for size in small) + codes


def _adafactor_values(weight: torch.Tensor) -> int:
    """The means that Adafactor keeps: of rows and columns, or of each value of a vector."""
    *outer, rows, columns = (1, *weight.shape)
    return int(math.prod(outer) * (rows + columns) if weight.ndim > 1 else weight.numel())
