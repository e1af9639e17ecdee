"""The token counts of a reply, from the many ways in which endpoints report them.

Output is all that is billed as output. Some endpoints count the tokens of the thinking beside those of the completion:
then the total shows it, or thinking that is longer than the completion. A count that is missing, or 0 for a text, is
not a count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_EMPTY: Final[Mapping[str, Any]] = {}
_MOST: Final = 10**9
"""What is more is no count of tokens."""


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens that a reply was billed for; 0 where the endpoint does not report them.

    ``cached`` are among ``given`` (the input), ``thought`` among ``written`` (the output). ``counted`` is false where
    the output is not known.
    """

    given: int
    cached: int
    written: int
    thought: int
    counted: bool


def read_usage(usage: Any, has_text: bool) -> TokenCounts:
    """The counts in the ``usage`` of a completion; ``has_text`` says whether anything was written."""
    usage = _mapping(usage)
    given = _count(usage, "prompt_tokens", "input_tokens") or 0
    completion = _count(usage, "completion_tokens", "output_tokens")
    details = _mapping(usage.get("completion_tokens_details") or usage.get("output_tokens_details"))
    thought = _count(details, "reasoning_tokens") or 0
    total = _count(usage, "total_tokens") or 0
    # xAI and some gateways of Gemini count thinking in the total but not in the completion.
    written = max(completion or 0, total - given if given else 0)
    # Thinking that is longer than the completion cannot be part of it.
    if not written or (thought > written and written == completion):
        written += thought
    beside = written - (completion or 0)
    prompt_details = _mapping(usage.get("prompt_tokens_details") or usage.get("input_tokens_details"))
    cached = _count(prompt_details, "cached_tokens") or _count(usage, "prompt_cache_hit_tokens") or 0
    known = completion is not None or total > 0
    return TokenCounts(
        given=given,
        cached=cached if cached <= given else 0,  # more than the whole input is no count
        written=written,
        thought=thought or (beside if completion is not None else 0),
        counted=known and (written > 0 or (given > 0 and not has_text)),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _EMPTY


def _count(counts: Mapping[str, Any], *names: str) -> int | None:
    """The first of ``names`` that holds a number of tokens; some gateways send it as a text or a fraction."""
    for name in names:
        value = counts.get(name)
        if isinstance(value, str) and re.fullmatch(r"\d{1,12}", value, re.ASCII):
            value = int(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST:
            return int(value)
    return None
