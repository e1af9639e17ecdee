"""Which version of each file something was made from, by size and time of change: known without reading a byte.

A file that was copied or touched counts as another version. So what depends on it is made once more than needed, and
never once less.

The hashes of large files are remembered by their versions, in ``srt-hashes`` beside the cache of tokens: of the eight
processes of a machine that start with a model of 15 GB, one reads it, and at the next start none. That folder may be
removed at any time.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder
from srt.io.locations import sha256_of, version_of
from srt.io.records import Record

FileVersions = dict[str, tuple[int, int | str]]

_WORTH_IT = 2**20
"""Bytes; a smaller file is read faster than it is looked up."""
_SETTLED_NS = 2_000_000_000
"""The clock of a file system may tick this seldom: what changed later than that may change again at the same time."""


class _Hashed(Record):
    """What is remembered of a file: ``state`` is size, times of change of contents and of the entry (ns), inode."""

    path: str
    state: tuple[int, int, int, int]
    sha256: str


def file_versions(files: Iterable[Path], root: Path = Path()) -> FileVersions:
    """Size and time of change (in ns) of each of ``files``, by its path, from ``root`` on if it is in there.

    One that is not there has no entry.
    """
    return {
        str(file.relative_to(root) if file.is_relative_to(root) else file): version_of(file)
        for file in sorted(set(files))
        if file.is_file()
    }


def folder_hash(folder: Path) -> str:
    """SHA-256 (hex) over the names and contents of all files that lie in ``folder``: how a manifest names a model."""
    digest = hashlib.sha256()
    files = sorted(file for file in folder.iterdir() if file.is_file())
    for file in files:
        digest.update(f"{file.name if len(files) > 1 else ''}:".encode())
        digest.update(bytes.fromhex(remembered_sha256(file)))
    return digest.hexdigest()


def remembered_sha256(file: Path) -> str:
    """SHA-256 (hex) of the contents of ``file``; a large one is read again only if it has changed.

    Of several processes that ask at the same time, one reads it and the others wait. Where nothing can be written to
    the cache, each reads it. Raises an :class:`OSError`.
    """
    path = file.resolve()
    if path.stat().st_size < _WORTH_IT:
        return sha256_of(path)
    name, folder = hashlib.sha256(str(path).encode()).hexdigest()[:24], _memory()
    if (found := _remembered(path, folder / f"{name}.json")) is not None:
        return found
    try:
        with hold_folder(folder, name=f"{name}.lock", wait=True):
            # With the lock: another process may have read it meanwhile.
            return _remembered(path, folder / f"{name}.json") or _read(path, folder / f"{name}.json")
    except UserError:  # no cache
        return sha256_of(path)


def _remembered(path: Path, entry: Path) -> str | None:
    try:
        found = _Hashed.model_validate_json(entry.read_bytes())
    except (OSError, ValidationError):
        return None
    return found.sha256 if (found.path, found.state) == (str(path), _state(path)) else None


def _read(path: Path, entry: Path) -> str:
    before = _state(path)
    found, after = sha256_of(path), _state(path)
    if before == after and time.time_ns() - max(after[1:3]) > _SETTLED_NS:
        with suppress(OSError, UserError):
            write_atomically(entry, [_Hashed(path=str(path), state=after, sha256=found).model_dump_json().encode()])
    return found


def _state(path: Path) -> tuple[int, int, int, int]:
    # The second time cannot be set back, as tools that copy or unpack do with the first.
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _memory() -> Path:
    """As the library datasets places its cache, in which that of tokens is; it takes seconds to import."""
    given = os.environ.get
    home = given("HF_HOME") or Path(given("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(given("HF_DATASETS_CACHE") or Path(home, "datasets"), "srt-hashes").expanduser()
