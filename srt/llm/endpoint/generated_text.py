"""All that a reply shows as generated, in whatever field: the fewest tokens that it was billed for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from srt.llm.token_floor import fewest_tokens

_WRITTEN: Final = (("content", "text"), ("refusal",), ("tool_calls", "function_call"), ("audio",))
_THOUGHT: Final = ("reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks")
"""Gateways send the same thoughts under several of these names: OpenRouter in ``reasoning`` and the details."""
_WORDS: Final = frozenset(
    {
        "text", "content", "refusal", "arguments", "name", "input", "transcript", "function", "custom", "summary",
        "reasoning", "thinking",
    }
)  # fmt: skip
"""Keys of generated words inside these fields. Ids, types, signatures and data in base64 are no tokens."""


def fewest_written(choices: list[Any]) -> int:
    """The fewest tokens of all ``choices`` of a reply. Some servers make several, which are all billed."""
    return sum(map(_of_choice, choices))


def _of_choice(choice: Any) -> int:
    if not isinstance(choice, dict):
        return 0
    written = 0
    for holder in (choice, choice.get("message"), choice.get("delta")):
        if isinstance(holder, dict):
            # Fields of one group may repeat each other: the longest counts.
            written += sum(max(_fewest(holder.get(name)) for name in group) for group in (*_WRITTEN, _THOUGHT))
    return written


def _fewest(value: Any) -> int:
    return sum(map(fewest_tokens, _strings(value)))


def _strings(value: Any) -> Iterator[str]:
    """The strings in ``value``, a text or parts of any nesting; what is nested too deeply for JSON never comes here."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            left += one
        elif isinstance(one, dict):
            left += [part for key, part in one.items() if key in _WORDS]
