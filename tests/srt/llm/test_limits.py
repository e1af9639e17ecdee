from __future__ import annotations

import asyncio

from srt.llm.config import EndpointConfig
from srt.llm.endpoint.concurrency import DECREASE
from srt.llm.endpoint.fleet import Fleet
from srt.llm.endpoint.replica import Replica
from tests.simulated_time import simulate


def now() -> float:
    return asyncio.get_running_loop().time()


class OneServer:
    """The slots of a single address."""

    def __init__(self, most: int) -> None:
        self._replica = Replica("http://h", EndpointConfig(base_url="http://h", in_flight=most), "none")
        self._fleet = Fleet([self._replica])
        self.throttled, self.answered = self._replica.limit.throttled, self._replica.limit.answered

    @property
    def limit(self) -> int:
        return self._replica.limit.limit

    async def acquire(self) -> int:
        return (await self._fleet.acquire())[1]

    def release(self) -> None:
        self._fleet.release(self._replica)


def test_no_more_than_the_limit_first_come_first_served() -> None:
    async def run() -> None:
        limit, served, most, taken = OneServer(3), [], 0, 0

        async def work(n: int) -> None:
            nonlocal most, taken
            await limit.acquire()
            taken += 1
            most = max(most, taken)
            await asyncio.sleep(1)
            served.append(n)
            taken -= 1
            limit.release()

        await asyncio.gather(*(work(n) for n in range(10)))
        assert (most, served, now()) == (3, list(range(10)), 4)

    simulate(run())


def test_one_decrease_for_a_burst() -> None:
    async def run() -> None:
        limit = OneServer(100)
        tickets = [await limit.acquire() for _ in range(100)]
        for ticket in tickets:
            limit.throttled(ticket, None)
            limit.release()
        assert limit.limit == 100 * DECREASE
        limit.throttled(await limit.acquire(), None)  # left after the decrease: tells something new
        assert limit.limit == int(100 * DECREASE * DECREASE)

    simulate(run())


def test_it_grows_by_one_a_round_and_not_beyond_the_most() -> None:
    async def run() -> None:
        limit = OneServer(20)
        limit.throttled(await limit.acquire(), None)
        limit.release()
        assert limit.limit == 14
        for _ in range(15):
            limit.answered()
        assert limit.limit == 15
        for _ in range(1000):
            limit.answered()
        assert limit.limit == 20

    simulate(run())


def test_it_never_falls_below_one() -> None:
    async def run() -> None:
        limit = OneServer(4)
        for _ in range(50):
            limit.throttled(await limit.acquire(), None)
            limit.release()
        assert limit.limit == 1

    simulate(run())


def test_retry_after_holds_all_sending() -> None:
    async def run() -> None:
        limit = OneServer(8)
        limit.throttled(await limit.acquire(), 30.0)
        limit.release()
        await asyncio.gather(*(limit.acquire() for _ in range(3)))
        assert now() == 30.0
        limit.throttled(1, 1e9)
        await limit.acquire()
        assert now() == 30.0 + EndpointConfig(base_url="http://h").longest_retry_after_s

    simulate(run())


def test_it_converges_on_what_the_server_bears() -> None:
    """A server that takes 32 at once and throttles the rest: most of the time nearly 32 are served."""

    async def run() -> None:
        limit, serving, served = OneServer(256), 0, 0

        async def work() -> None:
            nonlocal serving, served
            while True:
                ticket = await limit.acquire()
                if serving >= 32:
                    limit.throttled(ticket, None)
                    limit.release()
                    await asyncio.sleep(0.5)
                    continue
                serving += 1
                await asyncio.sleep(1.0)
                serving -= 1
                served += 1
                limit.answered()
                limit.release()
                return

        await asyncio.gather(*(work() for _ in range(3200)))
        assert served == 3200
        assert now() < 3200 / 32 * 1.4
        assert limit.limit <= 40

    simulate(run())


def test_a_cancelled_wait_takes_no_slot() -> None:
    async def run() -> None:
        limit = OneServer(1)
        await limit.acquire()
        waiting = [asyncio.create_task(limit.acquire()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()  # while it waits
        limit.release()  # gives the slot to the second
        waiting[1].cancel()  # just as it is given
        assert isinstance(await waiting[2], int)
        assert all(task.cancelled() for task in waiting[:2])

    simulate(run())
