"""One run over a file of problems: a bounded number in hand, each ended case on disk before the next is begun.

The crash contract: a reply is journaled before the loop sees it, a case is written before its worker goes on. A run
that is killed therefore loses no case and pays for no journaled reply again; the problems that were in hand begin anew
and find their replies in the journal. Memory holds the problems in hand and one mark for each of the others.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

from srt.endpoint.errors import BudgetSpent, EndpointFault
from srt.endpoint.garbage import seldom_collected
from srt.endpoint.journal import Journal
from srt.endpoint.messages import Reply, Request
from srt.errors import UserError
from srt.problems import stream_problems
from srt.records import Problem
from srt.teaching.auditors import Auditors
from srt.teaching.cases import Cases
from srt.teaching.config import TeachConfig
from srt.teaching.exchange import Ask, Desk
from srt.teaching.folder import JOURNAL, Survey, check_folder, picture_root, stamp_folder
from srt.teaching.loop import Audit, teach_problem
from srt.teaching.opening import open_desk
from srt.teaching.records import Case, State
from srt.teaching.report import write_files
from srt.teaching.templates import load_templates

IN_HAND = 2
"""Problems in hand for each request that may be in flight: some wait for the disk or the machine, the slots do not."""
DEFECTS_IN_A_ROW = 16


class Watcher(Protocol):
    """Who is told how the run goes: a bar, plain lines, or nobody."""

    def begin(self, total: int, money: Callable[[], float]) -> None:
        """``total`` problems are to be done; ``money()`` is what the folder has cost so far."""

    def ended(self, case: Case) -> None:
        """One more case has ended, or is left for the next run."""

    def stopping(self, why: str) -> None:
        """No new request is sent any more."""

    def leave(self) -> None:
        """The process ends at once, after this."""


@dataclass
class Ran:
    """What one run did. ``states`` counts the cases of this run; ``stopped`` says why it ended before its time."""

    states: Counter[State] = field(default_factory=Counter)
    stopped: str | None = None
    fault: UserError | None = None
    interrupted: bool = False


class _Stopped(Exception):
    """No new request: the problem in hand waits for the next run."""


class _Stop:
    """Whether the run is to end: no request is sent after that, those in flight still come in and are journaled."""

    def __init__(self, ran: Ran, watcher: Watcher) -> None:
        self._ran = ran
        self._watcher = watcher
        self.defects_in_a_row = 0

    @property
    def wanted(self) -> bool:
        return self._ran.stopped is not None

    def want(self, why: str, fault: UserError | None = None) -> None:
        """End the run; the first reason counts."""
        if not self.wanted:
            self._ran.stopped, self._ran.fault = why, fault
            self._watcher.stopping(why)

    def defect(self, problem: Problem, error: Exception) -> Case:
        """The pending case of a problem on which our own code broke: one text in 10,000 must not end the run.

        Many in a row do end it, with the traceback of the last.
        """
        self.defects_in_a_row += 1
        if self.defects_in_a_row >= DEFECTS_IN_A_ROW:
            raise error
        why = " ".join(f"{type(error).__name__}: {error}".split())
        reason = f"a defect of this toolkit: {why[:300]}"
        return Case(problem_id=problem.id, category=problem.category, state=State.PENDING, reason=reason)


async def run_folder(
    problems: Survey,
    folder: Path,
    config: TeachConfig,
    watcher: Watcher,
    *,
    limit: int | None = None,
    only: Iterable[int] | None = None,
) -> Ran:
    """Take the problems that have not ended yet through the loop, at most ``limit`` of them, and write the files.

    ``only`` are positions (from 0) to keep to, for a sample: then no file is written. What concerns the whole run (no
    endpoint, a wrong key) ends it in an orderly way and stands in :attr:`Ran.fault`.

    Raises:
        UserError: the folder was made with something else or is no teaching folder, or another process holds it.
    """
    check_folder(folder, problems.path)
    templates = load_templates(config.prompts)
    ran = Ran()
    stop = _Stop(ran, watcher)
    async with AsyncExitStack() as stack:
        stack.enter_context(seldom_collected())
        journal = stack.enter_context(Journal(folder / JOURNAL))
        stamp_folder(folder, problems, config.what_decides(templates), config.currency)
        cases = Cases(journal)
        await cases.open()
        desk, budget = await stack.enter_async_context(open_desk(config, journal, picture_root(folder)))
        wanted = _wanted(cases.ended(problems.problems), only)
        todo = sum(wanted) if limit is None else min(limit, sum(wanted))
        watcher.begin(todo, lambda: budget.total)
        audit = stack.enter_context(Auditors()).audit
        _listen(stop, ran, watcher)
        feed = islice(_unended(problems.path, wanted), todo)
        in_hand = min(todo, IN_HAND * sum(spec.in_flight for spec in config.endpoints.values()))
        await _work(feed, in_hand, replace(desk, ask=_stoppable(desk.ask, stop)), audit, cases, stop, ran, watcher)
        if only is None:
            write_files(folder, problems.path, journal.read)
    return ran


async def _work(
    feed: Iterator[tuple[int, Problem]],
    in_hand: int,
    desk: Desk,
    audit: Audit,
    cases: Cases,
    stop: _Stop,
    ran: Ran,
    watcher: Watcher,
) -> None:
    """Workers that share ``feed``; each has one problem in hand."""

    async def worker() -> None:
        # A plain iterator may be shared: between its steps no other worker runs.
        for position, problem in feed:
            if stop.wanted:
                return
            try:
                case = await teach_problem(problem, desk, audit)
            except _Stopped:
                return
            except UserError as error:
                stop.want(str(error), error)
                return
            except Exception as error:
                case = stop.defect(problem, error)
            else:
                stop.defects_in_a_row = 0
            await cases.keep(position, case)
            ran.states[case.state] += 1
            watcher.ended(case)

    async with asyncio.TaskGroup() as group:
        for _ in range(in_hand):
            group.create_task(worker())


def _stoppable(ask: Ask, stop: _Stop) -> Ask:
    """``ask`` until the run is to end; what concerns the whole run ends it."""

    async def ask_or_stop(request: Request) -> Reply:
        if stop.wanted:
            raise _Stopped
        try:
            return await ask(request)
        except BudgetSpent as error:
            stop.want(str(error) or "the budget is spent")
        except EndpointFault as error:
            stop.want(str(error), error)
        raise _Stopped

    return ask_or_stop


def _wanted(ended: bytearray, only: Iterable[int] | None) -> bytearray:
    """One byte a position: 1 where the problem is to be done."""
    if only is None:
        return bytearray(1 - mark for mark in ended)
    wanted = bytearray(len(ended))
    for position in only:
        wanted[position] = 1 - ended[position]
    return wanted


def _unended(problems: Path, wanted: bytearray) -> Iterator[tuple[int, Problem]]:
    for position, problem in enumerate(stream_problems(problems)):
        if wanted[position]:
            yield position, problem


def _listen(stop: _Stop, ran: Ran, watcher: Watcher) -> None:
    """The first Ctrl-C (or SIGTERM) lets what is in flight come in; the second leaves at once."""
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if ran.interrupted:
            # As safe as kill -9 is: what was answered is on disk.
            watcher.leave()
            os._exit(130)
        ran.interrupted = True
        stop.want("interrupted; what is in flight is waited for, once more to leave at once")

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
