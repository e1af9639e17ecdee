"""Evaluation through servers under load: 2,000 questions, 64 in flight, and everything that goes wrong on the way.

    python -m research.evaluation.server_load [--questions 2000] [--in-flight 64] [--delay 0.05] [--json]

Three cases, each in a process of its own, against fake endpoints in processes of theirs (tests/fake_endpoint.py):

- ``sdk``: the questions through ``AsyncOpenAI(...).chat.completions.create`` to one sound server, with no file, no
  resume and no score; the mark that the rate of ``srt`` is divided by;
- ``srt``: the same through ``srt eval``'s back end and ``predict``;
- ``faults``: through ``predict`` to four replicas with a quarter of the requests in flight each. 2% of the replies are
  errors of status 500, 2% break off (the connection is reset in the middle), 2% are half a JSON text, 2% a page of
  HTML, 5% refused with 429 and 2% take two seconds. One replica dies after a quarter of the answers.

``once`` is the number of questions with exactly one row in the end; ``answered_twice`` the number of requests that were
answered whole more than once, which somebody would have paid for twice. Memory is the peak of the client's process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson
import psutil  # type: ignore[import-untyped]
from openai import AsyncOpenAI

from eval.backends.protocol import GenerationSettings
from eval.backends.server_backend import ServerBackend
from eval.run.predict import predict
from research.teaching.llm_rate import load_fake_endpoint
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Prediction, Problem
from srt.language.prompts import prompt_messages
from srt.llm.config import EndpointConfig

CASES = ("sdk", "srt", "faults")
REPLICAS = 4
RATES = {"error_500": 0.02, "cut": 0.02, "torn": 0.02, "html": 0.02, "rate_limit_after": 0.05, "stall": 0.02}
SLOW_S = 2.0
MAX_TOKENS = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--delay", type=float, default=0.05, help="seconds a sound reply takes")
    parser.add_argument("--case", choices=CASES, help="this one alone")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measure(options)))
        return
    figures = {case: child(case, options) for case in CASES}
    figures["srt"]["rate_of_sdk"] = figures["srt"]["rate"] / figures["sdk"]["rate"]
    figures["srt"]["cpu_of_sdk"] = figures["srt"]["cpu_ms"] / figures["sdk"]["cpu_ms"]
    print(json.dumps(figures, indent=None if options.json else 2))


def child(case: str, options: argparse.Namespace) -> dict[str, Any]:
    settings = [f"--{name}={getattr(options, name.replace('-', '_'))}" for name in ("questions", "in-flight", "delay")]
    command = [sys.executable, "-m", "research.evaluation.server_load", "--case", case, *settings]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def measure(options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        problems = [question(number) for number in range(options.questions)]
        write_records(folder / "problems.jsonl", problems)
        before = {"wall": time.perf_counter(), "cpu": time.process_time()}
        figures = faults(folder, options) if options.case == "faults" else sound(folder, problems, options)
        used = time.process_time() - before["cpu"]
        return {
            **figures,
            "cpu_ms": 1000 * used / options.questions,
            "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }


def question(number: int) -> Problem:
    text = f"A crate holds {number + 3} boxes of {number % 7 + 2} lamps each. How many lamps are there? " * 6
    return Problem(
        id=f"q{number}",
        source="load",
        split="test",
        lang="en",
        question=text,
        answer=Answer.model_validate({"kind": "number", "value": (number + 3) * (number % 7 + 2)}),
    )


def sound(folder: Path, problems: list[Problem], options: argparse.Namespace) -> dict[str, Any]:
    with load_fake_endpoint().fake_process(delay=options.delay, log=folder / "log.jsonl") as url:
        began = time.perf_counter()
        if options.case == "sdk":
            asyncio.run(bare_sdk(url, problems, options.in_flight))
        else:
            predict(folder / "problems.jsonl", folder / "run", backend([url], options.in_flight), arm="m")
        wall = time.perf_counter() - began
    rows = (
        Counter(row.key for row in read_records(folder / "run/predictions.jsonl", Prediction))
        if (options.case == "srt")
        else Counter()
    )
    return {"rate": options.questions / wall, "seconds": wall, "once": sum(n == 1 for n in rows.values()) or None}


def backend(urls: list[str], in_flight: int) -> ServerBackend:
    config = EndpointConfig.model_validate({"base_url": urls, "in_flight": in_flight, "timeout_s": 30, "retries": 10})
    return ServerBackend("m", config)


async def bare_sdk(url: str, problems: list[Problem], in_flight: int) -> None:
    waiting = iter(problems)
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def worker() -> None:
            for problem in waiting:
                messages: Any = [dict(message) for message in prompt_messages(problem, "full", pictures=False)]
                await client.chat.completions.create(
                    model="m", max_tokens=GenerationSettings().max_new_tokens, messages=messages, temperature=0
                )

        await asyncio.gather(*(worker() for _ in range(in_flight)))


def faults(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    fake = load_fake_endpoint()
    logs = [folder / f"log-{number}.jsonl" for number in range(REPLICAS)]
    with ExitStack() as stack:
        urls = []
        for number, log in enumerate(logs):
            place = folder / f"replica-{number}"
            place.mkdir()
            trouble = fake.Faults(rates=RATES, stall_s=SLOW_S)
            urls.append(
                stack.enter_context(
                    fake.fake_process(delay=options.delay, faults=trouble, seed=number, log=log, folder=place)
                )
            )
        dying = threading.Thread(target=kill_after, args=(newest_child(), logs, options.questions // 4), daemon=True)
        dying.start()
        began = time.perf_counter()
        predict(folder / "problems.jsonl", folder / "run", backend(urls, options.in_flight // REPLICAS), arm="m")
        wall = time.perf_counter() - began
    rows = Counter(row.key for row in read_records(folder / "run/predictions.jsonl", Prediction))
    entries = [orjson.loads(line) for log in logs for line in log.read_bytes().splitlines()]
    answered = Counter(entry["answered"] for entry in entries if "answered" in entry)
    met = Counter(entry["fault"] for entry in entries if entry.get("fault"))
    return {
        "rate": options.questions / wall,
        "seconds": wall,
        "rows": sum(rows.values()),
        "once": sum(n == 1 for n in rows.values()),
        "answered_twice": sum(n > 1 for n in answered.values()),
        "sent": sum("sha" in entry for entry in entries),
        "faults": dict(met),
    }


def newest_child() -> psutil.Process:
    return max(psutil.Process().children(), key=lambda process: process.create_time())


def kill_after(replica: psutil.Process, logs: list[Path], answers: int) -> None:
    """Kill ``replica`` once that many answers were sent by all."""
    while sum(log.read_bytes().count(b'"answered"') for log in logs if log.exists()) < answers:
        time.sleep(0.05)
    replica.kill()


if __name__ == "__main__":
    main()
