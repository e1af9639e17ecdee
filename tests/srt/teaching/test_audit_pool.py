"""The machine in other processes: the same verdicts, and a process that dies takes nothing with it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest

from srt.io.worker_processes import TimeLimitExceeded, run_within
from srt.language.trace import Step, Trace
from srt.teaching.loop.audit_pool import Auditors
from srt.teaching.loop.machine_audit import audit


def test_verdicts_come_back_and_a_dead_process_is_replaced(cubes: ModuleType) -> None:
    problem = cubes.problem(3)
    steps = (Step(op="INFER", args=("(1)",), assertion="V = 3^3 = 28"),)
    trace = Trace(id="t", problem_id=problem.id, kind="free", lang="en", steps=steps, answer="27")

    async def main() -> None:
        with Auditors() as auditors:
            assert await auditors.audit(problem, trace) == audit(problem, trace)
            for pid in list(auditors._pool._processes):
                os.kill(pid, signal.SIGKILL)
            assert (await auditors.audit(problem, trace)).issues

    asyncio.run(main())


def test_what_takes_too_long_is_broken_off() -> None:
    def endless() -> None:
        while True:
            with suppress(Exception):
                sum(range(1000))

    with pytest.raises(TimeLimitExceeded):
        run_within(0.05, endless)
    assert run_within(5, lambda: 3) == 3
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_killed_parent_leaves_no_process_behind(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, signal\n"
        "from srt.teaching.loop.audit_pool import _start_pool\n"
        "if __name__ == '__main__':\n"
        "    pool = _start_pool()\n"
        "    print(pool.submit(os.getpid).result(), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False)
    child = int(ran.stdout)
    for _ in range(1200):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail(f"process {child} is still there")
