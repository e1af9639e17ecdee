"""The letters that a question asks for an expression in: r and h of "in terms of r and h", a of 用含a的代数式表示."""

from __future__ import annotations

import re
from functools import lru_cache

_ASKS = re.compile(
    r"(?i:in\s+terms\s+of|as\s+a\s+function\s+of)\s([^.?!;:]{1,60})|用(?:含有?)?([^。，？,]{1,30}?)的?(?:代数)?式?子?来?表示"
)
_LETTER = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")


@lru_cache(maxsize=256)
def asked_letters(question: str) -> frozenset[str]:
    """The single letters that may stand in an answer to ``question``; none where it asks for no expression."""
    asked = _ASKS.search(question)
    return frozenset(_LETTER.findall(asked[1] or asked[2])) if asked else frozenset()
