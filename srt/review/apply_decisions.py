"""The traces and the report of a folder, written again from the decisions."""

from __future__ import annotations

from pathlib import Path

from srt.io.jsonl import read_records, write_records
from srt.teaching.case_store.case_records import TeachingCase
from srt.teaching.case_store.decisions import CASES, TRACES, final_traces, read_decisions
from srt.teaching.case_store.folder_files import folder_status, write_report
from srt.teaching.case_store.manifest import JOURNAL


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
