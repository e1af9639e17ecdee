"""A step of Muon for all matrices of one shape together, against ``torch.optim.Muon``: operations and time.

    OMP_NUM_THREADS=1 python -m research.training.muon_by_shape

A row for the matrices of a llama of each shape, on a GPU if there is one. Views are not counted as operations; both
take the same gradients in turn, and the values are compared.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import torch
from torch import nn
from torch.optim import Muon
from torch.utils._python_dispatch import TorchDispatchMode

from train.loop.muon import MuonByShape

SHAPES = [(128, 3), (512, 6)]
ROUNDS = 5


class CountedOperations(TorchDispatchMode):
    """Counts the operations within it that start a computation."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += not (func.is_view or func.namespace == "profiler")
        return func(*args, **(kwargs or {}))


def matrices(hidden: int, layers: int, device: str) -> list[nn.Parameter]:
    """Those of the layers of a llama, with gradients."""
    of_layer = [(hidden, hidden)] * 4 + [(4 * hidden, hidden)] * 2 + [(hidden, 4 * hidden)]
    made = [nn.Parameter(torch.randn(shape, device=device)) for _ in range(layers) for shape in of_layer]
    for matrix in made:
        matrix.grad = torch.randn_like(matrix)
    return made


def milliseconds(step: Callable[[], Any], device: str) -> float:
    """How long ``step`` takes."""
    start = time.perf_counter()
    step()
    if device == "cuda":
        torch.cuda.synchronize()
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    """Print the table."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(f"{device}, {torch.get_num_threads()} threads\n")
    print("| width, layers | operations | ms | time, ratio | values, at most apart |\n|---|---|---|---|---|")
    for hidden, layers in SHAPES:
        theirs = matrices(hidden, layers, device)
        ours = deepcopy(theirs)
        for one, other in zip(ours, theirs, strict=True):
            one.grad = None if other.grad is None else other.grad.clone()
        optimizers: list[Any] = [Muon(theirs, lr=0.01), MuonByShape(ours, lr=0.01)]
        for optimizer in optimizers:
            optimizer.step()
        counts = []
        for optimizer in optimizers:
            with CountedOperations() as counted:
                optimizer.step()
            counts.append(counted.count)
        times = [[milliseconds(optimizer.step, device) for optimizer in optimizers] for _ in range(ROUNDS)]
        before, after = (statistics.median(column) for column in zip(*times, strict=True))
        apart = max(float((a - b).detach().abs().max()) for a, b in zip(ours, theirs, strict=True))
        cells = [
            f"{hidden}, {layers}",
            " to ".join(map(str, counts)),
            f"{before:.1f} to {after:.1f}",
            f"{after / before:.2f}",
            f"{apart:.1g}",
        ]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
