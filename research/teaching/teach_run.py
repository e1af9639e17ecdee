"""The whole loop of ``srt teach`` against the fake endpoint: its rate, its memory, and its handling of faulty replies.

    python -m research.teaching.teach_run rate [--in-flight 256] [--delay 0.2] [--problems 3000]
        [--without-audits] [--json]
    python -m research.teaching.teach_run memory [--problems 100000] [--without-http] [--json]
    python -m research.teaching.teach_run faulty [--problems 2000] [--share 0.2] [--json]

``rate``: requests per second while all slots of the run are full, against in-flight / delay; and CPU milliseconds per
request of this process (the loop, the client, the journal), of the audit processes and of the fake endpoint.
``share_of_ideal_by_cpu`` is what a free core would reach: on a busy machine the wall-clock share means little. With
``--without-audits`` the machine accepts every trace at once: the exact checks take more CPU than everything else
together, on other cores. ``memory``: the peak resident memory of this process and of the largest audit process, over a
run whose replies come at once; ``--without-http`` replies in this process and accepts every trace, which leaves
journal, cases, loop and files to be measured. ``faulty``: all kinds of faults at equal rates, ``--share`` together;
every problem must end in a named state, and the invariant must hold after one run and after a second one, without
faults, that resumes the pending problems.
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
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson

import srt.teaching.teach_problems
from srt.io.records import Problem
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.llm.budget import Budget
from srt.llm.config import LlmConfig, ModelChoice
from srt.llm.exchange import LlmContext
from srt.llm.journal import Journal
from srt.llm.journaled_client import LlmSession
from srt.llm.prompt_templates import PromptTemplates
from srt.llm.request import LlmRequest, Reply
from srt.teaching.case_store.case_records import State, TeachingCase
from srt.teaching.case_store.folder_files import folder_status
from srt.teaching.case_store.manifest import scan_problems
from srt.teaching.loop.machine_audit import MachineAudit
from srt.teaching.teach_config import load_teach_config
from srt.teaching.teach_problems import run_folder

TESTS = Path(__file__).resolve().parents[2] / "tests"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("rate", "memory", "faulty"))
    parser.add_argument("--in-flight", type=int, default=256)
    parser.add_argument("--delay", type=float, default=0.2, help="seconds per reply (rate)")
    parser.add_argument("--problems", type=int)
    parser.add_argument("--share", type=float, default=0.2, help="share of faulty replies (faulty)")
    parser.add_argument("--without-audits", action="store_true", help="accept every trace unchecked (rate)")
    parser.add_argument("--without-http", action="store_true", help="reply in this process (memory)")
    parser.add_argument("--folder", type=Path, help="folder for the run (default: a temporary one)")
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
    """An observer that records when each case ended, and this process's CPU seconds up to the last one."""

    def __init__(self) -> None:
        self.ended_at: list[float] = []
        self.cpu_s = 0.0
        self._total = 0
        self._cpu_at_begin = 0.0
        self.stopped: str | None = None

    def begin(self, total: int, cost: Callable[[], float]) -> None:
        """The run begins."""
        self._total, self._cpu_at_begin = total, time.process_time()

    def case_ended(self, case: TeachingCase) -> None:
        """A case ended now."""
        self.ended_at.append(time.monotonic())
        if len(self.ended_at) == self._total:
            self.cpu_s = time.process_time() - self._cpu_at_begin

    def stopping(self, why: str) -> None:
        """The run ends early."""
        self.stopped = why

    def notice(self, line: str) -> None:
        """Nobody reads it."""

    def exiting(self, lost: Sequence[float]) -> None:
        """The process ends now."""


def rate(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    count = options.problems or 3000
    if options.without_audits:
        srt.teaching.teach_problems.Auditors = AcceptingAuditors  # type: ignore[assignment,misc]
    clock, seconds, fake_cpu = one_run(folder, count, options.in_flight, delay=options.delay)
    requests = sum(account.requests for account in folder_status(folder / "out").accounts)
    # The first and the last tenth are left out, while slots fill up and run empty.
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
        srt.teaching.teach_problems.open_session = session_of_one_process  # type: ignore[assignment]
        srt.teaching.teach_problems.Auditors = AcceptingAuditors  # type: ignore[assignment,misc]
    _, seconds, _ = one_run(folder, count, options.in_flight)
    status = folder_status(folder / "out")
    return {
        "problems": count,
        "requests": sum(account.requests for account in status.accounts),
        "states": _counts(status.states),
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
    if second.states[State.PENDING]:
        raise SystemExit(f"{second.states['pending']} problems are still pending")
    return {
        "problems": count,
        "wall_s": seconds,
        "states": _counts(first.states),
        "states_after_a_second_run": _counts(second.states),
        "outcomes": str(dict(asked.most_common())),
        "accounted_for": sum(second.states.values()),
    }


def _counts(states: Mapping[State, int]) -> str:
    return ", ".join(f"{n} {state}" for state, n in states.items() if n)


def one_run(
    folder: Path, count: int, in_flight: int, *, delay: float = 0.0, faults: Any = None, timeout_s: float = 30
) -> tuple[Clock, float, float]:
    """Run ``count`` problems; the clock, the seconds, and the fake's CPU seconds."""
    cubes, fake = load(TESTS / "srt" / "teaching" / "cubes.py"), load(TESTS / "fake_endpoint.py")
    problems = folder / "problems.jsonl"
    if not problems.exists():
        cubes.problems(problems, count)
    responder = f"{TESTS / 'srt' / 'teaching' / 'cubes.py'}:respond"
    with fake.fake_process(delay=delay, faults=faults, responder=responder, folder=folder) as url:
        config = cubes.config(folder / "c.yaml", url, in_flight=in_flight, timeout_s=timeout_s)
        clock, began = Clock(), time.monotonic()
        ran = asyncio.run(run_folder(scan_problems(problems), folder / "out", load_teach_config(config), clock))
        seconds = time.monotonic() - began
        spent = fake_seconds(url)
    if ran.stopped:
        raise SystemExit(f"the run stopped: {ran.stopped}")
    return clock, seconds, spent


@asynccontextmanager
async def session_of_one_process(
    config: LlmConfig,
    models: Mapping[str, ModelChoice],
    templates: PromptTemplates,
    journal: Journal,
    image_root: Path,
) -> AsyncIterator[Any]:
    """A session whose questions are answered here; replies and money go through the real journal and budget."""
    cubes, budget = load(TESTS / "srt" / "teaching" / "cubes.py"), Budget(config.budget, config.prices)

    async def ask(request: LlmRequest) -> Reply:
        if (known := journal.get(request.keys)) is not None:
            return known
        reservation = await budget.reserve(request)
        text = cubes.answer(request.user)
        reply = Reply(text=text, finish_reason="stop", input_tokens=500, output_tokens=100, seconds=0.0)
        journal.put(request, reply, budget.settle(reservation, reply)[0])
        return reply

    yield LlmSession(LlmContext(models, templates, ask), budget, ())


class AcceptingAuditors:
    """A machine that accepts every trace and takes no time."""

    def __init__(self, normal_form: bool) -> None:
        """Nothing to start."""

    async def audit(self, problem: Problem, trace: Trace) -> MachineAudit:
        """Every step is unchecked."""
        verdict = StepCheck(support="unchecked", reason="not checked in this benchmark")
        checks = TraceCheck(steps=(verdict,) * len(trace.steps), answer=verdict)
        return MachineAudit(checks, (), "equal")

    def __enter__(self) -> AcceptingAuditors:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""


def cpu(who: int, but: float = 0.0) -> float:
    """CPU seconds, user and system, without the ``but`` seconds of another process."""
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
