from __future__ import annotations

import asyncio
import hashlib
import io
import re
import socket
import sqlite3
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import PIL.Image
import pytest

from srt.io.records import Image
from srt.llm import journal
from srt.llm.accounts import model_usage
from srt.llm.endpoint import client
from srt.llm.endpoint.response import Failure
from srt.llm.llm_errors import BudgetSpent, EndpointFault, RequestRejected, Unavailable
from srt.llm.request import Reply
from tests.simulated_time import simulate

LOST = ("stall", "cut", "torn", "html", "error_500")
FREE = ("rate_limit", "rate_limit_after", "rate_limit_date")


def count(journal: Any, table: str) -> int:
    return int(next(iter(journal.read(f"SELECT count(*) FROM {table}")))[0])


def test_a_second_run_pays_for_nothing(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with fake_endpoint.FakeEndpoint() as fake:
            async with open_client(fake.url) as opened:
                first = [await opened.client.ask(ask(n)) for n in range(5)]
                spent = opened.budget.total
            async with open_client(fake.url) as opened:
                again = [await opened.client.ask(ask(n)) for n in range(5)]
                assert opened.budget.total == pytest.approx(spent)
                (usage,) = model_usage(opened.journal.read)
        assert again == first
        assert fake.outcomes == {"ok": 5}
        assert (usage.requests, usage.output_tokens) == (5, sum(reply.output_tokens for reply in first))

    simulate(run())


def test_equal_requests_at_the_same_time_are_sent_once(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with fake_endpoint.FakeEndpoint(delay=0.05) as fake, open_client(fake.url) as opened:
            replies = await asyncio.gather(*(opened.client.ask(ask(0, problem_id=str(n))) for n in range(9)))
        assert len(set(replies)) == 1
        assert fake.counts.total() == 1

    simulate(run())


@pytest.mark.parametrize("kind", ["torn", "garbled"])
def test_a_server_that_sends_nothing_readable_is_given_up(
    kind: str, fake_endpoint: ModuleType, open_client: Any, ask: Any
) -> None:
    faults = fake_endpoint.Faults(rates={kind: 1.0}, models=["teacher"])

    async def run() -> None:
        async with fake_endpoint.FakeEndpoint(faults=faults) as fake, open_client(fake.url, retries=6) as opened:
            with pytest.raises(EndpointFault, match="3 times"):
                await opened.client.ask(ask(0))
            assert fake.outcomes[kind] == 3, "each of them may be billed"

    simulate(run())


@pytest.mark.parametrize("kind", LOST + FREE)
def test_what_passes_is_sent_again(kind: str, fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    # It lists its models: a page of HTML is then a gateway's, and not that of a wrong address.
    faults = fake_endpoint.Faults(rates={kind: 0.4}, retry_after_s=0.02, stall_s=60, models=["teacher"])

    async def run() -> None:
        async with fake_endpoint.FakeEndpoint(faults=faults) as fake:
            async with open_client(fake.url, retries=15) as opened:
                replies = await asyncio.gather(*(opened.client.ask(ask(n)) for n in range(30)))
                lost = count(opened.journal, "at_risk")
                (usage,) = model_usage(opened.journal.read)
                booked = opened.budget.total - usage.cost
                most = opened.budget.max_cost(ask(10))
            assert all(isinstance(reply, Reply) for reply in replies)
            assert fake.outcomes["ok"] == 30
            assert fake.outcomes[kind] > 3
            assert lost == (fake.outcomes[kind] if kind in LOST else 0)
            assert booked == pytest.approx(lost * most, rel=0.01)

    simulate(run())


def test_a_wrong_address_that_answers_with_pages_is_asked_once(
    fake_endpoint: ModuleType, open_client: Any, ask: Any
) -> None:
    async def run() -> None:
        faults = fake_endpoint.Faults(rates={"html": 1.0})
        async with fake_endpoint.FakeEndpoint(faults=faults) as fake, open_client(fake.url) as opened:
            for number in range(2):
                with pytest.raises(EndpointFault, match=rf"{fake.url}: answers with a web page.*should end in /v1"):
                    await opened.client.ask(ask(number))
        assert fake.counts.total() == 1

    simulate(run())


@pytest.mark.parametrize("kind", ["empty", "length", "refusal", "broken_json", "swap"])
def test_answers_are_journaled_as_they_came(kind: str, fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    async def run() -> Any:
        faults = fake_endpoint.Faults(rates={kind: 1.0})
        async with fake_endpoint.FakeEndpoint(faults=faults, delay=0.02) as fake:
            async with open_client(fake.url) as opened:
                replies = await asyncio.gather(*(opened.client.ask(ask(n)) for n in range(4)))
            async with open_client(fake.url) as opened:
                assert replies == [await opened.client.ask(ask(n)) for n in range(4)]
        assert fake.outcomes == {kind: 4}
        return replies

    reply, *others = simulate(run())
    if kind == "empty":
        assert reply.text == ""
    if kind == "length":
        assert reply.finish_reason == "length"
    if kind == "refusal":
        assert (reply.text, reply.refusal) == ("", "I cannot help with that.")
    if kind == "swap":
        told = [f"problem {n}" in r.text for n, r in enumerate([reply, *others])]
        assert not all(told)


def fault_of(fake_endpoint: ModuleType, open_client: Any, request: Any, faults: dict[str, Any], **config: Any) -> str:
    async def run() -> str:
        async with (
            fake_endpoint.FakeEndpoint(faults=fake_endpoint.Faults(**faults)) as fake,
            open_client(fake.url, **config) as opened,
        ):
            with pytest.raises(EndpointFault) as caught:
                await opened.client.ask(request)
            with pytest.raises(EndpointFault):  # and again for a request that comes later
                await opened.client.ask(request.model_copy(update={"user": "another"}))
        assert fake.counts.total() == 0
        return str(caught.value)

    told = simulate(run())
    assert "\n" not in told
    return told


def test_a_wrong_key_ends_the_run(
    fake_endpoint: ModuleType, open_client: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_KEY", "wrong-and-secret")
    told = fault_of(fake_endpoint, open_client, ask(), {"api_key": "right"}, api_key_env="FAKE_KEY")
    assert "FAKE_KEY" in told
    assert "401" in told
    assert "secret" not in told


def test_a_key_that_is_not_set(open_client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAKE_KEY", raising=False)

    async def run() -> None:
        async with open_client("http://127.0.0.1:1/v1", api_key_env="FAKE_KEY"):
            pass

    with pytest.raises(EndpointFault, match="FAKE_KEY"):
        simulate(run())


def test_an_unknown_model_ends_the_run(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    told = fault_of(fake_endpoint, open_client, ask(), {"models": ["other"]})
    assert "not teacher" in told


def test_a_missing_price_ends_the_run(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    told = fault_of(fake_endpoint, open_client, ask(model="dear"), {})
    assert told.startswith("prices: ")
    assert "dear" in told


def test_an_endpoint_that_is_down_ends_the_run(open_client: Any, ask: Any) -> None:
    with socket.socket() as taken:  # bound and not listening: nobody else gets the port, nobody answers
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"

        async def run() -> None:
            async with open_client(url) as opened:
                await opened.client.ask(ask())

        with pytest.raises(EndpointFault, match=re.escape(url)):
            simulate(run())


def test_a_rejected_request_is_not_sent_again(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        faults = fake_endpoint.Faults(token_limit="another_name")
        async with fake_endpoint.FakeEndpoint(faults=faults) as fake, open_client(fake.url) as opened:
            with pytest.raises(RequestRejected, match="400: Unsupported parameter"):
                await opened.client.ask(ask())
            assert opened.budget.total == 0
            assert count(opened.journal, "at_risk") == count(opened.journal, "requests") == 0
        assert fake.outcomes == {"400": 1}

    simulate(run())


def test_no_answer_after_all_retries(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        faults = fake_endpoint.Faults(rates={"error_500": 1.0})
        async with fake_endpoint.FakeEndpoint(faults=faults) as fake, open_client(fake.url, retries=2) as opened:
            with pytest.raises(Unavailable, match="status 500"):
                await opened.client.ask(ask())
            assert opened.client.endpoint.fleet.replicas[0].limit.limit == 16  # errors of the server do not shrink it
        assert fake.outcomes == {"error_500": 3}

    simulate(run())


def test_how_long_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_WAIT_S", 0.5)
    monkeypatch.setattr(client, "LONGEST_WAIT_S", 30.0)
    error, asked = Failure("500"), Failure("503", retry_after=20.0)
    waits = [client.wait_before(error, tries, 120.0) for tries in (1, 2, 3, 4, 5, 6, 7, 20)]
    for wait, longest in zip(waits, (0.5, 1, 2, 4, 8, 16, 30, 30), strict=True):
        assert longest / 2 <= wait <= longest
    assert client.wait_before(asked, 1, 120.0) == 20.0
    held = Failure("429", throttled=True, retry_after=20.0)
    assert client.wait_before(held, 1, 120.0) == client.wait_before(held, 2, 120.0) == 0.0
    assert client.wait_before(held, 3, 120.0) >= 1.0
    assert client.wait_before(Failure("429", throttled=True), 1, 120.0) >= 0.25


@pytest.mark.parametrize("fault", ["rate_limit_after", "rate_limit_date"])
def test_a_wait_without_end_is_announced_and_ends_the_run(
    fault: str, fake_endpoint: ModuleType, open_client: Any, ask: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    async def run() -> tuple[list[BaseException | Reply], float]:
        faults = fake_endpoint.Faults(rates={fault: 1.0}, retry_after_s=3600)
        async with fake_endpoint.FakeEndpoint(faults=faults) as fake, open_client(fake.url, retries=3) as opened:
            asked = (opened.client.ask(ask(n)) for n in range(20))
            ended = await asyncio.gather(*asked, return_exceptions=True)
            return ended, asyncio.get_running_loop().time()

    outcomes, seconds = simulate(run())
    assert all(isinstance(outcome, EndpointFault) for outcome in outcomes)
    assert "(Retry-After)" in str(outcomes[0])
    assert 3 * 120 <= seconds <= 4 * 120
    lines = capsys.readouterr().err.splitlines()
    assert [("waiting 120 s" in line and "(Retry-After)" in line) for line in lines] == [True] * 3


def test_failures_without_end_end_the_run(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    async def run() -> list[BaseException | Reply]:
        faults = fake_endpoint.Faults(token_limit="another_name")
        async with fake_endpoint.FakeEndpoint(faults=faults) as fake, open_client(fake.url) as opened:
            return await asyncio.gather(*(opened.client.ask(ask(n)) for n in range(60)), return_exceptions=True)

    kinds = [type(outcome) for outcome in simulate(run())]
    assert kinds.count(RequestRejected) == client.FAILURES_IN_A_ROW - 1
    assert kinds.count(EndpointFault) == 60 - kinds.count(RequestRejected)


def test_waiting_in_our_queue_is_no_time_out(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with (
            fake_endpoint.FakeEndpoint(delay=0.4) as fake,
            open_client(fake.url, in_flight=1, timeout_s=2, retries=0) as opened,
        ):
            await asyncio.gather(*(opened.client.ask(ask(n)) for n in range(9)))
        assert fake.most_at_once == 1
        assert fake.outcomes == {"ok": 9}

    simulate(run())


def test_a_reply_that_came_while_the_journal_was_locked_is_not_late(
    fake_endpoint: ModuleType, open_client: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock lasts longer than the time limit of the requests that are on their way."""
    waiting = threading.Event()

    def look_at_the_clock() -> float:
        now: float = loop.now
        waiting.set()
        return now

    def hold_the_lock(other: sqlite3.Connection) -> None:
        waiting.wait()
        loop.now += 2.5
        other.execute("ROLLBACK")

    async def run() -> None:
        nonlocal loop
        loop = asyncio.get_running_loop()
        async with (
            fake_endpoint.FakeEndpoint(delay=0.2) as fake,
            open_client(fake.url, timeout_s=2, retries=0) as opened,
        ):
            await opened.client.ask(ask(0))
            other = sqlite3.connect(opened.journal.path, isolation_level=None, check_same_thread=False)
            asks = []
            for n in range(1, 9):  # one after the other, so that most are still on their way when the first comes
                asks.append(asyncio.create_task(opened.client.ask(ask(n))))
                await asyncio.sleep(0.015)
            monkeypatch.setattr(journal, "time", SimpleNamespace(monotonic=look_at_the_clock))
            other.execute("BEGIN IMMEDIATE")
            holder = threading.Thread(target=hold_the_lock, args=[other])
            holder.start()
            await asyncio.gather(*asks)
            holder.join()
            other.close()
        assert fake.outcomes == {"ok": 9}

    loop: Any = None
    simulate(run())


def test_a_throttling_server_is_met_with_fewer_requests(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        faults = fake_endpoint.Faults(capacity=6, retry_after_s=0.01)
        async with (
            fake_endpoint.FakeEndpoint(delay=0.03, faults=faults) as fake,
            open_client(fake.url, in_flight=64) as opened,
        ):
            await asyncio.gather(*(opened.client.ask(ask(n)) for n in range(100)))
            # How far it fell depends on the speed of the machine: it rises again with each reply.
            assert opened.client.endpoint.fleet.replicas[0].limit.limit < 64
        assert fake.outcomes["ok"] == 100

    simulate(run())


def test_the_budget_holds_with_many_in_flight(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with fake_endpoint.FakeEndpoint(delay=0.01) as fake:
            async with open_client(fake.url, limit=0.01, in_flight=64) as opened:
                asked = (opened.client.ask(ask(n, max_tokens=1000)) for n in range(500))
                outcomes = await asyncio.gather(*asked, return_exceptions=True)
                answered = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
                assert {type(outcome) for outcome in outcomes} == {Reply, BudgetSpent}
                # No more than one request could cost is left over.
                assert 0.01 - opened.budget.max_cost(ask(999, max_tokens=1000)) <= opened.budget.total <= 0.01
                assert fake.counts.total() == len(answered)
            async with open_client(fake.url, limit=0.01) as opened:
                with pytest.raises(BudgetSpent, match=r"^budget: "):
                    await opened.client.ask(ask("new", max_tokens=1000))
            assert fake.counts.total() == len(answered)

    simulate(run())


def test_a_cancelled_question_is_journaled_all_the_same(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with fake_endpoint.FakeEndpoint(delay=0.2) as fake:
            async with open_client(fake.url, in_flight=1) as opened:
                asking = [asyncio.create_task(opened.client.ask(ask(n))) for n in range(4)]
                while fake.serving < 1:
                    await asyncio.sleep(0.01)
                for task in asking:
                    task.cancel()
                await asyncio.gather(*asking, return_exceptions=True)
            async with open_client(fake.url) as opened:
                assert opened.journal.get(ask(0).keys) is not None
                assert count(opened.journal, "requests") == 1
                assert count(opened.journal, "at_risk") == 0
        assert fake.outcomes == {"ok": 1}  # what waited for its turn was not sent

    simulate(run())


def picture(folder: Path, name: str = "a.png") -> Image:
    data = io.BytesIO()
    PIL.Image.new("RGB", (40, 30), "red").save(data, format="PNG")
    (folder / name).write_bytes(data.getvalue())
    return Image(path=name, sha256=hashlib.sha256(data.getvalue()).hexdigest())


def test_pictures_stand_before_the_question(
    fake_endpoint: ModuleType, open_client: Any, ask: Any, tmp_path: Path
) -> None:
    async def run() -> list[Any]:
        async with fake_endpoint.FakeEndpoint() as fake:
            fake.bodies = []
            async with open_client(fake.url) as opened:
                await opened.client.ask(ask(pictures=(picture(tmp_path),)))
            return list(fake.bodies)

    (body,) = simulate(run())
    first, second = body["messages"][1]["content"]
    assert first["image_url"]["url"].startswith("data:image/png;base64,")
    assert second == {"type": "text", "text": "problem 0"}


def test_a_picture_that_cannot_be_used_fails_its_request_alone(
    fake_endpoint: ModuleType, open_client: Any, ask: Any
) -> None:
    missing = Image(path="gone.png", sha256="0" * 64)

    async def run() -> None:
        async with fake_endpoint.FakeEndpoint() as fake, open_client(fake.url, limit=1.0) as opened:
            with pytest.raises(RequestRejected, match=r"gone\.png"):
                await opened.client.ask(ask(pictures=(missing,)))
            await opened.client.ask(ask(1))
            assert count(opened.journal, "at_risk") == 0
        assert fake.outcomes == {"ok": 1}

    simulate(run())
