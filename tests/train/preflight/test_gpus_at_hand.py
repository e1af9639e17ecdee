"""A launch file for more GPUs than the machine has is refused before a process starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.io.errors import UserError
from train.preflight.gpus_at_hand import require_gpus

CONFIGS = Path(__file__).resolve().parents[3] / "configs"


@pytest.mark.parametrize(
    ("name", "options", "here"),
    [
        ("ddp_8gpu", (), 8),
        ("two_nodes", (), 8),
        ("zero3_offload_8gpu", ("--machine_rank", "0"), 8),
        ("ddp_8gpu", ("--num_processes", "4"), 4),
        ("two_nodes", ("--num_processes=32",), 16),
        ("two_nodes", ("--num-processes=6", "--num_machines", "3"), 2),
    ],
)
@pytest.mark.parametrize("gpus", [0, 1, 3, 8])
def test_what_is_started_on_each_machine(
    name: str, options: tuple[str, ...], here: int, gpus: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.device_count", lambda: gpus)
    file = CONFIGS / f"{name}.yaml"
    if gpus >= here:
        require_gpus(file, options)
        return
    with pytest.raises(UserError, match=rf"{name}\.yaml: starts {here} processes on this machine, ") as refused:
        require_gpus(file, options)
    assert ("but it has none" in str(refused.value)) == (gpus == 0)
    assert ("--num_processes 3" in str(refused.value)) == (gpus == 3)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("cpu_ddp", ()),
        ("cpu_zero3", ()),
        ("one_gpu", ()),
        ("ddp_8gpu", ("--cpu",)),
        ("ddp_8gpu", ("--num_processes=1",)),
    ],
)
def test_what_needs_no_gpus(name: str, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    require_gpus(CONFIGS / f"{name}.yaml", options)
