"""The files of a folder, written from its journal: whole, atomically, and one case at a time in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from srt.errors import UserError
from srt.jsonl import dump, write_atomically, write_records
from srt.language.faults import Fault
from srt.problems import stream_problems
from srt.records import Problem
from srt.review.decisions import CASES, TRACES, final_traces, read_decisions
from srt.review.sample import read_sample
from srt.teaching.cases import Read, with_cases
from srt.teaching.folder import PROBLEMS, folder_problems, read_stamp
from srt.teaching.records import Case, Outcome
from srt.teaching.summary import Summary, Tally, accounts

REPORT = "report.json"
PAGE = "report.html"


def write_files(folder: Path, problems: Path, read: Read) -> Summary:
    """Write all files of ``folder`` from its journal (``read`` runs a query on it) and give the figures.

    ``problems`` is the file that the run was given: ``problems.jsonl`` is written from it with the descriptions.

    Raises:
        UserError: the journal and the problems do not belong together, or do not add up.
    """
    decisions = read_decisions(folder)
    tally = Tally(decisions, read_sample(folder))
    described = False

    def counted() -> Iterator[Case]:
        nonlocal described
        for problem, case in with_cases(stream_problems(problems), read):
            tally.add(problem, case)
            described |= _described(problem, case) is not problem
            yield case

    write_records(folder / CASES, counted())
    if described:
        pairs = with_cases(stream_problems(problems), read)
        write_atomically(folder / PROBLEMS, (dump(_described(problem, case)) for problem, case in pairs))
    cases = (case for _, case in with_cases(folder_problems(folder), read))
    write_records(folder / TRACES, final_traces(cases, decisions))
    stamp = read_stamp(folder)
    summary = tally.summary(accounts(read), stamp.currency, stamp.decides)
    _must_balance(folder, summary)
    write_atomically(folder / REPORT, [orjson.dumps(summary.model_dump(), option=orjson.OPT_INDENT_2)])
    write_atomically(folder / PAGE, [page(summary).encode()])
    return summary


def status(folder: Path, read: Read) -> Summary:
    """The figures of ``folder`` as they are now; nothing is written. Raises as :func:`write_files` does."""
    stamp = read_stamp(folder)
    tally = Tally(read_decisions(folder), read_sample(folder))
    for problem, case in with_cases(folder_problems(folder), read):
        tally.add(problem, case)
    summary = tally.summary(accounts(read), stamp.currency, stamp.decides)
    _must_balance(folder, summary)
    if summary.problems != stamp.problems:
        raise UserError(f"{folder / PROBLEMS}: holds {summary.problems} problems, but was made with {stamp.problems}")
    return summary


def page(summary: Summary) -> str:
    """The report as one page of HTML that needs nothing but itself; everything from data is escaped."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = lambda share: f"{100 * share:.1f}"
    environment.filters["percent2"] = lambda share: f"{100 * share:.2f}"  # 299 right ones bound the error at 0.997%
    environment.filters["thousands"] = "{:,}".format
    explained = {fault.value: (fault.explanation, fault.family) for fault in Fault}
    return environment.get_template("report.html.jinja").render(
        s=summary, explained=explained, outcomes=[outcome.value for outcome in Outcome]
    )


def _described(problem: Problem, case: Case) -> Problem:
    if case.diagram_description is None or problem.diagram_description is not None:
        return problem
    return problem.model_copy(update={"diagram_description": case.diagram_description})


def _must_balance(folder: Path, summary: Summary) -> None:
    if not summary.balanced:
        raise UserError(f"{folder}: {summary.problems} problems in, but {summary.states} are accounted for")
