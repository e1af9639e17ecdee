"""The folder of a teaching run: what it was made with, the cases in its journal, and the files written from them.

``folder.json`` holds the problems' digest, all settings that the traces depend on, and where pictures lie. A folder
goes on only with the same: traces of two models or two prompts never mix in it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson
from pydantic import Field

from srt.errors import UserError
from srt.jsonl import dump, keep_apart, parse_record, write_atomically
from srt.problems import stream_problems
from srt.records import Problem, Record

FOLDER = "folder.json"
PROBLEMS = "problems.jsonl"
JOURNAL = "teach.sqlite"
_LOCK = ".lock"


class Stamp(Record):
    """What a folder was made with.

    ``problems`` counts them, ``problems_sha256`` is of their records. ``pictures`` is the folder that picture paths
    start from, relative to the stamp's own folder. ``decides`` is :meth:`.TeachConfig.what_decides`.
    """

    problems: int = Field(gt=0)
    problems_sha256: str
    pictures: str
    currency: str
    decides: Mapping[str, str]


@dataclass(frozen=True)
class Survey:
    """A file of problems that was read once from end to end: how many there are, and the SHA-256 of their records."""

    path: Path
    problems: int
    sha256: str


def survey(path: Path) -> Survey:
    """Read ``path`` once; raises as :func:`~srt.problems.stream_problems` does."""
    digest = hashlib.sha256()
    count = 0
    for problem in stream_problems(path):
        digest.update(dump(problem))
        count += 1
    return Survey(path, count, digest.hexdigest())


def check_folder(folder: Path, problems: Path) -> None:
    """See that ``folder`` is new, empty or a teaching folder, before anything is written in it; else raise."""
    keep_apart(folder / PROBLEMS, problems)
    if not (folder / FOLDER).exists() and folder.is_dir():
        strangers = sorted(p.name for p in folder.iterdir() if p.name != _LOCK and not p.name.startswith(JOURNAL))
        if strangers and strangers != [PROBLEMS]:
            raise UserError(f"{folder}: is no teaching folder and holds {strangers[0]!r}: name a new or an empty one")


def stamp_folder(folder: Path, problems: Survey, decides: Mapping[str, str], currency: str) -> Stamp:
    """Stamp ``folder``, which its caller holds, or see that its stamp is the same; ``problems.jsonl`` stands after it.

    Raises:
        UserError: the folder was made with other problems or settings; the line says which.
    """
    stamp = Stamp(
        problems=problems.problems,
        problems_sha256=problems.sha256,
        pictures=os.path.relpath(problems.path.resolve().parent, folder.resolve()),
        currency=currency,
        decides=decides,
    )
    if (folder / FOLDER).exists():
        _refuse_another(folder, read_stamp(folder), stamp, problems.path)
    else:
        write_atomically(folder / PROBLEMS, map(dump, stream_problems(problems.path)))
    # Currency and the pictures' place may change.
    write_atomically(folder / FOLDER, [orjson.dumps(stamp.model_dump(), option=orjson.OPT_INDENT_2)])
    return stamp


def read_stamp(folder: Path) -> Stamp:
    """The stamp of ``folder``; a :class:`UserError` where it is no teaching folder."""
    path = folder / FOLDER
    try:
        return parse_record(path.read_bytes(), Stamp, str(path))
    except FileNotFoundError:
        raise UserError(f"{folder}: no {FOLDER} in it: a folder that srt teach has made was expected") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def picture_root(folder: Path) -> Path:
    """The folder that the picture paths of ``problems.jsonl`` start from; raises as :func:`read_stamp` does."""
    return (folder / read_stamp(folder).pictures).resolve()


def folder_problems(folder: Path) -> Iterator[Problem]:
    """The problems of ``folder`` in order, with the diagram descriptions that were made for them."""
    return stream_problems(folder / PROBLEMS)


def _refuse_another(folder: Path, known: Stamp, now: Stamp, problems: Path) -> None:
    if known.problems_sha256 != now.problems_sha256:
        told = f"{known.problems} problems, {problems} holds {now.problems}"
        if known.problems == now.problems:
            told = f"other problems than those of {problems}"
        raise UserError(f"{folder}: was made with {told}: name another folder")
    keys = sorted(known.decides.keys() | now.decides.keys())
    differ = [
        f"{key} = {known.decides.get(key, 'nothing')} (now {now.decides.get(key, 'nothing')})"
        for key in keys
        if known.decides.get(key) != now.decides.get(key)
    ]
    if differ:
        raise UserError(f"{folder}: was made with {'; '.join(differ)}: name another folder, or go back to that")
