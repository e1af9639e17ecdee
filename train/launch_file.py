"""What an accelerate file says of a launch, and what in it contradicts a recipe. accelerate itself reads it later."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from srt.errors import UserError
from train.memory import Cluster, Method
from train.recipe import Recipe

_ONE = ("NO", "None", "null", "False")  # YAML reads NO without quotes as false


class Launch(NamedTuple):
    """How a run is launched: ``cluster``, and the file's own words as far as they are needed."""

    cluster: Cluster
    precision: str
    on_processor: bool
    accumulation: int | None  # what DeepSpeed was told, if anything
    fsdp_version: Any  # as the file has it; accelerate's default is 1


def read_launch(path: str | Path) -> Launch:
    """The launch that the accelerate file ``path`` describes.

    Raises:
        UserError: no such file, not YAML, or a kind of launch that training does not know.
    """
    values = _read(Path(path))
    kind = str(values.get("distributed_type", "NO"))
    processes = values.get("num_processes", 1)
    if not isinstance(processes, int) or isinstance(processes, bool) or processes < 1:
        raise UserError(f"{path}: num_processes: a number of at least 1 was expected, not {processes!r}")
    deepspeed, fsdp = (_block(path, values, name) for name in ("deepspeed_config", "fsdp_config"))
    if kind == "DEEPSPEED":
        cluster = _deepspeed(Path(path), deepspeed, processes)
    elif kind == "FSDP":
        cluster = Cluster(processes, "fsdp2", *[_true(fsdp.get("fsdp_offload_params"))] * 2)
    elif kind == "MULTI_GPU":
        cluster = Cluster(processes, "ddp" if processes > 1 else "one")
    elif kind in _ONE:
        if processes > 1:
            raise UserError(
                f"{path}: distributed_type: {kind} starts one process, and num_processes says {processes}; "
                "for several say MULTI_GPU, FSDP or DEEPSPEED"
            )
        cluster = Cluster()
    else:
        # MULTI_CPU starts one process where there is no mpirun, without a word.
        raise UserError(f"{path}: distributed_type: {kind} is not known; known are NO, MULTI_GPU, FSDP, DEEPSPEED")
    accumulation = deepspeed.get("gradient_accumulation_steps")
    return Launch(
        cluster=cluster,
        precision=str(values.get("mixed_precision", "no")),
        on_processor=_true(values.get("use_cpu")),
        accumulation=accumulation if isinstance(accumulation, int) else None,
        fsdp_version=fsdp.get("fsdp_version", 1) if kind == "FSDP" else None,
    )


def cluster_here() -> Cluster:
    """What this process is a part of, by the environment that accelerate has set."""
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if os.environ.get("ACCELERATE_USE_DEEPSPEED", "false") == "true":
        shared: Method = "zero3" if os.environ.get("ACCELERATE_DEEPSPEED_ZERO_STAGE") == "3" else "zero2"
        optimizer, weights = (
            _moved(os.environ.get(f"ACCELERATE_DEEPSPEED_OFFLOAD_{part}_DEVICE", "none"))
            for part in ("OPTIMIZER", "PARAM")
        )
        return Cluster(processes, shared, optimizer, weights)
    if os.environ.get("ACCELERATE_USE_FSDP", "false") == "true":
        return Cluster(processes, "fsdp2", *[_true(os.environ.get("FSDP_OFFLOAD_PARAMS"))] * 2)
    return Cluster(processes, "one" if processes == 1 else "ddp")


def launch_faults(launch: Launch, recipe: Recipe, accumulation: int | None) -> list[str]:
    """What in ``launch`` contradicts ``recipe``; ``accumulation`` is how many micro-batches a step has, if known."""
    faults = []
    ours = {"float32": "no", "bfloat16": "bf16"}[recipe.model.dtype]
    if launch.precision not in ("no", "False", ours):
        faults.append(
            f"mixed_precision: {launch.precision}, but model.dtype of the recipe is {recipe.model.dtype}, "
            'and it decides; say "no" in the accelerate file'
        )
    if launch.fsdp_version is not None and str(launch.fsdp_version) != "2":
        faults.append(f"fsdp_config.fsdp_version: {launch.fsdp_version}; only FSDP2 is supported, say fsdp_version: 2")
    if launch.accumulation is not None and accumulation is not None and launch.accumulation != accumulation:
        faults.append(
            f"deepspeed_config.gradient_accumulation_steps: {launch.accumulation}, but the recipe makes "
            f"{accumulation} micro-batches a step; leave it out"
        )
    return faults


def _deepspeed(path: Path, config: dict[str, Any], processes: int) -> Cluster:
    if isinstance(config.get("deepspeed_config_file"), str):
        zero = _json(path, config["deepspeed_config_file"]).get("zero_optimization") or {}
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
            f"{path}: deepspeed_config.zero_stage: {stage}; 2 and 3 are supported (for copies say MULTI_GPU)"
        )
    return Cluster(processes, methods[str(stage)], _moved(optimizer), _moved(weights))


def _read(path: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such accelerate file; there are some in configs/") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise UserError(f"{path}: an accelerate file is a mapping of keys to values")
    return values


def _block(path: str | Path, values: dict[str, Any], name: str) -> dict[str, Any]:
    block = values.get(name) or {}
    if not isinstance(block, dict):
        raise UserError(f"{path}: {name}: a mapping of keys to values was expected, not {block!r}")
    return block


def _json(path: Path, name: str) -> dict[str, Any]:
    try:
        values = json.loads(Path(name).read_bytes())
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: deepspeed_config_file: {name}: {' '.join(str(error).split())}") from None
    return values if isinstance(values, dict) else {}


def _true(value: Any) -> bool:
    return value is True or str(value).lower() == "true"


def _moved(device: Any) -> bool:
    return str(device).lower() not in ("none", "false", "null")
