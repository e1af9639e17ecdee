"""Faults that a user can fix, and faults of the machine, reported on one line.

Every command turns a :class:`UserError`, and what :func:`machine_fault` recognises, into one line on standard error and
exit status 2. Any other exception is a bug of the toolkit and keeps its traceback.
"""

from __future__ import annotations

import errno
import re
import reprlib
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import shorten
from typing import Any, Final


class UserError(Exception):
    """A fault in what the user gave us. ``str(error)`` is one line: where it is, what it is, what would be right."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, where more is known than the command line knows: ``str(error)`` says what was kept, how to continue."""


def one_line(text: str) -> str:
    """``text`` as one line for a terminal. Control characters, which a record may hold, are escaped."""
    line = " ".join(text.split())
    # Text of a model or a corpus may hold escape sequences that rewrite what the terminal shows.
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def printable(text: str) -> str:
    """``text`` of any number of lines, for a terminal: its control characters are escaped, but line ends and tabs."""
    if text.isprintable():
        return text
    # Spaces of other widths, which Chinese has, are not printable for Python.
    kept = (c if c.isprintable() or c in "\n\t" or unicodedata.category(c) == "Zs" else None for c in text)
    return "".join(c or raw.encode("unicode_escape").decode() for c, raw in zip(kept, text, strict=True))


def cannot_read(path: object, error: OSError, why: str = "") -> UserError:
    """The error for a file that could not be read; ``why`` says who asked for it."""
    if isinstance(error, FileNotFoundError):
        return UserError(f"{path}: no such file{why}")
    if isinstance(error, IsADirectoryError):
        return UserError(f"{path}: a file was expected, this is a folder{why}")
    return UserError(f"{path}: cannot be read: {error.strerror or one_line(str(error))}")


class RecordError(UserError):
    """A record that cannot be used; the message names file, line and field."""


_EXPECTED = {
    **dict.fromkeys(("model_type", "dict_type", "model_attributes_type"), "a mapping of keys to values"),
    **dict.fromkeys(("list_type", "tuple_type", "set_type"), "a list"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    "finite_number": "a finite number",
    "string_type": "a text",
    "string_too_short": "a text that is not empty",
    "path_type": "a path",
}
"""What was expected, by pydantic's type of fault. Its own messages name types of Python (``valid tuple``)."""

_BOUNDS = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")


def fault_in_words(fault: Mapping[str, Any]) -> str:
    """What is wrong with one value and what would be right, from an entry of pydantic's ``ValidationError.errors``."""
    kind, message = fault["type"], str(fault["msg"])
    if kind == "missing":
        return "missing"
    if kind == "value_error":
        return message.removeprefix("Value error, ")
    if kind == "extra_forbidden":
        return "no such field"
    given = "nothing" if fault["input"] is None else shorten(reprlib.repr(fault["input"]), 80, placeholder=" ...")
    if kind == "literal_error":
        return f"{fault['ctx']['expected']} was expected, not {given}"
    # pydantic says "Input should be greater than 0".
    if kind in _BOUNDS:
        return f"a number {message.removeprefix('Input should be ')} was expected, not {given}"
    if kind in _EXPECTED:
        return f"{_EXPECTED[kind]} was expected, not {given}"
    return f"{message[0].lower()}{message[1:]}, not {given}"


_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_MORE_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE})
_BROKEN: Final = frozenset({errno.EIO, errno.EROFS, errno.ESTALE, errno.ENODEV, errno.ENXIO, errno.EREMOTEIO})
_NOT_ALLOWED: Final = frozenset({errno.EACCES, errno.EPERM, errno.ENAMETOOLONG})
_MAKE_ROOM: Final = "make room and run the command again"
_NO_MEMORY: Final = "memory ran out: use fewer processes or smaller batches, and run the command again"
_NO_PROCESSES: Final = "no more processes or threads may be started (ulimit -u): end some, and run the command again"
_IN_WORDS: Final[tuple[tuple[str, str | None], ...]] = (
    # tempfile: it tries to write to each folder, and says nothing of why it could not.
    ("No usable temporary directory", f"no folder for temporary files can be written to (TMPDIR): {_MAKE_ROOM}"),
    ("process pool was terminated abruptly", "a worker process was killed; did memory run out?"),
    ("can't start new thread", _NO_PROCESSES),
    ("out of memory", _NO_MEMORY),  # torch, on a GPU and on a CPU
    ("can't allocate memory", _NO_MEMORY),
    *((words, None) for words in ("No space left on device", "Disk quota exceeded", "File too large")),
    *((words, None) for words in ("database or disk is full", "PytorchStreamWriter failed writing")),
    # torch.save, when the end of a file does not go to the disk: C++ says nothing of why.
    ("basic_ios::clear: iostream error", f"a file could not be written to its end: {_MAKE_ROOM}"),
)
"""What exceptions without an ``errno`` say, of Python and of libraries in Rust and C++, and what to print.

``None``: that there is no room, in the library's words."""
_IN_RUST: Final = re.compile(r"\(os error (\d{1,5})\)")
_SQLITE_FAULTS: Final = ("SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_NOMEM")


def machine_fault(error: BaseException) -> str | None:
    """The line to print if ``error`` means that the machine is at fault, and neither the user's input nor this code.

    That is a disk that is full, broken or read-only, a file that this user may not touch, too many open files or
    processes, no memory, or a worker process that was killed. ``None`` for anything else.
    """
    for one, raised_from in _chain(error):
        number = one.errno if isinstance(one, OSError) else None
        if number is None and (found := _IN_RUST.search(str(one))):
            number = int(found[1])
        place = f"{one.filename}: " if isinstance(one, OSError) and one.filename else ""
        said = one_line(getattr(one, "strerror", None) or str(one))
        if number in _FULL:
            folder = f"{Path(str(getattr(one, 'filename', ''))).parent}: " if place else ""
            return f"{folder}{said}: {_MAKE_ROOM}; no file is half-written"
        if number in _NO_MORE_FILES:
            return f"{place}{said}: allow more open files (ulimit -n), and run the command again"
        if number in _BROKEN:
            return f"{place}{said}: this is the disk or its file system: look at it, and run the command again"
        # Not where it was being handled when another error came up: that one may be a bug.
        if number in _NOT_ALLOWED and raised_from:
            return f"{place}{said}"
        if isinstance(one, MemoryError) or number == errno.ENOMEM:
            return _NO_MEMORY
        if isinstance(one, BlockingIOError) and number == errno.EAGAIN:
            return _NO_PROCESSES
        if getattr(one, "sqlite_errorname", "").startswith(_SQLITE_FAULTS):
            return f"{said} (of a database): look at the disk, and run the command again"
        for words, line in _IN_WORDS:
            if words in str(one):
                return line or f"no room on the disk ({said}): {_MAKE_ROOM}"
    return None


def name_file(error: OSError, path: object) -> None:
    """Note in ``error`` that it was met in writing ``path``: the system names no file where a write or fsync fails."""
    if error.errno is not None and error.filename is None:
        error.filename = str(path)


def _chain(error: BaseException) -> Iterator[tuple[BaseException, bool]]:
    """``error`` and what it came of, each with whether all before it say so (``raise ... from``)."""
    raised_from = True
    one: BaseException | None = error
    seen: set[int] = set()
    # Exceptions can refer to one another in a circle.
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one, raised_from
        raised_from = raised_from and one.__cause__ is not None
        one = one.__cause__ or one.__context__
