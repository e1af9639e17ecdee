"""What is billed beside prompt and answer: caches, thinking, searches, speech, a dearer provider."""

from __future__ import annotations

from tests.billing.endpoint import Call, Generated


def _thinks(call: Call, thought: int) -> Generated:
    found = call.plain(thought=thought)
    found.usage["total_tokens"] += thought
    return found


def stored_beside(call: Call) -> Generated:
    """Anthropic behind a gateway: nearly all of the prompt is written to the cache, and counted beside it."""
    found = call.plain(stored=call.prompt - 8)
    found.usage = {
        "prompt_tokens": 8,
        "completion_tokens": found.written,
        "total_tokens": 8 + found.written,
        "cache_creation_input_tokens": found.stored,
    }
    return found


def late_thinking_of_a_trusted_model(call: Call) -> Generated:
    return _thinks(call, 0 if call.n < 8 else 20_000)


def thinking_of_400_000(call: Call) -> Generated:
    return _thinks(call, 400_000 if call.n else 0)


def read_beside(call: Call) -> Generated:
    """Anthropic's own names: what was read from the cache is counted beside the input."""
    found = call.plain(cached=call.prompt - 8)
    found.usage = {"input_tokens": 8, "output_tokens": found.written, "cache_read_input_tokens": found.cached}
    return found


def read_and_stored_beside(call: Call) -> Generated:
    found = call.plain(cached=call.prompt // 2, stored=call.prompt // 3)
    found.usage = {
        "input_tokens": found.prompt - found.cached - found.stored,
        "output_tokens": found.written,
        "cache_read_input_tokens": found.cached,
        "cache_creation_input_tokens": found.stored,
    }
    return found


def stored_inside(call: Call) -> Generated:
    """LiteLLM: the prompt includes what is written to the cache."""
    found = call.plain(stored=call.prompt // 2)
    found.usage |= {"cache_creation_input_tokens": found.stored, "cache_read_input_tokens": 0}
    return found


def stored_in_details(call: Call) -> Generated:
    """OpenRouter: what is read from the cache and written to it is in the details of the prompt."""
    found = call.plain(stored=call.prompt // 2, cached=call.prompt // 4)
    found.usage["prompt_tokens_details"] = {"cached_tokens": found.cached, "cache_write_tokens": found.stored}
    return found


def thinking_aside(call: Call) -> Generated:
    """Perplexity: thinking beside completion and total, in a field of its own."""
    found = call.plain(thought=5_000)
    found.usage["reasoning_tokens"] = found.thought
    return found


def citations_aside(call: Call) -> Generated:
    """Perplexity: what it read from the web is billed as input."""
    found = call.plain()
    found.usage["citation_tokens"] = 20_000
    found.prompt += 20_000
    return found


def speech_beside(call: Call) -> Generated:
    found = call.plain(thought=3_000)
    found.usage["completion_tokens_details"] = {"audio_tokens": found.thought, "reasoning_tokens": 0}
    return found


def stored_by_qwen(call: Call) -> Generated:
    found = call.plain(stored=call.prompt // 2)
    found.usage["prompt_tokens_details"] = {"cache_creation_input_tokens": found.stored, "cached_tokens": 0}
    return found


def cached_kimi(call: Call) -> Generated:
    found = call.plain(cached=int(0.9 * call.prompt))
    found.usage["cached_tokens"] = found.cached
    return found


def stored_for_an_hour(call: Call) -> Generated:
    found = call.plain(stored=call.prompt - 8, stored_long=call.prompt - 8)
    found.usage = {
        "input_tokens": 8,
        "output_tokens": found.written,
        "cache_creation_input_tokens": found.stored,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": found.stored},
    }
    return found


def dearer_than_the_list(call: Call) -> Generated:
    """OpenRouter: the provider that it chose takes three times the price; the reply says so."""
    found = call.plain(surcharge=3.0)
    found.usage["cost"] = found.bill
    return found


def late_hidden_prompt(call: Call) -> Generated:
    """The gateway's own prompt grows to 200,000 tokens; it is reported."""
    call.prompt += 200_000 if call.n > 4 else 0
    return call.plain()


def thinking_up_to_300_000(call: Call) -> Generated:
    return _thinks(call, min(300_000, int(2_000 * call.dice.paretovariate(0.6))))


def thoughts_nobody_reports(call: Call) -> Generated:
    """Beyond any promise: thinking that is billed, and neither sent nor counted."""
    return call.plain(thought=5_000)


def half_of_the_truth(call: Call) -> Generated:
    """Beyond any promise: counts that are possible, and half of what is billed."""
    found = call.full()
    given, written = found.prompt // 2, found.written // 2
    found.usage = {"prompt_tokens": given, "completion_tokens": written, "total_tokens": given + written}
    return found
