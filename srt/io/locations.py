"""Files at URLs of fsspec (``s3://bucket/folder``) beside files at paths: what differs between them is here.

A URL is a :class:`upath.UPath`, which has the methods of a path. In a store of objects nothing is locked, appended
to, renamed or mapped into memory. So a file is written on this machine and then sent: an object appears whole, or not
at all. Where files can be renamed (``hdfs://``), it is sent under a temporary name, and renamed. What the store holds
is never remembered, since other machines write there too.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import warnings
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from srt.io.errors import UserError, one_line

if TYPE_CHECKING:
    from upath import UPath

Location: TypeAlias = "Path | UPath"

_READ_AHEAD: Final = 2**22
"""Bytes, for those who read from the start to the end; s3fs has 50 MiB, for every range."""
_GAP: Final = 2**18
"""Bytes: two ranges that are this near are one request, up to a block."""
_BLOCK: Final = 2**25

_VERSION_KEYS: Final = ("ETag", "etag", "mtime", "modificationTime", "last_write_time", "modify", "created")
"""By which the file systems of fsspec tell one version of a file from another."""


def location(text: str) -> Location:
    """The path or URL that ``text`` names, ``file://`` being a path; nobody is asked yet whether it exists.

    Raises:
        UserError: there are no such URLs, or a package for them is not installed.
    """
    protocol, mark, rest = text.partition("://")
    if not mark or protocol == "file":
        return Path(rest if mark else text)
    if not rest.strip("/"):
        raise UserError(f"{text}: a bucket or folder was expected after {protocol}://")
    try:
        from fsspec import get_filesystem_class
        from upath import UPath

        with warnings.catch_warnings(action="ignore"):  # that the paths of a rare file system were not tested
            at = UPath(text.rstrip("/"), use_listings_cache=False)
        if isinstance(at, Path):
            raise ValueError("taken for a path")
        get_filesystem_class(protocol)  # not before: with that of hdfs:// at hand, UPath cannot find parents
    except ModuleNotFoundError:
        raise UserError(f"{text}: URLs need pip install 'srt-traces[scale]', on all machines") from None
    except ImportError as error:
        raise UserError(f"{text}: {one_line(str(error))} (pip install it on all machines)") from None
    except ValueError:
        known = "those of fsspec, such as s3://, gs://, abfs:// and hdfs://"
        raise UserError(f"{text}: unknown kind of URL {protocol}://; {known}, are known") from None
    return at


def is_url(at: object) -> bool:
    """Whether ``at`` is a URL, not a path."""
    return not isinstance(at, str | Path)


def check_reachable(at: Location) -> None:
    """Raise a :class:`UserError` where nobody answers at a URL, or not to these credentials, or only this process."""
    if not isinstance(at, Path) and at.protocol == "memory":
        raise UserError(f"{at}: cannot be reached by other processes, which work on shards: name another store")
    try:
        with suppress(FileNotFoundError):
            at.stat()
    except Exception as error:  # each file system has its own
        raise UserError(f"{at}: cannot be reached: {_said(error)}") from None


def open_to_read(file: str | Location) -> BufferedReader:
    """As :func:`open`; raises an :class:`OSError`."""
    if isinstance(file, str | Path):
        return open(file, "rb")
    opened: Any = file.open("rb", buffering=_READ_AHEAD)
    return BufferedReader(opened, _READ_AHEAD)


def sha256_of(file: str | Location) -> str:
    """SHA-256 (hex) of the contents of ``file``; raises an :class:`OSError`."""
    with open_to_read(file) as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def read_ranges(file: Location, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
    """The bytes of ``file`` from the start of each of ``ranges`` to its end; raises an :class:`OSError`."""
    found: list[bytes] = []
    if isinstance(file, Path) or not file.fs.async_impl:
        with open_to_read(file) as opened:
            for start, end in ranges:
                opened.seek(start)
                found.append(opened.read(end - start))
        return found
    from fsspec.utils import merge_offset_ranges

    filled = [(start, end) for start, end in ranges if start < end]  # stores cannot be asked for nothing
    starts, ends = [start for start, _ in filled], [end for _, end in filled]
    _, starts, ends = merge_offset_ranges([file.path] * len(filled), starts, ends, _GAP, _BLOCK)
    blocks = file.fs.cat_ranges([file.path] * len(starts), starts, ends, on_error="raise")
    for start, end in ranges:
        block = bisect_right(starts, start) - 1
        found.append(bytes(blocks[block][start - starts[block] : end - starts[block]]) if start < end else b"")
    return found


def listed(folder: Location) -> dict[str, int | None]:
    """What is in ``folder``, by name: the sizes of files, and ``None`` for other things. A URL may lead to nothing."""
    if isinstance(folder, Path):
        with os.scandir(folder) as entries:
            return {entry.name: entry.stat().st_size if entry.is_file() else None for entry in entries}
    found: dict[str, int | None] = {}
    with suppress(FileNotFoundError):
        for info in folder.fs.ls(folder.path, detail=True):
            name = info["name"].rstrip("/")
            if name != folder.path.rstrip("/"):
                found[name.rpartition("/")[2]] = info["size"] if info["type"] == "file" else None
    return found


def size_of(file: Location) -> int | None:
    """Bytes; ``None`` if there is no such file."""
    try:
        return int(file.stat().st_size)
    except FileNotFoundError:
        return None


def version_of(file: Location) -> tuple[int, int | str]:
    """What is another after ``file`` was written anew: its size, and its time of change, or what its store has for it.

    Raises an :class:`OSError`.
    """
    if isinstance(file, Path):
        found = file.stat()
        return found.st_size, found.st_mtime_ns
    info = file.fs.info(file.path)
    return int(info["size"]), next((str(info[key]) for key in _VERSION_KEYS if info.get(key)), "")


def move_into_place(temporary: Path, file: Location) -> None:
    """Have what is at ``temporary`` be ``file``: readers see all of it, or what was there before.

    At a URL of a file system with renames, a file that was there before is gone for a moment.

    Raises:
        UserError: it cannot be sent to a URL.
    """
    if isinstance(file, Path):
        os.replace(temporary, os.path.realpath(file))
        return
    from fsspec import AbstractFileSystem

    try:
        if type(file.fs).mv is AbstractFileSystem.mv:  # it has no renames: a store of objects
            file.fs.put_file(str(temporary), file.path)
            return
        sent = file.parent / temporary.name  # no two processes have the same
        file.fs.put_file(str(temporary), sent.path)
        file.unlink(missing_ok=True)
        file.fs.mv(sent.path, file.path)
    except Exception as error:  # each file system has its own
        raise UserError(f"{file}: cannot be written: {_said(error)}") from None


def remove_folder(folder: Location) -> None:
    """Remove ``folder`` and all that is in it."""
    if isinstance(folder, Path):
        shutil.rmtree(folder)
    else:
        folder.fs.rm(folder.path, recursive=True)


def _said(error: Exception) -> str:
    return one_line(str(error)) or type(error).__name__
