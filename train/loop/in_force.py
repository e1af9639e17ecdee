"""What is in force in a run, read off the trainer itself: it must be what the recipe says, whatever the launch said."""

from __future__ import annotations

from typing import Any, Protocol

from transformers import Trainer

from srt.io.errors import UserError
from train.loop.optimizers import IN_TRANSFORMERS
from train.recipe import Recipe
from train.run.launch import current_launch, precision

InForce = dict[str, str | int | float]


class Pieces(Protocol):
    """The part of a run's plan that says how a step is split."""

    @property
    def accumulation(self) -> int:
        """Micro-batches of a process."""

    @property
    def processes(self) -> int:
        """How many there are."""


def settings_in_force(trainer: Trainer, recipe: Recipe, plan: Pieces) -> InForce:
    """Precision, sharding, reduction, accumulation, clipping, optimizer and saving of ``trainer``, before it trains.

    Raises:
        UserError: one of them is not what ``recipe`` says.
    """
    accelerator, cluster = trainer.accelerator, current_launch().cluster
    used, wanted = accelerator.mixed_precision, precision(recipe)
    # accelerate counts micro-batches itself under DeepSpeed only; else the training arguments say when a step is due.
    steps, clipping = trainer.args.gradient_accumulation_steps, trainer.args.max_grad_norm
    if trainer.is_deepspeed_enabled:
        config = accelerator.state.deepspeed_plugin.deepspeed_config
        steps = _unless_auto(config.get("gradient_accumulation_steps"), steps)
        clipping = _unless_auto(config.get("gradient_clipping"), clipping)
    for name, is_set, expected in (
        ("precision", used, wanted),
        ("gradients reduced in", _reduced_in(trainer), "float32"),
        ("all weights gathered to be saved", _gathers(trainer), True),
        ("micro-batches a step", steps, plan.accumulation),
        ("clipping", clipping, recipe.max_grad_norm),
        ("optimizer", trainer.args.optim, IN_TRANSFORMERS[recipe.optimizer]),
    ):
        if is_set != expected:
            raise UserError(f"{name}: accelerate uses {is_set}, but {expected} was expected")
    return {
        "precision": recipe.model.dtype,
        "sharding": cluster.sharding,
        "processes": plan.processes,
        "gradients reduced in": "float32",
        "micro-batches a step": plan.accumulation,
        "sequences": "padded" if recipe.pack is None else "packed",
        "gradient norm at most": recipe.max_grad_norm,
        "optimizer": recipe.optimizer,
        "saved as": "one set of safetensors",
    }


def block_of(in_force: InForce) -> str:
    """The block that a run prints before its first step."""
    return "in force: " + ", ".join(f"{name} {value}" for name, value in in_force.items())


def _reduced_in(trainer: Trainer) -> str:
    """The dtype in which gradients are summed over processes; DDP sums them in that of the trained weights, float32."""
    state = trainer.accelerator.state
    if trainer.is_deepspeed_enabled:
        return "float32" if state.deepspeed_plugin.deepspeed_config.get("communication_data_type") == "fp32" else "half"
    if trainer.is_fsdp_enabled and trainer.args.bf16:
        return str(state.fsdp_plugin.mixed_precision_policy.reduce_dtype).removeprefix("torch.")
    return "float32"


def _gathers(trainer: Trainer) -> bool:
    """Whether the final weights are gathered: ZeRO-3 otherwise writes shards of its own form."""
    if not trainer.is_deepspeed_enabled:
        return True
    zero = trainer.accelerator.state.deepspeed_plugin.deepspeed_config.get("zero_optimization", {})
    return zero.get("stage") != 3 or zero.get("stage3_gather_16bit_weights_on_model_save") in (True, "true")


def _unless_auto(value: Any, otherwise: float) -> float:
    return otherwise if value in (None, "auto") else float(value)
