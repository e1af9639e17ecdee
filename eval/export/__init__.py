"""Scored runs as files of other tools: Inspect, lm-evaluation-harness, VLMEvalKit.

Each form is one file in this folder and one line in :data:`FORMS`. Nothing is scored here: the scores are ours, and
each form says so in its own place for that. Pictures go by reference (an absolute path), never copied.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from eval.export import inspect_log, lm_eval_samples, vlmevalkit_tables
from eval.export.exported import Exported, read_exported
from srt.errors import UserError

FORMS: dict[str, Callable[[Exported, Path], list[Path]]] = {
    "inspect": inspect_log.write,
    "lm-eval": lm_eval_samples.write,
    "vlmevalkit": vlmevalkit_tables.write,
}


def export(folder: str | Path, form: str, output: str | Path) -> list[Path]:
    """Write the scored run in ``folder`` in ``form`` (one of :data:`FORMS`) into the folder ``output``.

    Returns the files written. The same run gives the same bytes each time: the dates in the files are those of the
    predictions, not of the export.

    Raises:
        UserError: no such form, no scored run, or ``output`` is a file.
    """
    if form not in FORMS:
        raise UserError(f"--to {form}: no such form; there are {', '.join(FORMS)}")
    exported = read_exported(Path(folder))
    output = Path(output)
    try:
        output.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{output}: a folder was expected, this is a file") from None
    except OSError as error:
        raise UserError(f"{output}: cannot be made: {error.strerror}") from None
    return FORMS[form](exported, output)
