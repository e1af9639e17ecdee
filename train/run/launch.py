"""What an accelerate file, or the environment it becomes, says about a launch, and what of it the recipe decides.

How processes share a model is the launch's. Precision, accumulation, clipping and saving are the recipe's: a default
file says ``mixed_precision: bf16``, and ZeRO-3 by default saves no weights that anybody else can read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from srt.io.errors import UserError
from srt.io.yaml_config import read_yaml
from train.recipe import Recipe
from train.run.deepspeed_file import block, deepspeed_faults, read_deepspeed

Method = Literal["one", "ddp", "fsdp2", "zero2", "zero3"]

_PRECISION: Final = "ACCELERATE_MIXED_PRECISION"
_OF_DEEPSPEED: Final = {
    "gradient_accumulation_steps": "ACCELERATE_GRADIENT_ACCUMULATION_STEPS",
    "gradient_clipping": "ACCELERATE_GRADIENT_CLIPPING",
    "zero3_save_16bit_model": "ACCELERATE_DEEPSPEED_ZERO3_SAVE_16BIT_MODEL",
}
"""Keys of accelerate's ``deepspeed_config``, with the variables that hand them to the processes."""
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
    """How a run is launched: ``cluster``, and what ``place`` (an accelerate file, or the launch) says beside it.

    ``overridden`` are settings that the recipe decides (:func:`take_over`), by name. ``deepspeed`` is DeepSpeed's own
    file, which no program changes: it must agree with the recipe.
    """

    place: str = "the launch"
    cluster: Cluster = Cluster()
    fsdp_version: Any = None  # as it was given; accelerate's default is 1
    overridden: Mapping[str, str] = MappingProxyType({})
    deepspeed_file: str = ""
    deepspeed: Mapping[str, Any] = MappingProxyType({})


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
    config_file, config = "", {}
    if distributed == "DEEPSPEED":
        config_file = str(deepspeed.get("deepspeed_config_file") or "")
        config = read_deepspeed(str(path), config_file) if config_file else {}
        cluster = _deepspeed(str(path), deepspeed, config, processes)
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
    said = {"mixed_precision": values.get("mixed_precision", "no")} | {
        f"deepspeed_config.{name}": deepspeed[name] for name in _OF_DEEPSPEED if name in deepspeed and not config
    }
    return Launch(
        place=str(path),
        cluster=cluster,
        fsdp_version=fsdp.get("fsdp_version", 1) if distributed == "FSDP" else None,
        overridden={name: str(value) for name, value in said.items()},
        deepspeed_file=config_file,
        deepspeed=config,
    )


def current_launch(processes: int | None = None) -> Launch:
    """How this process was launched, by the environment that accelerate has set; with so many ``processes``, if given.

    Raises:
        UserError: a launch that training does not support, a file of DeepSpeed's that cannot be read, or processes
            that nobody has started: training would wait for them for minutes.
    """
    # accelerate launch hands its file to the processes as these variables.
    given = os.environ.get
    if processes is None:
        processes = int(given("WORLD_SIZE", "1"))
        if processes > 1 and "RANK" not in os.environ:
            raise UserError(
                f"WORLD_SIZE={processes} is in the environment, but nothing has started several processes (there is no "
                "RANK): unset WORLD_SIZE, or start the run with accelerate launch"
            )
    said = {"mixed_precision": given(_PRECISION, "no")}
    if _is_true(given("ACCELERATE_USE_DEEPSPEED")):
        place = "the launch"
        config_file = given("ACCELERATE_DEEPSPEED_CONFIG_FILE", "")
        config_file = "" if config_file.lower() in ("", "none") else config_file
        config = read_deepspeed(place, config_file) if config_file else {}
        values = {
            "zero_stage": given("ACCELERATE_DEEPSPEED_ZERO_STAGE", "2"),
            "offload_optimizer_device": given("ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_DEVICE", "none"),
            "offload_param_device": given("ACCELERATE_DEEPSPEED_OFFLOAD_PARAM_DEVICE", "none"),
        }
        said |= {
            f"deepspeed_config.{name}": os.environ[variable]
            for name, variable in _OF_DEEPSPEED.items()
            if variable in os.environ and not config
        }
        cluster = _deepspeed(place, values, config, processes)
        return Launch(cluster=cluster, overridden=said, deepspeed_file=config_file, deepspeed=config)
    if _is_true(given("ACCELERATE_USE_FSDP")):
        cluster = Cluster(processes, "fsdp2", *[_is_true(given("FSDP_OFFLOAD_PARAMS"))] * 2)
        return Launch(cluster=cluster, fsdp_version=given("FSDP_VERSION", "1"), overridden=said)
    return Launch(cluster=Cluster(processes, "one" if processes == 1 else "ddp"), overridden=said)


def launch_faults(launch: Launch, recipe: Recipe, accumulation: int | None) -> list[str]:
    """How ``launch`` contradicts ``recipe``; ``accumulation`` is the number of micro-batches a step, if known."""
    faults = []
    if launch.fsdp_version is not None and str(launch.fsdp_version) != "2":
        faults.append(f"fsdp_config.fsdp_version: {launch.fsdp_version}; only FSDP2 is supported, set fsdp_version: 2")
    if launch.cluster.method not in ("one", "ddp"):
        whole: list[tuple[str, str, str]] = (
            [("optimizer", recipe.optimizer, "adamw")] if recipe.optimizer != "adamw" else []
        )
        if recipe.lora is not None and recipe.lora.init is not None:
            whole.append(("lora.init", recipe.lora.init, "null"))
        if recipe.objective.dpo is not None:
            faults.append("objective: dpo was tried in one process and under DDP (MULTI_GPU) only; use one of these")
        faults += [
            f"{key}: {value} needs whole matrices; use DDP (MULTI_GPU), not FSDP or DeepSpeed, or {key}: {other}"
            for key, value, other in whole
        ]
    if launch.deepspeed_file:
        own = deepspeed_faults(launch.deepspeed, recipe, accumulation)
        faults += [f"{launch.deepspeed_file}: {fault}" for fault in own]
    return [f"{launch.place}: {fault}" for fault in faults]


def launch_notes(launch: Launch, recipe: Recipe) -> list[str]:
    """What ``launch`` says otherwise than ``recipe``, which wins (:func:`take_over`)."""
    wanted = {
        "mixed_precision": ("no", "False", precision(recipe)),
        "deepspeed_config.gradient_accumulation_steps": ("auto",),
        "deepspeed_config.gradient_clipping": ("auto", str(recipe.max_grad_norm)),
        "deepspeed_config.zero3_save_16bit_model": ("true", "True"),
    }
    by = {"mixed_precision": f"the recipe's model.dtype is {recipe.model.dtype}"}
    return [
        f"{launch.place}: {name}: {value} is not used: {by.get(name, 'the trainer sets it')}"
        for name, value in launch.overridden.items()
        if value not in wanted[name]
    ]


def take_over(recipe: Recipe) -> None:
    """Have accelerate use what ``recipe`` says: of its file only the way in which processes share the model is left.

    Call it before anything of accelerate is made.
    """
    os.environ[_PRECISION] = precision(recipe)
    # Without these, accelerate takes accumulation and clipping from the training arguments.
    for name in ("gradient_accumulation_steps", "gradient_clipping"):
        os.environ.pop(_OF_DEEPSPEED[name], None)
    # Without it, ZeRO-3 would end with its own shards and without any safetensors.
    os.environ[_OF_DEEPSPEED["zero3_save_16bit_model"]] = "true"


def precision(recipe: Recipe) -> str:
    """The precision of ``recipe``, as accelerate calls it."""
    return {"float32": "no", "bfloat16": "bf16"}[recipe.model.dtype]


def _deepspeed(place: str, given: Mapping[str, Any], config: Mapping[str, Any], processes: int) -> Cluster:
    """The cluster by accelerate's keys for DeepSpeed, or by DeepSpeed's own ``config`` if there is one."""
    if config:
        zero = block(config, "zero_optimization")
        stage = zero.get("stage", 0)
        optimizer, weights = (
            block(zero, name).get("device", "none") for name in ("offload_optimizer", "offload_param")
        )
    else:
        stage = given.get("zero_stage", 2)
        optimizer, weights = (given.get(f"offload_{name}_device", "none") for name in ("optimizer", "param"))
    methods: dict[str, Method] = {"2": "zero2", "3": "zero3"}
    if str(stage) not in methods:
        raise UserError(
            f"{place}: deepspeed_config.zero_stage: {stage}; 2 and 3 are supported (to copy the model, use MULTI_GPU)"
        )
    return Cluster(processes, methods[str(stage)], _is_offloaded(optimizer), _is_offloaded(weights))


def _is_true(value: Any) -> bool:
    return value is True or str(value).lower() == "true"


def _is_offloaded(device: Any) -> bool:
    return str(device).lower() not in ("none", "false", "null")
