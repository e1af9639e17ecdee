from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.gpu.first_ten_minutes import kernels, same_losses, speed  # noqa: E402
from benchmarks.gpu.first_ten_minutes import profile as profiling  # noqa: E402
from benchmarks.gpu.first_ten_minutes.checks import Place, judged, largest_difference  # noqa: E402
from train.models.packed_attention import PackedStates, segments_kernel  # noqa: E402


def place(folder: Path) -> Place:
    return Place(tiny=True, folder=folder, minutes=1.0)


def test_a_wrong_kernel_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = {check.name: check.outcome for check in kernels.run(place(tmp_path))}
    assert outcomes["language: segments (SDPA)"] == outcomes["vision: segments (SDPA)"] == "pass"
    assert outcomes["language: varlen"] == "skipped"

    def sees_its_neighbours(states: PackedStates) -> torch.Tensor:
        whole = torch.tensor([0, len(states.query)], dtype=torch.int32)
        return segments_kernel(states._replace(bounds=whole))

    monkeypatch.setattr(kernels, "_kernels", lambda device: {"wrong": sees_its_neighbours})
    assert {check.outcome for check in kernels.run(place(tmp_path))} == {"fail"}


def test_losses_that_differ_fail() -> None:
    reference = same_losses._Run([2.0, 1.0], [3.0, 3.0])
    assert same_losses._compared("x", same_losses._Run([2.001, 1.001], [3.03, 3.0]), reference).outcome == "pass"
    assert same_losses._compared("x", same_losses._Run([2.0, 1.01], [3.0, 3.0]), reference).outcome == "fail"
    assert same_losses._compared("x", same_losses._Run([2.0, 1.0], [3.0, 3.1]), reference).outcome == "fail"
    assert same_losses._compared("x", "error: out of memory", reference).line == "error: out of memory"
    assert largest_difference([1.0], [1.0, 2.0]) == float("inf")
    assert judged("x", float("nan"), 1.0, "").outcome == "fail"


def test_speed_and_memory_are_judged() -> None:
    def case(ours: float, error: float) -> dict[str, Any]:
        side = {"blocks": [1], "tokens_per_second": 100.0, "did_not_fit": []}
        mine = side | {"memory_error": error, "peak_allocated_gib": 60.0, "estimated_gib": {"peak": 61.0}}
        return {"sides": {"ours": mine, "trl-tuned": side}, "ratio_to": {"trl-tuned": ours}}

    assert speed._speed("a", case(1.2, 0.0), tiny=False).outcome == "pass"
    assert speed._speed("a", case(0.9, 0.0), tiny=False).outcome == "fail"
    assert speed._memory("a", case(1.0, -0.05)["sides"]["ours"]).outcome == "pass"
    assert speed._memory("a", case(1.0, 0.2)["sides"]["ours"]).outcome == "fail"
    missing = case(1.0, 0.0)
    missing["sides"]["trl-tuned"] |= {"blocks": [], "did_not_fit": [{"message": "CUDA out of memory"}]}
    assert "CUDA out of memory" in speed._speed("a", missing, tiny=False).line


def test_copies_and_casts_are_told_apart() -> None:
    def event(name: str, parent: Any = None) -> Any:
        return SimpleNamespace(name=name, cpu_parent=parent)

    assert profiling.kind_of(event("aten::copy_", event("aten::_to_copy", event("aten::to")))) == "casts"
    assert profiling.kind_of(event("aten::copy_", event("aten::clone"))) == "copies"
    assert profiling.kind_of(event("aten::addmm")) == "matrix products"
    assert profiling.kind_of(event("torch_attn::_varlen_attn")) == "attention"
    assert profiling.kind_of(event("aten::_log_softmax")) == "other"


def run_script(*options: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "benchmarks/gpu/first_ten_minutes.sh", *options]
    environment = {**os.environ, "PYTHON": sys.executable, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_every_step_runs_here(tmp_path: Path) -> None:
    done = run_script("--tiny", "--minutes", "60", "--out", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "report.json").read_text())
    assert set(report["steps"]) == {"kernels", "losses", "case-a", "case-b", "profile"}
    outcomes = [(check["name"], check["outcome"]) for step in report["steps"].values() for check in step["checks"]]
    assert ("two devices, FSDP2", "pass") in outcomes
    assert ("case b: speed", "pass") in outcomes
    assert not [name for name, outcome in outcomes if outcome == "fail"]
    assert done.stdout.count("\n") > len(outcomes)


@pytest.mark.slow
def test_a_step_that_does_not_end_is_one_that_failed(tmp_path: Path) -> None:
    done = run_script("--tiny", "--minutes", "0.01", "--only", "kernels", "--out", str(tmp_path))
    assert done.returncode == 1
    assert "fail    kernels: kernels: stopped after" in done.stdout
    assert "written:" in done.stdout


@pytest.mark.long
@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_so() -> None:
    done = run_script()
    assert done.returncode == 2
    assert "--tiny" in done.stderr
