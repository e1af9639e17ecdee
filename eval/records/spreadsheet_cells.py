"""Cells of tables that people open in a spreadsheet, which takes a text that begins with ``=`` for a formula.

A formula in an answer of a model could send the rest of the sheet to a server. Such a cell gets an apostrophe before
it, the mark of spreadsheets for "this is text"; numbers stay numbers. Our own tables, which are recognised by their
columns, are read back without it; a table of others is read as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection

# Blanks in front, and the wide forms of the signs, hinder no spreadsheet. Apostrophes: so that one is taken off again.
_FORMULA = re.compile(r"'*\s*[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_OURS = frozenset({"index", "l2-category", "problem_id", "variant"})


def as_text(cell: str) -> str:
    """``cell``, with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def as_written(cell: str) -> str:
    """What :func:`as_text` was given for ``cell``."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def is_ours(columns: Collection[str]) -> bool:
    """Whether a table with these columns is one of ours, in which :func:`as_text` has marked the cells."""
    return _OURS.issubset(columns)
