"""How fast the trainer is with small models from random weights on short sequences, by batch, packing and arithmetic.

    OMP_NUM_THREADS=1 python -m benchmarks.small_model_speed [HIDDEN LAYERS]

A row for each setting: tokens per second of processor time (without padding), over 960 booth problems with traces.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

from benchmarks.loop_time import loop_seconds
from srt.pipeline.build import build_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from train.models.init_model import init_model, sequence_texts
from train.recipe_reader import make_recipe
from train.train_srt import train

ITEMS = 960
BOOTHS = {"scenes": ["booth"], "direct_questions": True, "names": 6, "variety": 1}
SETTINGS: dict[str, dict[str, Any]] = {
    "padded, eager": {},
    "padded, micro-batches of 8": {"micro_batch": 8},
    "packed": {"pack": 2048, "model": {"attn": "segments"}},
    "padded, eager, bfloat16": {"model": {"dtype": "bfloat16"}},
    "packed, bfloat16": {"pack": 2048, "model": {"attn": "segments", "dtype": "bfloat16"}},
}


def main(hidden: int, layers: int) -> None:
    """Print the table for a llama of this shape."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder, loop_seconds() as seconds:
        root = Path(folder)
        problems, traces, data = root / "p.jsonl", root / "t.jsonl", root / "srt"
        generate_file("seating", ITEMS, "train", problems, BOOTHS)
        solve_file(problems, traces)
        build_file(traces, problems, "srt", data, prompt="bare", text="anchored")
        shape = {"hidden": hidden, "layers": layers, "heads": 4, "vocab": 1024}
        size = init_model("llama", sequence_texts([data]), root / "init", pieces="placements", **shape)
        print(f"{size:,} parameters\n\n| | batch 8 | batch 16 | batch 32 |\n|---|---|---|---|")
        for name, setting in SETTINGS.items():
            cells = []
            for batch in (8, 16, 32):
                recipe = {
                    "data": str(data / "sequences.jsonl"),
                    "output": str(root / f"{name} {batch}"),
                    "steps": ITEMS // batch,
                    "batch_size": batch,
                    "learning_rate": 1e-3,
                    "max_length": 256,
                    "threads": 1,
                    **setting,
                    "model": {"attn": "eager", **setting.get("model", {}), "path": str(root / "init")},
                }
                done = train(make_recipe(recipe, name))
                cells.append(f"{done.tokens / seconds[-1]:,.0f}")
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:] or ("128", "4")))
