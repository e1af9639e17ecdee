"""The files of a folder, written from its journal: each atomically, with one case in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson

from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.problem_files import stream_problems
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.llm.accounts import model_usage
from srt.llm.exchange import Outcome
from srt.llm.journal import Query, read_only
from srt.pages.page_template import page_environment
from srt.teaching.case_store.audit_sample import read_sample
from srt.teaching.case_store.case_records import TeachingCase
from srt.teaching.case_store.case_table import with_cases
from srt.teaching.case_store.decisions import CASES, TRACES, final_traces, read_decisions
from srt.teaching.case_store.manifest import JOURNAL, PROBLEMS, read_manifest
from srt.teaching.case_store.teaching_summary import Summary, Tally
from srt.worlds.world_registry import fault_classes

REPORT = "report.json"
PAGE = "report.html"


def write_files(folder: Path, problems: Path, query: Query) -> None:
    """Write all files of ``folder`` from its journal, which ``query`` reads.

    ``problems`` is the file that the run was given. If the run described pictures, ``problems.jsonl`` is written again
    with the descriptions.

    Raises:
        UserError: the journal and the problems do not belong together, or do not add up.
    """
    decisions = read_decisions(folder)
    tally = Tally(decisions, read_sample(folder))
    any_described = False

    def counted() -> Iterator[TeachingCase]:
        nonlocal any_described
        for problem, case in with_cases(stream_problems(problems), query):
            tally.add(problem, case)
            any_described |= _described(problem, case) is not problem
            yield case

    write_records(folder / CASES, counted())
    # A second pass over the file, not a list: one problem is in memory at a time.
    if any_described:
        pairs = zip(with_cases(stream_problems(problems), query), stream_problems(folder / PROBLEMS), strict=True)
        described = (
            _described(problem, case).model_copy(update={"images": held.images}) for (problem, case), held in pairs
        )
        write_records(folder / PROBLEMS, described)
    cases = (case for _, case in with_cases(stream_problems(folder / PROBLEMS), query))
    write_records(folder / TRACES, final_traces(cases, decisions))
    write_report(folder, _summary(folder, tally, query))


def apply_decisions(folder: Path) -> int:
    """Write ``traces.jsonl`` of ``folder`` and its report, which counts the audit; return the number of traces.

    A copy of a folder without its journal, as handed to somebody for review, keeps the report that it came with.

    Raises:
        UserError: a file of the folder cannot be read, or its files do not add up.
    """
    cases = read_records(folder / CASES, TeachingCase)
    traces = write_records(folder / TRACES, final_traces(cases, read_decisions(folder)))
    if (folder / JOURNAL).is_file():
        write_report(folder, folder_status(folder))
    return traces


def folder_status(folder: Path) -> Summary:
    """The figures of ``folder`` as they are now, also while another process runs it. Nothing is written.

    Raises:
        UserError: not a teaching folder, or its files do not add up.
    """
    manifest = read_manifest(folder)
    tally = Tally(read_decisions(folder), read_sample(folder))
    # Read only, without the lock of the folder: the status of a run that is still writing is asked for.
    with read_only(folder / JOURNAL) as connection:
        for problem, case in with_cases(stream_problems(folder / PROBLEMS), connection.execute):
            tally.add(problem, case)
        summary = _summary(folder, tally, connection.execute)
    if summary.problems != manifest.problems:
        raise UserError(f"{folder / PROBLEMS}: has {summary.problems} problems, but was made with {manifest.problems}")
    return summary


def write_report(folder: Path, summary: Summary) -> None:
    """Write ``report.json`` and ``report.html``."""
    write_atomically(folder / REPORT, [orjson.dumps(summary.model_dump(mode="json"), option=orjson.OPT_INDENT_2)])
    write_atomically(folder / PAGE, [report_page(summary).encode()])


def report_page(summary: Summary) -> str:
    """The report as one self-contained HTML page; all data is escaped."""
    environment = page_environment(Path(__file__).parent)
    environment.filters["percent"] = lambda share: f"{100 * share:.1f}"
    environment.filters["percent2"] = lambda share: f"{100 * share:.2f}"  # 0 errors in 299 bound the rate at 0.997%
    environment.filters["thousands"] = "{:,}".format
    explained = {name: (fault.explanation, fault.family) for name, fault in fault_classes().items()}
    return environment.get_template("report.html.jinja").render(
        s=summary, explained=explained, outcomes=[outcome.value for outcome in Outcome]
    )


def _described(problem: Problem, case: TeachingCase) -> Problem:
    if case.diagram_description is None or problem.diagram_description is not None:
        return problem
    return problem.model_copy(update={"diagram_description": case.diagram_description})


def _summary(folder: Path, tally: Tally, query: Query) -> Summary:
    manifest = read_manifest(folder)
    return tally.summary(model_usage(query), manifest.currency, manifest.settings, manifest.left_out)
