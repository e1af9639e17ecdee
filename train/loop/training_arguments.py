"""The settings of TRL and transformers that a recipe stands for."""

from __future__ import annotations

from typing import Any

import torch
from transformers import TrainingArguments
from trl import DPOConfig, SFTConfig

from srt.io.errors import UserError
from train.data.batches import BatchPlan
from train.loop.optimizers import IN_TRANSFORMERS
from train.loop.sharding import accumulation_settings, allow_fsdp_on_cpu
from train.recipe import Recipe


def make_arguments(recipe: Recipe, plan: BatchPlan) -> SFTConfig | DPOConfig:
    """The settings of a run of ``recipe``.

    Make them before the model is loaded: this starts the process group, and transformers then knows about ZeRO-3 or
    FSDP, under which a process loads only its share of the weights.

    Raises:
        UserError: one process sees several GPUs.
    """
    config, own = _of_objective(recipe)
    arguments = config(
        # One item of the dataset is a whole micro-batch.
        per_device_train_batch_size=1,
        # Order, tokens and labels are ours: TRL must not shuffle, tokenize, truncate or drop anything.
        train_sampling_strategy="sequential",
        max_length=None,
        **own,
        **of_every_objective(recipe, plan.steps, plan.accumulation),
    )
    check_arguments(arguments)
    return arguments


def of_every_objective(recipe: Recipe, steps: int, accumulation: int) -> dict[str, Any]:
    """The settings that do not depend on what is minimized, of a run of so many ``steps``."""
    on_gpu = torch.cuda.is_available()
    return {
        "output_dir": recipe.output,
        "max_steps": steps,
        "gradient_accumulation_steps": accumulation,
        "learning_rate": recipe.learning_rate,
        "weight_decay": recipe.weight_decay,
        "adam_beta1": recipe.beta1,
        "adam_beta2": recipe.beta2,
        "adam_epsilon": recipe.eps,
        "max_grad_norm": recipe.max_grad_norm,
        "optim": IN_TRANSFORMERS[recipe.optimizer],
        "neftune_noise_alpha": recipe.neftune,
        "seed": recipe.seed,
        "bf16": recipe.model.dtype == "bfloat16",
        # load_model has seen to it (train.models.checkpointing).
        "activation_checkpointing": False,
        "logging_steps": recipe.logging.steps,
        # It would replace a NaN with the mean of earlier losses.
        "logging_nan_inf_filter": False,
        # Callbacks are added by train.loop.reporting; trackio's reads project and name here.
        "report_to": "none",
        "project": recipe.logging.project,
        "run_name": recipe.run_name,
        "save_strategy": "no" if recipe.save_steps is None else "steps",
        "save_steps": recipe.save_steps or steps,
        "disable_tqdm": True,
        "use_cpu": not on_gpu,
        "dataloader_pin_memory": on_gpu,
        "dataloader_num_workers": recipe.workers,
        # Every micro-batch uses all trained parameters: the collators make sure that each has a picture.
        "ddp_find_unused_parameters": False,
        "remove_unused_columns": False,
        "accelerator_config": accumulation_settings(),
    }


def check_arguments(arguments: TrainingArguments) -> None:
    """Have the process group of ``arguments`` shard as the launch says.

    Raises:
        UserError: one process sees several GPUs.
    """
    if arguments.n_gpu > 1:
        raise UserError(
            f"{arguments.n_gpu} GPUs are visible to one process; start one process for each (accelerate launch "
            "--config_file configs/ddp_8gpu.yaml --num_processes N ...), or set CUDA_VISIBLE_DEVICES=0"
        )
    allow_fsdp_on_cpu(arguments)


def _of_objective(recipe: Recipe) -> tuple[type[SFTConfig] | type[DPOConfig], dict[str, Any]]:
    """The class of the settings, and those that only this objective has."""
    dpo = recipe.objective.dpo
    if dpo is None:
        return SFTConfig, {"dataset_kwargs": {"skip_prepare_dataset": True}}
    weights = {"sigmoid": 1.0} | ({"sft": dpo.sft} if dpo.sft else {})
    return DPOConfig, {"beta": dpo.beta, "loss_type": list(weights), "loss_weights": list(weights.values())}
