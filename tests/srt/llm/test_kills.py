"""``kill -9`` in mid-run: nothing journaled is sent again, nothing is lost, and the books never say too little."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import orjson
import pytest

from srt.llm.accounts import model_usage
from srt.llm.budget import Budget
from srt.llm.journal import Journal, read_only

DRIVER = """
import asyncio, sys
from pathlib import Path
from srt.llm.budget import Budget
from srt.llm.journaled_client import JournaledClient
from srt.llm.config import EndpointConfig, Price
from srt.llm.journal import Journal
from srt.llm.request import LlmRequest

url, path, requests = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])

async def run():
    budget = Budget(1000.0, {"m": Price(input=1.0, output=2.0)})
    with Journal(path) as journal:
        config = EndpointConfig(base_url=url, in_flight=8)
        async with JournaledClient(config, journal, budget, path.parent) as client:
            print("begun", flush=True)
            left = iter(range(requests))
            async def hand():
                for n in left:
                    await client.ask(LlmRequest(
                        role="teacher", model="m", system="s", user=f"problem {n}", max_tokens=50, problem_id=str(n)))
            await asyncio.gather(*(hand() for _ in range(16)))

asyncio.run(run())
"""


def journaled(path: Path) -> set[str]:
    if not path.exists():
        return set()
    with read_only(path) as db:
        return {key for (key,) in db.execute("SELECT key FROM requests")}


@pytest.mark.long
@pytest.mark.parametrize(
    ("kills", "requests"), [(2, 120), pytest.param(10, 600, marks=pytest.mark.slow)], ids=["quick", "slow"]
)
def test_kills(kills: int, requests: int, fake_endpoint: ModuleType, tmp_path: Path) -> None:
    log, path = tmp_path / "log", tmp_path / "run" / "teach.sqlite"
    chance = random.Random(0)
    kept: set[str] = set()
    with fake_endpoint.fake_process(delay=0.1, log=log) as url:
        command = [sys.executable, "-c", DRIVER, url, str(path), str(requests)]
        for run in range(kills + 1):
            begins = log.stat().st_size if log.exists() else 0
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                process.stdout.readline()
                if run < kills:
                    time.sleep(chance.uniform(0.3, 0.6))
                    os.kill(process.pid, signal.SIGKILL)
            lines = map(orjson.loads, log.read_bytes()[begins:].splitlines())
            assert not {line.get("key") for line in lines} & kept, "a journaled request was sent again"
            assert kept <= journaled(path)
            kept = journaled(path)
            assert run == kills or len(kept) < requests, "the kill came too late to show anything"

    told = [orjson.loads(line) for line in log.read_bytes().splitlines()]
    sent = [line["key"] for line in told if "key" in line]
    assert len(journaled(path)) == len(set(sent)) == requests
    # Only what was on the wire at a kill.
    assert len(sent) - requests <= 8 * kills
    used = [line["usage"] for line in told if "usage" in line]
    billed = sum(usage["prompt_tokens"] + 2 * usage["completion_tokens"] for usage in used)
    with Journal(path) as journal:
        total = Budget(None, {}, model_usage(journal.read)).total
    assert total >= billed / 1e6 * (1 - 1e-9)
