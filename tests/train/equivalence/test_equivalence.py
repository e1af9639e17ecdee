"""Runs that must give the same losses, through the real command, with tiny models on a CPU.

However a step is cut into pieces (accumulation, packing, processes, sharding) and wherever it is broken off, the same
sum is computed. Each run is compared with the run of its group that takes a whole step at once in one process, and
TRL's own trainer (`plain_trl.py`, which shares no code with ours) against it too. The whole table is slow; a spread of
it, in this process where one is enough, runs with the quick tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from cells import (
    FAMILIES,
    FAMILY_WAYS,
    NOT_BY_FSDP2,
    PICTURES,
    STEPS,
    TABLE,
    TEXT,
    TRAINED_BY_TRL,
    UNTIED_PICTURES,
    WAYS,
    WHOLE,
    Cell,
)
from launches import GRADIENTS, Ended, recipe_of, run_plain_trl, weights
from safetensors.torch import load_file

Base = Callable[[str, str], dict[str, Any]]
Runner = Callable[..., Ended]
SPREAD = [
    Cell(TEXT, "full", "1 x 8"),
    Cell(TEXT, "weighted", "packed"),
    Cell(TEXT, "qlora", "packed"),
    Cell(TEXT, "lora", "DDP"),
    Cell(PICTURES, "lora", "1 x 8"),
    Cell(PICTURES, "full", "packed"),
    Cell(UNTIED_PICTURES, "full", "FSDP2"),
]


def is_rounded(cell: Cell) -> bool:
    """Whether two runs round to bfloat16 in different places: a micro-batch of another size is enough."""
    same_arithmetic = cell.reference != WHOLE or WAYS[cell.way].killed_after is not None
    return cell.method.endswith("bfloat16") and not same_arithmetic


def check(cell: Cell, ended: Ended, reference: Ended, start: str) -> None:
    if "FSDP2" in cell.way and "resumed" not in cell.way and not is_rounded(cell):
        assert_same_gradients(ended, reference)
    assert_same_losses(ended, reference, is_rounded(cell))
    if not is_rounded(cell):  # where rounding decides a sign, Adam makes a whole step of it
        assert_same_end(ended, reference, start)
    if "lora" not in cell.method and cell.method not in ("dora", "parts"):
        assert_dtype_of(ended.folder, start)


def assert_same_losses(run: Ended, reference: Ended, rounded: bool = False) -> None:
    """Equal to 1e-4; where the arithmetic is in bfloat16, whose steps are of 4e-3, to 2e-3."""
    assert len(reference.losses) == STEPS
    for (step, loss), (same_step, wanted) in zip(run.losses, reference.losses, strict=True):
        assert step == same_step
        assert loss == pytest.approx(wanted, rel=2e-3 if rounded else 1e-4), f"step {step}"
    assert len(run.norms) == STEPS
    assert run.norms == pytest.approx(reference.norms, rel=2e-2 if rounded else 1e-3)
    assert reference.losses[-1][1] < reference.losses[0][1] - 0.03, "nothing was learned, so nothing was compared"


def assert_same_end(run: Ended, reference: Ended, start: str) -> None:
    """The ends of two runs lie 1% of the way apart at most: Adam turns rounding into steps where gradients are tiny."""
    one, other = weights(run.folder), weights(reference.folder)
    adapted = [key for key in other if "lora_B" in key]  # they begin at zero
    before = {key: torch.zeros_like(other[key]) for key in adapted} or weights(Path(start))
    assert set(before) <= set(one)
    apart = sum(float((one[key].float() - other[key].float()).square().sum()) for key in before)
    moved = sum(float((other[key].float() - before[key].float()).square().sum()) for key in before)
    assert moved > 0
    assert (apart / moved) ** 0.5 < 0.01


def assert_same_gradients(run: Ended, reference: Ended) -> None:
    """Every tensor of the first step's gradient: a norm over all of them hides what is wrong with one."""
    one, other = (load_file(ended.folder.parent / GRADIENTS) for ended in (run, reference))
    assert one.keys() == other.keys()
    whole = sum(float(gradient.square().sum()) for gradient in other.values()) ** 0.5
    apart = {
        # Relative to the tensor, unless it is so small that it consists of rounding.
        name: float((one[name] - gradient).norm()) / max(float(gradient.norm()), 1e-4 * whole)
        for name, gradient in other.items()
    }
    assert not {name: error for name, error in apart.items() if not error < 1e-4}


def assert_dtype_of(folder: Path, base: str) -> None:
    """A whole model has the dtype of its base, by its tensors and by its config."""
    wanted = json.loads(Path(base, "config.json").read_text())["dtype"]
    assert {str(tensor.dtype).removeprefix("torch.") for tensor in weights(folder).values()} == {wanted}
    config = json.loads((folder / "config.json").read_text())
    stated = {one["dtype"] for one in (config, *config.values()) if isinstance(one, dict) and "dtype" in one}
    assert stated == {wanted}


def group(content: str, method: str) -> Any:
    """Under pytest-xdist (`--dist loadgroup`), runs that are compared with one another stay in one process."""
    return pytest.mark.xdist_group(f"{content}-{method}")


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(cell, id=cell.name, marks=pytest.mark.long if cell.way in ("DDP", "FSDP2") else ())
        for cell in SPREAD
    ],
)
def test_a_spread_of_the_table(cell: Cell, run: Runner, base: Base) -> None:
    """What one process does is done in this one, to save the time in which libraries are imported."""
    in_parts = "FSDP2" in cell.way  # its gradients are compared, which the script writes
    reference = run(cell.content, cell.method, WHOLE, here=not in_parts)
    ended = run(cell.content, cell.method, cell.way, here=WAYS[cell.way].config == "cpu")
    check(cell, ended, reference, base(cell.content, cell.method)["model"]["path"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell", [pytest.param(cell, id=cell.name, marks=group(cell.content, cell.method)) for cell in TABLE]
)
def test_same_losses_and_weights(cell: Cell, run: Runner, base: Base) -> None:
    reference = run(cell.content, cell.method, cell.reference)
    ended = run(cell.content, cell.method, cell.way)
    check(cell, ended, reference, base(cell.content, cell.method)["model"]["path"])


@pytest.mark.slow
@pytest.mark.parametrize("family", [pytest.param(name, marks=group(name, method)) for name, method in FAMILIES.items()])
def test_a_family_is_the_same_packed_padded_and_sharded(family: str, run: Runner, base: Base) -> None:
    """The cell that admits a family: losses to 1e-6, and every tensor of the first gradient to 1e-4."""
    method = FAMILIES[family]
    reference = run(family, method, WHOLE)
    for way in FAMILY_WAYS:
        if family in NOT_BY_FSDP2 and "FSDP2" in way:
            continue
        here = WAYS[way].config == "cpu"
        ended = run(family, method, way, here=here)
        for (step, loss), (_, wanted) in zip(ended.losses, reference.losses, strict=True):
            assert loss == pytest.approx(wanted, rel=1e-6), f"{way}: step {step}"
        if not here:  # the script writes them
            assert_same_gradients(ended, reference)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["one by one, ZeRO-2", "one by one, ZeRO-3"])
def test_zero_adds_up_gradients_in_float32(way: str, run: Runner) -> None:
    """In bfloat16, DeepSpeed's default, the sum is off by 2.4%; what is left is the rounding of the arithmetic."""
    one, other = (
        load_file(run(TEXT, "full in bfloat16", each).folder.parent / GRADIENTS) for each in (way, "one by one, DDP")
    )
    assert one.keys() == other.keys()
    apart = sum(float((one[name].float() - other[name].float()).square().sum()) for name in other) ** 0.5
    assert apart < 0.005 * sum(float(gradient.float().square().sum()) for gradient in other.values()) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "method"),
    [
        pytest.param(content, method, id=f"{content}-{method}", marks=group(content, method))
        for content, method in TRAINED_BY_TRL
    ],
)
def test_weights_of_one_give_the_losses_of_trl(
    content: str, method: str, run: Runner, base: Base, tmp_path: Path
) -> None:
    recipe = recipe_of(base(content, method), method, {}, tmp_path / "unused")
    assert_same_losses(run(content, method, WHOLE), run_plain_trl(recipe, method, tmp_path))
