"""How a generation ended, from the words that servers and other systems have for it."""

from __future__ import annotations

from srt.io.records import FinishReason

_WORDS: dict[FinishReason, tuple[str, ...]] = {
    "stop": (
        "stop",
        "eos",
        "eos_token",
        "end_of_sequence",
        "end_of_text",
        "stop_sequence",
        "stop_token",
        "end_turn",
        "complete",
        "completed",
    ),
    "length": (
        "length",
        "max_tokens",
        "max_new_tokens",
        "max_output_tokens",
        "max_length",
        "model_length",
        "model_context_window_exceeded",
        "truncated",
        "incomplete",
    ),
    "error": (
        "error",
        "failed",
        "content_filter",
        "safety",
        "sensitive",
        "recitation",
        "prohibited_content",
        "blocklist",
        "refusal",
        "cancelled",
        "abort",
        "timeout",
        "network_error",
        "insufficient_system_resource",
    ),
}
_MEANING: dict[str, FinishReason] = {word: reason for reason, words in _WORDS.items() for word in words}
KNOWN = ", ".join(_MEANING)
"""All words, for messages."""


def finish_reason(word: str) -> FinishReason | None:
    """What ``word`` means, whatever its case; ``None`` where it is not known."""
    return _MEANING.get(word.strip().casefold().replace("-", "_").replace(" ", "_"))
