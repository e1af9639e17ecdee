from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.io.errors import UserError
from train.data.batches import plan_batches
from train.data.examples import Example
from train.data.packing import pack_steps
from train.recipe import Recipe

runs = st.integers(1, 12).flatmap(
    lambda batch: st.tuples(
        st.lists(st.lists(st.integers(1, 50), min_size=batch, max_size=batch), min_size=1, max_size=6),
        st.integers(50, 200),
        st.integers(1, 4),
    )
)


def steps_of(lengths: list[list[int]]) -> tuple[list[list[int]], list[int]]:
    """Indices by step, and lengths by index."""
    flat = [length for step in lengths for length in step]
    indices = iter(range(len(flat)))
    return [[next(indices) for _ in step] for step in lengths], flat


@given(runs)
def test_every_step_keeps_its_sequences_and_the_capacity(run: tuple[list[list[int]], int, int]) -> None:
    by_step, capacity, processes = run
    steps, lengths = steps_of(by_step)
    try:
        packed = pack_steps(steps, lengths, capacity, processes)
    except UserError:
        return
    assert [sorted(index for row in rows for index in row) for rows in packed] == steps
    assert len({len(rows) for rows in packed}) == 1
    assert len(packed[0]) % processes == 0
    loads = [[sum(lengths[index] for index in row) for row in rows] for rows in packed]
    for step, row_loads in zip(steps, loads, strict=True):
        assert max(row_loads) <= capacity
        assert min(row_loads) > 0  # no process is left without a row
        assert row_loads == sorted(row_loads, reverse=True)
        # Longest first: what the fullest row has over the emptiest is at most one sequence.
        assert max(row_loads) - min(row_loads) <= max(lengths[index] for index in step)


def fullest(lengths: list[int], rows: int) -> int:
    """The fullest of ``rows`` rows, longest first, by the plainest code there is."""
    loads = [0] * rows
    for length in sorted(lengths, reverse=True):
        loads[loads.index(min(loads))] += length
    return max(loads)


@given(runs)
def test_fewer_rows_would_not_do(run: tuple[list[list[int]], int, int]) -> None:
    by_step, capacity, processes = run
    steps, lengths = steps_of(by_step)
    try:
        rows = len(pack_steps(steps, lengths, capacity, processes)[0])
    except UserError:
        rows = len(steps[0]) // processes * processes + processes
    for fewer in range(processes, rows, processes):
        assert any(fullest(step, fewer) > capacity for step in by_step)


@given(runs)
def test_one_process_sees_what_several_see(run: tuple[list[list[int]], int, int]) -> None:
    by_step, capacity, processes = run
    steps, lengths = steps_of(by_step)
    try:
        several = pack_steps(steps, lengths, capacity, processes)
    except UserError:
        return
    alone = pack_steps(steps, lengths, capacity, 1)
    assert len(alone[0]) <= len(several[0])
    for one, many in zip(alone, several, strict=True):
        assert sorted(chain(*one)) == sorted(chain(*many))


def test_the_fewest_rows_are_taken_for_the_whole_run() -> None:
    lengths = [4, 4, 4, 4, 1, 1, 1, 1]
    packed = pack_steps([[0, 1, 2, 3], [4, 5, 6, 7]], lengths, capacity=8, processes=1)
    assert packed == [[[0, 2], [1, 3]], [[4, 6], [5, 7]]]


def test_the_fullest_row_of_a_step_comes_first() -> None:
    assert pack_steps([[0, 1, 2]], [9, 6, 5], capacity=11, processes=2) == [[[1, 2], [0]]]


def test_a_sequence_longer_than_a_row() -> None:
    with pytest.raises(UserError, match=r"pack: 8 .* 9"):
        pack_steps([[0, 1]], [9, 1], capacity=8, processes=1)


def test_more_rows_needed_than_sequences() -> None:
    with pytest.raises(UserError, match=r"pack: .* 4 rows .* 2 sequences.*batch_size"):
        pack_steps([[0, 1]], [3, 3], capacity=8, processes=4)


def examples_of(lengths: list[int]) -> list[Example]:
    return [
        Example(f"p{number}", *(np.ones(length, dtype=np.int32) for _ in range(3)))
        for number, length in enumerate(lengths)
    ]


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_a_packed_plan_sees_the_same_sequences_in_each_step(recipe: Callable[..., Recipe], processes: int) -> None:
    rng = np.random.default_rng(0)
    examples = examples_of(rng.integers(20, 100, size=50).tolist())
    padded = plan_batches(recipe(steps=12), examples, processes)
    packed = plan_batches(recipe(steps=12, pack=200), examples, processes)
    assert packed.accumulation * processes == len(packed.of_step(0)) < 8
    for step in range(12):
        assert sorted(chain(*packed.of_step(step))) == sorted(chain(*padded.of_step(step)))
    assert all(sum(len(examples[index].input_ids) for index in row) <= 200 for row in packed.micro_batches)
