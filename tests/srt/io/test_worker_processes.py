"""Work on several processes: its order, its memory, and processes that die."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from srt.io.errors import UserError
from srt.io.worker_processes import Workers


def square(number: int) -> int:
    return number * number


def refuse_seven(number: int) -> int:
    if number == 7:
        raise UserError("seven")
    return number


def die_at_seven(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def process(_: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("count", [1, 2])
def test_results_come_in_order_and_faults_at_their_place(count: int) -> None:
    with Workers(count) as workers:
        assert list(workers.map(square, range(100), 7)) == [number * number for number in range(100)]
        assert list(workers.map(square, (), 7)) == []
        results = workers.map(refuse_seven, range(20), 1)
        assert [next(results) for _ in range(7)] == list(range(7))
        with pytest.raises(UserError, match="seven"):
            next(results)


def test_one_worker_is_this_process_and_two_are_others() -> None:
    with Workers(1) as workers:
        assert set(workers.map(process, range(3), 1)) == {os.getpid()}
    with Workers(2) as workers:
        assert os.getpid() not in set(workers.map(process, range(3), 1))


def test_cycles_are_searched_for_seldom_within_the_block_alone() -> None:
    before = gc.get_threshold()
    with Workers(1) as workers:
        [seldom] = workers.map(_collected_after, ["here"], 1)
    assert seldom > 10 * before[0]
    assert gc.get_threshold() == before


def _collected_after(item: str) -> int:
    return gc.get_threshold()[0]


def test_no_more_is_taken_than_is_worked_on_soon() -> None:
    taken = 0

    def numbers() -> Iterator[int]:
        nonlocal taken
        for number in range(10_000):
            taken += 1
            yield number

    with Workers(2) as workers:
        results = workers.map(square, numbers(), 10)
        next(results)
        assert taken <= 60
        results.close()  # type: ignore[attr-defined]


def test_a_killed_worker_is_one_line() -> None:
    with Workers(2) as workers, pytest.raises(UserError, match="--workers: a worker process was killed"):
        list(workers.map(die_at_seven, range(20), 1))


def die_once(mark: Path) -> str:
    if mark.name == "7" and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return mark.name


def test_the_first_items_are_worked_on_here() -> None:
    with Workers(2, here=3) as workers:
        processes = list(workers.map(process, range(9), 2))
    assert processes[:3] == [os.getpid()] * 3
    assert os.getpid() not in processes[3:]


def test_what_a_killed_process_had_under_way_is_done_again(tmp_path: Path) -> None:
    with Workers(2) as workers:
        names = [str(number) for number in range(30)]
        assert list(workers.map(die_once, [tmp_path / name for name in names], 4)) == names


def test_an_item_that_kills_its_process_has_the_result_of_killed() -> None:
    with Workers(2) as workers:
        results = list(workers.map(die_at_seven, range(30), 4, lambda number: -number))
    assert results == [-7 if number == 7 else number for number in range(30)]


def test_results_before_a_fault_come_first() -> None:
    with Workers(2) as workers:
        results = workers.map(refuse_seven, range(20), 20)
        assert [next(results) for _ in range(7)] == list(range(7))
        with pytest.raises(UserError, match="seven"):
            next(results)
