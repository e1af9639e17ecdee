"""What a sitting of review leaves in the folder: the traces and the report, written anew from the decisions."""

from __future__ import annotations

from pathlib import Path

import orjson

from srt.jsonl import write_atomically
from srt.review.decisions import apply_decisions
from srt.teaching.command import folder_status
from srt.teaching.folder import JOURNAL
from srt.teaching.report import PAGE, REPORT, page


def finish(folder: Path) -> int:
    """Write ``traces.jsonl`` of ``folder`` anew, and its report, which counts the audit; the number of traces.

    A copy of a folder without its journal, as it is handed to somebody for review, keeps the report it came with.

    Raises:
        UserError: a file of the folder cannot be read, or its files do not add up.
    """
    traces = apply_decisions(folder)
    if (folder / JOURNAL).is_file():
        summary = folder_status(folder)
        write_atomically(folder / REPORT, [orjson.dumps(summary.model_dump(), option=orjson.OPT_INDENT_2)])
        write_atomically(folder / PAGE, [page(summary).encode()])
    return traces
