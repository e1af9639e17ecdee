"""The machine's audits in separate processes: exact algebra takes time that the event loop cannot spare.

An audit is stopped after :data:`LIMIT_S`, so that no text, however hostile, blocks a run.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from srt.io.records import Problem
from srt.io.worker_processes import TimeLimitExceeded, cores_at_hand, run_within, start_pool
from srt.language.trace import Trace
from srt.teaching.loop.machine_audit import MachineAudit, audit

MAX_PROCESSES = 4
LIMIT_S = 60.0


class Auditors:
    """``with Auditors() as auditors: await auditors.audit(problem, trace)``; the first call starts the processes.

    ``normal_form`` is that of :func:`srt.teaching.loop.machine_audit.audit`.
    """

    def __init__(self, normal_form: bool = False) -> None:
        self._normal_form = normal_form
        self._pool = _start_pool()

    async def audit(self, problem: Problem, trace: Trace) -> MachineAudit:
        """:func:`srt.teaching.loop.machine_audit.audit` in another process; if that process dies, once more in a new
        one.

        Raises:
            TimeoutError: it took longer than :data:`LIMIT_S`.
        """
        loop, pool = asyncio.get_running_loop(), self._pool
        try:
            try:
                return await loop.run_in_executor(pool, _audit, problem, trace, self._normal_form)
            except BrokenProcessPool:
                # Other audits may have met the same broken pool, and one of them has made a new one.
                if pool is self._pool:
                    self._pool = _start_pool()
                # Once more only: a trace that kills two processes in a row would kill every other one, too.
                return await loop.run_in_executor(self._pool, _audit, problem, trace, self._normal_form)
        except TimeLimitExceeded:
            raise TimeoutError(f"the machine's checks took more than {LIMIT_S:.0f} s") from None

    def __enter__(self) -> Auditors:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)


def _audit(problem: Problem, trace: Trace, normal_form: bool) -> MachineAudit:
    return run_within(LIMIT_S, lambda: audit(problem, trace, normal_form=normal_form))


def _start_pool() -> ProcessPoolExecutor:
    return start_pool(min(MAX_PROCESSES, cores_at_hand()))
