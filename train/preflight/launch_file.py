"""What an accelerate file says about a launch, and how it contradicts a recipe. accelerate itself reads it later."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Literal, NamedTuple

from srt.io.errors import UserError
from srt.io.yaml_config import read_yaml
from train.recipe import Recipe

Method = Literal["one", "ddp", "fsdp2", "zero2", "zero3"]

_ONE_PROCESS = ("NO", "None", "null", "False")  # YAML reads NO without quotes as false


class Cluster(NamedTuple):
    """How a run is distributed: ``method`` over ``processes``, each with its own GPU.

    ``offload_optimizer`` and ``offload_weights`` keep these in main memory (DeepSpeed, FSDP).
    """

    processes: int = 1
    method: Method = "one"
    offload_optimizer: bool = False
    offload_weights: bool = False

    @property
    def shards_weights(self) -> bool:
        """Whether each GPU has only a part of the weights."""
        return self.method in ("fsdp2", "zero3")

    @property
    def sharding(self) -> str:
        """How the fingerprint of a run names the method (:func:`train.run.run_manifest.fingerprint`)."""
        return "none" if self.method == "one" else self.method


class Launch(NamedTuple):
    """How a run is launched: ``cluster``, and the settings of the file that a recipe can contradict."""

    path: Path | None = None
    cluster: Cluster = Cluster()
    precision: str = "no"
    accumulation: int | None = None  # of DeepSpeed, if it is set
    fsdp_version: Any = None  # as in the file; accelerate's default is 1


def read_launch(path: Path) -> Launch:
    """The launch that the accelerate file ``path`` describes.

    Raises:
        UserError: the file is missing or not YAML, or describes a launch that training does not support.
    """
    if not path.exists():
        raise UserError(f"{path}: no such accelerate file; there are examples in configs/")
    values = read_yaml(path)
    distributed = str(values.get("distributed_type", "NO"))
    processes = values.get("num_processes", 1)
    if not isinstance(processes, int) or isinstance(processes, bool) or processes < 1:
        raise UserError(f"{path}: num_processes: a number of at least 1 was expected, not {processes!r}")
    for name in ("deepspeed_config", "fsdp_config"):
        if not isinstance(values.get(name) or {}, dict):
            raise UserError(f"{path}: {name}: a mapping of keys to values was expected, not {values[name]!r}")
    deepspeed, fsdp = values.get("deepspeed_config") or {}, values.get("fsdp_config") or {}
    if distributed == "DEEPSPEED":
        cluster = _deepspeed(path, deepspeed, processes)
    elif distributed == "FSDP":
        cluster = Cluster(processes, "fsdp2", *[_is_true(fsdp.get("fsdp_offload_params"))] * 2)
    elif distributed == "MULTI_GPU":
        cluster = Cluster(processes, "ddp" if processes > 1 else "one")
    elif distributed in _ONE_PROCESS:
        if processes > 1:
            raise UserError(
                f"{path}: distributed_type: {distributed} starts one process, but num_processes is {processes}; "
                "for several use MULTI_GPU, FSDP or DEEPSPEED"
            )
        cluster = Cluster()
    else:
        # MULTI_CPU silently starts one process if there is no mpirun.
        raise UserError(
            f"{path}: distributed_type: {distributed} is unknown; NO, MULTI_GPU, FSDP and DEEPSPEED are known"
        )
    accumulation = deepspeed.get("gradient_accumulation_steps")
    return Launch(
        path=path,
        cluster=cluster,
        precision=str(values.get("mixed_precision", "no")),
        accumulation=accumulation if isinstance(accumulation, int) else None,
        fsdp_version=fsdp.get("fsdp_version", 1) if distributed == "FSDP" else None,
    )


def current_cluster() -> Cluster:
    """The cluster that this process is part of, by the environment that accelerate has set."""
    # accelerate launch hands its file to the processes as these variables.
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if _is_true(os.environ.get("ACCELERATE_USE_DEEPSPEED")):
        method: Method = "zero3" if os.environ.get("ACCELERATE_DEEPSPEED_ZERO_STAGE") == "3" else "zero2"
        optimizer, weights = (
            _is_offloaded(os.environ.get(f"ACCELERATE_DEEPSPEED_OFFLOAD_{part}_DEVICE", "none"))
            for part in ("OPTIMIZER", "PARAM")
        )
        return Cluster(processes, method, optimizer, weights)
    if _is_true(os.environ.get("ACCELERATE_USE_FSDP")):
        return Cluster(processes, "fsdp2", *[_is_true(os.environ.get("FSDP_OFFLOAD_PARAMS"))] * 2)
    return Cluster(processes, "one" if processes == 1 else "ddp")


def launch_faults(launch: Launch, recipe: Recipe, accumulation: int | None) -> list[str]:
    """How ``launch`` contradicts ``recipe``; ``accumulation`` is the number of micro-batches a step, if known."""
    faults = []
    ours = {"float32": "no", "bfloat16": "bf16"}[recipe.model.dtype]
    if launch.precision not in ("no", "False", ours):
        faults.append(
            f"mixed_precision: {launch.precision}, but model.dtype of the recipe is {recipe.model.dtype}, "
            'which takes precedence; set it to "no" in the accelerate file'
        )
    if launch.fsdp_version is not None and str(launch.fsdp_version) != "2":
        faults.append(f"fsdp_config.fsdp_version: {launch.fsdp_version}; only FSDP2 is supported, set fsdp_version: 2")
    if launch.accumulation is not None and accumulation is not None and launch.accumulation != accumulation:
        faults.append(
            f"deepspeed_config.gradient_accumulation_steps: {launch.accumulation}, but the recipe makes "
            f"{accumulation} micro-batches a step; remove it"
        )
    if recipe.muon_learning_rate is not None and launch.cluster.method not in ("one", "ddp"):
        faults.append("muon_learning_rate: Muon needs whole matrices; use DDP (MULTI_GPU), not FSDP or DeepSpeed")
    return [f"{launch.path}: {fault}" for fault in faults]


def _deepspeed(path: Path, config: dict[str, Any], processes: int) -> Cluster:
    if isinstance(name := config.get("deepspeed_config_file"), str):
        try:
            values = json.loads(Path(name).read_bytes())
        except (OSError, ValueError) as error:
            raise UserError(f"{path}: deepspeed_config_file: {name}: {' '.join(str(error).split())}") from None
        zero = values.get("zero_optimization") or {} if isinstance(values, dict) else {}
        stage = zero.get("stage", 0)
        optimizer, weights = (
            (zero.get(name) or {}).get("device", "none") for name in ("offload_optimizer", "offload_param")
        )
    else:
        stage = config.get("zero_stage", 2)
        optimizer, weights = (config.get(f"offload_{name}_device", "none") for name in ("optimizer", "param"))
    methods: dict[str, Method] = {"2": "zero2", "3": "zero3"}
    if str(stage) not in methods:
        raise UserError(
            f"{path}: deepspeed_config.zero_stage: {stage}; 2 and 3 are supported (to copy the model, use MULTI_GPU)"
        )
    return Cluster(processes, methods[str(stage)], _is_offloaded(optimizer), _is_offloaded(weights))


def _is_true(value: Any) -> bool:
    return value is True or str(value).lower() == "true"


def _is_offloaded(device: Any) -> bool:
    return str(device).lower() not in ("none", "false", "null")
