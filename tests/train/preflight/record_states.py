"""The training script; it also writes the bytes of weights, gradients and optimizer that its main process holds.

    accelerate launch --config_file configs/FILE.yaml record_states.py BYTES.json --config RECIPE.yaml

Gradients are those between the first and the second micro-batch of a step, the optimizer that after the first step.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor

from train.loop.trl_trainer import TraceTrainer
from train.train_srt import main


def record_to(path: Path) -> None:
    step, log, found = TraceTrainer.training_step, TraceTrainer.log, {}

    def step_and_record(self: TraceTrainer, *args: Any, **kwargs: Any) -> Any:
        loss = step(self, *args, **kwargs)
        if "gradients" not in found:
            found["gradients"] = bytes_of(gradients(self.model))
        return loss

    def record_and_log(self: TraceTrainer, *args: Any, **kwargs: Any) -> None:
        log(self, *args, **kwargs)
        moments = (value for state in self.optimizer.state.values() for value in state.values() if value.dim())
        found["weights"], found["optimizer"] = bytes_of(self.model.parameters()), bytes_of(moments)
        if self.is_world_process_zero():
            path.write_text(json.dumps(found))

    TraceTrainer.training_step, TraceTrainer.log = step_and_record, record_and_log


def gradients(model: torch.nn.Module) -> Iterator[torch.Tensor | None]:
    """Those of this process's shards, and those that FSDP2 has not reduced yet."""
    yield from (parameter.grad for parameter in model.parameters())
    for module in model.modules():
        if isinstance(module, FSDPModule):
            for group in module._get_fsdp_state()._fsdp_param_groups:
                for parameter in group.fsdp_params:
                    yield parameter.unsharded_accumulated_grad
                    yield parameter._unsharded_param.grad


def bytes_of(tensors: Iterable[torch.Tensor | None]) -> int:
    """Each tensor counts once."""
    local = [one.to_local() if isinstance(one, DTensor) else one for one in tensors if one is not None]
    return sum({one.data_ptr(): one.nbytes for one in local}.values())


if __name__ == "__main__":
    record_to(Path(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
