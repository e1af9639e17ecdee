"""One writer at a time in the folder of a run."""

from __future__ import annotations

import errno
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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

    The lock is an exclusive ``flock`` on the file ``name`` in it, which is never removed (otherwise two processes could
    lock two files of that name). The kernel releases it when the process ends, however it ends. On a file system
    without locks, and at a URL, nothing is locked. ``shared``: other processes may hold a shared lock too.
    ``wait``: wait until the lock is free.

    Raises:
        FolderHeld: another process holds the lock.
        UserError: the folder cannot be made or written to.
    """
    make_folder(folder)
    if not isinstance(folder, Path):
        yield
        return
    try:
        # For appending: it is made where it is missing, and never cut off under a process that holds it.
        file = open(folder / name, "ab")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written to: {error.strerror}") from None
    with file:
        try:
            # flock, not lockf: a POSIX lock is lost as soon as this process closes any other handle of the file.
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise FolderHeld(f"{folder}: another process is writing to this folder; wait for it, or stop it") from None
        except OSError as error:
            if error.errno not in NO_LOCKS_HERE:
                raise
        yield


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
