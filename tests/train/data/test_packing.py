from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.io.errors import UserError
from train.data.batches import plan_batches
from train.data.examples import Example, Role
from train.data.packing import pack_steps
from train.data.token_table import TokenizedExamples
from train.recipe import Recipe

runs = st.integers(1, 12).flatmap(
    lambda batch: st.tuples(
        st.lists(st.lists(st.integers(1, 50), min_size=batch, max_size=batch), min_size=1, max_size=6),
        st.integers(50, 200),
        st.integers(1, 4),
    )
)


def packed_rows(steps: list[list[int]], lengths: list[int], capacity: int, processes: int) -> list[list[list[int]]]:
    """The rows of each step, as lists of indices."""
    members, sizes = pack_steps(np.array(steps), np.array(lengths, dtype=np.int32), capacity, processes)
    return [
        [row.tolist() for row in np.split(step, np.cumsum(of_rows)[:-1])]
        for step, of_rows in zip(members, sizes, strict=True)
    ]


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
        packed = packed_rows(steps, lengths, capacity, processes)
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
        rows = len(packed_rows(steps, lengths, capacity, processes)[0])
    except UserError:
        rows = len(steps[0]) // processes * processes + processes
    for fewer in range(processes, rows, processes):
        assert any(fullest(step, fewer) > capacity for step in by_step)


@given(runs)
def test_one_process_sees_what_several_see(run: tuple[list[list[int]], int, int]) -> None:
    by_step, capacity, processes = run
    steps, lengths = steps_of(by_step)
    try:
        several = packed_rows(steps, lengths, capacity, processes)
    except UserError:
        return
    alone = packed_rows(steps, lengths, capacity, 1)
    assert len(alone[0]) <= len(several[0])
    for one, many in zip(alone, several, strict=True):
        assert sorted(chain(*one)) == sorted(chain(*many))


def test_the_fewest_rows_are_taken_for_the_whole_run() -> None:
    lengths = [4, 4, 4, 4, 1, 1, 1, 1]
    packed = packed_rows([[0, 1, 2, 3], [4, 5, 6, 7]], lengths, capacity=8, processes=1)
    assert packed == [[[0, 2], [1, 3]], [[4, 6], [5, 7]]]


def test_the_fullest_row_of_a_step_comes_first() -> None:
    assert packed_rows([[0, 1, 2]], [9, 6, 5], capacity=11, processes=2) == [[[1, 2], [0]]]


def test_a_sequence_longer_than_a_row() -> None:
    with pytest.raises(UserError, match=r"pack: 8 .* 9"):
        packed_rows([[0, 1]], [9, 1], capacity=8, processes=1)


def test_more_rows_needed_than_sequences() -> None:
    with pytest.raises(UserError, match=r"pack: .* 4 rows .* 2 sequences.*batch_size"):
        packed_rows([[0, 1]], [3, 3], capacity=8, processes=4)


def example(problem_id: str, length: int) -> Example:
    ids = np.ones(length, dtype=np.int32)
    return Example(problem_id, ids, ids, np.full(length, Role.INFER, dtype=np.int8))


Tokenized = Callable[[list[Example]], TokenizedExamples]


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_a_packed_plan_sees_the_same_sequences_in_each_step(
    recipe: Callable[..., Recipe], tokenized: Tokenized, processes: int
) -> None:
    rng = np.random.default_rng(0)
    examples = tokenized([example(f"p{at}", length) for at, length in enumerate(rng.integers(20, 100, size=50))])
    padded = plan_batches(recipe(steps=12), examples, processes)
    packed = plan_batches(recipe(steps=12, pack=200), examples, processes)
    assert packed.accumulation * processes == len(packed.of_step(0)) < 8
    for step in range(12):
        assert sorted(chain(*packed.of_step(step))) == sorted(chain(*padded.of_step(step)))
    assert all(sum(len(examples[index].input_ids) for index in row) <= 200 for row in packed.micro_batches)


@pytest.mark.parametrize(
    ("count", "processes", "changes", "expected"),
    [
        (100, 1, {"seed": 0, "steps": None, "epochs": 3}, "758f172e73187aed"),
        (100, 2, {"seed": 3, "steps": 40, "micro_batch": 2}, "fc26cde104f3a0df"),
        (37, 4, {"seed": 1, "steps": 33}, "78675458969eef11"),
        (100, 1, {"seed": 0, "steps": None, "epochs": 3, "pack": 150}, "04e8bb2be243245c"),
        (250, 4, {"seed": 7, "steps": None, "epochs": 2.5, "pack": 120, "batch_size": 32}, "ee93814737d96234"),
        (9, 2, {"seed": 2**31, "steps": 20, "pack": 100, "batch_size": 16}, "519ef71352632349"),
    ],
)
def test_the_order_of_training_stays_what_it_is(
    count: int,
    processes: int,
    changes: dict[str, Any],
    expected: str,
    recipe: Callable[..., Recipe],
    tokenized: Tokenized,
) -> None:
    """Hashes made with the first version, which used plain lists: a run must be repeatable with a later one."""
    rng = random.Random(count)
    examples = []
    for _ in range(count):
        problem_id = rng.choice(["p", "题-", "é/", "P "]) + str(rng.randrange(count * 3 // 4))
        examples.append(example(problem_id, rng.randrange(5, 60)))
    plan = plan_batches(recipe(**{"max_length": 60} | changes), tokenized(examples), processes)
    assert hashlib.sha256(json.dumps(list(plan.micro_batches)).encode()).hexdigest()[:16] == expected
