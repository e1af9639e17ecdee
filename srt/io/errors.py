"""Faults that a user can fix, reported on one line.

Every command turns a :class:`UserError` into one line on standard error and exit status 2. Any other exception is a bug
of the toolkit and keeps its traceback.
"""


class UserError(Exception):
    """A fault in what the user gave us. ``str(error)`` is one line: where it is, what it is, what would be right."""


def cannot_read(path: object, error: OSError, why: str = "") -> UserError:
    """The error for a file that could not be read; ``why`` says who asked for it."""
    if isinstance(error, FileNotFoundError):
        return UserError(f"{path}: no such file{why}")
    if isinstance(error, IsADirectoryError):
        return UserError(f"{path}: a file was expected, this is a folder{why}")
    return UserError(f"{path}: cannot be read: {error.strerror}")


class RecordError(UserError):
    """A record that cannot be used; the message names file, line and field."""
