"""The whole loop of ``srt teach`` against the fake endpoint: its rate, its memory, and what becomes of faulty replies.

    python benchmarks/teach_run.py rate   [--in-flight 256] [--delay 0.2] [--problems 3000] [--without-audits] [--json]
    python benchmarks/teach_run.py memory [--problems 100000] [--without-http] [--json]
    python benchmarks/teach_run.py faulty [--problems 2000] [--share 0.2] [--json]

``rate``: requests a second while the run has all its slots full, against in-flight / delay; with the processor's
milliseconds a request, of this process (the loop, the client, the journal), of the audits' processes and of the fake.
``share_of_ideal_by_cpu`` is what a core of its own would reach: the wall-clock share means little on a busy machine.
``--without-audits`` has the machine accept all at once: the exact checks take more of the processor than all the rest
together, and cores of their own.
``memory``: the peak resident memory of this process and of the largest audit process, over a run whose fake answers at
once; ``--without-http`` answers in this process and has the machine accept all, which leaves journal, cases, loop and
files to be measured. ``faulty``: every kind of fault at an equal rate, ``--share`` together; each problem must end in
a named state, and the invariant must hold after one run and after a second one, without faults, that takes up what is
pending.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson

import srt.teaching.run
from srt.endpoint.budget import Budget
from srt.endpoint.journal import Journal
from srt.endpoint.messages import Reply, Request
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.records import Problem
from srt.teaching.command import folder_status, loop_factory
from srt.teaching.config import TeachConfig, load_config
from srt.teaching.exchange import Desk
from srt.teaching.folder import survey
from srt.teaching.machine import MachineAudit
from srt.teaching.records import Case, State
from srt.teaching.run import run_folder
from srt.teaching.templates import load_templates

TESTS = Path(__file__).resolve().parents[1] / "tests"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("rate", "memory", "faulty"))
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--delay", type=float, default=0.2, help="seconds that a reply takes (rate)")
    parser.add_argument("--problems", type=int)
    parser.add_argument("--share", type=float, default=0.2, help="of replies that are faulty (faulty)")
    parser.add_argument("--without-audits", action="store_true", help="the machine accepts all (rate)")
    parser.add_argument("--without-http", action="store_true", help="answer in this process (memory)")
    parser.add_argument("--folder", type=Path, help="where the run lies (default: a temporary folder)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        figures = {"rate": rate, "memory": memory, "faulty": faulty}[options.what](options, Path(folder))
    if options.json:
        print(orjson.dumps(figures, option=orjson.OPT_INDENT_2).decode())
        return
    for name, value in figures.items():
        print(f"{name:28} {value:.3f}" if isinstance(value, float) else f"{name:28} {value}")


class Clock:
    """A watcher that notes when each case ended, and the processor seconds of this process from begin to last case."""

    def __init__(self) -> None:
        self.ended_at: list[float] = []
        self.cpu_s = 0.0
        self._total = 0
        self._cpu_at_begin = 0.0
        self.stopped: str | None = None

    def begin(self, total: int, money: Callable[[], float]) -> None:
        """The run begins."""
        self._total, self._cpu_at_begin = total, time.process_time()

    def ended(self, case: Case) -> None:
        """A case ended now."""
        self.ended_at.append(time.monotonic())
        if len(self.ended_at) == self._total:
            self.cpu_s = time.process_time() - self._cpu_at_begin

    def stopping(self, why: str) -> None:
        """The run ends early."""
        self.stopped = why

    def leave(self) -> None:
        """The process ends now."""


def rate(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    count = options.problems or 3000
    if options.without_audits:
        srt.teaching.run.Auditors = AcceptingAuditors  # type: ignore[assignment,misc]
    clock, seconds, fake_cpu = one_run(folder, count, options.in_flight, delay=options.delay)
    requests = sum(account.requests for account in folder_status(folder / "out").accounts)
    # The first and the last tenth are left out: slots fill up, and run empty.
    tenth = len(clock.ended_at) // 10
    steady = (len(clock.ended_at) - 2 * tenth) / (clock.ended_at[-tenth] - clock.ended_at[tenth])
    ideal = options.in_flight / options.delay
    each = requests / count
    return {
        "problems": count,
        "requests": requests,
        "requests_a_second": steady * each,
        "ideal_a_second": ideal,
        "share_of_ideal": steady * each / ideal,
        "wall_s": seconds,
        "loop_cpu_ms_a_request": 1e3 * clock.cpu_s / requests,
        "share_of_ideal_by_cpu": min(1.0, requests / clock.cpu_s / ideal),
        "audit_cpu_ms_a_request": 1e3 * cpu(resource.RUSAGE_CHILDREN, but=fake_cpu) / requests,
        "fake_cpu_ms_a_request": 1e3 * fake_cpu / requests,
    }


def memory(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    count = options.problems or 100_000
    if options.without_http:
        srt.teaching.run.open_desk = desk_of_one_process  # type: ignore[assignment]
        srt.teaching.run.Auditors = AcceptingAuditors  # type: ignore[assignment,misc]
    _, seconds, _ = one_run(folder, count, options.in_flight)
    status = folder_status(folder / "out")
    return {
        "problems": count,
        "requests": sum(account.requests for account in status.accounts),
        "states": str({name: n for name, n in status.states.items() if n}),
        "wall_s": seconds,
        "problems_a_second": count / seconds,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "largest_child_rss_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }


def faulty(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    count = options.problems or 2000
    fake = load(TESTS / "fake_endpoint.py")
    rates = dict.fromkeys(fake.RATES, options.share / len(fake.RATES))
    faults = fake.Faults(rates=rates, retry_after_s=0.05)
    _, seconds, _ = one_run(folder, count, min(options.in_flight, 64), delay=0.01, faults=faults, timeout_s=2)
    first = folder_status(folder / "out")
    one_run(folder, count, min(options.in_flight, 64))
    second = folder_status(folder / "out")
    asked = Counter[str]()
    for counts in first.outcomes.values():
        asked.update(counts)
    if not (first.balanced and second.balanced):
        raise SystemExit("the invariant does not hold")
    if second.states["pending"]:
        raise SystemExit(f"{second.states['pending']} problems are still pending")
    return {
        "problems": count,
        "wall_s": seconds,
        "states": str(first.states),
        "states_after_a_second_run": str(second.states),
        "outcomes": str(dict(asked.most_common())),
        "accounted_for": sum(second.states[state.value] for state in State),
    }


def one_run(
    folder: Path, count: int, in_flight: int, *, delay: float = 0.0, faults: Any = None, timeout_s: float = 30
) -> tuple[Clock, float, float]:
    """Run ``count`` problems; the clock, the seconds, and the fake's processor seconds."""
    cubes, fake = load(TESTS / "srt" / "teaching" / "cubes.py"), load(TESTS / "fake_endpoint.py")
    problems = folder / "problems.jsonl"
    if not problems.exists():
        cubes.problems(problems, count)
    responder = f"{TESTS / 'srt' / 'teaching' / 'cubes.py'}:respond"
    with fake.fake_process(delay=delay, faults=faults, responder=responder, folder=folder) as url:
        config = cubes.config(folder / "c.yaml", url, in_flight=in_flight, timeout_s=timeout_s)
        clock, began = Clock(), time.monotonic()
        ran = run(lambda: run_folder(survey(problems), folder / "out", load_config(config), clock))
        seconds = time.monotonic() - began
        spent = fake_seconds(url)
    if ran.stopped:
        raise SystemExit(f"the run stopped: {ran.stopped}")
    return clock, seconds, spent


@asynccontextmanager
async def desk_of_one_process(config: TeachConfig, journal: Journal, image_root: Path) -> AsyncIterator[Any]:
    """A desk whose questions are answered here; replies and money go through the real journal and budget."""
    cubes, budget = load(TESTS / "srt" / "teaching" / "cubes.py"), Budget(config.budget, config.prices)

    async def ask(request: Request) -> Reply:
        if (known := journal.get(request.key)) is not None:
            return known
        reservation = await budget.reserve(request)
        text = cubes.answer(request.user)
        reply = Reply(text=text, finish_reason="stop", input_tokens=500, output_tokens=100, seconds=0.0)
        await journal.put(request, reply, budget.settle(reservation, request, reply))
        return reply

    yield Desk(config, load_templates(config.prompts), ask), budget


class AcceptingAuditors:
    """A machine that takes no time and holds nothing against anything."""

    async def audit(self, problem: Problem, trace: Trace) -> MachineAudit:
        """Every step is unchecked."""
        verdict = StepCheck(support="unchecked", reason="not checked in this benchmark")
        checks = TraceCheck(steps=(verdict,) * len(trace.steps), answer=verdict)
        return MachineAudit(checks, (), "equal", None, frozenset(), False)

    def __enter__(self) -> AcceptingAuditors:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""


def run(main: Callable[[], Any]) -> Any:
    """``main()`` in the event loop that ``srt teach`` uses."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        return runner.run(main())


def cpu(who: int, but: float = 0.0) -> float:
    """Processor seconds, user and system; ``but`` are known to be another's."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime - but


def fake_seconds(url: str) -> float:
    from urllib.request import urlopen

    with urlopen(url, timeout=10) as reply:
        return float(orjson.loads(reply.read())["cpu_s"])


def load(path: Path) -> ModuleType:
    if path.stem in sys.modules:
        return sys.modules[path.stem]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
