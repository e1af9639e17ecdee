"""Checkpoints under FSDP2: every process writes its own share of weights and optimizer ("shards").

Nothing is gathered, so a checkpoint takes 12 bytes a parameter (weights and two moments, all float32) and each process
writes as much as any other. If the machines of a run do not share a file system, the shards lie apart and none of the
folders can be resumed from.
"""

from __future__ import annotations

from pathlib import Path

from torch.distributed.checkpoint.filesystem import FileSystemReader

from srt.io.errors import UserError

_SHARDED = ("pytorch_model_fsdp_*", "optimizer_*")  # the folders' names in accelerate


def check_shards(checkpoint: Path) -> None:
    """Check that all shards of ``checkpoint`` are there in full. A checkpoint that is not sharded has none.

    Raises:
        UserError: some are missing or too short.
    """
    for folder in (folder for name in _SHARDED for folder in checkpoint.glob(name) if folder.is_dir()):
        ends: dict[str, int] = {}
        for shard in FileSystemReader(folder).read_metadata().storage_data.values():
            ends[shard.relative_path] = max(shard.offset + shard.length, ends.get(shard.relative_path, 0))
        short = [name for name, end in ends.items() if not _has_bytes(folder / name, end)]
        if short:
            raise UserError(
                f"{checkpoint}: {len(short)} of {len(ends)} shards in {folder.name} are missing or incomplete, such as "
                f"{min(short)}; output must be on a file system that all machines of the run share"
            )


def _has_bytes(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size >= size
