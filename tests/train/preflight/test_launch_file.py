from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from srt.io.errors import UserError
from train.preflight.launch_file import Cluster, current_cluster, launch_faults, read_launch
from train.recipe import Recipe

CONFIGS = Path(__file__).parents[3] / "configs"


@pytest.mark.parametrize(
    ("name", "cluster"),
    [
        ("cpu", Cluster()),
        ("one_gpu", Cluster()),
        ("ddp_8gpu", Cluster(8, "ddp")),
        ("fsdp2_8gpu", Cluster(8, "fsdp2")),
        ("zero2_8gpu", Cluster(8, "zero2")),
        ("zero3_8gpu", Cluster(8, "zero3")),
        ("zero3_offload_8gpu", Cluster(8, "zero3", True, True)),
    ],
)
def test_the_files_that_there_are(name: str, cluster: Cluster, recipe: Callable[..., Recipe]) -> None:
    launch = read_launch(CONFIGS / f"{name}.yaml")
    assert launch.cluster == cluster
    assert launch_faults(launch, recipe(), 1) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("distributed_type: MULTI_CPU\nnum_processes: 2", "distributed_type: MULTI_CPU"),
        ("distributed_type: 'NO'\nnum_processes: 4", "distributed_type: NO .*num_processes"),
        ("num_processes: two", "num_processes: .*two"),
        ("distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 1}", "deepspeed_config.zero_stage: 1"),
        (
            "distributed_type: DEEPSPEED\ndeepspeed_config: {deepspeed_config_file: no.json}",
            "deepspeed_config_file: no.json",
        ),
        ("distributed_type: DEEPSPEED\ndeepspeed_config: zero3.json", "deepspeed_config: .*zero3.json"),
        ("distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: [3]}", r"deepspeed_config.zero_stage: \[3\]"),
        ("distributed_type: FSDP\nfsdp_config: [1]", "fsdp_config: "),
        ("main_process_ip: 2024-13-45", "a.yaml: not YAML"),
        ("- a", "a.yaml: "),
        ("a: [", "a.yaml: not YAML"),
    ],
)
def test_a_file_at_fault(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(UserError, match=message):
        read_launch(tmp_path / "a.yaml")


def test_what_contradicts_the_recipe(tmp_path: Path, recipe: Callable[..., Recipe]) -> None:
    (tmp_path / "a.yaml").write_text(
        "distributed_type: FSDP\nnum_processes: 2\nmixed_precision: bf16\nfsdp_config: {fsdp_version: 1}\n"
    )
    found = launch_faults(read_launch(tmp_path / "a.yaml"), recipe(), 1)
    assert len(found) == 2
    assert found[0].startswith(f"{tmp_path / 'a.yaml'}: mixed_precision: bf16, but model.dtype")
    assert "fsdp_version: 1" in found[1]
    (tmp_path / "c.yaml").write_text("distributed_type: FSDP\nfsdp_config: {fsdp_version: two}\n")
    assert "fsdp_version: two" in launch_faults(read_launch(tmp_path / "c.yaml"), recipe(), 1)[0]
    bfloat = recipe(model={**recipe().model.model_dump(), "dtype": "bfloat16"})
    assert len(launch_faults(read_launch(tmp_path / "a.yaml"), bfloat, 1)) == 1
    (tmp_path / "b.yaml").write_text(
        "distributed_type: DEEPSPEED\ndeepspeed_config: {zero_stage: 3, gradient_accumulation_steps: 4}\n"
    )
    assert "gradient_accumulation_steps: 4" in launch_faults(read_launch(tmp_path / "b.yaml"), recipe(), 2)[0]


@pytest.mark.parametrize(
    ("name", "refused"), [("one_gpu", False), ("ddp_8gpu", False), ("fsdp2_8gpu", True), ("zero3_8gpu", True)]
)
def test_muon_needs_whole_matrices(name: str, refused: bool, recipe: Callable[..., Recipe]) -> None:
    faults = launch_faults(read_launch(CONFIGS / f"{name}.yaml"), recipe(muon_learning_rate=0.02), 1)
    assert ["muon_learning_rate" in fault for fault in faults] == [True] * refused


def test_the_environment_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WORLD_SIZE", "ACCELERATE_USE_DEEPSPEED", "ACCELERATE_USE_FSDP"):
        monkeypatch.delenv(name, raising=False)
    assert current_cluster() == Cluster()
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert current_cluster() == Cluster(4, "ddp")
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    assert current_cluster() == Cluster(4, "fsdp2")
    monkeypatch.setenv("ACCELERATE_USE_DEEPSPEED", "true")
    monkeypatch.setenv("ACCELERATE_DEEPSPEED_ZERO_STAGE", "3")
    assert current_cluster() == Cluster(4, "zero3")
