"""DeepSpeed's own configuration file, which an accelerate file may name: it must not say another run than the recipe.

Nothing rewrites it, as accelerate's own keys can be (:func:`train.run.launch.take_over`).
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from srt.io.errors import UserError
from train.recipe import Recipe

_KNOWN: Final = {
    *("zero_optimization", "bf16", "fp16", "gradient_clipping", "gradient_accumulation_steps"),
    *("train_batch_size", "train_micro_batch_size_per_gpu", "communication_data_type", "data_types"),
    # These change no weight.
    *("steps_per_print", "wall_clock_breakdown", "memory_breakdown", "dump_state", "comms_logger", "flops_profiler"),
    *("aio", "zero_allow_untested_optimizer", "zero_force_ds_cpu_optimizer"),
}
_GATHERED: Final = "stage3_gather_16bit_weights_on_model_save"


def read_deepspeed(place: str, name: str) -> dict[str, Any]:
    """The contents of the file ``name``.

    Raises:
        UserError: it cannot be read; ``place`` (which names the file) begins the message.
    """
    try:
        values = json.loads(Path(name).read_bytes())
    except (OSError, ValueError) as error:
        raise UserError(f"{place}: deepspeed_config_file: {name}: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict):
        raise UserError(f"{place}: deepspeed_config_file: {name}: an object was expected, not {reprlib.repr(values)}")
    return values


def deepspeed_faults(config: Mapping[str, Any], recipe: Recipe, accumulation: int | None) -> list[str]:
    """Where DeepSpeed's own file would have another run than ``recipe``."""
    faults = []
    wanted: dict[str, tuple[Any, ...]] = {"gradient_clipping": ("auto", recipe.max_grad_norm)}
    if accumulation is not None:
        wanted["gradient_accumulation_steps"] = ("auto", accumulation)
    for key, values in wanted.items():
        if config.get(key) not in values:
            faults.append(f'{key}: {config.get(key, "absent")}; set it to "auto": the recipe says {values[1]}')
    is_bfloat16 = recipe.model.dtype == "bfloat16"
    for key, value in (("bf16", is_bfloat16), ("fp16", False)):
        enabled = block(config, key).get("enabled", False)
        if enabled not in ("auto", value):
            faults.append(f"{key}.enabled: {enabled}, but model.dtype of the recipe is {recipe.model.dtype}")
    for key in ("train_batch_size", "train_micro_batch_size_per_gpu"):
        if config.get(key, "auto") != "auto":
            faults.append(f'{key}: {config[key]}; set it to "auto": the recipe has its own')
    for place, key in ((config, "communication_data_type"), (block(config, "data_types"), "grad_accum_dtype")):
        if place.get(key, "fp32") != "fp32":
            faults.append(f"{key}: {place[key]}; gradients are summed in float32: remove it")
    faults += [f"{key}: remove it: it would change what the recipe says" for key in sorted(config.keys() - _KNOWN)]
    zero = block(config, "zero_optimization")
    if zero.get("stage") == 3 and zero.get(_GATHERED) is not True:
        faults.append(f"zero_optimization.{_GATHERED}: set it to true, or the run ends without weights")
    return faults


def block(config: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The block ``key`` of ``config``; empty where there is none."""
    value = config.get(key)
    return value if isinstance(value, dict) else {}
