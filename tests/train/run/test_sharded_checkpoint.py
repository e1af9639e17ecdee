from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.distributed.checkpoint import FileSystemWriter, save

from srt.io.errors import UserError
from train.run.saved_weights import check_shards


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """Two folders as accelerate writes them."""
    for name in ("pytorch_model_fsdp_0", "optimizer_0"):
        save(
            {"a": torch.ones(50), "b": torch.zeros(7, 3)},
            storage_writer=FileSystemWriter(tmp_path / name),
            no_dist=True,
        )
    return tmp_path


def test_all_shards_are_there(checkpoint: Path) -> None:
    check_shards(checkpoint)


@pytest.mark.parametrize("folder", ["pytorch_model_fsdp_0", "optimizer_0"])
@pytest.mark.parametrize("what", ["gone", "short"])
def test_a_shard_that_is_gone_or_short_is_named(folder: str, what: str, checkpoint: Path) -> None:
    shard = next((checkpoint / folder).glob("*.distcp"))
    if what == "gone":
        shard.unlink()
    else:
        shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(UserError, match=f"{checkpoint}: 1 of 1 shards in {folder} .* {shard.name}; output must be"):
        check_shards(checkpoint)


def test_a_checkpoint_in_one_piece_has_no_shards(tmp_path: Path) -> None:
    (tmp_path / "optimizer.pt").touch()
    check_shards(tmp_path)
