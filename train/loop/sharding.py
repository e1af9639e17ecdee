"""FSDP2 and ZeRO as we want them from accelerate, beside their defaults.

- Gradients are reduced over the processes, and added up over micro-batches, in float32, also if the arithmetic is in
  bfloat16.
- FSDP2 reduces them after each micro-batch. During accumulation it would otherwise keep the whole of them on each GPU.
- FSDP2 works on CPUs too, and a launch file that asks for sharding gets it.
"""

from __future__ import annotations

import os
from typing import Any

import torch
from accelerate.utils import DistributedType
from torch.distributed.fsdp import MixedPrecisionPolicy
from transformers import Trainer, TrainingArguments

from srt.io.errors import UserError


def accumulation_settings() -> dict[str, Any]:
    """The ``accelerator_config`` of the training arguments."""
    return {"gradient_accumulation_kwargs": {"sync_each_batch": True}} if _asked_for("FSDP") else {}


def allow_fsdp_on_cpu(arguments: TrainingArguments) -> None:
    """Have accelerate use FSDP on CPUs too.

    On several CPU processes it silently uses plain DDP, whatever its file says, although FSDP2 runs on a CPU.
    """
    state = arguments.distributed_state
    if _asked_for("FSDP") and state.distributed_type is DistributedType.MULTI_CPU:
        # The value from which accelerate goes on to FSDP. From MULTI_CPU it does not (1.15, accelerate/state.py).
        state.distributed_type = DistributedType.MULTI_GPU


def check_sharding(trainer: Trainer) -> None:
    """Check that accelerate does what its file asks for: a run that is not sharded would run out of memory much later.

    Raises:
        UserError: it does not.
    """
    for name, enabled in (("FSDP", trainer.is_fsdp_enabled), ("DEEPSPEED", trainer.is_deepspeed_enabled)):
        if _asked_for(name) and not enabled:
            used = trainer.accelerator.distributed_type.value
            raise UserError(f"the accelerate file says distributed_type: {name}, but accelerate uses {used}")
    if trainer.is_fsdp_enabled and (buffer := _saved_buffer(trainer.model)):
        # accelerate 1.15 takes every entry of the state dict for a sharded parameter.
        raise UserError(
            f"accelerate cannot shard this model by FSDP2: {buffer} is no parameter; use DDP or ZeRO-3 "
            "(configs/ddp_8gpu.yaml, configs/zero3_8gpu.yaml)"
        )


def reduce_in_float32(trainer: Trainer) -> None:
    """Have gradients summed in float32 in a run in bfloat16; call this before ``train()``, which wraps the model.

    accelerate would have FSDP2 sum gradients in bfloat16, which has 8 bits, and round the scores of the tokens to it;
    ZeRO would reduce them in bfloat16, and add up micro-batches in it.
    """
    if trainer.is_deepspeed_enabled:
        config = trainer.accelerator.state.deepspeed_plugin.deepspeed_config
        config |= {"communication_data_type": "fp32", "data_types": {"grad_accum_dtype": "fp32"}}
    if trainer.is_fsdp_enabled and trainer.args.bf16:
        # No output dtype: the scores leave the model in the dtype that the fused head computes them in.
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32, output_dtype=None)
        trainer.accelerator.state.fsdp_plugin.mixed_precision_policy = policy


def save_in_one_piece(trainer: Trainer) -> None:
    """Have the next save under FSDP2 gather the weights into plain safetensors, whatever the form of checkpoints."""
    if trainer.is_fsdp_enabled:
        trainer.accelerator.state.fsdp_plugin.set_state_dict_type("FULL_STATE_DICT")


def _saved_buffer(model: torch.nn.Module) -> str | None:
    """The path of a buffer that is saved with the weights, if there is one."""
    for path, module in model.named_modules():
        for name in module._buffers.keys() - module._non_persistent_buffers_set:
            return f"{path}.{name}"
    return None


def _asked_for(method: str) -> bool:
    return os.environ.get(f"ACCELERATE_USE_{method}") == "true"
