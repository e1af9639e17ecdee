"""Which sequences are computed together: the same problems in the same optimizer steps for every arm.

A step sees ``batch_size`` sequences whatever the number of processes, the micro-batch, or the packing: these decide how
the sum over a step is cut into pieces, and not what is summed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from train.examples import Example
from train.packing import pack_steps
from train.recipe import Recipe


class BatchPlan(NamedTuple):
    """The micro-batches of a run, as indices into its examples, in the order in which a loader hands them out.

    A micro-batch is sequences side by side, or those of one packed row. Micro-batch ``k`` goes to process
    ``k % processes``, and ``accumulation`` of them on each process are one optimizer step: step ``s`` has the
    micro-batches ``s * processes * accumulation`` up to those of step ``s + 1``.
    """

    micro_batches: list[list[int]]
    accumulation: int
    processes: int

    def of_step(self, step: int) -> list[list[int]]:
        """The micro-batches of optimizer step ``step`` (the first is 0), over all processes."""
        size = self.accumulation * self.processes
        return self.micro_batches[step * size : (step + 1) * size]


def plan_batches(recipe: Recipe, examples: list[Example], steps: int, processes: int) -> BatchPlan:
    """The micro-batches of ``steps`` optimizer steps: rows of at most ``recipe.pack`` tokens, or ``micro_batch`` each.

    Raises:
        UserError: ``batch_size`` is no multiple of ``micro_batch`` times ``processes``, or its sequences cannot be
            packed (:func:`~train.packing.pack_steps`).
    """
    order = data_order(examples, recipe.seed, recipe.batch_size, steps)
    if recipe.pack is not None:
        by_step = [order[at : at + recipe.batch_size] for at in range(0, len(order), recipe.batch_size)]
        rows = pack_steps(by_step, [len(example.input_ids) for example in examples], recipe.pack, processes)
        return BatchPlan(
            micro_batches=[row for step in rows for row in step],
            accumulation=len(rows[0]) // processes,
            processes=processes,
        )
    micro = recipe.micro_batch_for(processes)
    return BatchPlan(
        micro_batches=[order[at : at + micro] for at in range(0, len(order), micro)],
        accumulation=recipe.batch_size // (micro * processes),
        processes=processes,
    )


def data_order(examples: list[Example], seed: int, batch_size: int, steps: int) -> list[int]:
    """Which example stands where: ``batch_size * steps`` indices into ``examples``.

    Each time through the data is shuffled by a hash of (seed, round, problem, how many of that problem came before), so
    that arms with the same problems see the same problems in the same batches, however their files are sorted. Within a
    batch the longest come first: the sum over a batch is the same in any order, and micro-batches of one length waste
    the least padding.
    """
    keys: list[str] = []
    copies: dict[str, int] = {}
    for example in examples:
        copy = copies[example.problem_id] = copies.get(example.problem_id, 0) + 1
        keys.append(f"{copy}/{example.problem_id}")
    stream = _rounds(keys, seed)
    order: list[int] = []
    for _ in range(steps):
        batch = [next(stream) for _ in range(batch_size)]
        order += sorted(batch, key=lambda index: (-len(examples[index].input_ids), keys[index]))
    return order


def _rounds(keys: list[str], seed: int) -> Iterator[int]:
    number = 0
    while True:
        hashes = [hashlib.blake2b(f"{seed}/{number}/{key}".encode(), digest_size=16).digest() for key in keys]
        yield from sorted(range(len(keys)), key=hashes.__getitem__)
        number += 1
