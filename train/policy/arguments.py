"""The settings of TRL's GRPO that a recipe stands for."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from trl import GRPOConfig

from train.loop.training_arguments import check_arguments, of_every_objective
from train.models.model_files import load_family
from train.policy.problems import PolicyPlan
from train.recipe import Recipe
from train.run.launch import Cluster


def make_policy_arguments(recipe: Recipe, plan: PolicyPlan) -> GRPOConfig:
    """The settings of a run of ``recipe``; make them before the model is loaded, as those of every objective.

    Raises:
        UserError: one process sees several GPUs.
    """
    grpo = recipe.objective.grpo
    assert grpo is not None
    vllm = {}
    if grpo.vllm is not None:
        vllm = {
            "use_vllm": True,
            "vllm_mode": "colocate" if grpo.vllm.server is None else "server",
            "vllm_server_base_url": grpo.vllm.server,
            "vllm_gpu_memory_utilization": grpo.vllm.memory,
            "vllm_max_model_length": recipe.max_length,
            # What corrects for its probabilities acts on tokens, as credit by step does; by default on sequences.
            "vllm_importance_sampling_mode": "token_truncate",
        }
    arguments = GRPOConfig(
        per_device_train_batch_size=plan.micro_batch,
        steps_per_generation=plan.accumulation * grpo.updates,
        num_generations=grpo.samples,
        max_completion_length=grpo.max_new_tokens,
        temperature=grpo.temperature,
        # The trainer is given the weight of the reference, and the reference, once it is made.
        beta=0.0,
        epsilon=grpo.clip,
        importance_sampling_level="token",
        mask_truncated_completions=True,
        # The rows are in the order of the plan.
        shuffle_dataset=False,
        **vllm,
        **of_every_objective(recipe, plan.steps, plan.accumulation),
    )
    check_arguments(arguments)
    return arguments


def policy_faults(recipe: Recipe, cluster: Cluster) -> list[str]:
    """A line for each thing that this objective does not do."""
    grpo, faults = recipe.objective.grpo, []
    assert grpo is not None
    if Path(recipe.model.path).is_dir() and load_family(recipe.model.path).reads_pictures:
        faults.append(
            f"model.path: {recipe.model.path}: objective: grpo does not show pictures yet; take a model that reads text"
        )
    if grpo.kl and recipe.lora is None and cluster.method not in ("one", "ddp"):
        faults.append(
            f"objective.grpo.kl: needs a second copy of the weights, which is not sharded ({cluster.method}); use "
            "lora, DDP, or kl: 0"
        )
    if grpo.vllm is not None and importlib.util.find_spec("vllm") is None:
        faults.append("objective.grpo.vllm: the package vllm is not installed; remove the key to use transformers")
    return faults
