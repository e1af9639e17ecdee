from __future__ import annotations

import asyncio

import pytest

from srt.llm.journaled_client import ask_all
from srt.llm.llm_errors import BudgetSpent, EndpointFault


def test_answers_are_in_order_and_no_more_than_so_many_at_once() -> None:
    running, most = 0, 0

    async def ask(n: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001 * (n % 3))
        running -= 1
        return n * n

    assert asyncio.run(ask_all(range(20), ask, 4, "squares")) == [n * n for n in range(20)]
    assert most == 4


def test_nothing_is_asked_once_the_budget_is_spent() -> None:
    asked = []

    async def ask(n: int) -> int:
        asked.append(n)
        if n == 2:
            raise BudgetSpent
        return n

    assert asyncio.run(ask_all(range(6), ask, 1, "questions")) == [0, 1, None, None, None, None]
    assert asked == [0, 1, 2]


def test_a_fault_of_the_run_cancels_the_questions_in_flight() -> None:
    cancelled = []

    async def ask(n: int) -> None:
        if n == 0:
            await asyncio.sleep(0)
            raise EndpointFault("the endpoint is down")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(n)
            raise

    with pytest.raises(EndpointFault):
        asyncio.run(ask_all(range(4), ask, 4, "questions"))
    assert cancelled == [1, 2, 3]
