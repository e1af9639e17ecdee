"""Several replicas of one endpoint, over real connections: all answered, nothing twice, whatever becomes of one."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from types import ModuleType
from typing import Any

import orjson
import pytest

from srt.llm.accounts import model_usage
from srt.llm.config import EndpointConfig
from srt.llm.endpoint import fleet
from srt.llm.endpoint.replica import Replica
from srt.llm.endpoint.served_models import read_models, same_model
from srt.llm.llm_errors import EndpointFault, Unavailable
from srt.llm.request import Reply
from tests.simulated_time import simulate

Fakes = Callable[..., Any]


@pytest.fixture(autouse=True)
def short_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "FIRST_LOOK_S", 0.02)
    monkeypatch.setattr(fleet, "LONGEST_LOOK_S", 0.1)


@pytest.fixture
def serve(fake_endpoint: ModuleType) -> Fakes:
    """``async with serve({...}, {...}) as fakes``: a server for each, with the keys of ``Faults``, and ``delay``."""

    @asynccontextmanager
    async def start(*servers: dict[str, Any]) -> AsyncIterator[list[Any]]:
        async with AsyncExitStack() as stack:
            made = []
            for server in servers:
                faults = fake_endpoint.Faults(**{name: value for name, value in server.items() if name != "delay"})
                fake = fake_endpoint.FakeEndpoint(delay=server.get("delay", 0.01), faults=faults)
                made.append(await stack.enter_async_context(fake))
            yield made

    return start


def urls(fakes: Sequence[Any]) -> list[str]:
    return [fake.url for fake in fakes]


def answered(fakes: Sequence[Any]) -> Counter[str]:
    """How often each request was answered, anywhere."""
    return sum((fake.answered for fake in fakes), Counter())


async def ask_all(opened: Any, ask: Any, numbers: range) -> list[Any]:
    return list(await asyncio.gather(*(opened.client.ask(ask(n)) for n in numbers), return_exceptions=True))


def test_the_least_busy_is_first() -> None:
    async def run() -> None:
        config = EndpointConfig.model_validate({"base_url": [f"http://h{n}/v1" for n in range(3)], "in_flight": 4})
        replicas = [Replica(url, config, "none") for url in config.base_url]
        made = fleet.Fleet(replicas)
        given = [(await made.acquire())[0] for _ in range(9)]
        assert given == replicas * 3
        made.release(replicas[1])
        made.release(replicas[1])
        assert [(await made.acquire())[0] for _ in range(2)] == [replicas[1]] * 2
        assert (await made.acquire(avoid=replicas[0]))[0] is not replicas[0]
        await made.close()

    simulate(run())


@pytest.mark.parametrize("at_once", [1, 7, 48])
def test_healthy_replicas_get_even_shares(at_once: int, serve: Fakes, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with serve({}, {}, {}) as fakes, open_client(urls(fakes)) as opened:
            for first in range(0, 120, at_once):
                await ask_all(opened, ask, range(first, min(120, first + at_once)))
            counts = [fake.answered.total() for fake in fakes]
            assert sum(counts) == 120
            assert max(counts) <= 1.1 * min(counts)

    simulate(run())


@pytest.mark.long
def test_one_killed_and_back_and_one_slow(serve: Fakes, open_client: Any, ask: Any, capsys: Any) -> None:
    """The healthy ones have even shares, the slow one as many in flight."""

    async def run() -> None:
        quick, slow = {"delay": 0.3}, {"delay": 1.2}
        async with serve(quick, quick, quick, slow, quick) as fakes:
            async with open_client(urls(fakes), in_flight=8) as opened:
                asking = asyncio.create_task(ask_all(opened, ask, range(500)))
                while fakes[4].answered.total() < 10:
                    await asyncio.sleep(0.01)
                fakes[4].kill()
                killed = fakes[4].answered.total()
                while answered(fakes).total() < 250:
                    await asyncio.sleep(0.01)
                assert fakes[4].answered.total() == killed
                await fakes[4].__aenter__()
                replies = await asking
                (usage,) = model_usage(opened.journal.read)
            assert all(isinstance(reply, Reply) for reply in replies)
            assert len(answered(fakes)) == 500
            assert set(answered(fakes).values()) == {1}
            assert usage.requests == 500
            healthy = [fake.answered.total() for fake in fakes[:3]]
            assert max(healthy) <= 1.1 * min(healthy)
            assert max(fake.most_at_once for fake in fakes) <= 8
            assert 0 < fakes[3].answered.total() < min(healthy) / 2
            assert fakes[4].answered.total() > killed

    simulate(run())
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[2].partition(" (")[0] for line in said[:2]] == ["out of service", "in service again"]
    assert len(said) == 3
    assert said[2].endswith("(out once)")


@pytest.mark.parametrize(
    "sick",
    [
        {"rates": {"error_500": 1.0}},
        {"rates": {"html": 1.0}},
        {"rates": {"torn": 1.0}},
        {"rates": {"cut": 1.0}},
        {"rates": {"stall": 1.0}, "stall_s": 600},
        {"api_key": "another"},
        {"rates": {"rate_limit_after": 1.0}, "retry_after_s": 60},
    ],
    ids=["500", "html", "torn", "dies in mid-answer", "hangs", "401", "429"],
)
def test_a_sick_replica(sick: dict[str, Any], serve: Fakes, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with serve({}, sick, {}) as fakes:
            async with open_client(urls(fakes), timeout_s=0.5, retries=2) as opened:
                replies = await ask_all(opened, ask, range(200))
            assert [reply for reply in replies if not isinstance(reply, Reply)] == []
            assert answered(fakes).total() == len(answered(fakes)) == 200
            assert fakes[1].outcomes.total() < 60, "it does not swallow what others could answer"

    simulate(run())


@pytest.mark.parametrize("kind", ["html", "stall"])
def test_on_trial_one_request_at_a_time(kind: str, serve: Fakes, open_client: Any, ask: Any) -> None:
    """A replica that lists its models but answers nothing gets one request at a time, and its cost is booked."""
    sick = {"rates": {kind: 1.0}, "stall_s": 600, "models": ["teacher"]}

    async def run() -> None:
        async with serve({"models": ["teacher"]}, sick) as fakes:
            async with open_client(urls(fakes), in_flight=4, timeout_s=0.2) as opened:
                await ask_all(opened, ask, range(40))
                before, most_at_once = fakes[1].outcomes.total(), 0
                asking = asyncio.create_task(ask_all(opened, ask, range(40, 240)))
                while not asking.done():
                    await asyncio.sleep(0.005)
                    most_at_once = max(most_at_once, opened.client.endpoint.fleet.replicas[1].limit.taken)
                (usage,) = model_usage(opened.journal.read)
                most = opened.budget.max_cost(ask(10))
            trials = fakes[1].outcomes.total() - before
            assert trials > 0
            assert most_at_once == 1
            assert usage.lost == pytest.approx((before + trials) * most, rel=0.02)

    simulate(run())


def test_refused_from_the_start(serve: Fakes, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with serve({}, {}, {}) as fakes:
            fakes[0].kill()
            async with open_client(urls(fakes), retries=0) as opened:
                replies = await ask_all(opened, ask, range(50))
                assert all(isinstance(reply, Reply) for reply in replies)
                await fakes[0].__aenter__()
                await asyncio.sleep(0.2)
                await ask_all(opened, ask, range(50, 100))
            assert fakes[0].answered.total() > 0

    simulate(run())


def test_all_down_and_up_again(serve: Fakes, open_client: Any, ask: Any) -> None:
    """One line; what was answered is kept, and the next run asks for the others alone."""

    async def run() -> None:
        async with serve({}, {}, {}) as fakes:
            async with open_client(urls(fakes), retries=2) as opened:
                assert len(await ask_all(opened, ask, range(30))) == 30
                for fake in fakes:
                    fake.kill()
                replies = await ask_all(opened, ask, range(100))
                assert [type(reply) for reply in replies[:30]] == [Reply] * 30
                assert {type(reply) for reply in replies[30:]} == {Unavailable, EndpointFault}
                for said in (str(reply) for reply in replies if type(reply) is EndpointFault):
                    assert said.startswith(f"{fakes[0].url} and 2 more: 3")
                    assert said.endswith("; the same command asks for those alone")
            for fake in fakes:
                await fake.__aenter__()
            async with open_client(urls(fakes)) as opened:
                assert all(isinstance(reply, Reply) for reply in await ask_all(opened, ask, range(100)))
            assert answered(fakes).total() == len(answered(fakes)) == 100

    simulate(run())


def test_none_was_ever_there(serve: Fakes, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with serve({}, {}) as fakes:
            for fake in fakes:
                fake.kill()
            async with open_client(urls(fakes)) as opened:
                with pytest.raises(EndpointFault, match=r"and 1 more: cannot be reached .*: is the server running\?"):
                    await opened.client.ask(ask(0))

    simulate(run())


def test_no_replica_takes_the_key(serve: Fakes, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with serve({"api_key": "a"}, {"api_key": "b"}) as fakes, open_client(urls(fakes)) as opened:
            with pytest.raises(EndpointFault, match="wants a key: set api_key_env"):
                await opened.client.ask(ask(0))

    simulate(run())


@pytest.mark.parametrize("others", [["student"], ["student", "judge"]])
def test_all_must_serve_the_model(others: list[str], serve: Fakes, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with serve({"models": ["teacher"]}, {"models": others}) as fakes:
            async with open_client(urls(fakes)) as opened:
                for reply in await ask_all(opened, ask, range(20)):
                    assert isinstance(reply, EndpointFault)
                    assert str(reply).startswith(f"{fakes[1].url}: serves ")
                    assert "not teacher, as" in str(reply)
            assert answered(fakes).total() == 0

    simulate(run())


def test_back_with_another_model(serve: Fakes, open_client: Any, ask: Any, capsys: Any) -> None:
    async def run() -> None:
        async with serve({"models": ["teacher"]}, {"models": ["teacher"]}) as fakes:
            async with open_client(urls(fakes)) as opened:
                await ask_all(opened, ask, range(20))
                fakes[1].kill()
                await ask_all(opened, ask, range(20, 40))
                fakes[1].faults.models = ["student"]
                await fakes[1].__aenter__()
                await asyncio.sleep(0.3)
                replies = await ask_all(opened, ask, range(40, 60))
            assert all(isinstance(reply, Reply) for reply in replies)
            assert "404" not in fakes[1].outcomes

    simulate(run())
    assert "serves student, not teacher" in capsys.readouterr().err


@pytest.mark.parametrize("count", [1, 2])
def test_a_name_that_no_list_has_is_refused(count: int, serve: Fakes, open_client: Any, ask: Any) -> None:
    """llama.cpp answers to any name, so that its answers would be filed under the wrong one."""

    async def run() -> None:
        async with serve(*[{"models": ["m.gguf"]}] * count) as fakes, open_client(urls(fakes)) as opened:
            with pytest.raises(EndpointFault, match=r"serves m\.gguf, not teacher"):
                await opened.client.ask(ask(0))
            assert not answered(fakes)

    simulate(run())


def test_a_server_that_is_loading_is_asked_again(serve: Fakes, open_client: Any, ask: Any) -> None:
    async def run() -> None:
        async with serve({"models": ["m.gguf"]}) as fakes, open_client(urls(fakes)) as opened:
            fakes[0].loading = 2
            with pytest.raises(EndpointFault, match=r"serves m\.gguf, not teacher"):
                await opened.client.ask(ask(0))

    simulate(run())


@pytest.mark.parametrize(
    ("asked", "listed", "same"),
    [
        ("gemini-2.0-flash", "models/gemini-2.0-flash", True),
        ("m.gguf", "/models/m.gguf", True),
        ("org/m:free", "org/m", True),
        ("llama3", "llama3:latest", True),
        ("qwen:72b", "qwen:7b", False),
        ("qwen-72b", "/models/smol-135m.gguf", False),
        ("gpt-4o", "gpt-4o-mini", False),
    ],
)
def test_other_ways_to_write_a_name(asked: str, listed: str, same: bool) -> None:
    assert same_model(asked, listed) == same
    body = orjson.dumps({"data": [{"id": listed, "owned_by": "vllm", "meta": {"n_params": 5}}]})
    models = read_models(body)
    assert models is not None
    assert (models.find(asked) is not None) == same
    assert models.facts(asked) == ({"n_params": "5"} if same else {})


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"data": []}', b'{"data": [1, {"id": null}]}', b'{"data": {}}'])
def test_what_is_no_list_of_models(body: bytes) -> None:
    assert read_models(body) is None
