"""How close the client for teachers comes to the ideal rate, what a request costs the processor, and how memory grows.

    python benchmarks/endpoint_rate.py [--in-flight 256] [--delay 0.2] [--requests 8000] [--json]
    python benchmarks/endpoint_rate.py --only ask --delay 0 --requests 100000      (memory)

The fake endpoint runs as a process of its own and answers after ``--delay`` seconds; ideal is in-flight / delay. The
same requests go through three clients, one after the other, with a short warm-up each: ``aiohttp`` is a bare loop of
posts, the floor; ``ask`` is ours, with budget, limits, and a journal in ``--folder``: each request and each reply is on
disk before it counts; ``create`` is ``chat.completions.create`` of the openai SDK over the same aiohttp connections,
without any of that. Processor seconds are of user and system, of the client's process (all threads) and of the fake's
apart. ``rate_by_cpu`` is what one core could do if nothing else ran: 1000 / (ms a request). ``share`` is wall-clock and
means something on a machine with a free core for each of the two processes. The rate is that of the middle eight
tenths of the requests: before them the slots fill, after them they run empty. ``whole`` is the rate from the first
request to the last reply. Python's collector is set as ``srt teach`` sets it, for all clients.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import resource
import sys
import tempfile
import time
from array import array
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import aiohttp
import httpx2
import orjson
from openai import AsyncOpenAI, DefaultAioHttpClient

from srt.endpoint.budget import Budget
from srt.endpoint.client import Endpoint
from srt.endpoint.config import EndpointConfig, Price
from srt.endpoint.garbage import seldom_collected
from srt.endpoint.journal import Journal
from srt.endpoint.messages import Request, Role

SYSTEM = "Rewrite the official solution as a trace. " * 30
USER = "A solid has the three views shown. Its edges are given below. " * 40
ANSWER_TOKENS = 400
CLIENTS = ("aiohttp", "ask", "create")

Ask = Callable[[int], Awaitable[object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--requests", type=int, default=8000)
    parser.add_argument("--only", choices=CLIENTS)
    parser.add_argument("--folder", type=Path, help="where the journal lies (default: a temporary folder)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: dict[str, Any] = {
        "in_flight": options.in_flight,
        "delay_s": options.delay,
        "requests": options.requests,
        "ideal_rate": options.in_flight / options.delay if options.delay else None,
    }
    for client in CLIENTS if options.only is None else [options.only]:
        with fake_endpoint().fake_process(delay=options.delay) as url:
            figures[client] = _run(measure(client, url, options))
    if "ask" in figures and "aiohttp" in figures:
        figures["rate_of_bare_aiohttp"] = figures["ask"]["rate"] / figures["aiohttp"]["rate"]
    print(
        orjson.dumps(figures).decode() if options.json else orjson.dumps(figures, option=orjson.OPT_INDENT_2).decode()
    )


async def measure(client: str, url: str, options: argparse.Namespace) -> dict[str, Any]:
    """Figures of ``client`` against the fake endpoint at ``url``."""
    async with AsyncExitStack() as stack:
        # Waiting for the disk frees the slot: with twice as many in hand as in flight the slots stay busy.
        hands = options.in_flight * (2 if client == "ask" else 1)
        ask = await {"aiohttp": bare_aiohttp, "ask": ours, "create": sdk}[client](stack, url, options)
        await drive(ask, range(-options.in_flight, 0), hands)  # connections
        stack.enter_context(seldom_collected())
        served = await cpu_of_fake(url)
        began, used, early = time.perf_counter(), time.process_time(), rss_mb()
        answered, half = await drive(ask, range(options.requests), hands)
        wall, used = time.perf_counter() - began, time.process_time() - used
        served = await cpu_of_fake(url) - served
        tenth = options.requests // 10
        rate = (options.requests - 2 * tenth) / (answered[-tenth - 1] - answered[tenth - 1])
        return {
            "rate": rate,
            "share": rate * options.delay / options.in_flight,
            "whole": options.requests / wall,
            "client_cpu_ms": 1000 * used / options.requests,
            "fake_cpu_ms": 1000 * served / options.requests,
            "rate_by_cpu": options.requests / used,
            "peak_rss_mb": {"before": early, "half-way": half, "end": rss_mb()},
        }


async def drive(ask: Ask, numbers: range, hands: int) -> tuple[array[float], float]:
    """Ask all of ``numbers``, ``hands`` at a time; when each was answered, and the peak memory half-way."""
    left, answered, half = iter(numbers), array("d"), 0.0

    async def hand() -> None:
        nonlocal half
        for number in left:
            await ask(number)
            answered.append(time.perf_counter())
            if len(answered) == len(numbers) // 2:
                half = rss_mb()

    await asyncio.gather(*(hand() for _ in range(hands)))
    return answered, half


async def bare_aiohttp(stack: AsyncExitStack, url: str, options: argparse.Namespace) -> Ask:
    connector = aiohttp.TCPConnector(limit=options.in_flight)
    session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))

    async def ask(number: int) -> object:
        body = {"model": "m", "max_tokens": ANSWER_TOKENS, "messages": messages(number)}
        headers = {"content-type": "application/json"}
        async with session.post(f"{url}/chat/completions", data=orjson.dumps(body), headers=headers) as response:
            return orjson.loads(await response.read())

    return ask


async def ours(stack: AsyncExitStack, url: str, options: argparse.Namespace) -> Ask:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder)))
    journal = stack.enter_context(Journal(folder / "teach.sqlite"))
    budget = Budget(1e6, {"m": Price(input=2.5, output=10.0)})
    config = EndpointConfig(base_url=url, in_flight=options.in_flight)
    endpoint = await stack.enter_async_context(Endpoint(config, journal, budget, folder))

    async def ask(number: int) -> object:
        return await endpoint.ask(
            Request(
                role=Role.TEACHER,
                model="m",
                system=SYSTEM,
                user=f"{USER}{number}",
                max_tokens=ANSWER_TOKENS,
                problem_id=str(number),
            )
        )

    return ask


async def sdk(stack: AsyncExitStack, url: str, options: argparse.Namespace) -> Ask:
    limits = httpx2.Limits(max_connections=options.in_flight, max_keepalive_connections=options.in_flight)
    client = await stack.enter_async_context(
        AsyncOpenAI(base_url=url, api_key="none", http_client=DefaultAioHttpClient(limits=limits), max_retries=0)
    )

    async def ask(number: int) -> object:
        given: Any = messages(number)
        return await client.chat.completions.create(model="m", max_tokens=ANSWER_TOKENS, messages=given)

    return ask


def messages(number: int) -> list[dict[str, str]]:
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"{USER}{number}"}]


async def cpu_of_fake(url: str) -> float:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/stats") as response:
        return float(orjson.loads(await response.read())["cpu_s"])


def rss_mb() -> float:
    """Peak resident memory of this process so far, in MB (Linux counts it in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def fake_endpoint() -> ModuleType:
    """tests/fake_endpoint.py, which is in no package."""
    path = Path(__file__).resolve().parents[1] / "tests" / "fake_endpoint.py"
    spec = importlib.util.spec_from_file_location("fake_endpoint", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _run(measuring: Any) -> dict[str, Any]:
    try:
        import uvloop

        return dict(uvloop.run(measuring))
    except ImportError:
        return dict(asyncio.run(measuring))


if __name__ == "__main__":
    main()
