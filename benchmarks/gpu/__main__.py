"""``python -m benchmarks.gpu``: look at what is installed, then measure (:mod:`benchmarks.gpu.benchmark`)."""

from __future__ import annotations

import importlib.util
import os
import sys

# By the name that is imported. A machine for GPUs often has torch and little else.
_NEEDED = {
    "torch": "torch",
    "torchvision": "torchvision",
    "transformers": "transformers",
    "trl": "trl",
    "peft": "peft",
    "accelerate": "accelerate",
    "datasets": "datasets",
    "tokenizers": "tokenizers",
    "safetensors": "safetensors",
    "pydantic": "pydantic",
    "orjson": "orjson",
    "yaml": "pyyaml",
    "PIL": "pillow",
    "numpy": "numpy",
    "psutil": "psutil",
    "rich": "rich",
    "jinja2": "jinja2",
}


def main() -> int:
    missing = [package for name, package in _NEEDED.items() if importlib.util.find_spec(name) is None]
    if missing:
        print(f"error: not installed: {', '.join(missing)}; bash benchmarks/gpu/run.sh installs them", file=sys.stderr)
        return 2
    # Nothing is fetched and nothing is sent: TRL reports each run to its makers if it can.
    os.environ.update(HF_HUB_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", TRANSFORMERS_VERBOSITY="error")
    os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    # Sequences of other lengths in each step leave holes that plain blocks do not fit in.
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from benchmarks.gpu.benchmark import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
