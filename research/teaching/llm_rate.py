"""How many requests a second one core journals, beside the bare SDK, what a request costs the processor, and memory.

    python -m research.teaching.llm_rate [--in-flight 64] [--delay 0.05] [--requests 6000] [--json]
    python -m research.teaching.llm_rate --only ask --delay 0 --requests 100000      (memory)

The same requests go through two clients, one after the other, with a short warm-up each: ``ask`` is ours, with budget,
limits, and a journal in ``--folder``, where each request and each reply is on disk before it counts; ``create`` is
``AsyncOpenAI(...).chat.completions.create``, without any of that. The client runs on one core and the fake endpoint, a
separate process that answers after ``--delay`` seconds, on another one (``--cores``). ``rate`` is from the first
request to the last reply. Processor seconds are user and system; ``rate_by_cpu`` is what the core could do if nothing
else ran on it: 1000 / (ms a request).
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
from openai import AsyncOpenAI

from srt.llm.budget import Budget
from srt.llm.config import EndpointConfig, Price
from srt.llm.journal import Journal
from srt.llm.journaled_client import JournaledClient
from srt.llm.request import LlmRequest

SYSTEM = "Rewrite the official solution as a trace. " * 30
USER = "A solid has the three views shown. Its edges are given below. " * 40
ANSWER_TOKENS = 400
CLIENTS = ("ask", "create")

Ask = Callable[[int], Awaitable[object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--requests", type=int, default=6000)
    parser.add_argument("--only", choices=CLIENTS)
    parser.add_argument("--cores", type=int, nargs=2, metavar=("CLIENT", "FAKE"), help="default: the first two")
    parser.add_argument("--folder", type=Path, help="where the journal is (default: a temporary folder)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    client_core, fake_core = options.cores or (sorted(os.sched_getaffinity(0)) * 2)[:2]
    figures: dict[str, Any] = {"in_flight": options.in_flight, "delay_s": options.delay, "requests": options.requests}
    for client in CLIENTS if options.only is None else [options.only]:
        os.sched_setaffinity(0, {fake_core})  # which the fake inherits
        with load_fake_endpoint().fake_process(delay=options.delay) as url:
            os.sched_setaffinity(0, {client_core})
            figures[client] = asyncio.run(measure(client, url, options))
    if options.only is None:
        for figure in ("rate", "rate_by_cpu"):
            figures[f"{figure}_of_bare_sdk"] = figures["ask"][figure] / figures["create"][figure]
    print(orjson.dumps(figures, option=0 if options.json else orjson.OPT_INDENT_2).decode())


async def measure(client: str, url: str, options: argparse.Namespace) -> dict[str, Any]:
    """Figures of ``client`` against the fake endpoint at ``url``."""
    async with AsyncExitStack() as stack:
        ask = await {"ask": ours, "create": bare_sdk}[client](stack, url, options)
        await drive(ask, range(-options.in_flight, 0), options.in_flight)  # connections
        began, used, early = time.perf_counter(), time.process_time(), peak_mb()
        half = await drive(ask, range(options.requests), options.in_flight)
        wall, used = time.perf_counter() - began, time.process_time() - used
        return {
            "rate": options.requests / wall,
            "rate_by_cpu": options.requests / used,
            "cpu_ms": 1000 * used / options.requests,
            "peak_rss_mb": {"before": early, "half-way": half, "end": peak_mb()},
        }


async def drive(ask: Ask, numbers: range, at_once: int) -> float:
    """Ask all of ``numbers``, ``at_once`` at a time; the peak memory half-way."""
    left, half = iter(numbers), 0.0

    async def worker() -> None:
        nonlocal half
        for number in left:
            await ask(number)
            if number == numbers[len(numbers) // 2]:
                half = peak_mb()

    await asyncio.gather(*(worker() for _ in range(at_once)))
    return half


async def ours(stack: AsyncExitStack, url: str, options: argparse.Namespace) -> Ask:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder)))
    journal = stack.enter_context(Journal(folder / "teach.sqlite"))
    budget = Budget(1e6, {"m": Price(input=2.5, output=10.0)})
    config = EndpointConfig(base_url=url, in_flight=options.in_flight)
    client = await stack.enter_async_context(JournaledClient(config, journal, budget, folder))

    async def ask(number: int) -> object:
        user = f"{USER}{number}"
        return await client.ask(
            LlmRequest(
                role="teacher",
                model="m",
                system=SYSTEM,
                user=user,
                max_tokens=ANSWER_TOKENS,
                problem_id=str(number),
            )
        )

    return ask


async def bare_sdk(stack: AsyncExitStack, url: str, options: argparse.Namespace) -> Ask:
    client = await stack.enter_async_context(AsyncOpenAI(base_url=url, api_key="none", max_retries=0))

    async def ask(number: int) -> object:
        messages: Any = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"{USER}{number}"}]
        return await client.chat.completions.create(model="m", max_tokens=ANSWER_TOKENS, messages=messages)

    return ask


def peak_mb() -> float:
    """Peak resident memory of this process so far, in MB (Linux counts it in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def load_fake_endpoint() -> ModuleType:
    """tests/fake_endpoint.py, which is in no package."""
    path = Path(__file__).resolve().parents[2] / "tests" / "fake_endpoint.py"
    spec = importlib.util.spec_from_file_location("fake_endpoint", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fake_endpoint"] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
