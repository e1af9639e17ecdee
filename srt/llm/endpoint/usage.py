"""The token counts of a reply, from the many ways in which endpoints report them.

Output is all that is billed as output. Some endpoints count the tokens of the thinking beside those of the completion:
then the total shows it, or thinking that is longer than the completion. A count that is missing, or 0, or fewer than a
text of that length can have, is not a count: a model that was asked has written something.

Tokens that are read from a cache or written to it are part of the prompt in OpenAI's counts, and in those of gateways
whose total shows it. Anthropic's (``cache_read_input_tokens``, ``cache_creation_input_tokens``) stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_EMPTY: Final[Mapping[str, Any]] = {}
MOST_TOKENS: Final = 2**24
"""What is more is no count of one exchange: larger than any context window that is sold."""


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens that a reply was billed for; 0 where the endpoint does not report them.

    ``cached`` (read from a cache) and ``stored`` (written to one) are among ``given`` (the input), ``thought`` among
    ``written`` (the output). ``counted`` is false where the output is not known.
    """

    given: int
    cached: int
    stored: int
    written: int
    thought: int
    counted: bool


def read_usage(usage: Any, fewest: int) -> TokenCounts:
    """The counts in the ``usage`` of a completion; what came has at least ``fewest`` tokens (0: nothing came)."""
    usage = _mapping(usage)
    completion = _count(usage, "completion_tokens", "output_tokens")
    details = _mapping(usage.get("completion_tokens_details") or usage.get("output_tokens_details"))
    thought = _count(details, "reasoning_tokens") or 0
    total = _count(usage, "total_tokens") or 0
    given, cached, stored = _input(usage, completion or 0, total)
    # xAI and some gateways of Gemini count thinking in the total but not in the completion.
    written = max(completion or 0, total - given if given else 0)
    # Thinking that is longer than the completion cannot be part of it.
    if not written or (thought > written and written == completion):
        written += thought
    beside = written - (completion or 0)
    known = completion is not None or total > 0
    return TokenCounts(
        given=given,
        cached=cached,
        stored=stored,
        written=written,
        thought=thought or (beside if completion is not None else 0),
        counted=known and written >= max(1, fewest),
    )


def _input(usage: Mapping[str, Any], completion: int, total: int) -> tuple[int, int, int]:
    """The tokens of the input, those of them that were read from a cache, and those that were written to one."""
    given = _count(usage, "prompt_tokens", "input_tokens") or 0
    details = _mapping(usage.get("prompt_tokens_details") or usage.get("input_tokens_details"))
    read = _count(usage, "cache_read_input_tokens") or 0
    write = _count(usage, "cache_creation_input_tokens") or 0
    told = "prompt_tokens" in usage and total == given + completion  # a total with nothing beside the prompt
    if read + write > given or not told:
        given += read + write
    cached = max(read, _count(details, "cached_tokens") or _count(usage, "prompt_cache_hit_tokens") or 0)
    stored = max(write, _count(details, "cache_write_tokens", "cache_creation_tokens") or 0)
    # More than the whole input is no count.
    return (given, cached, stored) if cached + stored <= given else (given, 0, 0)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _EMPTY


def _count(counts: Mapping[str, Any], *names: str) -> int | None:
    """The first of ``names`` that holds a number of tokens; some gateways send it as a text or a fraction."""
    for name in names:
        value = counts.get(name)
        if isinstance(value, str) and re.fullmatch(r"\d{1,12}", value, re.ASCII):
            value = int(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
            return int(value)
    return None
