from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

import train.train_srt as script
from train.preflight.activations import MicroBatchShape
from train.preflight.fallback_plans import fallback_plans, less_recomputation, plan_lines
from train.preflight.memory_estimate import MemoryEstimator
from train.preflight.out_of_memory import first_to_report
from train.recipe import Recipe
from train.run.launch import Cluster


@pytest.mark.long
@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 24 GiB"),
        RuntimeError("CUDA error: out of memory"),
    ],
)
def test_fallback_plans_instead_of_a_traceback(
    error: RuntimeError,
    recipe: Callable[..., Recipe],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def exhausted(*args: Any, **kwargs: Any) -> Any:
        raise error

    monkeypatch.setattr(script, "load_model", exhausted)
    path = tmp_path / "r.yaml"
    path.write_text(yaml.safe_dump(recipe().model_dump(mode="json")), encoding="utf-8")
    assert script.main(["--config", str(path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("error: out of memory: CUDA")
    assert "8 x " in lines[1]
    assert "estimated on each GPU: 1.0 GB" in lines[1]
    assert any("micro_batch: 1" in line and "GB" in line for line in lines)
    assert any("nf4" in line for line in lines)
    assert not (tmp_path / "run").exists() or not list((tmp_path / "run").glob("*.json"))


def test_another_error_keeps_its_traceback(
    recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("a defect of ours")

    monkeypatch.setattr(script, "load_model", broken)
    path = tmp_path / "r.yaml"
    path.write_text(yaml.safe_dump(recipe().model_dump(mode="json")), encoding="utf-8")
    with pytest.raises(RuntimeError, match="a defect of ours"):
        script.main(["--config", str(path)])


def test_one_of_several_processes_reports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert first_to_report()
    assert first_to_report()
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("MASTER_PORT", "1")
    assert first_to_report()
    assert not first_to_report()


@pytest.mark.long
def test_fallback_plans(recipe: Callable[..., Recipe]) -> None:
    shape = MicroBatchShape(8, 128, 500)
    alone = fallback_plans(recipe(), shape, Cluster(), 1)
    assert alone[0].keys == "micro_batch: 1"
    assert not any("zero3" in plan.keys for plan in alone)
    shared = fallback_plans(recipe(), shape, Cluster(8, "ddp"), 1)
    assert all(plan.memory.peak > 0 for plan in shared)
    packed = fallback_plans(recipe(pack=1000, gradient_checkpointing=True), MicroBatchShape(1, 1000, 500), Cluster(), 1)
    assert packed[0].keys == "pack: 200"
    assert not any("gradient_checkpointing" in plan.keys for plan in packed)
    least = recipe(
        micro_batch=1,
        gradient_checkpointing=True,
        lora={"r": 1},
        model={**recipe().model.model_dump(), "quantize": "nf4"},
    )
    assert plan_lines(fallback_plans(least, MicroBatchShape(1, 128, 50), Cluster(), 1), 1e9)[0].startswith(
        "no change of the recipe"
    )
    lines = plan_lines(alone, 1e3)
    assert all("does not fit" in line for line in lines)


@pytest.mark.long
def test_the_least_checkpointing_that_fits_is_proposed(recipe: Callable[..., Recipe], models: dict[str, Path]) -> None:
    shape = MicroBatchShape(1, 500_000, 50)
    model = {"path": str(models["minimal"]), "attn": "sdpa"}

    def peak(every: int) -> int:
        return MemoryEstimator(recipe(model=model, gradient_checkpointing=every)).estimate(shape, Cluster(), 1).peak

    def proposed(present: int, gpu_bytes: float) -> str | None:
        chosen = recipe(model=model, gradient_checkpointing=present)
        plan = less_recomputation(chosen, shape, Cluster(), 1, gpu_bytes)
        return plan and plan.keys

    stored, second = peak(0), peak(2)
    assert stored > 1.2 * second
    assert proposed(1, 1.1 * stored) == "gradient_checkpointing: false"
    # Of two layers, every fourth is every second.
    assert proposed(1, 1.06 * second) == "gradient_checkpointing: 4"
    assert proposed(1, 1.01 * second) is None, "an estimate needs some room"
    assert proposed(0, 1.1 * stored) is None
    keys = [plan.keys for plan in fallback_plans(recipe(model=model, micro_batch=1), shape, Cluster(), 1)]
    assert keys[0] == "gradient_checkpointing: 2"
