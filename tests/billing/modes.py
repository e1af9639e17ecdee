"""Ways in which servers were seen, or can be imagined, to report or to hide what they bill."""

from __future__ import annotations

from tests.billing.endpoint import Call, Generated, Mode


def plain(call: Call) -> Generated:
    return call.plain()


def beside_in_total(call: Call) -> Generated:
    """xAI: thinking beside the completion; the total has it."""
    found = call.plain(thought=20_000)
    assert found.usage is not None
    found.usage["total_tokens"] += found.thought
    return found


def beside_in_details(call: Call) -> Generated:
    """Thinking in the details alone: larger than the completion, and in no total."""
    found = call.plain(thought=20_000)
    assert found.usage is not None
    found.usage |= {"completion_tokens_details": {"reasoning_tokens": 20_000}}
    return found


def beside_in_both(call: Call) -> Generated:
    """Gemini's gateways: thinking in the details and in the total, beside the completion."""
    found = beside_in_total(call)
    assert found.usage is not None
    found.usage |= {"completion_tokens_details": {"reasoning_tokens": 20_000}}
    return found


def thinking_that_varies(call: Call) -> Generated:
    """Own: how long it thinks is a matter of luck, with a heavy tail."""
    found = call.plain(thought=min(40_000, int(500 * call.dice.paretovariate(0.8))))
    assert found.usage is not None
    found.usage["total_tokens"] += found.thought
    return found


def thinking_that_grows(call: Call) -> Generated:
    """Own: each reply thinks longer than the one before."""
    found = call.plain(thought=500 * call.n)
    assert found.usage is not None
    found.usage["total_tokens"] += found.thought
    return found


def thinking_that_begins_late(call: Call) -> Generated:
    """Own: harmless for 20 replies, then each thinks long."""
    found = call.plain(thought=0 if call.n < 20 else 20_000)
    assert found.usage is not None
    found.usage["total_tokens"] += found.thought
    return found


def limit_ignored(call: Call) -> Generated:
    """``max_tokens`` is ignored: the completion is many times longer, and is reported."""
    return call.plain(written=20 * call.limit)


def small_pictures_that_cost(call: Call) -> Generated:
    """gpt-4o-mini: 8,512 tokens for a small picture."""
    return _pictures(call, 8_512)


def tiled_pictures(call: Call) -> Generated:
    """gpt-4o-mini: 25,501 tokens for 1024 x 1024 by the tile formula."""
    return _pictures(call, 25_501)


def pictures_beyond_all(call: Call) -> Generated:
    """Own: more for a picture than any default."""
    return _pictures(call, 70_000)


def pictures_that_vary(call: Call) -> Generated:
    """Own: each picture has another size, the first a small one."""
    return _pictures(call, call.dice.choice((85, 765, 1_105, 60_000)) if call.n else 85)


def hidden_prompt(call: Call) -> Generated:
    """Own: the gateway puts 30,000 tokens of its own before each prompt."""
    call.prompt += 30_000
    return call.plain()


def cached_openai(call: Call) -> Generated:
    found = call.plain(cached=int(0.9 * call.prompt))
    assert found.usage is not None
    found.usage["prompt_tokens_details"] = {"cached_tokens": found.cached}
    return found


def cached_deepseek(call: Call) -> Generated:
    found = call.plain(cached=int(0.9 * call.prompt))
    assert found.usage is not None
    found.usage |= {
        "prompt_cache_hit_tokens": found.cached,
        "prompt_cache_miss_tokens": found.prompt - found.cached,
    }
    return found


def gateway_time_outs(call: Call) -> Generated:
    """Half the replies are generated and lost by the gateway: billed."""
    found = call.plain(written=call.limit)
    found.status = (408, 499, 504, 524)[call.n % 4] if call.dice.random() < 0.5 else 200
    return found


def dropped_connections(call: Call) -> Generated:
    found = call.plain(written=call.limit)
    found.status = 0 if call.dice.random() < 0.5 else 200
    return found


def late_replies(call: Call) -> Generated:
    """Half the replies come after the client's time-out."""
    found = call.plain(written=call.limit)
    found.status = -1 if call.dice.random() < 0.5 else 200
    return found


def torn_replies(call: Call) -> Generated:
    """Own: status 200, half of the JSON."""
    found = call.plain(written=call.limit)
    found.body = b'{"choices": [{"message": {"content": "x"' if call.dice.random() < 0.5 else None
    return found


def errors_in_a_200(call: Call) -> Generated:
    """Own: the provider behind a gateway fails in mid-reply: status 200, an error inside, billed."""
    found = call.plain(written=call.limit)
    if call.dice.random() < 0.5:
        found.body = b'{"error": {"code": 502, "message": "the provider disconnected"}}'
    return found


def prompt_tokens_alone(call: Call) -> Generated:
    found = call.plain(written=call.limit)
    found.usage = {"prompt_tokens": found.prompt}
    return found


def no_usage(call: Call) -> Generated:
    found = call.plain(written=call.limit)
    found.usage = None
    return found


def zero_for_a_text(call: Call) -> Generated:
    """Own: a text, and a count of 0 tokens for it."""
    found = call.plain(written=call.limit)
    found.usage = {"prompt_tokens": found.prompt, "completion_tokens": 0, "total_tokens": found.prompt}
    return found


def refusals_that_thought(call: Call) -> Generated:
    """Own: an empty reply, after long thinking that the total alone has."""
    found = Generated(call.prompt, 0, thought=5_000, text="")
    found.usage = {"prompt_tokens": found.prompt, "completion_tokens": 0, "total_tokens": found.prompt + 5_000}
    return found


def other_names(call: Call) -> Generated:
    """Own: the names of OpenAI's Responses API, as some gateways pass them on."""
    found = call.plain(thought=3_000)
    found.usage = {
        "input_tokens": found.prompt,
        "output_tokens": found.written + found.thought,
        "output_tokens_details": {"reasoning_tokens": found.thought},
    }
    return found


def counts_as_text(call: Call) -> Generated:
    """Own: counts as text and as fractions."""
    found = call.plain(written=call.limit)
    found.usage = {"prompt_tokens": str(found.prompt), "completion_tokens": float(found.written)}
    return found


def half_of_all(call: Call) -> Generated:
    """Own: every second reply reports nothing, the first and all others think beside the completion."""
    found = beside_in_total(call)
    found.usage = None if call.n % 2 else found.usage
    return found


MODES: dict[str, Mode] = {
    mode.__name__: mode
    for mode in (
        plain, beside_in_total, beside_in_details, beside_in_both, thinking_that_varies, thinking_that_grows,
        thinking_that_begins_late, limit_ignored, small_pictures_that_cost, tiled_pictures, pictures_beyond_all,
        pictures_that_vary, hidden_prompt, cached_openai, cached_deepseek, gateway_time_outs, dropped_connections,
        late_replies, torn_replies, errors_in_a_200, prompt_tokens_alone, no_usage, zero_for_a_text,
        refusals_that_thought, other_names, counts_as_text, half_of_all,
    )
}  # fmt: skip
REPORTED = frozenset(MODES) - {
    "gateway_time_outs", "dropped_connections", "late_replies", "torn_replies", "errors_in_a_200",
    "prompt_tokens_alone", "no_usage", "zero_for_a_text", "half_of_all",
}  # fmt: skip
"""Modes in which every generation is reported: what a client says it spent must be the bill."""
SHOWS_PICTURES = frozenset({"small_pictures_that_cost", "tiled_pictures", "pictures_beyond_all", "pictures_that_vary"})


def _pictures(call: Call, each: int) -> Generated:
    call.prompt += each * call.pictures
    return call.plain()
