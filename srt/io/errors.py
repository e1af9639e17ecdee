"""Faults that a user can fix, reported on one line.

Every command turns a :class:`UserError` into one line on standard error and exit status 2. Any other exception is a bug
of the toolkit and keeps its traceback.
"""

from __future__ import annotations

import errno
import re
import reprlib
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import shorten
from typing import Any


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


def no_model_folder(folder: object, key: str = "") -> UserError:
    """The error for a model (or an adapter) that is not there: perhaps it is the id of one on the Hugging Face hub."""
    name = str(folder)
    owner, slash, model = name.partition("/")
    message = f"{key}{name}: no such folder"
    # A path that begins with ./ or with an existing folder was mistyped, and is no id on the hub.
    if slash and re.fullmatch(r"[\w.-]+/[\w.-]+", name) and owner not in (".", "..") and not Path(owner).exists():
        message += (
            "; models are read from this machine: if this is an id on the Hugging Face hub, run "
            f"hf download {name} --local-dir models/{model} and give models/{model}"
        )
    return UserError(message)


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


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FULL_IN_WORDS = (
    "No space left on device", "Disk quota exceeded", "File too large", "PytorchStreamWriter failed writing",
)  # fmt: skip
"""What libraries in Rust and C++ (safetensors, torch) say in exceptions of their own, which have no ``errno``."""


def full_disk(error: BaseException) -> str | None:
    """The line to print if ``error`` means that a disk is full, a quota used up or a file too large; else ``None``."""
    for one in _chain(error):
        if isinstance(one, OSError) and one.errno in _FULL:
            place = f"{Path(str(one.filename)).parent}: " if one.filename else ""
            return f"{place}{one.strerror}: make room and run the command again; no file is half-written"
        if any(words in str(one) for words in _FULL_IN_WORDS):
            said = " ".join(str(one).split())
            return f"no room on the disk ({said}): make room and run the command again"
    return None


def name_file(error: OSError, path: object) -> None:
    """Note in ``error`` that it was met in writing ``path``: the system names no file where a write finds no room."""
    if error.errno in _FULL and error.filename is None:
        error.filename = str(path)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """``error`` and what it came of."""
    one: BaseException | None = error
    seen: set[int] = set()
    # Exceptions can refer to one another in a circle.
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__
