"""A disk without room, said in one line, whichever library met it first."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_WORDS = ("No space left on device", "Disk quota exceeded", "File too large", "PytorchStreamWriter failed writing")
"""What libraries in Rust and C++ (safetensors, torch) say in exceptions of their own, which have no ``errno``."""


def full_disk(error: BaseException) -> str | None:
    """The line to print if ``error`` means that a disk is full, a quota used up or a file too large; else ``None``."""
    for one in _chain(error):
        if isinstance(one, OSError) and one.errno in _ERRNOS:
            place = f"{Path(str(one.filename)).parent}: " if one.filename else ""
            return f"{place}{one.strerror}: make room and run the command again; no file is half-written"
        if any(words in str(one) for words in _WORDS):
            said = " ".join(str(one).split())
            return f"no room on the disk ({said}): make room and run the command again"
    return None


def name_file(error: OSError, path: object) -> None:
    """Note in ``error`` that it was met in writing ``path``: the system names no file where a write finds no room."""
    if error.errno in _ERRNOS and error.filename is None:
        error.filename = str(path)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """``error`` and what it came of."""
    one: BaseException | None = error
    seen: set[int] = set()
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__
