"""Which sequences are computed together: the same problems in the same optimizer steps for every arm.

A step has ``batch_size`` sequences whatever the number of processes, the micro-batch, or the packing: these only
determine how the sum over a step is split.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator
from typing import NamedTuple

from srt.io.errors import UserError
from train.data.examples import Example
from train.data.packing import pack_steps
from train.recipe import Recipe


class BatchPlan(NamedTuple):
    """The micro-batches of a run, as indices into its examples, in the order in which a loader hands them out.

    A micro-batch is sequences side by side, or those of one packed row. Micro-batch ``k`` goes to process
    ``k % processes``, and ``accumulation`` of them on each process make an optimizer step: step ``s`` begins with
    micro-batch ``s * processes * accumulation``.
    """

    micro_batches: list[list[int]]
    accumulation: int
    processes: int

    @property
    def steps(self) -> int:
        """The number of optimizer steps."""
        return len(self.micro_batches) // (self.accumulation * self.processes)

    def of_step(self, step: int) -> list[list[int]]:
        """The micro-batches of optimizer step ``step`` (the first is 0), over all processes."""
        size = self.accumulation * self.processes
        return self.micro_batches[step * size : (step + 1) * size]


def plan_batches(recipe: Recipe, examples: list[Example], processes: int) -> BatchPlan:
    """The micro-batches of a run: rows of at most ``recipe.pack`` tokens, or ``micro_batch`` sequences each.

    Raises:
        UserError: ``batch_size`` is no multiple of ``micro_batch`` times ``processes``, or its sequences cannot be
            packed (:func:`~train.data.packing.pack_steps`).
    """
    steps = recipe.steps or math.ceil((recipe.epochs or 0) * len(examples) / recipe.batch_size)
    order = data_order(examples, recipe.seed, recipe.batch_size, steps)
    if recipe.pack is not None:
        by_step = [order[at : at + recipe.batch_size] for at in range(0, len(order), recipe.batch_size)]
        rows = pack_steps(by_step, [len(example.input_ids) for example in examples], recipe.pack, processes)
        return BatchPlan(
            micro_batches=[row for step in rows for row in step],
            accumulation=len(rows[0]) // processes,
            processes=processes,
        )
    micro = recipe.micro_batch or max(recipe.batch_size // processes, 1)
    if recipe.batch_size % (micro * processes):
        raise UserError(
            f"batch_size: {recipe.batch_size} is not a multiple of micro_batch x processes = {micro} x {processes}"
        )
    return BatchPlan(
        micro_batches=[order[at : at + micro] for at in range(0, len(order), micro)],
        accumulation=recipe.batch_size // (micro * processes),
        processes=processes,
    )


def data_order(examples: list[Example], seed: int, batch_size: int, steps: int) -> list[int]:
    """The order of training: ``batch_size * steps`` indices into ``examples``.

    Each epoch is shuffled by a hash of (seed, epoch, problem, number among the examples of that problem), so that arms
    with the same problems have the same problems in the same batches, however their files are sorted. Within a batch
    the longest come first: the sum over a batch is the same in any order, and micro-batches of similar lengths need the
    least padding.
    """
    keys: list[str] = []
    copies: dict[str, int] = {}
    for example in examples:
        copy = copies[example.problem_id] = copies.get(example.problem_id, 0) + 1
        keys.append(f"{copy}/{example.problem_id}")
    stream = _epochs(keys, seed)
    order: list[int] = []
    for _ in range(steps):
        batch = [next(stream) for _ in range(batch_size)]
        order += sorted(batch, key=lambda index: (-len(examples[index].input_ids), keys[index]))
    return order


def _epochs(keys: list[str], seed: int) -> Iterator[int]:
    for epoch in itertools.count():
        hashes = [hashlib.blake2b(f"{seed}/{epoch}/{key}".encode(), digest_size=16).digest() for key in keys]
        yield from sorted(range(len(keys)), key=hashes.__getitem__)
