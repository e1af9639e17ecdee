"""Files that are whole or absent, whenever the process is killed: written beside their place, fsync, then renamed.

What a killed process leaves is swept by the next one that writes to the same folder. Every temporary file is locked
(``flock``) by the process that writes it, for as long as it lives: the kernel lets go of the lock when the process
ends, however it ends. A file that can be locked has lost its owner. The name says on which machine, and since which
start of it, the owner ran, since some file systems in a network lock for each machine alone: a file from elsewhere, or
where there are no locks, is swept only after a week without a write.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import gettempdir
from typing import IO, Final, TypeVar
from uuid import uuid4

from srt.io.errors import UserError, name_file
from srt.io.folder_lock import NO_LOCKS_HERE
from srt.io.locations import Location, move_into_place
from srt.io.output_paths import check_place

P = TypeVar("P", bound=Location)

_TEMPORARY: Final = re.compile(r"\..*\.([0-9a-f]{8})-[0-9a-f]{12}\.tmp")
_CONTENTS: Final = ".d"
"""The ending of a temporary folder, after the name of the locked file beside it."""
_NAME_KEPT: Final = 50
"""Characters: with four bytes each and what is added, still no more than the 255 bytes of a name."""
_ABANDONED_AFTER: Final = 7 * 24 * 3600.0
"""Seconds without a write, for files whose lock says nothing."""


def write_atomically(path: str | Location, chunks: Iterable[bytes]) -> None:
    """Write ``chunks`` to ``path``: a reader sees the old file or the complete new one, never a part."""
    write_together({Path(path) if isinstance(path, str) else path: chunks})


def write_together(files: Mapping[P, Iterable[bytes]]) -> None:
    """Write several files, each as :func:`write_atomically` does, and none before all of them are on disk."""
    with open_together(*files) as opened:
        for file, chunks in zip(opened, files.values(), strict=True):
            file.writelines(chunks)


@contextmanager
def open_together(*paths: Location) -> Iterator[list[IO[bytes]]]:
    """Files to write to, all of which are at ``paths`` after the block; after an error in it, none is.

    Raises:
        UserError: a file cannot be written.
    """
    for path in paths:
        # All places are checked first, so that a fault of the second path does not cost the work on the first.
        if isinstance(path, Path):
            check_place(path)
    try:
        with ExitStack() as stack:
            places: list[Path] = []
            files: list[IO[bytes]] = []
            for path in paths:
                try:
                    place, file = stack.enter_context(temporary_file(path))
                except OSError as error:
                    raise UserError(f"{path}: cannot be written: {error.strerror}") from None
                places.append(place)
                files.append(file)
            yield files
            for file in files:
                # Before any rename: after a power cut, a file system may know the new name and not the bytes.
                file.flush()
                os.fsync(file.fileno())
            for place, path in zip(places, paths, strict=True):
                # Every byte is on disk now; what is left takes no room, so a full disk cannot leave half of the files.
                # They are still open, and so still locked: no other process takes them for abandoned.
                try:
                    move_into_place(place, path)
                except OSError as error:
                    error.filename, error.filename2 = str(path), None  # not the temporary name, which nobody knows
                    raise
    except OSError as error:
        name_file(error, next(iter(paths), None))
        raise


@contextmanager
def temporary_file(path: Location) -> Iterator[tuple[Path, IO[bytes]]]:
    """An empty file to write what will be at ``path``, and its place: beside it, or, for a URL, on this machine.

    No two processes have the same place, on one machine or on several. Move the file before the block ends: what is
    still at its place then is removed.

    Raises:
        OSError: it cannot be made.
    """
    # A link stays, and what it leads to is written. The rename is atomic within one file system only.
    folder = Path(os.path.realpath(path)).parent if isinstance(path, Path) else Path(gettempdir())
    _sweep(folder)
    while True:
        place = folder / f".{path.name[:_NAME_KEPT]}.{_this_machine()}-{uuid4().hex[:12]}.tmp"
        with open(place, "xb") as file:
            try:
                # It waits only for one who came in between and took the new file for abandoned. That one removes it.
                _lock(file.fileno(), fcntl.LOCK_EX)
                if not os.fstat(file.fileno()).st_nlink:
                    continue
                yield place, file
                return
            finally:
                # As long as the file is locked. One that was moved is no longer at its place.
                with suppress(FileNotFoundError):
                    place.unlink()


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """A new folder for what will be at ``path``, beside it, that this user alone can enter.

    Move it before the block ends: what is still at its place then is removed.

    Raises:
        OSError: it cannot be made.
    """
    with temporary_file(path) as (locked, _):
        folder = locked.with_name(locked.name + _CONTENTS)
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


# Once a process: a folder may hold a great many files, and most processes write to it often.
@cache
def _sweep(folder: Path) -> None:
    """Remove what killed processes have left in ``folder``; what cannot be read or removed stays."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if (ours := _TEMPORARY.fullmatch(entry.name)) is not None:
                with suppress(OSError):
                    _remove_if_abandoned(Path(entry.path), ours[1])


def _remove_if_abandoned(place: Path, machine: str) -> None:
    # For writing: NFS gives an exclusive lock for nothing less. A link or a pipe is none of ours.
    descriptor = os.open(place, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        locked = _lock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where its owner lives
        if (locked and machine == _this_machine()) or time.time() - os.fstat(descriptor).st_mtime > _ABANDONED_AFTER:
            # The folder first: without the file beside it, nobody would know that it is abandoned. If the owner has
            # moved its file since it was listed, and ended, there is nothing at either place any more.
            shutil.rmtree(place.with_name(place.name + _CONTENTS), ignore_errors=True)
            place.unlink()
    finally:
        os.close(descriptor)


def _lock(descriptor: int, how: int) -> bool:
    """Lock a file; ``False`` on a file system without locks. Raises an :class:`OSError` where another has the lock."""
    try:
        fcntl.flock(descriptor, how)
    except OSError as error:
        if error.errno not in NO_LOCKS_HERE:
            raise
        return False
    return True


@cache
def _this_machine() -> str:
    """This machine since its last start, or, where the kernel does not tell, its name; eight hexadecimal digits."""
    try:
        started = Path("/proc/sys/kernel/random/boot_id").read_text()
    except OSError:
        started = os.uname().nodename
    return hashlib.sha256(started.encode()).hexdigest()[:8]
