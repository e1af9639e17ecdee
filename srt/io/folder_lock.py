"""One writer at a time in the folder of a run."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from srt.io.errors import UserError
from srt.io.locations import Location

LOCK = ".lock"
NO_LOCKS_HERE = frozenset({errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK})
"""What ``flock`` says on NFS without a lock daemon, and on some file systems in user space."""


class FolderHeld(UserError):
    """Another process holds the lock of the folder."""


@contextmanager
def hold_folder(folder: Location, *, shared: bool = False, name: str = LOCK, wait: bool = False) -> Iterator[None]:
    """Make ``folder`` and lock it until the block ends.

    The lock is an exclusive ``flock`` on the file ``name`` in it. The kernel releases it when the process ends, however
    it ends; the file is removed by the last that held it, and stays after a kill, where it locks nothing. On a file
    system without locks, and at a URL, nothing is locked. ``shared``: other processes may hold a shared lock too.
    ``wait``: wait until the lock is free.

    Raises:
        FolderHeld: another process holds the lock.
        UserError: the folder cannot be made or written to.
    """
    make_folder(folder)
    if not isinstance(folder, Path):
        yield
        return
    path = folder / name
    how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    try:
        file = _locked(path, how)
    except BlockingIOError:
        raise FolderHeld(f"{folder}: another process is writing to this folder; wait for it, or stop it") from None
    except OSError as error:
        raise UserError(f"{folder}: cannot be written to: {error.strerror}") from None
    with file:
        try:
            yield
        finally:
            # Removed while it is locked, so that nobody else can hold it; others may still hold a shared lock.
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()


def _locked(path: Path, how: int) -> IO[bytes]:
    """The file ``path``, locked, and still the file of that name."""
    while True:
        # For appending: it is made where it is missing, and never cut off under a process that holds it.
        file = open(path, "ab")  # noqa: SIM115 (closed by hold_folder)
        try:
            # flock, not lockf: a POSIX lock is lost as soon as this process closes any other handle of the file.
            fcntl.flock(file, how)
        except OSError as error:
            if error.errno in NO_LOCKS_HERE:
                return file
            file.close()
            raise
        # Its last holder may have removed it between the two calls: two processes would lock two files of one name.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        file.close()


def make_folder(folder: Location) -> None:
    """Make ``folder`` and its parents where they are missing; a URL has its folders as they are needed.

    Raises:
        UserError: there is a file of that name, or it cannot be made.
    """
    try:
        if isinstance(folder, Path):
            folder.mkdir(parents=True, exist_ok=True)
        elif folder.is_file():
            raise FileExistsError
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{folder}: a folder was expected, this is a file") from None
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}") from None


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """Make ``folder`` for what the block writes; a folder that was made for nothing is removed again.

    Raises:
        UserError: as :func:`make_folder`.
    """
    made = not folder.exists()
    make_folder(folder)
    try:
        yield
    except BaseException:
        if made:
            with suppress(OSError):  # not empty
                folder.rmdir()
        raise
