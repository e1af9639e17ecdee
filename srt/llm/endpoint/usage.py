"""The token counts of a reply, from the many ways in which endpoints report them.

Output is all that is billed as output. Some endpoints count the tokens of the thinking beside those of the completion:
then the total shows it, or details (thinking, speech) that are longer than the completion, or a count beside the
others (Perplexity's ``reasoning_tokens``). A count that is missing, or 0, or fewer than a text of that length can have,
is not a count: a model that was asked has written something. Where counts contradict each other, the dearest reading
is taken.

Tokens that are read from a cache or written to it are part of the prompt in OpenAI's counts, and in those of gateways
whose total shows it. Anthropic's (``cache_read_input_tokens``, ``cache_creation_input_tokens``) stand beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_EMPTY: Final[Mapping[str, Any]] = {}
MOST_TOKENS: Final = 2**24
"""What is more is no count of one exchange: larger than any context window that is sold."""
MOST_COST: Final = 10_000.0
"""What is more is no cost of one exchange, in any large currency."""


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens that a reply was billed for; 0 where the endpoint does not report them.

    ``cached`` (read from a cache) and ``stored`` (written to one) are among ``given`` (the input), ``stored_long``
    (for an hour) among ``stored``, ``thought`` among ``written`` (the output). ``counted`` is false where the output
    is not known. ``cost`` is the server's own figure, where it gives one.
    """

    given: int
    cached: int
    stored: int
    written: int
    thought: int
    counted: bool
    stored_long: int = 0
    cost: float | None = None


def read_usage(usage: Any, fewest: int) -> TokenCounts:
    """The counts in the ``usage`` of a completion; what came has at least ``fewest`` tokens (0: nothing came)."""
    usage = _mapping(usage)
    completion = _count(usage, "completion_tokens", "output_tokens")
    total = _count(usage, "total_tokens") or 0
    details = _mapping(usage.get("completion_tokens_details") or usage.get("output_tokens_details"))
    given, cached, stored, stored_long = _input(usage, completion or 0, total)
    # xAI and some gateways of Gemini count thinking in the total but not in the completion.
    in_total = total - given if given else 0
    thought = _count(details, "reasoning_tokens") or 0
    aside = _count(usage, "reasoning_tokens") or 0
    parts = thought + sum(_count(details, name) or 0 for name in ("audio_tokens", "rejected_prediction_tokens"))
    with_text = parts + (_count(details, "text_tokens") or 0)
    # Details that are longer than the completion cannot be part of it, nor can what the details do not name.
    beside = parts if parts > (completion or 0) else 0
    if aside != thought:
        beside += aside
    known = completion is not None or total > 0
    written = max((completion or 0) + beside, in_total, with_text)
    given += _count(usage, "citation_tokens") or 0  # Perplexity: what it read from the web
    if written > MOST_TOKENS:
        written, known = completion or 0, False
    return TokenCounts(
        given=given,
        cached=cached,
        stored=stored,
        written=written,
        thought=max(thought, aside) or (written - completion if completion is not None else 0),
        counted=known and written >= max(1, fewest),
        stored_long=stored_long,
        cost=_cost(usage),
    )


def says_it_is_billed(usage: Any) -> bool:
    """Whether ``usage`` is there and says anything but zeros: it may hold counts that cannot be read."""
    if isinstance(usage, dict):
        return any(map(says_it_is_billed, usage.values()))
    return usage not in (None, 0, "", "0", False)


def _input(usage: Mapping[str, Any], completion: int, total: int) -> tuple[int, int, int, int]:
    """The tokens of the input, those read from a cache, those written to one, and those of them for an hour."""
    given = _count(usage, "prompt_tokens", "input_tokens") or 0
    details = _mapping(usage.get("prompt_tokens_details") or usage.get("input_tokens_details"))
    read = _count(usage, "cache_read_input_tokens") or 0
    write, long = _stored(usage)
    told = "prompt_tokens" in usage and total == given + completion  # a total with nothing beside the prompt
    added = read + write if read + write > given or not told else 0
    # DeepSeek and Kimi name what was read beside the details. Less of it is dearer.
    names = ("prompt_cache_hit_tokens", "cached_tokens")
    reads = (read, _count(details, "cached_tokens"), *(_count(usage, name) for name in names))
    cached = min(filter(None, reads), default=0)
    write_inside, long_inside = _stored(details)
    stored, stored_long = max(write, write_inside), max(long, long_inside)
    # They cannot be part of the input where they are more.
    given += added if cached + stored <= given + added else max(added, cached + stored)
    # More than any context window is no count.
    return (given, cached, stored, stored_long) if given <= MOST_TOKENS else (0, 0, 0, 0)


def _stored(counts: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens written to a cache, and those of them for an hour: Anthropic's names, OpenRouter's, and Qwen's nesting."""
    parts = _mapping(counts.get("cache_creation"))
    short, long = (
        max(_count(place, name) or 0 for place in (parts, counts))
        for name in ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
    )
    names = ("cache_creation_input_tokens", "cache_write_tokens", "cache_creation_tokens")
    return max(short + long, *(_count(counts, name) or 0 for name in names)), long


def _cost(usage: Mapping[str, Any]) -> float | None:
    """The cost of the request in the server's currency: OpenRouter's number, or Perplexity's table."""
    cost = usage.get("cost")
    cost = cost.get("total_cost") if isinstance(cost, dict) else cost
    if isinstance(cost, str) and re.fullmatch(r"\d{1,6}(?:\.\d{1,18})?", cost, re.ASCII):
        cost = float(cost)
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not math.isfinite(cost):
        return None
    return float(cost) if 0 <= cost <= MOST_COST else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _EMPTY


def _count(counts: Mapping[str, Any], *names: str) -> int | None:
    """The most of ``names`` that hold a number of tokens; some gateways send it as a text or a fraction."""
    found = []
    for name in names:
        value = counts.get(name)
        if isinstance(value, str) and re.fullmatch(r"\d{1,12}", value, re.ASCII):
            value = int(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
            found.append(int(value))
    return max(found, default=None)
