"""The weights that a run writes: the final ones in the dtype of the base, and the shards of checkpoints under FSDP2.

Weights that are trained are held in float32. Saved like that, a 7B model would take 30 GB instead of 15, and ``srt
eval`` would generate with it in float32 but with its base in bfloat16.

Under FSDP2 every process writes its own share of weights and optimizer ("shards"). Nothing is gathered, so a checkpoint
takes 12 bytes a parameter (weights and two moments, all float32) and each process writes as much as any other. If the
machines of a run do not share a file system, the shards lie apart and none of the folders can be resumed from.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import torch
from safetensors import safe_open
from torch.distributed.checkpoint.filesystem import FileSystemReader
from transformers import PreTrainedConfig

from srt.io.errors import UserError


def cast_weights(state: dict[str, torch.Tensor], dtype: torch.dtype) -> None:
    """Cast the floating-point tensors of a state dict in place. Tied weights still share memory afterwards."""
    # safetensors recognises tied weights by their shared memory and writes them once: two casts would be two copies.
    tied = defaultdict(list)
    for name, tensor in state.items():
        if tensor.is_floating_point():
            tied[tensor.data_ptr(), tensor.shape].append(name)
    for names in tied.values():
        cast = state[names[0]].to(dtype)
        for name in names:
            state[name] = cast


def record_dtype(config: PreTrainedConfig, dtype: torch.dtype) -> None:
    """Set the dtype that ``config`` and the configs inside it (of text and vision) state."""
    config.dtype = dtype
    for name in config.sub_configs:
        record_dtype(getattr(config, name), dtype)


def check_weights(output: Path, elements: int) -> None:
    """Check that the safetensors in ``output`` hold at least ``elements`` values (a model's, or an adapter's).

    Values are counted, not names: a model may be saved under the names of an older version of its class. All have to be
    finite: the loss of the last step says nothing of what its update has done, and a cast may overflow.

    Raises:
        UserError: there are fewer, or one is infinite or not a number: the files are then removed, or they could be
            taken for a result.
    """
    found = 0
    files = sorted(output.glob("*.safetensors"))
    for file in files:
        with safe_open(file, framework="pt") as tensors:
            for name in tensors.keys():  # noqa: SIM118
                tensor = tensors.get_tensor(name)
                found += tensor.numel()
                if tensor.is_floating_point() and not tensor.isfinite().all():
                    for written in files:
                        written.unlink()
                    raise UserError(
                        f"{file}: {name}: a weight is infinite or not a number, so no weights are written; the "
                        "checkpoints are kept; a lower learning_rate, or warmup, may help"
                    )
    if found < elements:
        raise UserError(
            f"{output}: the weights are not complete: its safetensors hold {found:,} values of {elements:,}; the "
            "checkpoints are kept"
        )


_SHARDED = ("pytorch_model_fsdp_*", "optimizer_*")  # the folders' names in accelerate


def check_shards(checkpoint: Path) -> None:
    """Check that all shards of ``checkpoint`` are there in full. A checkpoint that is not sharded has none.

    Raises:
        UserError: some are missing or too short.
    """
    for folder in (folder for name in _SHARDED for folder in checkpoint.glob(name) if folder.is_dir()):
        ends: dict[str, int] = {}
        # Several tensors lie in one file: it must be at least as long as the end of the last of them.
        for shard in FileSystemReader(folder).read_metadata().storage_data.values():
            ends[shard.relative_path] = max(shard.offset + shard.length, ends.get(shard.relative_path, 0))
        short = [
            name for name, end in ends.items() if not (folder / name).is_file() or (folder / name).stat().st_size < end
        ]
        if short:
            raise UserError(
                f"{checkpoint}: {len(short)} of {len(ends)} shards in {folder.name} are missing or incomplete, such as "
                f"{min(short)}; output must be on a file system that all machines of the run share"
            )


def saved_parameters(model: torch.nn.Module) -> list[torch.nn.Parameter]:
    """What the final weights must hold: those of the whole model, or what was trained of one with an adapter."""
    has_adapter = any("lora_" in name for name, _ in model.named_parameters())
    return [parameter for parameter in model.parameters() if parameter.requires_grad or not has_adapter]


def count_elements(parameter: torch.nn.Parameter) -> int:
    """Elements of the full parameter: under DeepSpeed this process holds a share, and two 4-bit values fill a byte."""
    if hasattr(parameter, "ds_numel"):
        return int(parameter.ds_numel)
    packed = 2 * parameter.element_size() if type(parameter).__name__ == "Params4bit" else 1
    return parameter.numel() * packed
