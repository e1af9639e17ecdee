"""The limit on work falls at the same place whatever was checked before, and long sums come to a verdict."""

from __future__ import annotations

import time

import pytest

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import Step, StepCheck, Trace
from srt.maths.work import MOST_WORK, TooMuchWork, budget, remembered, spend
from srt.prose.checking.check_free import check_free

BOX = Problem(
    id="p", source="made", split="test", lang="en", question="A box is 3 wide, 4 deep and 5 high. What is its volume?"
)
LONG_SUM = " + ".join(f"sin({n}°)·√{n}" for n in range(1, 43)) + " = 3"


def checked(*texts: str) -> list[StepCheck]:
    steps = tuple(Step(op="INFER", args=("question",), assertion=text) for text in texts)
    found = check_free(BOX, Trace(id="t", problem_id="p", kind="free", lang="en", steps=steps, answer="60"))
    return [*found.steps, found.answer]


def test_a_long_sum_of_sines_and_roots_comes_to_a_verdict() -> None:
    assert 550 < len(LONG_SUM) < 700
    began = time.process_time()
    first, after, answer = checked(LONG_SUM, "3 * 4 = 12")
    assert time.process_time() - began < 1.5  # A sixth of that on an idle machine.
    assert {one.fault for one in (first, after, answer)} == {Fault.TOO_LARGE}
    assert {one.support for one in (first, after, answer)} == {"unchecked"}


def test_what_is_before_the_limit_is_checked() -> None:
    first, second, *_ = checked("3 * 4 = 12", LONG_SUM)
    assert (first.support, second.fault) == ("computed", Fault.TOO_LARGE)


def test_what_was_checked_before_moves_no_limit() -> None:
    texts = [f"(a + {n})^2 = a^2 + {2 * n}a + {n * n} and (√{n} + 1)^2 = {n + 1} + 2√{n}" for n in range(2, 90)]
    cold = checked(*texts)
    assert 3 < sum(one.fault is Fault.TOO_LARGE for one in cold) < len(cold)
    assert checked(*texts) == cold


def test_a_remembered_result_takes_its_steps_again() -> None:
    calls = []

    @remembered(maxsize=4)
    def costly(steps: int) -> int:
        calls.append(steps)
        spend(steps)
        return steps

    for _ in range(2):
        with budget(100) as work:
            assert costly(40) == 40
            assert work.left == 60
            with pytest.raises(TooMuchWork):
                costly(70)
    assert calls == [40, 70]
    assert costly(MOST_WORK + 1) == MOST_WORK + 1  # Nothing is counted outside a budget.
