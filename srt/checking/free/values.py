"""Whether two pieces of text state the same value: an answer and a step, or an answer and gold."""

from __future__ import annotations

import re

_EQUALS = re.compile(r"[=＝≈]|\\approx")
_SEVERAL = re.compile(r"[;；、\n]|,(?!\d{3})|，|\b(?:and|or)\b|[或和]")
_DEGREES = re.compile(r"\s*(?:°|º|\^\s*\{?\s*\\circ\s*\}?|\bdegrees?|度)$")
_DECORATION = re.compile(r"^[\s$]+|[\s$.。]+$")


def same_value(one: str, other: str) -> bool | None:
    """Whether two texts state exactly the same value; ``None`` where a machine cannot tell.

    ``V = 12\\pi`` states ``12\\pi``; a text of several equations or values states nothing that can be told.
    """
    from srt.prose import equal_values

    first, second = stated_value(one), stated_value(other)
    if not first or not second:
        return None
    if first != second and bool(_DEGREES.search(first)) != bool(_DEGREES.search(second)):
        # An angle of 30 and one of 30 degrees are the same answer.
        first, second = _DEGREES.sub("", first), _DEGREES.sub("", second)
    return True if first == second else equal_values(first, second)


def stated_value(text: str) -> str:
    """The value that ``text`` states: what stands after its last equality sign, or the whole of it."""
    body = _DECORATION.sub("", text)
    parts = _EQUALS.split(body)
    if len(parts) > 1 and _SEVERAL.search(body):
        return ""
    return _DECORATION.sub("", parts[-1])
