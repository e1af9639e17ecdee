"""Which sequences are computed together: the same problems in the same optimizer steps for every arm.

A step has ``batch_size`` sequences whatever the number of processes, the micro-batch, or the packing: these only
determine how the sum over a step is split.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from srt.io.errors import UserError
from train.data.packing import pack_steps
from train.data.token_table import TokenizedExamples
from train.recipe import MixedFile, Recipe

Indices = npt.NDArray[np.int64]

_HASHED = 1 << 16  # problems whose hashes are made at a time


@dataclass(frozen=True)
class MicroBatches(Sequence[list[int]]):
    """Lists of indices of examples, in two arrays: micro-batch ``k`` is ``members[bounds[k] : bounds[k + 1]]``."""

    members: Indices
    bounds: Indices

    @classmethod
    def of(cls, lists: Iterable[Sequence[int]]) -> MicroBatches:
        """The micro-batches in ``lists``."""
        lists = list(lists)
        members = np.array([index for members in lists for index in members], dtype=np.int64)
        return cls(members, np.cumsum([0, *map(len, lists)]))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @overload
    def __getitem__(self, index: int) -> list[int]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[int]]: ...
    def __getitem__(self, index: int | slice) -> list[int] | list[list[int]]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = range(len(self))[index]
        members: list[int] = self.members[self.bounds[at] : self.bounds[at + 1]].tolist()
        return members

    def to_arrow(self) -> pa.Array:
        """The same as an Arrow array of lists."""
        return pa.LargeListArray.from_arrays(self.bounds, self.members)

    def sums(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """For each micro-batch, the sum over its examples of ``values`` (one for each example)."""
        # reduceat takes no bound at the end of the array, hence one more value, and gives the value at its bound for an
        # empty micro-batch, hence the mask.
        summed: npt.NDArray[Any] = np.add.reduceat(np.append(values[self.members], 0), self.bounds[:-1])
        return np.where(np.diff(self.bounds) > 0, summed, 0)

    def largest(self, values: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """For each micro-batch, the largest of the ``values`` of its examples; 0 if it has none."""
        filled = np.flatnonzero(np.diff(self.bounds))
        most = np.zeros(len(self), dtype=values.dtype)
        if len(filled):
            most[filled] = np.maximum.reduceat(values[self.members], self.bounds[filled])
        return most


class BatchPlan(NamedTuple):
    """The micro-batches of a run, as indices into its examples, in the order in which a loader hands them out.

    A micro-batch is sequences side by side, or those of one packed row. Micro-batch ``k`` goes to process
    ``k % processes``, and ``accumulation`` of them on each process make an optimizer step: step ``s`` begins with
    micro-batch ``s * processes * accumulation``.
    """

    micro_batches: MicroBatches
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


def plan_batches(recipe: Recipe, examples: TokenizedExamples, processes: int) -> BatchPlan:
    """The micro-batches of a run: rows of at most ``recipe.pack`` tokens, or ``micro_batch`` sequences each.

    Raises:
        UserError: ``batch_size`` is no multiple of ``micro_batch`` times ``processes``, or its sequences cannot be
            packed (:func:`~train.data.packing.pack_steps`).
    """
    if recipe.pack is not None:
        order = _order(recipe, examples)
        members, sizes = pack_steps(order, examples.lengths, recipe.pack, processes)
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        return BatchPlan(MicroBatches(members.ravel(), bounds), sizes.shape[1] // processes, processes)
    micro = recipe.micro_batch or max(recipe.batch_size // processes, 1)
    if recipe.batch_size % (micro * processes):
        raise UserError(
            f"batch_size: {recipe.batch_size} is not a multiple of micro_batch x processes = {micro} x {processes}"
        )
    order = _order(recipe, examples)
    bounds = np.arange(0, order.size + 1, micro)
    return BatchPlan(MicroBatches(order.ravel(), bounds), recipe.batch_size // (micro * processes), processes)


def _order(recipe: Recipe, examples: TokenizedExamples) -> Indices:
    """The order of training, stage by stage: indices into ``examples`` of shape [steps, batch_size]."""
    if recipe.mix is not None:
        return _mixed_order(recipe, recipe.mix, recipe.steps or 0, examples)
    if recipe.stages is None:
        steps = recipe.steps or math.ceil((recipe.epochs or 0) * len(examples) / recipe.batch_size)
        return data_order(examples, recipe.seed, recipe.batch_size, steps)
    first = np.cumsum([0, *examples.sizes])
    return np.concatenate(
        [
            first[at] + data_order(part, recipe.seed, recipe.batch_size, stage.items // recipe.batch_size)
            for at, (stage, part) in enumerate(zip(recipe.stages, examples.by_part(), strict=True))
        ]
    )


def _mixed_order(recipe: Recipe, files: Sequence[MixedFile], steps: int, examples: TokenizedExamples) -> Indices:
    """The order of a mix of ``files``: each in its own order, and in any first n places as much of it as its share.

    The next place is that of the file that is furthest behind (stride scheduling, Waldspurger and Weihl, 1995): the
    k-th sequence of a file with share w is due at (k - 1/2) / w. Nothing is drawn, so a longer run begins as a shorter.
    """
    places = steps * recipe.batch_size
    whole = sum(file.weight for file in files)
    counts = [min(places, math.ceil(places * file.weight / whole) + 1) for file in files]
    due = np.concatenate([(np.arange(n) + 0.5) * (whole / file.weight) for file, n in zip(files, counts, strict=True)])
    first = np.cumsum([0, *examples.sizes])
    of_files = [
        start + _stream(_keys(part.column["problem_id"]), recipe.seed, count)
        for start, part, count in zip(first, examples.by_part(), counts, strict=False)
    ]
    order = np.concatenate(of_files)[np.argsort(due, kind="stable")[:places]]
    return _longest_first(order.reshape(steps, recipe.batch_size), examples, _keys(examples.column["problem_id"]))


def part_lines(recipe: Recipe, examples: TokenizedExamples) -> list[str]:
    """A line for each stage of a curriculum, or file of a mix: how often the run goes through its data."""
    lines, step = [], 0
    for file, sequences in zip(recipe.mix or (), examples.sizes, strict=False):
        items = (recipe.steps or 0) * recipe.batch_size * file.weight / sum(each.weight for each in recipe.mix or ())
        lines.append(
            f"{file.data}: {items:,.0f} items, {items / sequences:.2f} times through its {sequences:,} sequences"
        )
    for stage, sequences in zip(recipe.stages or (), examples.sizes, strict=False):
        last = step + stage.items // recipe.batch_size
        lines.append(
            f"{stage.name}: steps {step + 1:,} to {last:,}, {stage.items:,} items, "
            f"{stage.items / sequences:.2f} times through its {sequences:,} sequences"
        )
        step = last
    return lines


def data_order(examples: TokenizedExamples, seed: int, batch_size: int, steps: int) -> Indices:
    """The order of training: indices into ``examples`` of shape [steps, batch_size].

    Each epoch is shuffled by a hash of (seed, epoch, problem, number among the examples of that problem), so that arms
    with the same problems have the same problems in the same batches, however their files are sorted. Within a batch
    the longest come first: the sum over a batch is the same in any order, and micro-batches of similar lengths need the
    least padding.
    """
    keys = _keys(examples.column["problem_id"])
    return _longest_first(_stream(keys, seed, steps * batch_size).reshape(steps, batch_size), examples, keys)


def _stream(keys: pa.LargeStringArray, seed: int, count: int) -> Indices:
    """The first ``count`` examples, by their ``keys``, of epoch after epoch."""
    order = np.empty(count, dtype=np.int64)
    for epoch, start in enumerate(range(0, count, len(keys))):
        part = order[start : start + len(keys)]
        part[:] = _shuffled(keys, f"{seed}/{epoch}/")[: len(part)]
    return order


def _longest_first(batches: Indices, examples: TokenizedExamples, keys: pa.LargeStringArray) -> Indices:
    """Each of ``batches``, [steps, batch_size], with its longest examples first."""
    by_key = np.empty(len(keys), dtype=np.int64)
    by_key[pc.sort_indices(keys).to_numpy()] = np.arange(len(keys))
    # Two sort keys in one integer: the length, longest first, and for equal lengths the order of the names.
    shorter = examples.lengths.max() - examples.lengths.astype(np.int64)
    within = np.argsort((shorter * len(keys) + by_key)[batches], axis=1, kind="stable")
    return np.take_along_axis(batches, within, axis=1)


def _keys(problem_ids: pa.ChunkedArray) -> pa.LargeStringArray:
    """``NUMBER/PROBLEM`` of each example: its number among the examples of its problem, from 1."""
    # Large strings, whose offsets have 64 bits: all names together may have more than 2 GiB.
    problems = pa.chunked_array(problem_ids.chunks, pa.string()).cast(pa.large_string()).combine_chunks()
    codes = problems.dictionary_encode().indices.to_numpy()
    # Sorted by problem, an example's number is its distance from the first of its problem.
    by_problem = np.argsort(codes, kind="stable")
    first = np.flatnonzero(np.diff(codes[by_problem], prepend=-1))
    numbers = np.empty(len(codes), dtype=np.int64)
    numbers[by_problem] = np.arange(1, len(codes) + 1) - np.repeat(first, np.diff(first, append=len(codes)))
    return pc.binary_join_element_wise(
        pa.array(numbers).cast(pa.large_string()), problems, pa.scalar("/", pa.large_string())
    )


def _shuffled(keys: pa.LargeStringArray, prefix: str) -> Indices:
    """The indices of ``keys``, sorted by the BLAKE2b hash of the prefix with each key."""
    digests = bytearray()
    for start in range(0, len(keys), _HASHED):
        for key in keys[start : start + _HASHED].to_pylist():
            digests += hashlib.blake2b(f"{prefix}{key}".encode(), digest_size=16).digest()
    # A digest as two numbers, the first of which counts more; lexsort takes the most important key last.
    hashes = np.frombuffer(digests, dtype=">u8").astype(np.uint64).reshape(-1, 2)
    return np.lexsort((hashes[:, 1], hashes[:, 0]))
