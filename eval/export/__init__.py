"""Scored runs as files of other tools: Inspect, lm-evaluation-harness, VLMEvalKit.

Each format is one file in this folder and one line in :data:`FORMATS`. Nothing is scored here: the scores are ours, and
each format has a place that says so. Pictures are referred to by an absolute path, never copied.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from eval.export import inspect_log, lm_eval_samples, vlmevalkit_tables
from eval.export.run_export import RunExport, read_run_export
from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.io.folder_lock import make_folder

FORMATS: dict[str, Callable[[RunExport, Path], list[Path]]] = {
    "inspect": inspect_log.write,
    "lm-eval": lm_eval_samples.write,
    "vlmevalkit": vlmevalkit_tables.write,
}


def export(folder: str | Path, format: str, output: str | Path) -> list[Path]:
    """Write the scored run in ``folder`` in ``format`` (one of :data:`FORMATS`) into the folder ``output``.

    Returns the files written. The same run gives the same bytes each time: dates in the files are those of the
    predictions, not of the export.

    Raises:
        UserError: an unknown format, no scored run, or ``output`` is a file.
    """
    if format not in FORMATS:
        raise UserError(f"--to {format}: not one of {', '.join(FORMATS)}{did_you_mean(format, FORMATS)}")
    exported = read_run_export(Path(folder))
    output = Path(output)
    make_folder(output)
    return FORMATS[format](exported, output)
