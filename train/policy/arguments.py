"""The settings of TRL's GRPO that a recipe stands for."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from trl import GRPOConfig

from srt.experiment.problem_sources import WorldProblems
from train.loop.training_arguments import check_arguments, of_every_objective
from train.models.families.model_family import ModelFamily
from train.models.families.positions import Mrope
from train.models.model_files import load_family
from train.objective import Grpo
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
    if Path(recipe.model.path).is_dir() and (family := load_family(recipe.model.path)).reads_pictures:
        faults += _picture_faults(recipe, grpo, family)
    if grpo.kl and recipe.lora is None and cluster.method not in ("one", "ddp"):
        faults.append(
            f"objective.grpo.kl: needs a second copy of the weights, which is not sharded ({cluster.method}); use "
            "lora, DDP, or kl: 0"
        )
    if grpo.vllm is not None and importlib.util.find_spec("vllm") is None:
        faults.append("objective.grpo.vllm: the package vllm is not installed; remove the key to use transformers")
    return faults


def _picture_faults(recipe: Recipe, grpo: Grpo, family: ModelFamily) -> list[str]:
    faults = []
    if not isinstance(family.positions, Mrope):
        faults.append(
            f"model.path: {recipe.model.path}: objective: grpo shows pictures to Qwen's vision models alone; take one "
            "of them, or a model that reads text"
        )
    if grpo.vllm is not None:
        faults.append("objective.grpo.vllm: it does not show pictures here; remove the key to use transformers")
    for name, source in (("problems", grpo.problems), ("held_out", grpo.held_out)):
        if isinstance(source, WorldProblems):
            faults.append(
                f"objective.grpo.{name}: {source.world} draws no pictures during a run; write them and their pictures "
                "with `srt generate`, and name the file"
            )
    return faults
