"""Activation checkpointing: layers that compute their activations a second time in the backward pass, not storing them.

The Trainer's own switch is not used. It also has the outputs of all input embeddings require a gradient, those of the
vision tower included, so that a frozen tower would store its activations and be back-propagated for nothing.
"""

from __future__ import annotations

from transformers import PreTrainedModel
from transformers.integrations import is_deepspeed_zero3_enabled

from train.models.families.model_family import ModelFamily
from train.recipe import Recipe


def checkpoint_layers(model: PreTrainedModel, family: ModelFamily, recipe: Recipe) -> None:
    """Checkpoint every layer of ``model``, or every Nth, as ``recipe.gradient_checkpointing`` says.

    A frozen vision tower stores nothing, so its layers are left alone.
    """
    policies = family.policies(recipe)
    # A layer that is wrapped by an adapter can be gathered again by ZeRO-3 only inside a re-entrant checkpoint
    # (huggingface/trl#2514).
    reentrant = is_deepspeed_zero3_enabled() and "lora" in policies.values()
    for part, policy in policies.items():
        if part == "language" or (part == "vision" and policy != "frozen"):
            checkpoint_backbone(family.backbone(model, part), recipe.gradient_checkpointing, reentrant=reentrant)


def checkpoint_backbone(backbone: PreTrainedModel, every: int, *, reentrant: bool = False) -> None:
    """Checkpoint each ``every``-th layer of one part of a model, beginning with the first.

    Re-entrant checkpoints lose the gradient if their inputs require none, as after a frozen embedding: with them, the
    outputs of this part's embeddings require a gradient.
    """
    backbone.activation_checkpointing_enable({"use_reentrant": reentrant}, every_n_layers=every)
    backbone.disable_input_require_grads()
    if reentrant:
        backbone.enable_input_require_grads()
