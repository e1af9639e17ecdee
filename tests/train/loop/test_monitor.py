from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from train.data.batches import BatchPlan, MicroBatches
from train.loop.monitor import Monitor, PlannedWork, Work, console_line
from train.models.flops import FlopCount

FLOPS = FlopCount(token=10.0, predicted=100.0, pair=1.0, picture_token=1000.0)


EXAMPLES: Any = SimpleNamespace(
    lengths=np.array([4, 6, 10]),
    trained_tokens=np.array([1, 2, 5]),
    picture_tokens=np.array([0, 0, 3]),
    rows_each=1,
    longest=np.array([4, 6, 10]),
)
# Two processes with two micro-batches each in a step; the last one of a packed run may be empty.
PLAN = BatchPlan(MicroBatches.of([[0, 1], [2], [1], [], [0], [0], [0], [2, 0]]), accumulation=2, processes=2)


@pytest.mark.parametrize(("packed", "places"), [(False, [12 + 10 + 6, 4 + 4 + 4 + 20]), (True, [26, 26])])
def test_amounts(packed: bool, places: list[int]) -> None:
    amounts = PlannedWork(EXAMPLES, PLAN, FLOPS, packed=packed)
    of = [FLOPS.of(4.0, 1.0, 0.0), FLOPS.of(6.0, 2.0, 0.0), FLOPS.of(10.0, 5.0, 3.0)]
    first = Work(26, places[0], 3, of[0] + 2 * of[1] + of[2])
    second = Work(26, places[1], 3, 4 * of[0] + of[2])
    assert amounts.between(0, 1) == first
    assert amounts.between(1, 2) == second
    assert amounts.between(0, 2) == tuple(a + b for a, b in zip(first, second, strict=True))


def test_figures_are_of_the_steps_since_the_last_time(monkeypatch: pytest.MonkeyPatch) -> None:
    amounts = PlannedWork(EXAMPLES, PLAN, FLOPS, packed=False)
    clock = iter([100.0, 102.0, 110.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    watch = Monitor(amounts, peak_flops=1e5)
    state: Any = SimpleNamespace(global_step=0)
    watch.on_train_begin(None, state, None)
    assert watch.figures(1, 2) == {
        "tokens_per_second": 13.0,
        "padding": pytest.approx(2 / 28),
        "picture_tokens": pytest.approx(3 / 26),
        "minutes_left": pytest.approx(2 / 60),
        "mfu": pytest.approx(amounts.between(0, 1).operations / 2 / 1e5),
    }
    later = watch.figures(2, 2)
    assert later["tokens_per_second"] == pytest.approx(26 / 8)
    assert later["minutes_left"] == 0


def test_no_mfu_where_the_device_is_not_known() -> None:
    watch = Monitor(PlannedWork(EXAMPLES, PLAN, FLOPS, packed=True), peak_flops=None)
    assert "mfu" not in watch.figures(1, 2)


def test_the_line_has_what_there_is() -> None:
    logs = {"loss": 0.5, "tokens_per_second": 12345.6, "memory_gib": 1.04, "minutes_left": 3.25}
    assert console_line(20, 100, logs) == "step 20/100  loss 0.5000  12,346 tokens/s  1.0 GiB  3.2 min left"
    full = console_line(20, 100, {**logs, "mfu": 0.412, "loss/infer": 0.61234, "loss/other": 0.1})
    assert full == (
        "step 20/100  loss 0.5000 (other 0.100 infer 0.612)  12,346 tokens/s  MFU 41.2%  1.0 GiB  3.2 min left"
    )
