"""A file of records that only grows, written to by a process that may be killed at any time.

The contract: a record is on disk (fsync) before the call that appends it returns, and an incomplete last line (of a
killed process) is cut off when the log is next opened.
"""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import BaseModel

from srt.io.errors import UserError, name_file
from srt.io.record_lines import dump


class AppendLog:
    """A file of records that only grows, each record on disk (fsync) before :meth:`append` returns.

    Opening it cuts off an incomplete last line. Only one process may write at a time, which the caller ensures.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise UserError(f"{path}: the folder {self.path.parent} does not exist")
        try:
            if self.path.exists():
                # What is appended to half a line of a killed process would be unreadable together with it.
                _cut_incomplete_line(self.path)
            self._file = open(self.path, "ab")  # noqa: SIM115 (closed by __exit__)
        except OSError as error:
            raise UserError(f"{path}: cannot be written to: {error.strerror}") from None

    def append(self, *records: BaseModel) -> None:
        """Write ``records`` as one group: a single fsync for all of them."""
        try:
            # One write for the group: a kill leaves whole records, and one torn line at most.
            self._file.write(b"".join(dump(r) for r in records))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            # The system names no file when the disk is full, and the message has to say where to make room.
            name_file(error, self.path)
            raise

    def __enter__(self) -> AppendLog:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _cut_incomplete_line(path: Path) -> None:
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        with open(path, "r+b") as file:
            # Synced at once: after a power cut the torn line could come back, in the middle of later records.
            file.truncate(data.rfind(b"\n") + 1)
            file.flush()
            os.fsync(file.fileno())
