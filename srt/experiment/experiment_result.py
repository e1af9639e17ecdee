"""What came out of an experiment: kept, so that a finished one that is started again answers at once.

``result.json`` also has size and time of change of every file of the experiment. While none of them has changed, and
SRT is of the same version, no stage has anything to do; else (a file that was touched is enough) each stage looks.
"""

from __future__ import annotations

from pathlib import Path

import srt
from srt.io.atomic_files import write_atomically
from srt.io.errors import RecordError
from srt.io.file_versions import FileVersions, file_versions
from srt.io.record_lines import dump, parse_record
from srt.io.records import Record

_RESULT = "result.json"
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".svg"})
"""Not looked at: there may be a hundred thousand, and the records that name them have their SHA-256."""


class ExperimentResult(Record):
    """What came out, for each test: the answer in a sentence (of curves, a table of points), and the file with the
    rest."""

    summaries: list[str]
    files: list[Path]


class _Kept(Record):
    """``result.json``; the paths of ``result`` are relative to its folder."""

    result: ExperimentResult
    version: str
    made_from: FileVersions


def write_result(root: Path, result: ExperimentResult) -> None:
    """Keep the result of the experiment in the folder ``root``, which is finished."""
    relative = result.model_copy(update={"files": [file.relative_to(root) for file in result.files]})
    kept = _Kept(result=relative, version=srt.__version__, made_from=_versions(root))
    write_atomically(root / _RESULT, [dump(kept)])


def read_result(root: Path) -> ExperimentResult | None:
    """The result of the experiment in the folder ``root``; ``None`` where it is not finished, or a file has changed."""
    if not (root / _RESULT).is_file():
        return None
    try:
        kept = parse_record((root / _RESULT).read_bytes(), _Kept, str(root / _RESULT))
    except RecordError:  # of another version
        return None
    if kept.version != srt.__version__ or kept.made_from != _versions(root):
        return None
    return kept.result.model_copy(update={"files": [root / file for file in kept.result.files]})


def _versions(root: Path) -> FileVersions:
    return file_versions(
        (file for file in root.rglob("[!.]*") if file.suffix not in _PICTURES and file != root / _RESULT), root
    )
