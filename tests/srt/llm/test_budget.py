from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srt.io.records import Image
from srt.llm.accounts import model_usage
from srt.llm.budget import Budget
from srt.llm.config import Price
from srt.llm.endpoint.usage import TokenCounts
from srt.llm.journal import COUNTED, NO_REPLY, Journal, Overrun
from srt.llm.llm_errors import BudgetSpent, EndpointFault
from srt.llm.request import JsonSchema, LlmRequest, Reply

PRICES = {"teacher": Price(input=1.0, output=2.0, picture_tokens=1000, unforeseen_tokens=1)}


def reply(given: int, made: int) -> Reply:
    return Reply(text="", finish_reason="stop", input_tokens=given, output_tokens=made, seconds=0)


def test_the_most_that_a_request_can_cost(ask: Any) -> None:
    budget = Budget(None, PRICES)
    plain = ask(system="", user="", max_tokens=1000)
    assert budget.max_cost(plain) == pytest.approx((512 + 2000) / 1e6)
    more = plain.model_copy(
        update={
            "user": "三视图",  # nine bytes
            "pictures": (Image(path="a", sha256="b"),) * 2,
            "json_schema": JsonSchema(name="x", definition={"a": 1}),
        }
    )
    assert budget.max_cost(more) == pytest.approx((512 + 9 + 2000 + 7 + 2000) / 1e6)


def test_pictures_are_learnt_from_the_endpoints_counts(ask: Any) -> None:
    budget = Budget(None, PRICES)
    request = ask(pictures=(Image(path="a", sha256="b"),))

    async def run() -> None:
        before = budget.max_cost(request)
        overrun = budget.settle(await budget.reserve(request), reply(40_000, 10)).overrun
        assert overrun == Overrun(model="teacher", picture=40_000)
        assert budget.max_cost(request) == pytest.approx(before + (40_000 - 1000) / 1e6)
        assert Budget(None, PRICES, overruns=[overrun]).max_cost(request) == budget.max_cost(request)

    asyncio.run(run())


LONG = "so the legs are three and four " * 20
"""140 words."""


@pytest.mark.parametrize(
    ("given", "written", "counted", "certain"),
    [
        (0, 0, False, 105 + 2 * 105),  # what its words are at least
        (1, 60, True, 105 + 2 * 60),
        (104, 60, True, 105 + 2 * 60),
        (200, 1, False, 200 + 2 * 105),
    ],
)
def test_without_counts_that_can_be_all_that_was_set_aside_is_booked(
    ask: Any, given: int, written: int, counted: bool, certain: int
) -> None:
    budget = Budget(None, PRICES)
    request = ask(system="", user=LONG)
    doubtful = reply(given, written).model_copy(update={"counted": counted, "text": LONG})

    async def run() -> None:
        booked = budget.settle(await budget.reserve(request), doubtful)
        assert booked.cost == pytest.approx(certain / 1e6)
        input_known, output_known = given >= 105, counted
        most = (given if input_known else len(LONG) + 512) + 2 * (written if output_known else 105)
        assert booked.cost + booked.doubt == pytest.approx(most / 1e6)
        assert budget.total == pytest.approx(most / 1e6)
        assert booked.overrun is None

    asyncio.run(run())


def test_a_believable_count_leaves_no_doubt(ask: Any) -> None:
    budget = Budget(None, PRICES)

    async def run() -> None:
        booked = budget.settle(await budget.reserve(ask(user=LONG)), reply(106, 1))
        assert booked == (pytest.approx(108 / 1e6), 0.0, None)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("told", "cost", "dearness"),
    [(None, 108.0, 1.0), (54.0, 108.0, 1.0), (108.9, 108.0, 1.0), (324.0, 324.0, 3.0)],
)
def test_a_cost_that_the_server_tells(
    ask: Any, tmp_path: Path, told: float | None, cost: float, dearness: float
) -> None:
    told = None if told is None else told / 1e6
    request, answer = ask(user=LONG), reply(106, 1).model_copy(update={"server_cost": told})
    with Journal(tmp_path / "teach.sqlite") as journal:
        for run in range(2):  # what was learnt counts in the next one
            budget = Budget(None, PRICES, overruns=journal.overruns())
            most = budget.max_cost(request)
            assert most == pytest.approx(Budget(None, PRICES).max_cost(request) * (dearness if run else 1.0))
            booked = budget.settle(asyncio.run(budget.reserve(request)), answer)
            assert (booked.cost, booked.doubt) == (pytest.approx(cost / 1e6), 0.0)
            assert budget.max_cost(request) == pytest.approx(Budget(None, PRICES).max_cost(request) * dearness)
            journal.put(request, answer, booked.cost, overrun=booked.overrun)
        (usage,) = model_usage(journal.read)
    assert usage.dearness == pytest.approx(dearness)


def test_an_error_that_says_what_it_cost_is_booked_at_that(ask: Any) -> None:
    budget = Budget(None, PRICES)
    counts = TokenCounts(given=106, cached=0, stored=0, written=5, thought=0, counted=True)

    async def run() -> None:
        assert budget.lose(await budget.reserve(ask(user=LONG)), counts) == (pytest.approx(116 / 1e6), COUNTED)
        for doubtful in (None, replace(counts, given=1), replace(counts, counted=False)):
            most = budget.max_cost(ask(user=LONG))
            assert budget.lose(await budget.reserve(ask(user=LONG)), doubtful) == (pytest.approx(most), NO_REPLY)

    asyncio.run(run())


def test_what_a_price_says_of_its_model_is_not_believed_once_it_is_refuted(ask: Any) -> None:
    """A reply of 20,100 tokens: from then on the budget pays for one at a time, in the next run too."""
    price = {"teacher": Price(input=1.0, output=10.0, unforeseen_tokens=10_000)}
    budget = Budget(5.0, price)

    async def run() -> None:
        budget.settle(await budget.reserve(ask()), reply(1, 1))
        held = [await budget.reserve(ask()) for _ in range(3)]
        learnt = budget.settle(held[0], reply(7, 20_100)).overrun
        assert learnt is not None
        budget.release(held[1])
        later = Budget(5.0, price, overruns=[learnt])
        later.settle(await later.reserve(ask()), reply(7, 1))
        for one, mine in ((budget, held[2]), (later, await later.reserve(ask()))):
            waiting = asyncio.create_task(one.reserve(ask()))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert not waiting.done()
            one.release(mine)
            await waiting

    asyncio.run(run())


def test_what_comes_free_is_given_to_those_who_wait(ask: Any) -> None:
    most = Budget(None, PRICES).max_cost(ask())
    budget = Budget(1.5 * most, PRICES)

    async def run() -> None:
        budget.settle(await budget.reserve(ask()), reply(2, 0))
        first = await budget.reserve(ask())
        second = asyncio.create_task(budget.reserve(ask()))
        await asyncio.sleep(0)
        assert not second.done()
        budget.release(first)
        held = await second
        third = asyncio.create_task(budget.reserve(ask()))
        await asyncio.sleep(0)
        budget.lose(held)  # booked in full: the third can never fit now
        with pytest.raises(BudgetSpent, match=r"^budget: "):
            await third
        assert budget.total == pytest.approx(most, rel=0.01)

    asyncio.run(run())


def test_a_cancelled_wait_holds_no_money(ask: Any) -> None:
    budget = Budget(Budget(None, PRICES).max_cost(ask()), PRICES)

    async def run() -> None:
        first = await budget.reserve(ask())
        waiting = [asyncio.create_task(budget.reserve(ask())) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        budget.release(first)
        waiting[1].cancel()
        assert await waiting[2] is not None

    asyncio.run(run())


def test_a_longer_answer_than_asked_for_is_learnt_for_those_in_flight_too(ask: Any) -> None:
    budget = Budget(1.0, PRICES)

    async def run() -> None:
        budget.settle(await budget.reserve(ask()), reply(1, 1))
        first, second = await budget.reserve(ask()), await budget.reserve(ask())
        before = second.cost
        overrun = budget.settle(first, reply(7, 20_100)).overrun
        assert overrun == Overrun(model="teacher", output=20_000)
        assert second.cost == pytest.approx(before + 0.04)
        total = budget.total
        assert budget.lose(second) == (pytest.approx(before + 0.04), NO_REPLY)
        assert budget.total == pytest.approx(total + before + 0.04)

    asyncio.run(run())


def test_what_was_learnt_sends_a_request_back_to_the_line(ask: Any) -> None:
    budget = Budget(0.06, PRICES)

    async def run() -> None:
        budget.settle(await budget.reserve(ask()), reply(1, 1))
        first, second = await budget.reserve(ask()), await budget.reserve(ask())
        assert budget.fits(second)
        budget.settle(first, reply(7, 20_100))
        assert not budget.fits(second)

    asyncio.run(run())


@pytest.mark.parametrize("shown", [(), (Image(path="a", sha256="b"),)], ids=["text", "picture"])
def test_the_first_of_a_kind_goes_alone(ask: Any, shown: tuple[Image, ...]) -> None:
    budget = Budget(100.0, PRICES)

    async def run() -> None:
        if shown:
            budget.settle(await budget.reserve(ask()), reply(1, 1))
        waiting = [asyncio.create_task(budget.reserve(ask(pictures=shown))) for _ in range(4)]
        await asyncio.sleep(0.01)
        assert [task.done() for task in waiting] == [True, False, False, False]
        budget.lose(await waiting[0])  # nothing was learnt: the next one goes alone, too
        await asyncio.sleep(0.01)
        assert [task.done() for task in waiting] == [True, True, False, False]
        budget.settle(await waiting[1], reply(1, 1))
        await asyncio.gather(*waiting)

    asyncio.run(run())


def test_near_the_end_one_at_a_time_of_each_model(ask: Any) -> None:
    price = Price(input=1.0, output=10.0, unforeseen_tokens=10_000)
    budget = Budget(0.25, {"teacher": price, "reviewer": price})

    async def run() -> None:
        for model in ("teacher", "reviewer"):
            budget.settle(await budget.reserve(ask(model=model)), reply(1, 1))
        held = [await budget.reserve(ask(model=model)) for model in ("teacher", "teacher", "teacher", "reviewer")]
        waiting = [asyncio.create_task(budget.reserve(ask(model=model))) for model in ("teacher", "reviewer")]
        await asyncio.sleep(0.01)
        assert not any(task.done() for task in waiting)
        budget.release(held[0])
        await asyncio.gather(*waiting[:1])
        budget.release(held[1])
        await asyncio.gather(*waiting[1:])

    asyncio.run(run())


def test_cached_tokens_at_their_price(ask: Any) -> None:
    prices = {"teacher": Price(input=2.0, output=4.0, cached_input=0.5)}
    assert prices["teacher"].cost(1000, 10, cached=900) == pytest.approx((200 + 450 + 40) / 1e6)
    assert PRICES["teacher"].cost(1000, 10, cached=900) == PRICES["teacher"].cost(1000, 10)
    assert PRICES["teacher"].cost(1000, 0, stored=800) == pytest.approx(1200 / 1e6)
    assert PRICES["teacher"].cost(1000, 0, stored=800, stored_long=300) == pytest.approx((200 + 625 + 600) / 1e6)
    set_by_hand = Price(input=1.0, output=2.0, cache_write=1.5)
    assert set_by_hand.cost(1000, 0, stored=800, stored_long=300) == pytest.approx(1400 / 1e6)
    assert Price(input=1.0, output=2.0, cache_write=2.0).cost(1000, 0, stored=800) == pytest.approx(1800 / 1e6)


def test_no_price(ask: Any) -> None:
    with pytest.raises(EndpointFault, match=r"prices: .*'x'"):
        Budget(None, PRICES).max_cost(ask(model="x"))


outcomes = st.sampled_from(["settle", "lose", "release", "cancel"])
step = st.tuples(outcomes, st.integers(1, 400), st.floats(0, 1), st.integers(0, 3))


@settings(max_examples=150)
@given(steps=st.lists(step, min_size=1, max_size=60), limit=st.floats(0, 0.02))
def test_it_is_never_overspent(steps: list[tuple[str, int, float, int]], limit: float) -> None:
    """Whatever the order, however many at once: what is booked and what is set aside stay within the limit."""
    budget = Budget(limit, PRICES)
    held = 0.0

    def check() -> None:
        assert budget.total + held <= limit * (1 + 1e-9)

    async def work(n: int, what: str, tokens: int, share: float, pause: int) -> None:
        nonlocal held
        request = LlmRequest(
            role="teacher", model="teacher", system="", user="u" * n, max_tokens=tokens, problem_id=str(n)
        )
        try:
            reserved = await budget.reserve(request)
        except BudgetSpent:
            return
        held += reserved.cost
        check()
        for _ in range(pause):
            await asyncio.sleep(0)
        held -= reserved.cost
        if what == "settle":
            budget.settle(reserved, reply(int(share * (512 + n)), int(share * tokens)))
        elif what == "lose":
            budget.lose(reserved)
        else:
            budget.release(reserved)
        check()

    async def run() -> None:
        tasks = [asyncio.create_task(work(n, *given)) for n, given in enumerate(steps)]
        await asyncio.sleep(0)
        for task, (what, *_) in zip(tasks, steps, strict=True):
            if what == "cancel" and held == 0:
                task.cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 10)

    asyncio.run(run())


def test_earlier_runs_count(tmp_path: Path, ask: Any) -> None:
    with Journal(tmp_path / "teach.sqlite") as journal:
        risks = [journal.add_risk(ask(n), 0.5) for n in (1, 3)]
        journal.put(ask(1), reply(100, 50), 0.25, risks[0])
        journal.put(ask(2, role="reviewer"), reply(10, 5), 0.125)
        reviewer, teacher = model_usage(journal.read)
        assert Budget(1.0, PRICES, (reviewer, teacher)).total == 0.875  # the third left, and was never answered
        assert (teacher.requests, teacher.input_tokens, teacher.cost, teacher.lost) == (1, 100, 0.25, 0.5)
        assert reviewer.cost == 0.125
