"""Cells of a table of predictions: texts, counts, and how a text ended."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import shorten
from typing import Any

from srt.io.errors import UserError
from srt.io.records import FinishReason
from srt.llm.finish_reasons import KNOWN, finish_reason

COUNTS = ("output_tokens", "input_tokens", "reasoning_tokens")


def text_of(place: str, name: str, value: Any) -> str:
    """A cell as text; empty where it is empty. Raises a :class:`UserError` for lists and objects."""
    if value is None or value != value:  # NaN, from pandas
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise UserError(f"{place}: {name}: a text was expected, not {type(value).__name__}")


def id_of(value: Any) -> str:
    """A cell as an id: a spreadsheet, and pandas where cells are empty, write the number 12 as 12.0."""
    if value is None or value != value or isinstance(value, dict | list):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def whole_number(place: str, name: str, value: Any) -> int | None:
    """A whole number of at least 0; ``None`` where the cell is empty. Raises a :class:`UserError` for others."""
    if value is None or (isinstance(value, str) and not value.strip()) or value != value:  # NaN, from pandas
        return None
    # As pandas writes them: a column of whole numbers with gaps has 12.0.
    if isinstance(value, bool) or not (digits := re.fullmatch(r"\s*([0-9]{1,15})(\.0*)?\s*", str(value))):
        raise UserError(f"{place}: {name}: a whole number, or nothing, was expected, not {shorten(repr(value), 80)}")
    return int(digits[1])


def token_counts(place: str, values: Mapping[str, Any]) -> dict[str, int | None]:
    """The :data:`COUNTS` in ``values``; raises a :class:`UserError` where they contradict each other."""
    counts = {name: whole_number(place, name, values.get(name)) for name in COUNTS}
    output, reasoning = counts["output_tokens"], counts["reasoning_tokens"]
    if output is not None and reasoning is not None and reasoning > output:
        raise UserError(
            f"{place}: reasoning_tokens: {reasoning}, and output_tokens {output}: reasoning is part of the output, "
            "so at most as many were expected"
        )
    return counts


def ended(place: str, value: Any) -> FinishReason:
    """How the text ended; where the file does not say, it counts as complete."""
    if value is None or value != value or (isinstance(value, str) and not value.strip()):  # NaN, from pandas
        return "stop"
    found = finish_reason(value) if isinstance(value, str) else None
    if found is None:
        raise UserError(
            f"{place}: finish_reason: {shorten(repr(value), 80)} is not known; the words for it are {KNOWN}"
        )
    return found
