"""Faults that a user can mend, told in one line.

Every command turns a :class:`UserError` into one line on standard error and exit status 2. Anything else that escapes
is a defect of ours and keeps its traceback.
"""


class UserError(Exception):
    """A fault in what the user gave us. ``str(error)`` is one line: where it is, what it is, what would be right."""


class RecordError(UserError):
    """A record that cannot be used; the message names file, line and field."""
