"""``srt teach`` as a function: a run, an estimate of its cost, or the provider's bill beside the journal."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from srt.io.errors import UserError
from srt.llm.bills.bill_csv import read_bill
from srt.llm.bills.reconcile import Reconciliation, reconcile
from srt.llm.journal import read_only
from srt.teaching.case_store.case_records import State
from srt.teaching.case_store.folder_files import folder_status
from srt.teaching.case_store.manifest import JOURNAL, read_manifest, scan_problems
from srt.teaching.case_store.teaching_summary import Summary
from srt.teaching.cost_estimate import CostEstimate, draw_sample, estimate_cost
from srt.teaching.run_progress import RunProgress
from srt.teaching.teach_config import Arm, load_teach_config
from srt.teaching.teach_problems import run_folder


@dataclass(frozen=True)
class TeachResult:
    """The figures of the folder after the run, the estimate if one was requested, and whether a signal stopped it."""

    summary: Summary
    estimate: CostEstimate | None
    interrupted: bool


def reconcile_folder(folder: Path, bill: Path) -> Reconciliation:
    """Lay the provider's list ``bill`` (CSV) beside the journal of ``folder``, also while another process runs it.

    Raises:
        UserError: not a teaching folder, or a file that is no such list.
    """
    currency = read_manifest(folder).currency
    lines = read_bill(bill)
    with read_only(folder / JOURNAL) as connection:
        return reconcile(lines, connection.execute, currency)


def teach_file(
    problems: Path,
    folder: Path,
    config: Path,
    *,
    arm: Arm | None = None,
    limit: int | None = None,
    sample: int | None = None,
    again: Collection[State] = (),
) -> TeachResult:
    """Run the loop on the problems of a file; with ``sample``, on so many drawn at random, to estimate the cost.

    ``arm`` overrides the config's. The files of the folder are written at the end of a run, also of one that was
    stopped, but not of an estimate. With ``again``, only cases in these states are taken up.

    Raises:
        UserError: a fault in the config, the problems, the folder or an endpoint.
    """
    settings = load_teach_config(config)
    if arm is not None:
        settings = settings.model_copy(update={"arm": arm})
    if sample is not None and (limit is not None or again):
        raise UserError(f"--estimate runs its own sample; leave out {'--again' if limit is None else '--limit'}")
    problem_file = scan_problems(problems)
    drawn = None if sample is None else draw_sample(problem_file.count, sample, settings.seed)
    with RunProgress(settings.currency) as observer:
        result = asyncio.run(run_folder(problem_file, folder, settings, observer, limit=limit, only=drawn, again=again))
    if result.fault is not None:
        raise result.fault
    estimate = None
    if drawn is not None:
        with read_only(folder / JOURNAL) as connection:
            estimate = estimate_cost(connection.execute, drawn, problem_file.count, settings.currency)
        if estimate is None:
            why = result.stopped or "the others are pending"
            raise UserError(f"{folder}: no estimate: fewer than two problems of the sample have ended ({why})")
    return TeachResult(folder_status(folder), estimate, result.interrupted)
