"""Whether this machine has the GPUs that a launch file wants, asked before any process starts.

Eight processes on a machine without a GPU fail late, and each with a traceback. PyTorch is imported only where GPUs
are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from srt.io.errors import UserError
from srt.io.yaml_config import read_yaml


def require_gpus(launch_file: Path, options: Sequence[str] = ()) -> None:
    """Check the accelerate file against this machine; ``options`` of ``accelerate launch`` win over it.

    Raises:
        UserError: it starts several processes here on GPUs, and there are fewer; or it cannot be read.
    """
    if (here := processes_here(launch_file, options)) < 2:
        return
    if (gpus := count_gpus()) < here:
        has = "none" if gpus == 0 else f"{gpus}"
        instead = f"add -- --num_processes {gpus}, or " if gpus > 1 else ""
        without = "configs/one_gpu.yaml" if gpus == 1 else "no --accelerate (one process), or configs/cpu_ddp.yaml"
        raise UserError(
            f"{launch_file}: starts {here} processes on this machine, one for each GPU, but it has {has}; "
            f"{instead}use {'another launch file' if instead else without}"
        )


def processes_here(launch_file: Path, options: Sequence[str] = ()) -> int:
    """How many processes the accelerate file starts on this machine, each with a GPU of its own; 0: without GPUs.

    Raises:
        UserError: it cannot be read.
    """
    values = read_yaml(launch_file)
    for name in ("num_processes", "num_machines"):
        if (value := launch_option(options, name)) is not None:
            values[name] = value
    if str(values.get("use_cpu")).lower() == "true" or {"--cpu", "--use_cpu", "--use-cpu"} & {*options}:
        return 0
    try:
        processes, machines = (int(values.get(name) or 1) for name in ("num_processes", "num_machines"))
    except (TypeError, ValueError):
        return 1  # accelerate says what is wrong with them
    return -(-processes // max(machines, 1))


def count_gpus() -> int:
    """How many GPUs this process sees."""
    import torch

    return torch.cuda.device_count()


def named_gpus() -> list[str]:
    """The GPUs of this machine, each with its memory, after the version of CUDA that PyTorch was built with."""
    import torch

    devices = [torch.cuda.get_device_properties(number) for number in range(torch.cuda.device_count())]
    return [
        *([f"CUDA {torch.version.cuda}"] if devices else []),
        *(f"{device.name}, {device.total_memory / 1e9:.0f} GB" for device in devices),
    ]


def launch_option(options: Sequence[str], name: str) -> str | None:
    """The value of the option ``name`` (``num_processes``) of ``accelerate launch``, if it is given."""
    found = None
    for at, option in enumerate(options):
        flag, _, value = option.partition("=")
        if flag.replace("-", "_") == f"__{name}":
            found = value or next(iter(options[at + 1 :]), "")
    return found
