"""One writer at a time in a folder of a run."""

from __future__ import annotations

import errno
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from srt.errors import UserError

LOCK = ".lock"
_NO_LOCKS_HERE = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK}


class FolderHeld(UserError):
    """Another process holds the folder."""


@contextmanager
def hold_folder(folder: Path, *, shared: bool = False, name: str = LOCK, wait: bool = False) -> Iterator[None]:
    """Make ``folder`` and hold it: until the block ends, or this process does, nobody else can.

    The lock is an exclusive ``flock`` on the file ``name`` in it, which stays there (to remove it would let two
    processes hold two files of that name). The kernel releases it however the process ends, so none is ever stale. On a
    file system without locks nothing is held. ``shared``: others may hold it too who say the same; ``wait``: until it
    is free.

    Raises:
        FolderHeld: another process holds the folder.
        UserError: it cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(folder / name, "ab")  # noqa: SIM115 (closed below)
    except (FileExistsError, NotADirectoryError):
        raise UserError(f"{folder}: a folder was expected, this is a file") from None
    except OSError as error:
        raise UserError(f"{folder}: cannot be written to: {error.strerror}") from None
    with file:
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise FolderHeld(f"{folder}: another process is writing to this folder; wait for it or end it") from None
        except OSError as error:
            if error.errno not in _NO_LOCKS_HERE:
                raise
        yield
