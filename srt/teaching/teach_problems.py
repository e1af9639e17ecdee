"""One run over a file of problems: a bounded number at a time, each case on disk before its worker takes the next.

The crash contract: a reply is journaled before the loop sees it, and a case is written before its worker goes on. A run
that is killed therefore loses no case and pays for no journaled reply again; problems in progress start over and find
their replies in the journal. Memory holds the problems in progress and one byte for each of the others.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol

from srt.io.errors import UserError
from srt.io.problem_files import stream_problems
from srt.io.records import Problem
from srt.llm.endpoint.client import read_api_key
from srt.llm.exchange import Ask
from srt.llm.journal import Journal, left_out
from srt.llm.journaled_client import LlmSession, open_session
from srt.llm.llm_errors import BudgetSpent, EndpointFault, RunStopping
from srt.llm.request import LlmRequest, Reply
from srt.teaching.case_store.case_records import State, TeachingCase
from srt.teaching.case_store.case_table import CaseTable
from srt.teaching.case_store.decisions import read_decisions
from srt.teaching.case_store.folder_files import write_files
from srt.teaching.case_store.manifest import (
    JOURNAL,
    ProblemFile,
    check_folder,
    recipe_digest,
    write_manifest,
)
from srt.teaching.loop.audit_pool import Auditors
from srt.teaching.loop.problem_loop import teach_problem
from srt.teaching.teach_config import TeachConfig
from srt.teaching.teach_prompts import load_teach_prompts

PROBLEMS_PER_SLOT = 2
"""Problems in progress for each request that may be in flight: while some wait for disk or checks, slots stay full."""
MAX_DEFECTS_IN_A_ROW = 16


class RunObserver(Protocol):
    """Follows the progress of a run."""

    def begin(self, total: int, cost: Callable[[], float]) -> None:
        """The run begins with ``total`` problems to do; ``cost()`` is the folder's cost so far."""

    def case_ended(self, case: TeachingCase) -> None:
        """One more case has ended, or stays pending."""

    def notice(self, line: str) -> None:
        """Something that a person should know."""

    def stopping(self, why: str) -> None:
        """No more requests are sent."""

    def exiting(self, lost: Sequence[float]) -> None:
        """The process exits right after this call; ``lost`` is the most that each request in flight may cost."""


class TeachRun:
    """One run. Once it is stopped no more requests are sent; replies to those in flight are still journaled.

    ``stopped`` says why it stopped early, ``fault`` is an error that concerns the whole run.
    """

    def __init__(self, observer: RunObserver, session: LlmSession) -> None:
        self.stopped: str | None = None
        self.fault: UserError | None = None
        self.interrupted = False
        self.observer = observer
        self.session = session
        self.defects_in_a_row = 0

    def stop(self, why: str, fault: UserError | None = None) -> None:
        """Stop the run; only the first reason is kept."""
        if self.stopped is None:
            self.stopped, self.fault = why, fault
            self.session.stop()
            # What a fault is, the last line of the command says.
            if fault is None:
                self.observer.stopping(why)
            elif in_flight := len(self.session.on_the_wire()):
                self.observer.stopping(f"waiting for {in_flight} requests in flight")

    def defect(self, problem: Problem, error: Exception) -> TeachingCase:
        """The pending case of a problem on which our own code failed: one text in 10,000 must not end the run.

        Many in a row do end it, with the traceback of the last.
        """
        self.defects_in_a_row += 1
        # A bug that every problem meets would otherwise spend the budget on cases that all stay pending.
        if self.defects_in_a_row >= MAX_DEFECTS_IN_A_ROW:
            raise error
        why = " ".join(f"{type(error).__name__}: {error}".split())
        reason = f"internal error: {why[:300]}"
        return TeachingCase(problem_id=problem.id, category=problem.category, state=State.PENDING, reason=reason)


async def run_folder(
    problems: ProblemFile,
    folder: Path,
    config: TeachConfig,
    observer: RunObserver,
    *,
    limit: int | None = None,
    only: Iterable[int] | None = None,
    again: Collection[State] = (),
) -> TeachRun:
    """Run the loop on the problems that have not ended yet, at most ``limit`` of them, and write the files.

    ``only`` restricts the run to these positions (from 0), for a sample; no file is written then. With ``again``, it is
    cases in these states that are taken up, and no others, unless a person has decided them; each keeps its old record
    until it has ended anew. A fault that concerns the whole run (no endpoint, a wrong key) ends it in an orderly way;
    it is in :attr:`TeachRun.fault`.

    Raises:
        UserError: the folder was made with something else or is not a teaching folder, another process holds it, or an
            endpoint has no key.
    """
    # Before anything is opened: a folder that is refused is left as it was found.
    check_folder(folder, problems.path)
    for endpoint in config.endpoints_by_name.values():
        read_api_key(endpoint)  # before the folder is made: one without cases looks like a run of no problems
    templates = load_teach_prompts(config.prompts)
    settings = config.trace_settings(templates)
    async with AsyncExitStack() as stack:
        journal = stack.enter_context(Journal(folder / JOURNAL))
        changed = write_manifest(folder, problems, settings, config.currency, left_out(journal.read))
        table = CaseTable(journal)
        session = await stack.enter_async_context(
            open_session(config, config.choices(), templates, journal, problems.picture_root)
        )
        run = TeachRun(observer, session)
        if changed is not None:
            observer.notice(f"another recipe than in the last run: {changed}; cases that have ended stay as they are")
        ended = table.ended(problems.count, again, _decided(folder) if again else ())
        wanted = range(problems.count) if only is None else frozenset(only)
        total = sum(not ended[n] for n in wanted)
        if limit is not None:
            total = min(limit, total)
        observer.begin(total, lambda: session.budget.total)
        audit = stack.enter_context(Auditors(config.normal_form)).audit
        _stop_on_signals(run)
        numbered = enumerate(stream_problems(problems.path))
        todo = ((n, problem) for n, problem in numbered if n in wanted and not ended[n])
        # Workers, not one task for each problem: a file may have millions.
        workers = min(total, PROBLEMS_PER_SLOT * sum(spec.at_once for spec in config.endpoints_by_name.values()))
        context = replace(session.context, ask=_stoppable(session.context.ask, run))
        work = partial(teach_problem, config=config, context=context, audit=audit)
        await _work(islice(todo, total), workers, work, table, run, recipe_digest(settings))
        if batches := session.open_batches():
            observer.notice(
                f"{len(batches)} batches are open ({', '.join(batches[:3])}); the same command goes on with them"
            )
        try:
            write_manifest(folder, problems, settings, config.currency, left_out(journal.read))
            if only is None:
                write_files(folder, problems.path, journal.read)
        except OSError as error:
            why = f"{folder}: its files cannot be written: {error.strerror}"
            run.stop(why, UserError(why))
    return run


async def _work(
    feed: Iterator[tuple[int, Problem]],
    workers: int,
    work: Callable[[Problem], Awaitable[TeachingCase]],
    table: CaseTable,
    run: TeachRun,
    recipe: str,
) -> None:
    """``work`` on the problems of ``feed``, which so many workers share."""

    async def worker() -> None:
        # A plain iterator may be shared: no other worker runs between its steps.
        for position, problem in feed:
            if run.stopped is not None:
                return
            try:
                case = await work(problem)
            except RunStopping:
                return
            except UserError as error:
                run.stop(str(error), error)
                return
            except Exception as error:
                case = run.defect(problem, error)
            else:
                run.defects_in_a_row = 0
            case = case.model_copy(update={"recipe": recipe})
            try:
                table.save(position, case)
            except UserError as error:
                run.stop(str(error), error)
                return
            run.observer.case_ended(case)

    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())


def _stoppable(ask: Ask, run: TeachRun) -> Ask:
    """``ask`` until the run stops; a spent budget or a fault of the endpoint stops it."""

    async def ask_or_stop(request: LlmRequest) -> Reply:
        if run.stopped is not None:
            raise RunStopping
        try:
            return await ask(request)
        except BudgetSpent as error:
            run.stop(str(error) or "the budget is spent")
        except EndpointFault as error:
            run.stop(str(error), error)
        raise RunStopping

    return ask_or_stop


def _decided(folder: Path) -> set[str]:
    """The problems on which a person's decision is in effect."""
    in_effect: Counter[str] = Counter()
    for decision in read_decisions(folder):
        in_effect[decision.problem_id] += -1 if decision.action == "undo" else 1
    return {problem_id for problem_id, count in in_effect.items() if count > 0}


def _stop_on_signals(run: TeachRun) -> None:
    """The first Ctrl-C (or SIGTERM) waits for requests in flight; the second exits at once."""
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        if run.interrupted:
            # As safe as kill -9: every reply that arrived is on disk.
            run.observer.exiting(run.session.on_the_wire())
            os._exit(130)
        run.interrupted = True
        run.stop("interrupted; waiting for requests in flight, interrupt again to exit at once")

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
