"""What stands in a cell that holds nothing: the words of pandas, R, SQL and spreadsheets, or a dash."""

from __future__ import annotations

# Not "Na", which is sodium, and no other word that may be meant.
_WORDS = ("nan", "NaN", "NAN", "None", "none", "NONE", "null", "Null", "NULL", "N/A", "n/a", "NA", "<NA>")
_FAULTS = ("#N/A", "#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NUM!", "#NULL!")
_NOTHING = frozenset((*_WORDS, *_FAULTS, "-", "–", "—"))


def says_nothing(text: str) -> bool:
    """Whether ``text`` is empty, or only says that there is nothing."""
    return not text.strip() or text.strip() in _NOTHING
