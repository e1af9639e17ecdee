from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from srt.io.errors import UserError
from train.recipe import Recipe
from train.run.launch import Cluster, current_launch, launch_faults, launch_notes, read_launch, take_over

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
    (tmp_path / "a.yaml").write_text("distributed_type: FSDP\nnum_processes: 2\nfsdp_config: {fsdp_version: 1}\n")
    (found,) = launch_faults(read_launch(tmp_path / "a.yaml"), recipe(), 1)
    assert found.startswith(f"{tmp_path / 'a.yaml'}: fsdp_config.fsdp_version: 1")
    (tmp_path / "c.yaml").write_text("distributed_type: FSDP\nfsdp_config: {fsdp_version: two}\n")
    assert "fsdp_version: two" in launch_faults(read_launch(tmp_path / "c.yaml"), recipe(), 1)[0]


def test_what_the_recipe_decides(tmp_path: Path, recipe: Callable[..., Recipe]) -> None:
    (tmp_path / "a.yaml").write_text(
        "distributed_type: DEEPSPEED\nmixed_precision: bf16\n"
        "deepspeed_config: {zero_stage: 3, gradient_accumulation_steps: 4, zero3_save_16bit_model: false}\n"
    )
    launch, bfloat = (
        read_launch(tmp_path / "a.yaml"),
        recipe(model={**recipe().model.model_dump(), "dtype": "bfloat16"}),
    )
    assert launch_faults(launch, recipe(), 2) == []
    keys = [note.split(": ")[1] for note in launch_notes(launch, recipe())]
    mine = ["deepspeed_config.gradient_accumulation_steps", "deepspeed_config.zero3_save_16bit_model"]
    assert keys == ["mixed_precision", *mine]
    assert [note.split(": ")[1] for note in launch_notes(launch, bfloat)] == mine


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_launch_is_taken_over(dtype: str, recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "ACCELERATE_MIXED_PRECISION": "fp16",
        "ACCELERATE_GRADIENT_ACCUMULATION_STEPS": "7",
        "ACCELERATE_GRADIENT_CLIPPING": "0.1",
        "ACCELERATE_DEEPSPEED_ZERO3_SAVE_16BIT_MODEL": "false",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    take_over(recipe(model={**recipe().model.model_dump(), "dtype": dtype}))
    assert {name: os.environ[name] for name in given if name in os.environ} == {
        "ACCELERATE_MIXED_PRECISION": "no" if dtype == "float32" else "bf16",
        "ACCELERATE_DEEPSPEED_ZERO3_SAVE_16BIT_MODEL": "true",
    }


SOUND = {
    "zero_optimization": {"stage": 3, "stage3_gather_16bit_weights_on_model_save": True},
    "gradient_clipping": "auto",
    "gradient_accumulation_steps": "auto",
    "bf16": {"enabled": "auto"},
}


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({}, None),
        ({"gradient_clipping": 1.0, "gradient_accumulation_steps": 2, "bf16": {"enabled": False}}, None),
        ({"gradient_clipping": 0.5}, "gradient_clipping"),
        ({"gradient_clipping": None}, "gradient_clipping"),
        ({"gradient_accumulation_steps": 3}, "gradient_accumulation_steps"),
        ({"bf16": {"enabled": True}}, "bf16.enabled"),
        ({"fp16": {"enabled": True}}, "fp16.enabled"),
        ({"optimizer": {"type": "Adam"}}, "optimizer"),
        ({"train_batch_size": 64}, "train_batch_size"),
        ({"train_batch_size": "auto", "communication_data_type": "fp32", "steps_per_print": 5}, None),
        ({"communication_data_type": "bf16"}, "communication_data_type"),
        ({"data_types": {"grad_accum_dtype": "bf16"}}, "grad_accum_dtype"),
        ({"torch_autocast": {"enabled": True, "dtype": "bfloat16"}}, "torch_autocast"),
        ({"progressive_layer_drop": {"enabled": True}}, "progressive_layer_drop"),
        ({"prescale_gradients": True}, "prescale_gradients"),
        ({"zero_optimization": {"stage": 3}}, "zero_optimization.stage3_gather_16bit_weights_on_model_save"),
    ],
)
def test_a_file_of_deepspeeds_own(
    changed: dict[str, Any],
    key: str | None,
    tmp_path: Path,
    recipe: Callable[..., Recipe],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "own.json"
    file.write_text(json.dumps(SOUND | changed))
    (tmp_path / "a.yaml").write_text(
        f"distributed_type: DEEPSPEED\nnum_processes: 2\ndeepspeed_config: {{deepspeed_config_file: {file}}}\n"
    )
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("ACCELERATE_USE_DEEPSPEED", "true")
    monkeypatch.setenv("ACCELERATE_DEEPSPEED_CONFIG_FILE", str(file))
    for launch in (read_launch(tmp_path / "a.yaml"), current_launch()):
        assert launch.cluster == Cluster(2, "zero3")
        faults = [fault.split(f"{file}: ")[1] for fault in launch_faults(launch, recipe(), 2)]
        assert [fault.split(":")[0] for fault in faults] == ([] if key is None else [key])


@pytest.mark.parametrize(
    ("name", "refused"), [("one_gpu", False), ("ddp_8gpu", False), ("fsdp2_8gpu", True), ("zero3_8gpu", True)]
)
def test_what_needs_whole_matrices(name: str, refused: bool, recipe: Callable[..., Recipe]) -> None:
    launch = read_launch(CONFIGS / f"{name}.yaml")
    for key, changes in (
        ("optimizer", {"optimizer": "muon", "muon_learning_rate": 0.02}),
        ("optimizer", {"optimizer": "adafactor"}),
        ("optimizer", {"optimizer": "adamw_8bit"}),
        ("lora.init", {"lora": {"init": "pissa"}}),
    ):
        faults = launch_faults(launch, recipe(**changes), 1)
        assert [f": {key}: " in fault for fault in faults] == [True] * refused


def test_the_environment_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WORLD_SIZE", "ACCELERATE_USE_DEEPSPEED", "ACCELERATE_USE_FSDP"):
        monkeypatch.delenv(name, raising=False)
    assert current_launch().cluster == Cluster()
    monkeypatch.setenv("WORLD_SIZE", "4")
    monkeypatch.setenv("RANK", "0")
    assert current_launch().cluster == Cluster(4, "ddp")
    monkeypatch.setenv("ACCELERATE_USE_FSDP", "true")
    assert current_launch().cluster == Cluster(4, "fsdp2")
    monkeypatch.setenv("ACCELERATE_USE_DEEPSPEED", "true")
    monkeypatch.setenv("ACCELERATE_DEEPSPEED_ZERO_STAGE", "3")
    assert current_launch().cluster == Cluster(4, "zero3")


def test_processes_that_nobody_has_started_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.setenv("WORLD_SIZE", "8")
    with pytest.raises(UserError, match="WORLD_SIZE=8"):
        current_launch()
