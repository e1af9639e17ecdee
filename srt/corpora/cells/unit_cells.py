"""A unit in a column of its own, beside its value."""

from __future__ import annotations

from typing import Any

from srt.maths.units.unit_phrases import split_unit


def with_unit(value: Any, unit: Any) -> Any:
    """``value`` with its unit, where ``unit`` is one that is compared by value; ``years`` and the like only name what
    is counted, and an answer without them is right too."""
    name = str(unit or "").strip()
    return f"{value} {name}" if name and split_unit(f"1 {name}")[1] is not None else value
