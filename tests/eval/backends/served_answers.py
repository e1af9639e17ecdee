"""What the fake endpoint answers in the tests of this folder; it is loaded by the endpoint's own process."""

from __future__ import annotations

from typing import Any


def think(body: dict[str, Any], rng: Any) -> str:
    """A draft with a whole answer line, and after 100 tokens the answer: what R1 writes after the ``<think>`` of its
    template."""
    draft = "Perhaps it is B.\nANSWER: B\nWait."
    return f"{draft:<400}</think>\n\nANSWER: B"


def answer(body: dict[str, Any], rng: Any) -> str:
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    return f"{text[:80]} seed {body.get('seed')}\nANSWER: B"
