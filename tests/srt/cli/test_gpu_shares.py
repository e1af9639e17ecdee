"""Runs that are trained at the same time see GPUs of their own, of those that are visible to the command."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import yaml

from srt.cli.experiment_stages import TrainAndEval
from srt.cli.gpu_shares import VISIBLE, GpuShares, visible_gpus
from srt.cli.trainer_process import _run
from srt.io.errors import UserError

MIG = "MIG-5c6d1f-2"


def launch(folder: Path, processes: int, **more: Any) -> Path:
    path = folder / f"launch-{processes}.yaml"
    path.write_text(yaml.safe_dump({"num_processes": processes, "num_machines": 1, **more}))
    return path


@pytest.mark.parametrize(
    ("visible", "parallel", "processes", "shares"),
    [
        ("0,1,2,3", 4, 1, ["0", "1", "2", "3"]),
        ("6,7", 2, 1, ["6", "7"]),
        ("3,1,2,0", 2, 2, ["3,1", "2,0"]),
        ("0,1,2,3,4", 2, 2, ["0,1", "2,3"]),
        (f"GPU-8a2b, {MIG}", 2, 1, ["GPU-8a2b", MIG]),
        ("0,1", 3, 1, ["0", "1", "0"]),
        ("0", 2, 1, ["0", "0"]),
        ("0,1,2,3", 1, 1, []),
        ("", 2, 1, []),
        ("0,1,-1,3", 3, 1, ["0", "1", "0"]),
    ],
)
def test_what_each_run_sees(
    visible: str, parallel: int, processes: int, shares: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VISIBLE, visible)
    assert GpuShares(parallel).divide(launch(tmp_path, processes)) == shares
    if processes == 1:
        assert GpuShares(parallel).divide(None) == shares


def test_without_the_variable_the_gpus_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VISIBLE, raising=False)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 3)
    assert visible_gpus() == ["0", "1", "2"]
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    assert GpuShares(2).divide(None) == []


def test_processes_of_several_runs_never_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VISIBLE, "0,1,2,3,4")
    with pytest.raises(UserError, match=r"launch-2\.yaml: parallel: 3 runs of 2 .* 6 GPUs, .* shows 5; .* to 2$"):
        GpuShares(3).divide(launch(tmp_path, 2))
    with pytest.raises(UserError, match=r"launch-8\.yaml: parallel: .* at most 5 processes$"):
        GpuShares(2).divide(launch(tmp_path, 8))
    assert GpuShares(3).divide(launch(tmp_path, 8, use_cpu=True)) == []


def test_runs_at_the_same_time_have_different_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VISIBLE, "4,5,6")
    shares, together = GpuShares(3), Barrier(3, timeout=60)

    def train(_: int) -> str | None:
        with shares.one(None) as gpus:
            together.wait()
            return gpus

    with ThreadPoolExecutor(3) as pool:
        for _ in range(2):  # given back
            assert sorted(map(str, pool.map(train, range(3)))) == ["4", "5", "6"]


def test_the_training_process_sees_its_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VISIBLE, f"GPU-8a2b,{MIG}")
    lines: list[str] = []
    code = f"import os; print(os.environ['{VISIBLE}'], os.environ['HOME'])"
    assert _run([sys.executable, "-c", code], False, lines.append, (), {VISIBLE: MIG}) == 0
    assert lines == [f"{MIG} {os.environ['HOME']}"]

    asked: list[tuple[Any, ...]] = []

    def run_training(recipe: Path, file: Path | None, options: Any, own: list[str], *, say: Any, gpus: Any) -> int:
        asked.append((own, gpus))
        return 0

    monkeypatch.setattr("srt.cli.experiment_stages.run_training", run_training)
    monkeypatch.setattr("train.recipe_reader.load_recipe", lambda path: None)
    monkeypatch.setattr("train.preflight.before_launch.finished_before", lambda recipe, file: None)
    stages = TrainAndEval(2)
    stages.train(tmp_path, None, lines.append)
    assert asked == [([], "GPU-8a2b")]
    # Whatever the launch file says: its gpu_ids would overrule the variable.
    stages.train(tmp_path, launch(tmp_path, 1, gpu_ids="0"), lines.append)
    own = " ".join(asked[1][0])
    assert "--gpu_ids all" in own
    assert "--main_process_port 0" in own
    TrainAndEval().train(tmp_path, launch(tmp_path, 2), lines.append)
    assert asked[2] == ([], None)
